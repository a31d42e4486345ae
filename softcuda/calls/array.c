/* CUDA arrays. */
#include "config.h"

#include "base/log.h"
#include "softcuda/calls/array.h"
#include "softcuda/calls/door.h"
#include "softcuda/driver/array.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/device.h"
#include "softcuda/driver/handle.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/exec/exec.h"

#include <stdlib.h>

/* --- limits ---------- */

struct limits {
	CUdevice_attribute attributes[3];    /* of width, height, depth or layers */
};

#define LIMIT(name) CU_DEVICE_ATTRIBUTE_MAXIMUM_##name
/* Indexed by whether the array is layered, and by its number of dimensions. */
static const struct limits texture_limits[2][4] = {
	{{{0}}, {{LIMIT(TEXTURE1D_WIDTH)}}, {{LIMIT(TEXTURE2D_WIDTH), LIMIT(TEXTURE2D_HEIGHT)}},
	 {{LIMIT(TEXTURE3D_WIDTH), LIMIT(TEXTURE3D_HEIGHT), LIMIT(TEXTURE3D_DEPTH)}}},
	{{{0}}, {{LIMIT(TEXTURE1D_LAYERED_WIDTH), 0, LIMIT(TEXTURE1D_LAYERED_LAYERS)}},
	 {{LIMIT(TEXTURE2D_LAYERED_WIDTH), LIMIT(TEXTURE2D_LAYERED_HEIGHT),
	   LIMIT(TEXTURE2D_LAYERED_LAYERS)}}, {{0}}}
};
static const struct limits surface_limits[2][4] = {
	{{{0}}, {{LIMIT(SURFACE1D_WIDTH)}}, {{LIMIT(SURFACE2D_WIDTH), LIMIT(SURFACE2D_HEIGHT)}},
	 {{LIMIT(SURFACE3D_WIDTH), LIMIT(SURFACE3D_HEIGHT), LIMIT(SURFACE3D_DEPTH)}}},
	{{{0}}, {{LIMIT(SURFACE1D_LAYERED_WIDTH), 0, LIMIT(SURFACE1D_LAYERED_LAYERS)}},
	 {{LIMIT(SURFACE2D_LAYERED_WIDTH), LIMIT(SURFACE2D_LAYERED_HEIGHT),
	   LIMIT(SURFACE2D_LAYERED_LAYERS)}}, {{0}}}
};
static const struct limits gather_limits = {
	{LIMIT(TEXTURE2D_GATHER_WIDTH), LIMIT(TEXTURE2D_GATHER_HEIGHT)}
};

/* "The alternate maximum": flatter but deeper. */
static const struct limits deep_limits = {
	{LIMIT(TEXTURE3D_WIDTH_ALTERNATE), LIMIT(TEXTURE3D_HEIGHT_ALTERNATE),
	 LIMIT(TEXTURE3D_DEPTH_ALTERNATE)}
};

static bool within(const struct soft_device *device, const struct limits *limits,
		   const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
	const size_t extent[3] = {descriptor->Width, descriptor->Height, descriptor->Depth};
	for (unsigned d = 0; d < 3; d++) {
		int limit;
		if (!limits->attributes[d])
			continue;
		if (soft_device_attribute(device, limits->attributes[d], &limit) != CUDA_SUCCESS ||
		    extent[d] > (size_t)limit)
			return false;
	}
	return true;
}

static CUresult check_extent(const struct soft_device *device, const struct soft_array *array)
{
	const CUDA_ARRAY3D_DESCRIPTOR *descriptor = &array->descriptor;
	const unsigned flags = descriptor->Flags;
	if (!descriptor->Width || (array->layered && !descriptor->Depth) ||
	    (!array->layered && descriptor->Depth && !descriptor->Height) ||
	    (flags & CUDA_ARRAY3D_TEXTURE_GATHER && (array->dimensions != 2 || array->layered)) ||
	    (!within(device, &texture_limits[array->layered][array->dimensions], descriptor) &&
	     !(array->dimensions == 3 && within(device, &deep_limits, descriptor))) ||
	    (flags & CUDA_ARRAY3D_SURFACE_LDST &&
	     !within(device, &surface_limits[array->layered][array->dimensions], descriptor)) ||
	    (flags & CUDA_ARRAY3D_TEXTURE_GATHER && !within(device, &gather_limits, descriptor)))
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

static CUresult place_locked(struct soft_context *context, struct soft_array *array)
{
	CUresult result = soft_memory_alloc_locked(context, SOFT_MEMORY_ARRAY,
						   array->slice_B * array->depth, NULL,
						   &array->allocation);
	if (result != CUDA_SUCCESS)
		return result;
	array->handle = soft_handle_create_locked(SOFT_KIND_ARRAY, array);
	if (array->handle)
		return CUDA_SUCCESS;
	soft_memory_free_locked(array->allocation);
	return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult soft_array_new(struct soft_context *context, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
			struct soft_array **array_out)
{
	/* CUDA_ARRAY3D_DEPTH_TEXTURE is not among them: no array has a depth format. */
	const unsigned known = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST |
			       CUDA_ARRAY3D_TEXTURE_GATHER;
	const unsigned others = CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_COLOR_ATTACHMENT |
				CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING;
	struct soft_format format;
	if (descriptor->Flags & ~(known | others) ||
	    !soft_format_find(descriptor->Format, descriptor->NumChannels, &format))
		return CUDA_ERROR_INVALID_VALUE;
	if (descriptor->Flags & others) {
		log_err("softcuda: arrays with flags 0x%x are not supported", descriptor->Flags);
		return CUDA_ERROR_NOT_SUPPORTED;
	}
	struct soft_array *array = calloc(1, sizeof(*array));
	if (!array)
		return CUDA_ERROR_OUT_OF_MEMORY;
	array->descriptor = *descriptor;
	array->context = context;
	array->layered = descriptor->Flags & CUDA_ARRAY3D_LAYERED;
	array->dimensions = descriptor->Depth && !array->layered ? 3 : descriptor->Height ? 2 : 1;
	array->element_B = (uint32_t)format.channel_B * format.channels;
	array->height = descriptor->Height ? descriptor->Height : 1;
	array->depth = descriptor->Depth ? descriptor->Depth : 1;
	array->pitch_B = image_row_pitch_B(descriptor->Width, array->element_B);
	array->slice_B = array->pitch_B * array->height;
	array->refs = 1;
	CUresult result = check_extent(context->device, array);
	if (result == CUDA_SUCCESS)
		*array_out = array;
	else
		free(array);
	return result;
}

CUresult soft_array_create_locked(struct soft_context *context, CUarray *cu_array_out,
				  const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
	struct soft_array *array;
	CUresult result = cu_array_out ? soft_array_new(context, descriptor, &array) : CUDA_ERROR_INVALID_VALUE;
	if (result != CUDA_SUCCESS)
		return result;
	result = place_locked(context, array);
	if (result != CUDA_SUCCESS) {
		free(array);
		return result;
	}
	list_append(&context->arrays, &array->link);
	*cu_array_out = array->handle;
	return CUDA_SUCCESS;
}

CUresult cuArray3DCreate_v2(CUarray *cu_array_out, const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, descriptor ? soft_array_create_locked(context, cu_array_out, descriptor)
						: CUDA_ERROR_INVALID_VALUE);
}

static CUresult create_plain_locked(struct soft_context *context, CUarray *cu_array_out,
				    const CUDA_ARRAY_DESCRIPTOR *descriptor)
{
	if (!descriptor)
		return CUDA_ERROR_INVALID_VALUE;
	const CUDA_ARRAY3D_DESCRIPTOR whole = {
		.Width = descriptor->Width, .Height = descriptor->Height,
		.Format = descriptor->Format, .NumChannels = descriptor->NumChannels
	};
	return soft_array_create_locked(context, cu_array_out, &whole);
}

CUresult cuArrayCreate_v2(CUarray *cu_array_out, const CUDA_ARRAY_DESCRIPTOR *descriptor)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, create_plain_locked(context, cu_array_out, descriptor));
}

CUresult soft_array_destroy_locked(struct soft_array *array, const char *call)
{
	struct soft_allocation *allocation = array->allocation;
	array->refs++;
	soft_memory_pin_locked(allocation);
	CUresult result = soft_memory_end_locked(array->context, allocation, call);
	/* The end of the context may have destroyed the array meanwhile. */
	struct soft_array *level = atomic_load(&array->gone) || !allocation->freed ? NULL : array;
	while (level) {
		struct soft_array *next = level->next;
		soft_array_end_locked(level);
		level = next;
	}
	soft_memory_unpin_locked(allocation);
	soft_array_unref_locked(array);
	return result;
}

/* The levels of a mipmapped array are destroyed with it. */
static CUresult destroy_locked(CUarray cu_array)
{
	struct soft_array *array;
	CUresult result = soft_array_find_locked(cu_array, &array);
	if (result == CUDA_SUCCESS && array->base)
		result = CUDA_ERROR_INVALID_HANDLE;
	return result == CUDA_SUCCESS ? soft_array_destroy_locked(array, "cuArrayDestroy") : result;
}

CUresult cuArrayDestroy(CUarray cu_array)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, destroy_locked(cu_array));
}

/* --- questions ---------- */

static CUresult describe_locked(CUDA_ARRAY3D_DESCRIPTOR *descriptor_out, CUarray cu_array)
{
	struct soft_array *array;
	CUresult result = descriptor_out ? soft_array_find_locked(cu_array, &array)
					 : CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		*descriptor_out = array->descriptor;
	return result;
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *descriptor_out, CUarray cu_array)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, describe_locked(descriptor_out, cu_array));
}

static CUresult describe_plain_locked(CUDA_ARRAY_DESCRIPTOR *descriptor_out, CUarray cu_array)
{
	CUDA_ARRAY3D_DESCRIPTOR whole;
	CUresult result = descriptor_out ? describe_locked(&whole, cu_array)
					 : CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		*descriptor_out = (CUDA_ARRAY_DESCRIPTOR){whole.Width, whole.Height, whole.Format,
							  whole.NumChannels};
	return result;
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *descriptor_out, CUarray cu_array)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, describe_plain_locked(descriptor_out, cu_array));
}

/* "If the CUDA array is not allocated with flag CUDA_ARRAY3D_DEFERRED_MAPPING, CUDA_ERROR_INVALID_VALUE will be
 * returned": the flag is not supported, so no array has it. */
static CUresult requirements_locked(CUarray cu_array)
{
	struct soft_array *array;
	CUresult result = soft_array_find_locked(cu_array, &array);
	return result == CUDA_SUCCESS ? CUDA_ERROR_INVALID_VALUE : result;
}

CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements_out,
				      CUarray cu_array, CUdevice cu_device)
{
	(void)requirements_out;
	(void)cu_device;
	SOFT_CALL(SOFT_NEED_CONTEXT, requirements_locked(cu_array));
}
