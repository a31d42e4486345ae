/* Arrays from the inside: for gpu_array.c, gpu_image_copy.c and gpu_image_fill.c. */
#ifndef CULVERT_BACKEND_GPU_IMAGE_INTERNAL_H
#define CULVERT_BACKEND_GPU_IMAGE_INTERNAL_H

#include "backend/gpu_image.h"
#include "backend/gpu_internal.h"

struct gpu_array {
	struct gpu_device *device;       /* immutable, as are the next three */
	struct gpu_texel texel;
	struct gpu_extent extent;
	CUarray cu_array;
	_Atomic uint64_t surface;        /* 0: none yet */
};

CUarray_format gpu_texel_format(const struct gpu_texel *texel);

#endif
