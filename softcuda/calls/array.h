/* Creates CUDA arrays for calls other than cuArrayCreate. */
#ifndef CULVERT_SOFTCUDA_CALLS_ARRAY_H
#define CULVERT_SOFTCUDA_CALLS_ARRAY_H

#include "softcuda/exec/cuda.h"

#include <stdint.h>

struct soft_allocation;
struct soft_array;
struct soft_context;

/* As cuArray3DCreate, which is documented by CUDA; the driver's lock is held. */
CUresult soft_array_create_locked(struct soft_context *context, CUarray *cu_array_out,
				  const CUDA_ARRAY3D_DESCRIPTOR *descriptor);

/* Makes an array that has no memory and no handle yet, and is in no list; its pitches are set.  The errors are those of
 * cuArray3DCreate. */
CUresult soft_array_new(struct soft_context *context, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
			struct soft_array **array_out);
/* Make a mipmapped array in two steps: its levels, without memory, which are what a description with at most `asked`
 * levels has, and the size of the memory that they need; then all of it, in that memory.  soft_mipmap_drop_locked
 * undoes the first step, and the second does that itself if it fails, and frees the memory. */
CUresult soft_mipmap_begin_locked(struct soft_context *context, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
				  unsigned asked, struct soft_array **base_out, uint64_t *size_B_out);
void soft_mipmap_drop_locked(struct soft_array *base);
CUresult soft_mipmap_finish_locked(struct soft_context *context, struct soft_array *base,
				   struct soft_allocation *allocation, CUmipmappedArray *mipmap_out);
/* Waits for work in streams, as cuMemFree does, so that it still finds the texels; then ends the array, or all levels
 * of a mipmapped array of which it is the first. */
CUresult soft_array_destroy_locked(struct soft_array *array, const char *call);

#endif
