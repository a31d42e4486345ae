/* Requirements of an image before it is created (cl_ext_image_requirements_info). */
#include "config.h"

#include "icd/memory/image_check.h"
#include "icd/memory/image_format.h"
#include "icd/memory/image_import.h"
#include "icd/memory/mem_flags.h"
#include "icd/memory/mem_properties.h"
#include "icd/object/info_rows.h"

#include <CL/cl_ext.h>

/* A query's parameters: NULL or 0 stands for all possible values. */
struct question {
	const struct _cl_context *context;
	const cl_image_format *format;
	cl_image_desc desc;
	bool has_desc;
};

static bool is_one_of(cl_mem_object_type type, cl_mem_object_type a, cl_mem_object_type b,
		      cl_mem_object_type c)
{
	return !type || type == a || type == b || type == c;
}

static bool type_is_known(cl_mem_object_type type)
{
	return is_one_of(type, CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_ARRAY,
			 CL_MEM_OBJECT_IMAGE1D_BUFFER) ||
	       is_one_of(type, CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY,
			 CL_MEM_OBJECT_IMAGE3D);
}

/* The properties of an image in imported memory, which can only be a 2D image if its layout is linear.  A device that
 * is not in the context makes the property's value invalid; the extension has no error of its own for it. */
static cl_int properties_check(const struct _cl_context *context,
			       const cl_mem_properties *properties, const cl_image_desc *desc, bool *optimal_out)
{
	struct ocl_mem_properties read;
	*optimal_out = false;
	if (!properties || !properties[0])
		return CL_SUCCESS;
	cl_int error = ocl_mem_properties_read(context, properties, &read);
	if (error == CL_INVALID_DEVICE || (!error && !ocl_mem_properties_are_image(&read)))
		error = CL_INVALID_PROPERTY;
	if (!error && desc && desc->image_type && desc->image_type != CL_MEM_OBJECT_IMAGE2D &&
	    (!read.layout.optimal || desc->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER))
		error = CL_INVALID_IMAGE_DESCRIPTOR;
	*optimal_out = !error && read.layout.optimal;
	if (*optimal_out && desc && (desc->image_row_pitch || desc->image_slice_pitch))
		error = CL_INVALID_IMAGE_DESCRIPTOR;
	return error;
}

static cl_int question_check(cl_context context, const cl_mem_properties *properties,
			     cl_mem_flags flags, const cl_image_format *format,
			     const cl_image_desc *desc, bool *optimal_out)
{
	cl_int error = object_check(context, &ocl_context_type);
	if (!error)
		error = properties_check(context, properties, desc, optimal_out);
	if (!error)
		error = ocl_mem_flags_check(flags);
	if (!error && format)
		error = ocl_image_format_check(format);
	/* A format of the specification that no image can have, or none in this layout, is also invalid here. */
	if (!error && format &&
	    (ocl_image_format_supported(format, CL_MEM_OBJECT_IMAGE2D) ||
	     (*optimal_out && !ocl_image_import_has_format(context, format))))
		error = CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
	if (!error && desc &&
	    (!type_is_known(desc->image_type) || desc->num_mip_levels || desc->num_samples))
		error = CL_INVALID_IMAGE_DESCRIPTOR;
	return error;
}

/* --- answers ------------------------------------------------------------------------------------ */

/* The largest value that every device of the context supports. */
static size_t least(const struct _cl_context *context, size_t (*of)(const struct gpu_caps *))
{
	size_t value = of(context->devices[0]->caps);
	for (cl_uint i = 1; i < context->device_count; i++) {
		const size_t other = of(context->devices[i]->caps);
		value = other < value ? other : value;
	}
	return value;
}

static size_t plane_width(const struct gpu_caps *caps)
{
	return caps->image2d[0];
}

static size_t plane_height(const struct gpu_caps *caps)
{
	return caps->image2d[1];
}

static size_t space_width(const struct gpu_caps *caps)
{
	return caps->image3d[0];
}

static size_t space_height(const struct gpu_caps *caps)
{
	return caps->image3d[1];
}

static size_t space_depth(const struct gpu_caps *caps)
{
	return caps->image3d[2];
}

static size_t layers(const struct gpu_caps *caps)
{
	return caps->image_layers;
}

static size_t linear_width(const struct gpu_caps *caps)
{
	return caps->image_linear;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The largest width of images of the type; of all types if the query has none. */
static cl_uint width_of(const struct question *question)
{
	const struct _cl_context *context = question->context;
	const size_t plane = least(context, plane_width), space = least(context, space_width);
	switch (question->desc.image_type) {
	case 0:
		return (cl_uint)smaller(smaller(plane, space), least(context, linear_width));
	case CL_MEM_OBJECT_IMAGE1D_BUFFER:
		return (cl_uint)least(context, linear_width);
	case CL_MEM_OBJECT_IMAGE3D:
		return (cl_uint)space;
	default:
		return (cl_uint)plane;
	}
}

static cl_uint height_of(const struct question *question)
{
	const struct _cl_context *context = question->context;
	const size_t plane = least(context, plane_height), space = least(context, space_height);
	const cl_mem_object_type type = question->desc.image_type;
	return (cl_uint)(!type ? smaller(plane, space)
			       : type == CL_MEM_OBJECT_IMAGE3D ? space : plane);
}

/* Rows and slices of an image: 1 where the type has no such dimension. */
static void extent_of(const cl_image_desc *desc, size_t *rows_out, size_t *slices_out)
{
	*rows_out = *slices_out = 1;
	switch (desc->image_type) {
	case CL_MEM_OBJECT_IMAGE1D_ARRAY:
		*slices_out = desc->image_array_size;
		break;
	case CL_MEM_OBJECT_IMAGE2D:
		*rows_out = desc->image_height;
		break;
	case CL_MEM_OBJECT_IMAGE2D_ARRAY:
		*rows_out = desc->image_height;
		*slices_out = desc->image_array_size;
		break;
	case CL_MEM_OBJECT_IMAGE3D:
		*rows_out = desc->image_height;
		*slices_out = desc->image_depth;
		break;
	default:
		break;
	}
}

static bool has_texels(const cl_image_desc *desc)
{
	size_t rows, slices;
	extent_of(desc, &rows, &slices);
	return desc->image_type && desc->image_width && rows && slices;
}

/* CL_INVALID_VALUE without a format or a description, CL_INVALID_IMAGE_DESCRIPTOR when the size does not fit a
 * size_t. */
static cl_int size_of(const struct question *question, size_t *size_out)
{
	const cl_image_desc *desc = &question->desc;
	size_t row_B, slice_B, rows, slices;
	if (!question->format || !question->has_desc)
		return CL_INVALID_VALUE;
	extent_of(desc, &rows, &slices);
	if (__builtin_mul_overflow(desc->image_width / ocl_image_format_group(question->format),
				   ocl_image_format_B(question->format), &row_B))
		return CL_INVALID_IMAGE_DESCRIPTOR;
	if (desc->image_row_pitch > row_B)
		row_B = desc->image_row_pitch;
	if (__builtin_mul_overflow(row_B, rows, &slice_B))
		return CL_INVALID_IMAGE_DESCRIPTOR;
	if ((desc->image_type == CL_MEM_OBJECT_IMAGE3D || desc->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ||
	     desc->image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY) && desc->image_slice_pitch > slice_B)
		slice_B = desc->image_slice_pitch;
	return __builtin_mul_overflow(slice_B, slices, size_out) ? CL_INVALID_IMAGE_DESCRIPTOR
								 : CL_SUCCESS;
}

/* What the extension defines of "images created from a buffer", and the size "that a buffer would need to be". */
static bool is_of_buffers(cl_image_requirements_info_ext name)
{
	return name == CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT ||
	       name == CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT ||
	       name == CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT || name == CL_IMAGE_REQUIREMENTS_SIZE_EXT;
}

/* Whether the description is valid for the query: for the maximum of a dimension, a type that has this dimension, or
 * no type; for alignments and the size, an image's description. */
static bool desc_is_valid(const struct question *question, cl_image_requirements_info_ext name)
{
	const cl_mem_object_type type = question->desc.image_type;
	switch (name) {
	case CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT:
		return is_one_of(type, CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY,
				 CL_MEM_OBJECT_IMAGE3D);
	case CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT:
		return !type || type == CL_MEM_OBJECT_IMAGE3D;
	case CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT:
		return !type || type == CL_MEM_OBJECT_IMAGE1D_ARRAY ||
		       type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
	default:
		return !is_of_buffers(name) || !question->has_desc || has_texels(&question->desc);
	}
}

static cl_int put_size(const struct question *question, const struct info_out *out)
{
	size_t size_B;
	cl_int error = size_of(question, &size_B);
	return error ? error : INFO_PUT(out, size_t, size_B);
}

CL_API_ENTRY cl_int CL_API_CALL
clGetImageRequirementsInfoEXT(cl_context context, const cl_mem_properties *properties,
			      cl_mem_flags flags, const cl_image_format *image_format,
			      const cl_image_desc *image_desc,
			      cl_image_requirements_info_ext param_name, size_t param_value_size,
			      void *param_value, size_t *param_value_size_ret)
{
	const struct info_out *out =
		&(const struct info_out){param_value_size, param_value, param_value_size_ret};
	bool optimal = false;
	cl_int error = question_check(context, properties, flags, image_format, image_desc, &optimal);
	if (error)
		return error;
	const struct question question = {
		context, image_format, image_desc ? *image_desc : (cl_image_desc){0},
		image_desc != NULL,
	};
	/* The layout of such an image is the other API's: no buffer can back it, and it has no pitches. */
	if (optimal && is_of_buffers(param_name))
		return CL_INVALID_PROPERTY;
	if (!desc_is_valid(&question, param_name))
		return CL_INVALID_IMAGE_DESCRIPTOR;
	switch (param_name) {
#include "icd/memory/image_requirements_info.def"
	default:
		return CL_INVALID_VALUE;
	}
}
