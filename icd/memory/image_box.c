/* Sizes of images, and boxes in them. */
#include "config.h"

#include "icd/memory/image.h"

#include <string.h>

static uint64_t at_least_one(uint64_t size)
{
	return size ? size : 1;
}

/* A 1D image is one row of a 2D CUDA array: a 1D CUDA array returns 0 for integer coordinates, and its filter
 * includes the border. */
struct ocl_texels ocl_image_texels(const struct ocl_image *image)
{
	const uint64_t height = image->type == CL_MEM_OBJECT_IMAGE1D ? 1 : image->height;
	return (struct ocl_texels){
		.texel = image->texel,
		.extent = {image->width, height,
			   image->array_size ? image->array_size : image->depth,
			   image->array_size != 0,
			   ocl_image_is_mipmapped(image) ? image->num_mip_levels : 0},
	};
}

static bool is_1d_array(const struct ocl_image *image)
{
	return image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
}

/* The size of a level in the form of a region of the commands. */
static void size_as_region(const struct ocl_image *image, uint32_t level, uint64_t size[3])
{
	const struct gpu_extent whole = ocl_image_texels(image).extent;
	const struct gpu_extent extent = gpu_extent_of_level(&whole, level);
	size[0] = extent.width;
	size[1] = at_least_one(is_1d_array(image) ? extent.depth : extent.height);
	size[2] = at_least_one(is_1d_array(image) ? 1 : extent.depth);
}

/* Takes the level of a mipmapped image from its place in origin, where the level of any other image is 0
 * (5.3.8, "Specifying Mipmap Levels to Image Operations"). */
static cl_int level_take(const struct ocl_image *image, const size_t origin[], size_t box_origin[3],
			 uint32_t *level_out)
{
	const unsigned place = image->type == CL_MEM_OBJECT_IMAGE1D ? 1 :
			       image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY || image->type == CL_MEM_OBJECT_IMAGE2D ?
			       2 : 3;
	memcpy(box_origin, origin, 3 * sizeof(*box_origin));
	*level_out = 0;
	if (!ocl_image_is_mipmapped(image))
		return CL_SUCCESS;
	if (origin[place] >= image->num_mip_levels)
		return CL_INVALID_MIP_LEVEL;
	*level_out = (uint32_t)origin[place];
	if (place < 3)
		box_origin[place] = 0;
	return CL_SUCCESS;
}

cl_int ocl_image_box_take(const struct _cl_mem *mem, const size_t given[3],
			  const size_t region[3], struct ocl_image_box *box_out)
{
	uint64_t size[3];
	size_t origin[3];
	/* OpenCL 3.0 API, 5.3.3: in dimensions that the type does not have, origin is 0 and region 1.
	 * CL_INVALID_VALUE also for a box that is out of bounds or empty. */
	if (!given || !region)
		return CL_INVALID_VALUE;
	cl_int error = level_take(mem->image, given, origin, &box_out->level);
	if (error)
		return error;
	size_as_region(mem->image, box_out->level, size);
	for (unsigned i = 0; i < 3; i++)
		if (!region[i] || origin[i] > size[i] || region[i] > size[i] - origin[i])
			return CL_INVALID_VALUE;
	/* cl_ext_image_raw10_raw12 has no rule for a part of the texels that share bytes. */
	if (origin[0] % mem->image->group || region[0] % mem->image->group)
		return CL_INVALID_VALUE;
	const bool layers_second = is_1d_array(mem->image);
	for (unsigned i = 0; i < 3; i++) {
		const unsigned to = layers_second && i ? 3 - i : i;
		box_out->origin[to] = origin[i];
		box_out->region[to] = region[i];
	}
	box_out->origin[0] /= mem->image->group;
	box_out->region[0] /= mem->image->group;
	return CL_SUCCESS;
}

cl_int ocl_image_pitches_take(const struct _cl_mem *mem, const size_t region[3],
			      size_t *row_pitch_B, size_t *slice_pitch_B)
{
	const struct ocl_image *image = mem->image;
	const size_t row_B = ocl_image_row_B(image, region[0]);
	/* 5.3.3: a row pitch is 0 or at least the size of a row. */
	if (!*row_pitch_B)
		*row_pitch_B = row_B;
	if (*row_pitch_B < row_B)
		return CL_INVALID_VALUE;
	/* 5.3.3: a slice pitch "must be 0 if image is a 1D or 2D image", and is otherwise at least row_pitch x
	 * height, where the images of a 1D array have the height 1. */
	const bool sliced = image->depth || image->array_size;
	const size_t rows = is_1d_array(image) ? 1 : region[1];
	if (!sliced && *slice_pitch_B)
		return CL_INVALID_VALUE;
	if (*row_pitch_B > SIZE_MAX / rows)
		return CL_INVALID_VALUE;
	if (!*slice_pitch_B)
		*slice_pitch_B = *row_pitch_B * rows;
	return *slice_pitch_B < *row_pitch_B * rows ? CL_INVALID_VALUE : CL_SUCCESS;
}

bool ocl_image_box_is_whole(const struct _cl_mem *mem, const struct ocl_image_box *box)
{
	const struct ocl_texels texels = ocl_image_texels(mem->image);
	return !texels.extent.levels && box->region[0] * mem->image->group == texels.extent.width &&
	       box->region[1] == at_least_one(texels.extent.height) &&
	       box->region[2] == at_least_one(texels.extent.depth);
}

bool ocl_image_size_fits(const cl_image_desc *desc, const struct gpu_caps *caps)
{
	if (desc->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
		return desc->image_width <= caps->image_linear;
	if (desc->image_type == CL_MEM_OBJECT_IMAGE3D)
		return desc->image_width <= caps->image3d[0] &&
		       desc->image_height <= caps->image3d[1] &&
		       desc->image_depth <= caps->image3d[2];
	if (desc->num_mip_levels > ABI_IMAGE_LEVELS)
		return false;
	if (desc->num_mip_levels > 1 && (desc->image_width > caps->image_mipmapped[0] ||
					 desc->image_height > caps->image_mipmapped[1]))
		return false;
	return desc->image_width <= caps->image2d[0] && desc->image_height <= caps->image2d[1] &&
	       desc->image_array_size <= caps->image_layers;
}

cl_int ocl_image_fits(const struct _cl_mem *mem, const struct _cl_device_id *device)
{
	const struct ocl_image *image = mem->image;
	const cl_image_desc desc = {
		.image_type = image->type, .image_width = image->width,
		.image_height = image->height, .image_depth = image->depth,
		.image_array_size = image->array_size, .num_mip_levels = image->num_mip_levels,
	};
	return ocl_image_size_fits(&desc, device->caps) ? CL_SUCCESS : CL_INVALID_IMAGE_SIZE;
}

uint64_t ocl_image_level_B(const struct ocl_image *image, uint32_t level)
{
	const struct gpu_extent whole = ocl_image_texels(image).extent;
	return level ? ocl_image_row_B(image, gpu_extent_texels(&whole, level)) : 0;
}

/* The pitches of a level in linear memory. */
static void level_pitches(const struct ocl_image *image, uint32_t level, struct gpu_image_side *side)
{
	const struct gpu_extent whole = ocl_image_texels(image).extent;
	const struct gpu_extent extent = gpu_extent_of_level(&whole, level);
	side->row_pitch_B = level ? ocl_image_row_B(image, extent.width) : image->row_pitch_B;
	side->slice_pitch_B = level && image->slice_pitch_B ? side->row_pitch_B * at_least_one(extent.height)
							    : image->slice_pitch_B;
}

struct gpu_image_side ocl_image_side(const struct _cl_mem *mem, const struct ocl_acquired *at,
				     const uint64_t origin[3], uint32_t level)
{
	const struct ocl_image *image = mem->image;
	struct gpu_image_side side = {.array = at->array, .level = level};
	if (side.array) {
		memcpy(side.origin, origin, sizeof(side.origin));
		return side;
	}
	level_pitches(image, level, &side);
	side.address = at->address + ocl_image_level_B(image, level) + origin[2] * side.slice_pitch_B +
		       origin[1] * side.row_pitch_B + origin[0] * image->texel_B;
	return side;
}
