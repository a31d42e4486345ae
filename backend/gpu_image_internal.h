/* The struct of arrays, for gpu_array.c, gpu_external_image.c, gpu_image_copy.c and gpu_image_fill.c.
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
	CUmipmappedArray cu_mipmap;      /* that the levels are parts of; NULL: level 0 is all */
	CUexternalMemory cu_external;    /* the memory of another API in which they are; NULL: CUDA's own */
	struct {
		CUarray cu_array;
		_Atomic uint64_t surface;    /* its surface object; 0: not made yet */
	} level[];                       /* gpu_extent_levels of them */
};

/* The format of a texel's channels. */
CUarray_format gpu_texel_format(const struct gpu_texel *texel);

/* The steps of making an array: the struct, without memory, which free() frees; what CUDA is told of it; and, with the
 * context current, its levels, which are destroyed with cu_mipmap. */
struct gpu_array *gpu_array_new(struct gpu_device *device, const struct gpu_texel *texel,
				const struct gpu_extent *extent);
CUDA_ARRAY3D_DESCRIPTOR gpu_array_descriptor(const struct gpu_array *array);
cl_int gpu_array_find_levels(struct gpu_array *array);

#endif
