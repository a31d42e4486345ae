/* Calls as ranges of NVTX, for profilers: each call is a range of the domain "Culvert" on
 * the thread that makes it, by the call's name; a launch's has its kernel's name behind it.
 *
 * A profiler says that it listens by NVTX_INJECTION64_PATH, the library that NVTX loads for
 * it.  Then, and only then, applications get another dispatch table, whose calls are wrapped:
 * without one this costs nothing.  Thread-safe; asked once, before the platform is shown. */
#ifndef CULVERT_ICD_RANGES_H
#define CULVERT_ICD_RANGES_H

#include <CL/cl_icd.h>

/* The table of wrapped calls; NULL where nobody listens. */
const cl_icd_dispatch *ranges_dispatch(void);

/* The wrapped call of this name, for what is found by name; NULL where it has none, or
 * nobody listens. */
void *ranges_function(const char *name);

#endif
