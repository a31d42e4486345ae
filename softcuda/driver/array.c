/* CUDA arrays: texels in rows, slices and layers, in memory that only copies, textures and surfaces can access. */
#include "config.h"

#include "softcuda/driver/array.h"

#include "base/log.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/handle.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/exec/exec.h"
#include "softcuda/exec/image.h"

#include <stdlib.h>

/* --- formats ---------- */

bool soft_format_find(CUarray_format format, unsigned channels, struct soft_format *format_out)
{
	static const struct { CUarray_format format; struct soft_format is; } formats[] = {
		{CU_AD_FORMAT_UNSIGNED_INT8, {TEXEL_UINT, 1, 0, false}},
		{CU_AD_FORMAT_UNSIGNED_INT16, {TEXEL_UINT, 2, 0, false}},
		{CU_AD_FORMAT_UNSIGNED_INT32, {TEXEL_UINT, 4, 0, false}},
		{CU_AD_FORMAT_SIGNED_INT8, {TEXEL_SINT, 1, 0, false}},
		{CU_AD_FORMAT_SIGNED_INT16, {TEXEL_SINT, 2, 0, false}},
		{CU_AD_FORMAT_SIGNED_INT32, {TEXEL_SINT, 4, 0, false}},
		{CU_AD_FORMAT_HALF, {TEXEL_FLOAT, 2, 0, false}},
		{CU_AD_FORMAT_FLOAT, {TEXEL_FLOAT, 4, 0, false}},
		{CU_AD_FORMAT_UNORM_INT8X1, {TEXEL_UNORM, 1, 1, false}},
		{CU_AD_FORMAT_UNORM_INT8X2, {TEXEL_UNORM, 1, 2, false}},
		{CU_AD_FORMAT_UNORM_INT8X4, {TEXEL_UNORM, 1, 4, false}},
		{CU_AD_FORMAT_UNORM_INT16X1, {TEXEL_UNORM, 2, 1, false}},
		{CU_AD_FORMAT_UNORM_INT16X2, {TEXEL_UNORM, 2, 2, false}},
		{CU_AD_FORMAT_UNORM_INT16X4, {TEXEL_UNORM, 2, 4, false}},
		{CU_AD_FORMAT_SNORM_INT8X1, {TEXEL_SNORM, 1, 1, false}},
		{CU_AD_FORMAT_SNORM_INT8X2, {TEXEL_SNORM, 1, 2, false}},
		{CU_AD_FORMAT_SNORM_INT8X4, {TEXEL_SNORM, 1, 4, false}},
		{CU_AD_FORMAT_SNORM_INT16X1, {TEXEL_SNORM, 2, 1, false}},
		{CU_AD_FORMAT_SNORM_INT16X2, {TEXEL_SNORM, 2, 2, false}},
		{CU_AD_FORMAT_SNORM_INT16X4, {TEXEL_SNORM, 2, 4, false}},
		/* CU_AD_FORMAT_UNORM_INT_101010_2, which headers before CUDA 13 do not name. */
		{(CUarray_format)0x50, {TEXEL_UNORM, 1, 4, true}}
	};
	if (channels != 1 && channels != 2 && channels != 4)
		return false;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (formats[i].format != format)
			continue;
		*format_out = formats[i].is;
		if (format_out->channels && format_out->channels != channels)
			return false;
		format_out->channels = (uint8_t)channels;
		return true;
	}
	log_err("softcuda: arrays of format 0x%x are not supported", (unsigned)format);
	return false;
}

/* --- life ---------- */

CUresult soft_array_find_locked(CUarray cu_array, struct soft_array **array_out)
{
	struct soft_array *array = soft_handle_find_locked(SOFT_KIND_ARRAY, cu_array);
	if (!array || array->allocation->freeing)
		return CUDA_ERROR_INVALID_HANDLE;
	*array_out = array;
	return CUDA_SUCCESS;
}

CUresult soft_mipmap_find_locked(CUmipmappedArray cu_mipmap, struct soft_array **array_out)
{
	struct soft_array *array = soft_handle_find_locked(SOFT_KIND_MIPMAP, cu_mipmap);
	if (!array || array->allocation->freeing)
		return CUDA_ERROR_INVALID_HANDLE;
	*array_out = array;
	return CUDA_SUCCESS;
}

uint64_t soft_array_start(const struct soft_array *array)
{
	return array->allocation->start + array->offset_B;
}

void soft_array_unref_locked(struct soft_array *array)
{
	if (!--array->refs)
		free(array);
}

/* The array's memory has been freed, or will be. */
void soft_array_end_locked(struct soft_array *array)
{
	atomic_store(&array->gone, true);
	list_remove(&array->link);
	soft_handle_destroy_locked(array->handle);
	if (array->mipmap)
		soft_handle_destroy_locked(array->mipmap);
	array->allocation = NULL;
	soft_array_unref_locked(array);
}

void soft_array_retire_context_locked(struct soft_context *context)
{
	struct list *link, *next;
	list_for_each(link, next, &context->arrays)
		soft_array_end_locked(list_entry(link, struct soft_array, link));
}
