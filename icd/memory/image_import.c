#include "config.h"

#include "icd/memory/image_import.h"

#include "icd/memory/image_check.h"
#include "icd/memory/image_format.h"
#include "icd/memory/mem_properties.h"
#include "icd/object/properties.h"

/* Makes all checks before the memory is imported, because on errors the file descriptor has to stay the
 * application's.  Fills in flags and the row pitch. */
static cl_int linear_check(struct ocl_image_request *request)
{
	struct ocl_image_request plain = *request;
	/* Only 2D images can be made from linear memory. */
	if (request->desc.image_type != CL_MEM_OBJECT_IMAGE2D || request->desc.mem_object ||
	    request->desc.num_mip_levels > 1)
		return CL_INVALID_IMAGE_DESCRIPTOR;
	plain.desc.image_row_pitch = plain.desc.image_slice_pitch = 0;
	cl_int error = ocl_image_check(&plain);
	request->flags = plain.flags;
	return error ? error : ocl_image_rows_take(request);
}

bool ocl_image_import_has_format(const struct _cl_context *context, const cl_image_format *format)
{
	return format->image_channel_order != CL_DEPTH && !ocl_image_format_packing(context, format).word_B;
}

/* No layout is smaller than the texels of all levels without padding.  The driver of a GPU cannot know how large the
 * image is that was bound to the memory, and kernels would leave the allocation.  The number of texels fits 64 bits,
 * because the device supports the size. */
static bool may_fit(const struct ocl_image_request *request, const struct ocl_external_layout *layout)
{
	const cl_image_desc *desc = &request->desc;
	const struct gpu_extent extent = {
		.width = desc->image_width, .height = desc->image_height,
		.depth = desc->image_array_size ? desc->image_array_size : desc->image_depth,
		.layered = desc->image_array_size, .levels = desc->num_mip_levels,
	};
	return gpu_extent_texels(&extent, gpu_extent_levels(&extent)) <=
	       (layout->allocation_B - layout->offset_B) / ocl_image_format_B(&request->format);
}

/* As linear_check, for an image in the GPU's own layout, which has no pitches.  Of several layers with several levels,
 * driver 580.159.04 finds only the first layer of Vulkan's image. */
static cl_int optimal_check(struct ocl_image_request *request, const struct ocl_external_layout *layout,
			    const struct _cl_device_id *device)
{
	if (request->desc.mem_object || request->desc.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
		return CL_INVALID_IMAGE_DESCRIPTOR;
	cl_int error = ocl_image_check(request);
	if (error)
		return error;
	if (request->desc.num_mip_levels > 1 && request->desc.image_array_size > 1)
		return CL_INVALID_IMAGE_DESCRIPTOR;
	if (!ocl_image_import_has_format(request->context, &request->format))
		return CL_IMAGE_FORMAT_NOT_SUPPORTED;
	if (!ocl_image_size_fits(&request->desc, device->caps))
		return CL_INVALID_IMAGE_SIZE;
	return may_fit(request, layout) ? CL_SUCCESS : CL_INVALID_PROPERTY;
}

static cl_int request_check(struct ocl_image_request *request,
			    struct ocl_mem_properties *properties)
{
	cl_int error = ocl_mem_properties_read(request->context, request->properties, properties);
	/* 5.3.1: CL_INVALID_PROPERTY for a property that images do not have. */
	if (!error && !ocl_mem_properties_are_image(properties))
		error = CL_INVALID_PROPERTY;
	if (!error)
		error = ocl_mem_external_check(request->flags, request->host_pointer);
	if (error)
		return error;
	return properties->layout.optimal
		       ? optimal_check(request, &properties->layout, request->context->devices[properties->device])
		       : linear_check(request);
}

/* Sets what queries of the image return: the application's properties. */
static cl_int image_dress(const struct ocl_mem_properties *properties, cl_mem mem)
{
	mem->property_count = properties->count;
	return ocl_properties_copy_words(properties->list, properties->count, &mem->properties);
}

/* Queries return nothing of the internal buffer. */
static cl_int linear_create(struct ocl_image_request *request, const struct ocl_mem_properties *properties,
			    cl_mem *mem_out)
{
	cl_mem buffer;
	cl_int error = ocl_mem_create(request->context, properties, request->flags,
				      request->desc.image_row_pitch * request->desc.image_height, NULL, &buffer);
	if (error)
		return error;
	request->desc.mem_object = buffer;
	error = ocl_image_create(request, mem_out);
	if (!error) {
		(*mem_out)->image->imported = true;
		(*mem_out)->external_device = buffer->external_device;
	}
	object_unref(buffer);
	return error;
}

static cl_int optimal_create(struct ocl_image_request *request, const struct ocl_mem_properties *properties,
			     cl_mem *mem_out)
{
	const struct ocl_external_layout *layout = &properties->layout;
	const struct gpu_foreign_image foreign = {
		.fd = properties->handle.fd, .allocation_B = layout->allocation_B, .offset_B = layout->offset_B,
		.dedicated = layout->dedicated, .color_attachment = layout->color_attachment,
	};
	request->foreign = &foreign;
	request->foreign_device = request->context->devices[properties->device];
	const cl_int error = ocl_image_create(request, mem_out);
	request->foreign = NULL;
	return error;
}

cl_int ocl_image_import(struct ocl_image_request *request, cl_mem *mem_out)
{
	struct ocl_mem_properties properties;
	cl_mem mem = NULL;
	cl_int error = request_check(request, &properties);
	if (error)
		return error;
	request->properties = NULL;
	error = properties.layout.optimal ? optimal_create(request, &properties, &mem)
					  : linear_create(request, &properties, &mem);
	if (!error)
		error = image_dress(&properties, mem);
	if (error) {
		object_unref(mem);
		return error;
	}
	ocl_mem_external_taken(&properties);
	*mem_out = mem;
	return CL_SUCCESS;
}
