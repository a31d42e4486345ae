/*
 * Clocks, cl_khr_kernel_clock (OpenCL C 3.0, 6.15.20).
 *
 * The device's is the GPU's timer in nanoseconds, one for all of it.  Work-items of one work-group
 * share a multiprocessor, whose own cycles are the finer clock.
 */
#include "frontend/builtins/builtin.h"

#define CLOCK(scope, source) \
	HELPER ulong read_##scope(void) \
	{ \
		ulong ticks; \
		__asm__ __volatile__("mov.u64 %0, %%" source ";" : "=l"(ticks) : : "memory"); \
		return ticks; \
	} \
	BUILTIN ulong clock_read_##scope(void) \
	{ \
		return read_##scope(); \
	} \
	BUILTIN uint2 clock_read_hilo_##scope(void) \
	{ \
		return as_type(uint2, read_##scope()); \
	}
CLOCK(device, "globaltimer")
CLOCK(work_group, "clock64")
CLOCK(sub_group, "clock64")
