#include "config.h"

#include "icd/memory/image_import.h"

#include "icd/memory/image_check.h"
#include "icd/memory/mem_properties.h"
#include "icd/object/properties.h"

/* Makes all checks before the memory is imported, because on errors the file descriptor has to stay the
 * application's.  Fills in flags and the row pitch. */
static cl_int request_check(struct ocl_image_request *request,
			    struct ocl_mem_properties *properties)
{
	struct ocl_image_request plain = *request;
	cl_int error = ocl_mem_properties_read(request->context, request->properties, properties);
	/* 5.3.1: CL_INVALID_PROPERTY for a property that images do not have. */
	if (!error && !ocl_mem_properties_are_image(properties))
		error = CL_INVALID_PROPERTY;
	if (!error)
		error = ocl_mem_external_check(request->flags, request->host_pointer);
	/* Only 2D images can be made from linear memory. */
	if (!error && (request->desc.image_type != CL_MEM_OBJECT_IMAGE2D ||
		       request->desc.mem_object || request->desc.num_mip_levels > 1))
		error = CL_INVALID_IMAGE_DESCRIPTOR;
	plain.desc.image_row_pitch = plain.desc.image_slice_pitch = 0;
	if (!error)
		error = ocl_image_check(&plain);
	request->flags = plain.flags;
	return error ? error : ocl_image_rows_take(request);
}

/* Sets what queries of the image return: the application's properties, not those of the internal buffer. */
static cl_int image_dress(const struct ocl_mem_properties *properties, cl_mem buffer, cl_mem mem)
{
	mem->image->imported = true;
	mem->external_device = buffer->external_device;
	mem->property_count = properties->count;
	return ocl_properties_copy_words(properties->list, properties->count, &mem->properties);
}

cl_int ocl_image_import(struct ocl_image_request *request, cl_mem *mem_out)
{
	struct ocl_mem_properties properties;
	cl_mem buffer, mem = NULL;
	cl_int error = request_check(request, &properties);
	if (error)
		return error;
	error = ocl_mem_create(request->context, &properties, request->flags,
			       request->desc.image_row_pitch * request->desc.image_height, NULL,
			       &buffer);
	if (error)
		return error;
	request->properties = NULL;
	request->desc.mem_object = buffer;
	error = ocl_image_create(request, &mem);
	if (!error)
		error = image_dress(&properties, buffer, mem);
	object_unref(buffer);
	if (error) {
		object_unref(mem);
		return error;
	}
	ocl_mem_external_taken(&properties);
	*mem_out = mem;
	return CL_SUCCESS;
}
