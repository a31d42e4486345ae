/* Functions that softcuda exports in addition to the CUDA driver API, for programs that use it for tests: they are
 * looked up with dlsym in libculvert-softcuda.so.
 *
 * Thread-safe.  In a child after fork they have no effect. */
#ifndef CULVERT_SOFTCUDA_CONTROL_H
#define CULVERT_SOFTCUDA_CONTROL_H

#include <stdint.h>

#pragma GCC visibility push(default)

/* Waits until all streams are empty, and then replaces the items of CULVERT_SOFT_SCHED.  Returns 0 or a CUresult:
 * CUDA_ERROR_NOT_INITIALIZED before cuInit, CUDA_ERROR_INVALID_VALUE for an invalid item. */
int culvert_soft_schedule(const char *items);
/* Releases the operations that the schedule keeps (keep:NAME). */
void culvert_soft_let_go(void);
/* The number of reports of the ordering oracle since the start or the last culvert_soft_schedule. */
unsigned culvert_soft_reports(void);
/* Replaces the rules of CULVERT_SOFT_FAULT; each counts from now on.  Returns 0, or CUDA_ERROR_INVALID_VALUE for an
 * invalid rule. */
int culvert_soft_fault(const char *rules);
/* The number of calls that failed, or did nothing, because of the present rules. */
uint64_t culvert_soft_faults(void);
/* The number of calls whose names match pattern (as in a shell) since this function was first called. */
uint64_t culvert_soft_calls(const char *pattern);
/* Advances the virtual clock (clock:T) by pass_ns, and returns its time in ns.  It waits for nothing and calls
 * nothing, so that a program's own clock_gettime may call it. */
uint64_t culvert_soft_clock(uint64_t pass_ns);

/* How many bytes copies have moved, between the host and devices or within one: those of cuMemcpy*, and the nodes of
 * graphs that copy.  A copy counts when it has been done. */
uint64_t culvert_soft_copied(void);

/* How many bytes of managed memory have moved, to a device or to the host, because of prefetches or to make room. */
uint64_t culvert_soft_migrated(void);

/* 1 if the driver of the release that CULVERT_SOFT_DRIVER names does not export this function ("cuMemAdvise_v2"),
 * otherwise 0. dlsym finds the function in either case, so programs that test with older drivers ask here first.
 * Works before cuInit, too. */
int culvert_soft_lacks(const char *function_name);

/* Sleeps until an event, a CUevent, has completed, but at most most_ns, and perhaps less: for a thread that polls the
 * event.  Returns 1; or 0, at once, if there is no such event.  If a schedule delays operations (CULVERT_SOFT_SCHED),
 * it is queries that let them run: then it sleeps only while one runs, and returns 0 if none runs or could run. */
int culvert_soft_rest(void *event, uint64_t most_ns);

/* Tells the checks of kernels what an OpenCL platform knows about device memory and CUDA does not.  No effect if no
 * live allocation starts at address, or if nothing is checked. */
enum {
	CULVERT_SOFT_NEW = 1,         /* it has not been written yet */
	CULVERT_SOFT_READ_ONLY = 2,   /* kernels may not write to it */
	CULVERT_SOFT_WRITE_ONLY = 4   /* kernels may not read it */
};
void culvert_soft_note_memory(uint64_t address, uint64_t size_B, unsigned what);

#pragma GCC visibility pop

#endif
