/* The struct of arrays, for gpu_array.c, gpu_image_copy.c and gpu_image_fill.c.
 *
 * Thread-safe: constant, except the atomic surfaces. */
#ifndef CULVERT_BACKEND_GPU_IMAGE_INTERNAL_H
#define CULVERT_BACKEND_GPU_IMAGE_INTERNAL_H

#include "backend/gpu_image.h"
#include "backend/gpu_internal.h"

struct gpu_array {
	struct gpu_device *device;
	struct gpu_texel texel;
	struct gpu_extent extent;
	CUmipmappedArray cu_mipmap;      /* NULL: it has one level */
	struct {
		CUarray cu_array;
		_Atomic uint64_t surface;    /* its surface object; 0: not made yet */
	} level[];                       /* gpu_extent_levels of them */
};

/* The format of a texel's channels. */
CUarray_format gpu_texel_format(const struct gpu_texel *texel);

#endif
