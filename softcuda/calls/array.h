/* Creates CUDA arrays for calls other than cuArrayCreate. */
#ifndef CULVERT_SOFTCUDA_CALLS_ARRAY_H
#define CULVERT_SOFTCUDA_CALLS_ARRAY_H

#include "softcuda/exec/cuda.h"

struct soft_context;

/* As cuArray3DCreate, which is documented by CUDA; the driver's lock is held. */
CUresult soft_array_create_locked(struct soft_context *context, CUarray *cu_array_out,
				  const CUDA_ARRAY3D_DESCRIPTOR *descriptor);

#endif
