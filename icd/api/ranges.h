/* Calls as ranges of NVTX, for profilers: each call is a range of the domain "Culvert" on
 * the thread that makes it, by the call's name; a launch's has its kernel's name behind it.
 *
 * A profiler says that it listens by NVTX_INJECTION64_PATH, the library that NVTX loads for
 * it.  Then, and only then, applications get another dispatch table, whose calls are wrapped:
 * without one this costs nothing.  Thread-safe once ranges_dispatch has returned. */
#ifndef CULVERT_ICD_RANGES_H
#define CULVERT_ICD_RANGES_H

#include "icd/api/icd.h"

/* The plain table with the wrapped calls in place of its own; NULL where nobody listens.  Called
 * once, before any other call. */
const cl_icd_dispatch *ranges_dispatch(const struct ocl_dispatch *plain);

/* The wrapped call of this name, for what is found by name; NULL where it has none, or
 * nobody listens. */
void *ranges_function(const char *name);

#endif
