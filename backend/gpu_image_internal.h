/* The struct of arrays, for gpu_array.c, gpu_image_copy.c and gpu_image_fill.c.
 *
 * Thread-safe: constant, except the atomic surface. */
#ifndef CULVERT_BACKEND_GPU_IMAGE_INTERNAL_H
#define CULVERT_BACKEND_GPU_IMAGE_INTERNAL_H

#include "backend/gpu_image.h"
#include "backend/gpu_internal.h"

struct gpu_array {
	struct gpu_device *device;
	struct gpu_texel texel;
	struct gpu_extent extent;
	CUarray cu_array;
	_Atomic uint64_t surface;        /* its surface object; 0: not made yet */
};

/* The format of a texel's channels. */
CUarray_format gpu_texel_format(const struct gpu_texel *texel);

#endif
