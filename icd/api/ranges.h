/* Shows OpenCL calls to profilers as NVTX ranges: each call is a range of the domain "Culvert" on the calling thread,
 * with the function's name, and the kernel's name for a launch.
 *
 * A profiler sets NVTX_INJECTION64_PATH to the library that NVTX loads.  Only then do applications get another
 * dispatch table, whose functions make the ranges; without a profiler this costs nothing.  Thread-safe once
 * ranges_dispatch has returned. */
#ifndef CULVERT_ICD_RANGES_H
#define CULVERT_ICD_RANGES_H

#include "icd/api/icd.h"

/* A copy of the plain table with functions that make ranges; NULL without a profiler.  Called once, before any other
 * call. */
const cl_icd_dispatch *ranges_dispatch(const struct ocl_dispatch *plain);

/* The function of this name that makes ranges, for functions that are found by name; NULL if there is none, or
 * without a profiler. */
void *ranges_function(const char *name);

#endif
