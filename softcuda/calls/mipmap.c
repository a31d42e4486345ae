/* Mipmapped CUDA arrays.
 *
 * Each level is an array with a handle of its own; all levels are parts of one allocation, in the order and with the
 * pitches that image_next_level (softcuda/exec/image.h) expects. */
#include "config.h"

#include "softcuda/calls/array.h"
#include "softcuda/calls/door.h"
#include "softcuda/driver/array.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/device.h"
#include "softcuda/driver/handle.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/state.h"

#include <stdlib.h>

/* --- creation ---------- */

static size_t half(size_t size)
{
	return size > 1 ? size / 2 : size;
}

static CUDA_ARRAY3D_DESCRIPTOR next_descriptor(const CUDA_ARRAY3D_DESCRIPTOR *of)
{
	CUDA_ARRAY3D_DESCRIPTOR next = *of;
	next.Width = half(of->Width);
	next.Height = half(of->Height);
	if (!(of->Flags & CUDA_ARRAY3D_LAYERED))
		next.Depth = half(of->Depth);
	return next;
}

/* "This value is clamped to the range [1, 1 + floor(log2(max(width, height, depth)))]."  Layers are no depth. */
static unsigned level_count(const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned asked)
{
	size_t longest = descriptor->Width > descriptor->Height ? descriptor->Width : descriptor->Height;
	unsigned most = 1;
	if (!(descriptor->Flags & CUDA_ARRAY3D_LAYERED) && descriptor->Depth > longest)
		longest = descriptor->Depth;
	while (longest >>= 1)
		most++;
	return asked > most ? most : asked ? asked : 1;
}

/* The limits of arrays that are neither layered nor of three dimensions; soft_array_new checks the others. */
static bool is_within(const struct soft_device *device, const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
	int width, height;
	if (descriptor->Depth)
		return true;
	if (!descriptor->Height)
		return soft_device_attribute(device, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH, &width) ==
			       CUDA_SUCCESS && descriptor->Width <= (size_t)width;
	return soft_device_attribute(device, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH, &width) ==
		       CUDA_SUCCESS &&
	       soft_device_attribute(device, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT, &height) ==
		       CUDA_SUCCESS &&
	       descriptor->Width <= (size_t)width && descriptor->Height <= (size_t)height;
}

void soft_mipmap_drop_locked(struct soft_array *base)
{
	struct soft_array *level = base;
	while (level) {
		struct soft_array *next = level->next;
		if (level->handle)
			soft_handle_destroy_locked(level->handle);
		free(level);
		level = next;
	}
}

/* Makes the levels, without memory; size_B_out: what they need. */
static CUresult levels_make(struct soft_context *context, const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned count,
			    struct soft_array **base_out, uint64_t *size_B_out)
{
	CUDA_ARRAY3D_DESCRIPTOR next = *descriptor;
	struct soft_array *base = NULL, **link = &base;
	uint64_t size_B = 0;
	for (unsigned i = 0; i < count; i++) {
		CUresult result = soft_array_new(context, &next, link);
		if (result != CUDA_SUCCESS) {
			*link = NULL;
			soft_mipmap_drop_locked(base);
			return result;
		}
		(*link)->base = base;
		(*link)->offset_B = size_B;
		size_B += (*link)->slice_B * (*link)->depth;
		link = &(*link)->next;
		next = next_descriptor(&next);
	}
	base->levels = (uint8_t)count;
	*base_out = base;
	*size_B_out = size_B;
	return CUDA_SUCCESS;
}

static CUresult handles_make_locked(struct soft_array *base)
{
	for (struct soft_array *level = base; level; level = level->next) {
		level->handle = soft_handle_create_locked(SOFT_KIND_ARRAY, level);
		if (!level->handle)
			return CUDA_ERROR_OUT_OF_MEMORY;
	}
	base->mipmap = soft_handle_create_locked(SOFT_KIND_MIPMAP, base);
	return base->mipmap ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult soft_mipmap_begin_locked(struct soft_context *context, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
				  unsigned asked, struct soft_array **base_out, uint64_t *size_B_out)
{
	if (!is_within(context->device, descriptor))
		return CUDA_ERROR_INVALID_VALUE;
	return levels_make(context, descriptor, level_count(descriptor, asked), base_out, size_B_out);
}

CUresult soft_mipmap_finish_locked(struct soft_context *context, struct soft_array *base,
				   struct soft_allocation *allocation, CUmipmappedArray *mipmap_out)
{
	CUresult result = handles_make_locked(base);
	if (result != CUDA_SUCCESS) {
		soft_memory_free_locked(allocation);
		soft_mipmap_drop_locked(base);
		return result;
	}
	for (struct soft_array *level = base; level; level = level->next) {
		level->allocation = allocation;
		list_append(&context->arrays, &level->link);
	}
	*mipmap_out = base->mipmap;
	return CUDA_SUCCESS;
}

static CUresult create_locked(struct soft_context *context, CUmipmappedArray *mipmap_out,
			      const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned asked)
{
	struct soft_allocation *allocation;
	struct soft_array *base;
	uint64_t size_B;
	if (!mipmap_out || !descriptor)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_mipmap_begin_locked(context, descriptor, asked, &base, &size_B);
	if (result != CUDA_SUCCESS)
		return result;
	result = soft_memory_alloc_locked(context, SOFT_MEMORY_ARRAY, size_B, NULL, &allocation);
	if (result == CUDA_SUCCESS)
		return soft_mipmap_finish_locked(context, base, allocation, mipmap_out);
	soft_mipmap_drop_locked(base);
	return result;
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *mipmap_out, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
				unsigned int level_count)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, create_locked(context, mipmap_out, descriptor, level_count));
}

/* --- use ---------- */

static CUresult level_locked(CUarray *array_out, CUmipmappedArray mipmap, unsigned number)
{
	struct soft_array *level;
	CUresult result = array_out ? soft_mipmap_find_locked(mipmap, &level) : CUDA_ERROR_INVALID_VALUE;
	if (result != CUDA_SUCCESS)
		return result;
	if (number >= level->levels)
		return CUDA_ERROR_INVALID_VALUE;
	while (number--)
		level = level->next;
	*array_out = level->handle;
	return CUDA_SUCCESS;
}

CUresult cuMipmappedArrayGetLevel(CUarray *level_out, CUmipmappedArray mipmap, unsigned int level)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, level_locked(level_out, mipmap, level));
}

static CUresult destroy_locked(CUmipmappedArray mipmap)
{
	struct soft_array *base;
	CUresult result = soft_mipmap_find_locked(mipmap, &base);
	return result == CUDA_SUCCESS ? soft_array_destroy_locked(base, "cuMipmappedArrayDestroy") : result;
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray mipmap)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, destroy_locked(mipmap));
}

/* As cuArrayGetMemoryRequirements: no array was created with CUDA_ARRAY3D_DEFERRED_MAPPING. */
static CUresult requirements_locked(CUmipmappedArray mipmap)
{
	struct soft_array *base;
	CUresult result = soft_mipmap_find_locked(mipmap, &base);
	return result == CUDA_SUCCESS ? CUDA_ERROR_INVALID_VALUE : result;
}

CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements_out,
					       CUmipmappedArray mipmap, CUdevice cu_device)
{
	(void)requirements_out;
	(void)cu_device;
	SOFT_CALL(SOFT_NEED_CONTEXT, requirements_locked(mipmap));
}
