/* Creating and querying images (OpenCL 3.0 API, 5.3.1, 5.3.2, 5.3.7). */
#include "config.h"

#include "icd/memory/image_check.h"
#include "icd/memory/image_format.h"
#include "icd/memory/image_import.h"
#include "icd/memory/mem_flags.h"
#include "icd/object/info_rows.h"

#include <string.h>

static cl_mem mem_return(cl_int error, cl_mem mem, cl_int *errcode_ret)
{
	if (errcode_ret)
		*errcode_ret = error;
	return error ? NULL : mem;
}

static cl_int context_check(cl_context context)
{
	cl_int error = object_check(context, &ocl_context_type);
	/* 5.3.1: CL_INVALID_OPERATION when no device of the context supports images. */
	if (!error && !ocl_context_has_images(context))
		error = CL_INVALID_OPERATION;
	return error;
}

static cl_int image_create(struct ocl_image_request *request, const cl_image_format *format,
			   const cl_image_desc *desc, cl_mem *mem_out)
{
	cl_int error = context_check(request->context);
	if (!error && !format)
		error = CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
	if (!error && !desc)
		error = CL_INVALID_IMAGE_DESCRIPTOR;
	if (error)
		return error;
	request->format = *format;
	request->desc = *desc;
	if (request->properties && request->properties[0])
		return ocl_image_import(request, mem_out);
	error = ocl_image_check(request);
	return error ? error : ocl_image_create(request, mem_out);
}

CL_API_ENTRY cl_mem CL_API_CALL
clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
			    cl_mem_flags flags, const cl_image_format *image_format,
			    const cl_image_desc *image_desc, void *host_ptr, cl_int *errcode_ret)
{
	struct ocl_image_request request = {
		.context = context, .properties = properties, .flags = flags,
		.host_pointer = host_ptr,
	};
	cl_mem mem = NULL;
	cl_int error = image_create(&request, image_format, image_desc, &mem);
	return mem_return(error, mem, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL
clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
	      const cl_image_desc *image_desc, void *host_ptr, cl_int *errcode_ret)
{
	struct ocl_image_request request = {
		.context = context, .flags = flags, .host_pointer = host_ptr,
	};
	cl_mem mem = NULL;
	cl_int error = image_create(&request, image_format, image_desc, &mem);
	return mem_return(error, mem, errcode_ret);
}

/* The functions of OpenCL 1.1, 5.3.1, return CL_INVALID_IMAGE_SIZE for a size or a pitch that is not allowed. */
static cl_mem old_create(cl_context context, cl_mem_flags flags, const cl_image_format *format,
			 const cl_image_desc *desc, void *host_pointer, cl_int *errcode_ret)
{
	struct ocl_image_request request = {
		.context = context, .flags = flags, .host_pointer = host_pointer,
	};
	cl_mem mem = NULL;
	cl_int error = image_create(&request, format, desc, &mem);
	return mem_return(error == CL_INVALID_IMAGE_DESCRIPTOR ? CL_INVALID_IMAGE_SIZE : error,
			  mem, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL
clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
		size_t image_width, size_t image_height, size_t image_row_pitch, void *host_ptr,
		cl_int *errcode_ret)
{
	const cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = image_width,
		.image_height = image_height, .image_row_pitch = image_row_pitch,
	};
	return old_create(context, flags, image_format, &desc, host_ptr, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL
clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
		size_t image_width, size_t image_height, size_t image_depth, size_t image_row_pitch,
		size_t image_slice_pitch, void *host_ptr, cl_int *errcode_ret)
{
	const cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = image_width,
		.image_height = image_height, .image_depth = image_depth,
		.image_row_pitch = image_row_pitch, .image_slice_pitch = image_slice_pitch,
	};
	/* OpenCL 1.1, 5.3.1 (clCreateImage3D): CL_INVALID_IMAGE_SIZE unless it is deeper than 1. */
	if (image_depth == 1 && !object_check(context, &ocl_context_type))
		return mem_return(CL_INVALID_IMAGE_SIZE, NULL, errcode_ret);
	return old_create(context, flags, image_format, &desc, host_ptr, errcode_ret);
}

static bool type_is_image(cl_mem_object_type type)
{
	switch (type) {
	case CL_MEM_OBJECT_IMAGE1D:
	case CL_MEM_OBJECT_IMAGE1D_BUFFER:
	case CL_MEM_OBJECT_IMAGE1D_ARRAY:
	case CL_MEM_OBJECT_IMAGE2D:
	case CL_MEM_OBJECT_IMAGE2D_ARRAY:
	case CL_MEM_OBJECT_IMAGE3D:
		return true;
	default:
		return false;
	}
}

CL_API_ENTRY cl_int CL_API_CALL
clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type image_type,
			   cl_uint num_entries, cl_image_format *image_formats,
			   cl_uint *num_image_formats)
{
	cl_image_format formats[OCL_FORMATS_MAX];
	cl_uint count = 0;
	cl_int error = object_check(context, &ocl_context_type);
	/* 5.3.2: CL_INVALID_VALUE for invalid flags, an invalid type, or a list without a length.
	 * CL_MEM_KERNEL_READ_AND_WRITE is valid only in this query. */
	if (!error)
		error = ocl_mem_flags_check(flags & ~(cl_mem_flags)CL_MEM_KERNEL_READ_AND_WRITE);
	if (!error && flags & CL_MEM_KERNEL_READ_AND_WRITE && flags & OCL_MEM_IMMUTABLE)
		error = CL_INVALID_VALUE;
	if (!error && (!type_is_image(image_type) || (image_formats && !num_entries)))
		error = CL_INVALID_VALUE;
	if (error)
		return error;
	const bool read_write = flags & CL_MEM_KERNEL_READ_AND_WRITE;
	if (read_write)
		flags = (flags & ~(cl_mem_flags)OCL_MEM_ACCESS_FLAGS) | CL_MEM_READ_WRITE;
	if (ocl_context_has_images(context))
		count = ocl_image_formats(context, image_type, read_write, formats);
	if (num_image_formats)
		*num_image_formats = count;
	if (image_formats && count)
		memcpy(image_formats, formats,
		       (num_entries < count ? num_entries : count) * sizeof(formats[0]));
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetImageInfo(cl_mem mem, cl_image_info param_name,
					       size_t param_value_size, void *param_value,
					       size_t *param_value_size_ret)
{
	const struct info_out *out =
		&(const struct info_out){param_value_size, param_value, param_value_size_ret};
	cl_int error = object_check(mem, &ocl_mem_type);
	/* 5.3.7: CL_INVALID_MEM_OBJECT when the memory object is not an image. */
	if (!error && !mem->image)
		error = CL_INVALID_MEM_OBJECT;
	if (error)
		return error;
	const struct ocl_image *image = mem->image;
	switch (param_name) {
#include "icd/memory/image_info.def"
	default:
		return CL_INVALID_VALUE;
	}
}
