/* <cuda.h> as a driver's build includes it: explicit names (cuMemAlloc_v2), no renaming macros, and the
 * declarations of the older versions, by the header's own switch.  The symbols are exported by softcuda.map, hence
 * the visibility. */
#ifndef CULVERT_SOFTCUDA_EXEC_CUDA_H
#define CULVERT_SOFTCUDA_EXEC_CUDA_H

#define __CUDA_API_VERSION_INTERNAL
#pragma GCC visibility push(default)
#include <cuda.h>
#pragma GCC visibility pop

#endif
