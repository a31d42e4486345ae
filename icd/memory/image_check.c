#include "config.h"

#include "icd/memory/image_check.h"

#include "icd/memory/image_format.h"
#include "icd/memory/mem_flags.h"

/* --- dimensions ----------------------------------------------------------------------- */

/* Sets the fields of desc that the type does not have to 0 ("image_height ... ignored for other types").
 * CL_INVALID_IMAGE_DESCRIPTOR for an unknown type, or an image without texels. */
static cl_int dimensions_take(cl_image_desc *desc)
{
	bool height = false, depth = false, layers = false;
	switch (desc->image_type) {
	case CL_MEM_OBJECT_IMAGE1D:
	case CL_MEM_OBJECT_IMAGE1D_BUFFER:
		break;
	case CL_MEM_OBJECT_IMAGE1D_ARRAY:
		layers = true;
		break;
	case CL_MEM_OBJECT_IMAGE2D:
		height = true;
		break;
	case CL_MEM_OBJECT_IMAGE2D_ARRAY:
		height = layers = true;
		break;
	case CL_MEM_OBJECT_IMAGE3D:
		height = depth = true;
		break;
	default:
		return CL_INVALID_IMAGE_DESCRIPTOR;
	}
	if (!desc->image_width || (height && !desc->image_height) ||
	    (depth && !desc->image_depth) || (layers && !desc->image_array_size))
		return CL_INVALID_IMAGE_DESCRIPTOR;
	desc->image_height = height ? desc->image_height : 0;
	desc->image_depth = depth ? desc->image_depth : 0;
	desc->image_array_size = layers ? desc->image_array_size : 0;
	/* 5.3.1.4: "num_samples must be 0." */
	return desc->num_samples ? CL_INVALID_IMAGE_DESCRIPTOR : CL_SUCCESS;
}

/* The number of levels down to a size of 1. */
static cl_uint most_levels(const cl_image_desc *desc)
{
	const size_t sizes[] = {desc->image_height, desc->image_depth};
	size_t longest = desc->image_width;
	cl_uint levels = 1;
	for (unsigned i = 0; i < 2; i++)
		longest = sizes[i] > longest ? sizes[i] : longest;
	while (longest >>= 1)
		levels++;
	return levels;
}

/* 5.3.1, "Mipmap Images", which names no errors: CL_MEM_USE_HOST_PTR and CL_MEM_COPY_HOST_PTR "cannot be specified if a
 * mipmapped image is created"; such images "cannot be created for CL_MEM_OBJECT_IMAGE1D_BUFFER images, depth images";
 * nor here for a buffer.  An image of an image has its levels.
 * "Specifying num_mip_levels equal to either 0 or 1 creates an image with a single mipmap level." */
static cl_int levels_check(const struct ocl_image_request *request)
{
	const cl_image_desc *desc = &request->desc;
	const struct ocl_image *from = desc->mem_object ? desc->mem_object->image : NULL;
	if (from)
		return (desc->num_mip_levels > 1 ? desc->num_mip_levels : 1) ==
				       (from->num_mip_levels > 1 ? from->num_mip_levels : 1)
			       ? CL_SUCCESS : CL_INVALID_IMAGE_DESCRIPTOR;
	if (desc->num_mip_levels <= 1)
		return CL_SUCCESS;
	/* Nor of formats whose texels share bytes, because not all levels would consist of whole groups. */
	if (desc->mem_object || desc->num_mip_levels > most_levels(desc) ||
	    request->format.image_channel_order == CL_DEPTH || ocl_image_format_group(&request->format) > 1)
		return CL_INVALID_IMAGE_DESCRIPTOR;
	return request->flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) ? CL_INVALID_VALUE : CL_SUCCESS;
}

/* 5.3.1: CL_INVALID_IMAGE_SIZE when no device of the context supports the size. */
static cl_int size_check(const struct _cl_context *context, const cl_image_desc *desc)
{
	for (cl_uint i = 0; i < context->device_count; i++)
		if (ocl_image_size_fits(desc, context->devices[i]->caps))
			return CL_SUCCESS;
	return CL_INVALID_IMAGE_SIZE;
}

/* --- pitches -------------------------------------------------------------------------- */

static uint64_t at_least_one(uint64_t size)
{
	return size ? size : 1;
}

uint32_t ocl_image_unit_B(const cl_image_format *format)
{
	if (!format)
		return OCL_TEXEL_MAX_B;
	return ocl_image_format_group(format) > 1 ? 1 : ocl_image_format_B(format);
}

static size_t row_of(const cl_image_desc *desc, const cl_image_format *format)
{
	return desc->image_width / ocl_image_format_group(format) * ocl_image_format_B(format);
}

/* 5.3.1: without a host pointer the pitches are 0. With one, 0 stands for the smallest pitch; a row pitch is a
 * multiple of the texel size, a slice pitch a multiple of the row pitch. */
static cl_int pitches_take(cl_image_desc *desc, const cl_image_format *format, bool given)
{
	const uint64_t row_B = row_of(desc, format);
	const bool sliced = desc->image_depth || desc->image_array_size;
	if (!given && (desc->image_row_pitch || desc->image_slice_pitch))
		return CL_INVALID_IMAGE_DESCRIPTOR;
	if (!desc->image_row_pitch)
		desc->image_row_pitch = row_B;
	if (desc->image_row_pitch < row_B || desc->image_row_pitch % ocl_image_unit_B(format))
		return CL_INVALID_IMAGE_DESCRIPTOR;
	if (!sliced) {
		desc->image_slice_pitch = 0;
		return CL_SUCCESS;
	}
	const uint64_t rows = at_least_one(desc->image_height);
	if (desc->image_row_pitch > SIZE_MAX / rows)
		return CL_INVALID_IMAGE_DESCRIPTOR;
	const uint64_t slice_B = desc->image_row_pitch * rows;
	if (!desc->image_slice_pitch)
		desc->image_slice_pitch = slice_B;
	return desc->image_slice_pitch < slice_B ||
			       desc->image_slice_pitch % desc->image_row_pitch
		       ? CL_INVALID_IMAGE_DESCRIPTOR : CL_SUCCESS;
}

/* --- of another memory object --------------------------------------------------------- */

size_t ocl_image_row_alignment_B(const struct _cl_context *context, cl_mem_object_type type,
				 const cl_image_format *format)
{
	const size_t unit_B = ocl_image_unit_B(format);
	size_t texels = 1;
	if ((type && type != CL_MEM_OBJECT_IMAGE2D) || (format && ocl_image_format_group(format) > 1))
		return unit_B;
	for (cl_uint i = 0; i < context->device_count; i++) {
		const size_t other = context->devices[i]->caps->texture_pitch_B;
		texels = other > texels ? other : texels;
	}
	return texels * unit_B;
}

cl_int ocl_image_rows_take(struct ocl_image_request *request)
{
	cl_image_desc *desc = &request->desc;
	const struct gpu_caps *caps = request->context->devices[0]->caps;
	if (desc->image_slice_pitch)
		return CL_INVALID_IMAGE_DESCRIPTOR;
	cl_int error = pitches_take(desc, &request->format, true);
	if (error)
		return error;
	if (desc->image_row_pitch % caps->texture_pitch_B)
		return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
	return desc->image_row_pitch > caps->image_pitch_max_B ? CL_INVALID_IMAGE_DESCRIPTOR
							       : CL_SUCCESS;
}

/* cl_ext_image_from_buffer: CL_INVALID_IMAGE_FORMAT_DESCRIPTOR "if ... the row pitch, or slice pitch, ... or base
 * address alignment do not follow the rules described for creating an image from a buffer".  A pitch that is 0 follows
 * them. */
static cl_int alignment_check(const struct ocl_image_request *request)
{
	const cl_image_desc *desc = &request->desc;
	const uint32_t unit_B = ocl_image_unit_B(&request->format);
	const size_t row_B = ocl_image_row_alignment_B(request->context, desc->image_type, &request->format);
	const struct _cl_mem *buffer = desc->mem_object;
	return desc->image_row_pitch % row_B || desc->image_slice_pitch % unit_B ||
			       (uintptr_t)buffer->host_pointer % unit_B
		       ? CL_INVALID_IMAGE_FORMAT_DESCRIPTOR : CL_SUCCESS;
}

/* One row: a pitch of its own is no less than it, and is not used. */
static cl_int one_row_take(cl_image_desc *desc, const cl_image_format *format)
{
	const size_t row_B = row_of(desc, format);
	if (desc->image_row_pitch && desc->image_row_pitch < row_B)
		return CL_INVALID_IMAGE_DESCRIPTOR;
	desc->image_row_pitch = row_B;
	desc->image_slice_pitch = 0;
	return CL_SUCCESS;
}

/* cl_ext_image_from_buffer: CL_INVALID_IMAGE_SIZE if "the buffer passed in mem_object is too small to be used as a data
 * store for the image". */
static cl_int buffer_size_check(const cl_image_desc *desc)
{
	const size_t size_B = desc->mem_object->size_B;
	const size_t slices = desc->image_array_size ? desc->image_array_size : desc->image_depth;
	const size_t pitch_B = slices ? desc->image_slice_pitch : desc->image_row_pitch;
	const uint64_t pieces = at_least_one(slices ? slices : desc->image_height);
	return pitch_B > size_B / pieces ? CL_INVALID_IMAGE_SIZE : CL_SUCCESS;
}

static cl_int check_buffer(struct ocl_image_request *request)
{
	cl_image_desc *desc = &request->desc;
	const bool one_row = desc->image_type == CL_MEM_OBJECT_IMAGE1D ||
			     desc->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
	cl_int error = alignment_check(request);
	/* 5.3.1: a slice pitch is that of an array or a 3D image. */
	if (!error && desc->image_type == CL_MEM_OBJECT_IMAGE2D && desc->image_slice_pitch)
		error = CL_INVALID_IMAGE_DESCRIPTOR;
	if (!error)
		error = one_row ? one_row_take(desc, &request->format) : pitches_take(desc, &request->format, true);
	return error ? error : buffer_size_check(desc);
}

/* 5.3.1, "creating a 2D image from another 2D image object": everything is the same as in the other image, except
 * that the channel order may be another one that is compatible. */
static cl_int check_2d_image(struct ocl_image_request *request)
{
	cl_image_desc *desc = &request->desc;
	const struct ocl_image *from = desc->mem_object->image;
	if (from->type != CL_MEM_OBJECT_IMAGE2D)
		return CL_INVALID_IMAGE_DESCRIPTOR;
	if (desc->image_width != from->width || desc->image_height != from->height ||
	    (desc->image_row_pitch && desc->image_row_pitch != from->row_pitch_B) ||
	    desc->image_slice_pitch)
		return CL_INVALID_IMAGE_DESCRIPTOR;
	desc->image_row_pitch = from->row_pitch_B;
	if (request->format.image_channel_data_type != from->format.image_channel_data_type ||
	    !ocl_image_orders_match(from->format.image_channel_order,
				    request->format.image_channel_order))
		return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
	return CL_SUCCESS;
}

/* 5.3.1, table of cl_image_desc: mem_object may be a buffer, which a 1D image buffer needs, or for 2D images a 2D
 * image. */
static cl_int parent_check(const struct ocl_image_request *request)
{
	const cl_mem parent = request->desc.mem_object;
	const cl_mem_object_type type = request->desc.image_type;
	if (!parent)
		return type == CL_MEM_OBJECT_IMAGE1D_BUFFER ? CL_INVALID_IMAGE_DESCRIPTOR : CL_SUCCESS;
	if (object_check(parent, &ocl_mem_type) || parent->context != request->context ||
	    parent->type == CL_MEM_OBJECT_PIPE || (parent->image && type != CL_MEM_OBJECT_IMAGE2D))
		return CL_INVALID_IMAGE_DESCRIPTOR;
	return CL_SUCCESS;
}

static cl_int parent_take(struct ocl_image_request *request)
{
	return request->desc.mem_object->image
		       ? check_2d_image(request) : check_buffer(request);
}

/* --- all of it ------------------------------------------------------------------------ */

static cl_int flags_take(struct ocl_image_request *request)
{
	const cl_mem parent = request->desc.mem_object;
	const bool imported = request->properties && request->properties[0];
	/* cl_ext_immutable_memory_objects: CL_INVALID_VALUE "if CL_MEM_IMMUTABLE_EXT is not set
	 * in flags and mem_object was created with CL_MEM_IMMUTABLE_EXT". */
	if (parent && ocl_mem_is_immutable(parent) && !(request->flags & OCL_MEM_IMMUTABLE))
		return CL_INVALID_VALUE;
	if (parent)
		return ocl_mem_flags_inherit(parent, &request->flags);
	cl_int error = ocl_mem_flags_check(request->flags);
	if (!error)
		error = ocl_mem_flags_check_contents(request->flags, imported);
	request->flags = ocl_mem_flags_whole(request->flags);
	return error;
}

/* 5.3.1: CL_INVALID_HOST_PTR unless host_ptr is given exactly when a flag needs it; an image that is made from
 * another object has none. */
static cl_int host_pointer_check(const struct ocl_image_request *request)
{
	const bool needed = !request->desc.mem_object &&
			    request->flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
	return needed == (request->host_pointer != NULL) ? CL_SUCCESS : CL_INVALID_HOST_PTR;
}

cl_int ocl_image_check(struct ocl_image_request *request)
{
	cl_image_desc *desc = &request->desc;
	cl_int error = ocl_image_format_check(&request->format);
	if (!error)
		error = dimensions_take(desc);
	/* cl_ext_image_raw10_raw12: "The image width must be a multiple of 4", or of 2. */
	if (!error && desc->image_width % ocl_image_format_group(&request->format))
		error = CL_INVALID_IMAGE_DESCRIPTOR;
	if (!error)
		error = parent_check(request);
	if (!error)
		error = flags_take(request);
	if (!error)
		error = size_check(request->context, desc);
	if (!error)
		error = ocl_image_format_supported(&request->format, desc->image_type);
	if (!error)
		error = levels_check(request);
	if (!error)
		error = host_pointer_check(request);
	if (error)
		return error;
	if (desc->mem_object)
		return parent_take(request);
	return pitches_take(desc, &request->format, request->host_pointer);
}
