/* Creates CUDA arrays for calls other than cuArrayCreate. */
#ifndef CULVERT_SOFTCUDA_CALLS_ARRAY_H
#define CULVERT_SOFTCUDA_CALLS_ARRAY_H

#include "softcuda/exec/cuda.h"

struct soft_array;
struct soft_context;

/* As cuArray3DCreate, which is documented by CUDA; the driver's lock is held. */
CUresult soft_array_create_locked(struct soft_context *context, CUarray *cu_array_out,
				  const CUDA_ARRAY3D_DESCRIPTOR *descriptor);

/* Makes an array that has no memory and no handle yet, and is in no list; its pitches are set.  The errors are those of
 * cuArray3DCreate. */
CUresult soft_array_new(struct soft_context *context, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
			struct soft_array **array_out);
/* Waits for work in streams, as cuMemFree does, so that it still finds the texels; then ends the array, or all levels
 * of a mipmapped array of which it is the first. */
CUresult soft_array_destroy_locked(struct soft_array *array, const char *call);

#endif
