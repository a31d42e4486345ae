/* What softcuda exports beyond the CUDA driver API, for programs that test with it:
 * looked up with dlsym in libculvert-softcuda.so.
 *
 * Thread-safe.  After fork the child gets nothing done. */
#ifndef CULVERT_SOFTCUDA_CONTROL_H
#define CULVERT_SOFTCUDA_CONTROL_H

#include <stdint.h>

#pragma GCC visibility push(default)

/* Waits until all streams are empty, then takes items in the place of what
 * CULVERT_SOFT_SCHED said.  0, or a CUresult: CUDA_ERROR_NOT_INITIALIZED before cuInit,
 * CUDA_ERROR_INVALID_VALUE where an item is not understood. */
int culvert_soft_schedule(const char *items);
/* What the schedule keeps (keep:NAME) may run. */
void culvert_soft_let_go(void);
/* Reports of the ordering oracle since the start or the last culvert_soft_schedule. */
unsigned culvert_soft_reports(void);
/* Takes these rules in the place of those of CULVERT_SOFT_FAULT; each counts from now.
 * 0, or CUDA_ERROR_INVALID_VALUE where a rule is not understood. */
int culvert_soft_fault(const char *rules);
/* How many calls have failed, or were left undone, by the rules in force. */
uint64_t culvert_soft_faults(void);
/* How often calls were made whose names match pattern (as a shell matches), since the
 * first time that this was asked. */
uint64_t culvert_soft_calls(const char *pattern);
/* The virtual clock (clock:T), in ns, after pass_ns more.  Waits for nothing and calls
 * nothing, so that a program's own clock_gettime may ask. */
uint64_t culvert_soft_clock(uint64_t pass_ns);

/* How many bytes copies have moved, between the host and devices or within one: those of cuMemcpy*, and the nodes of
 * graphs that copy.  A copy counts when it has been done. */
uint64_t culvert_soft_copied(void);

/* 1 where the driver of the release that CULVERT_SOFT_DRIVER names does not export this function ("cuMemAdvise_v2"),
 * else 0.  dlsym finds it in either case: who tests with older drivers asks this first.  Before cuInit, too. */
int culvert_soft_lacks(const char *function_name);

/* What an OpenCL platform knows of device memory and CUDA does not, for the checks of kernels.  Nothing
 * happens where no live allocation starts at address, or nothing is checked. */
enum {
	CULVERT_SOFT_NEW = 1,         /* nobody has written to it yet */
	CULVERT_SOFT_READ_ONLY = 2,   /* kernels may not write to it */
	CULVERT_SOFT_WRITE_ONLY = 4   /* kernels may not read it */
};
void culvert_soft_note_memory(uint64_t address, uint64_t size_B, unsigned what);

#pragma GCC visibility pop

#endif
