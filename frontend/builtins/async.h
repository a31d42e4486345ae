/*
 * Copies from global to local memory by the GPU's asynchronous copies (cp.async, compute capability 8.0 and newer).
 *
 * The data go to local memory without passing through registers, while the work-items go on.  PTX ISA, cp.async: the
 * executing work-item sees them after cp.async.wait_all, others after a barrier behind it.  A copy has 4, 8 or
 * 16 bytes, and both addresses are multiples of that.  Programs that are checked copy with loads and stores, so that
 * the checker sees the accesses of each work-item where the source has them.
 */
#ifndef CULVERT_BUILTIN_ASYNC_H
#define CULVERT_BUILTIN_ASYNC_H

#include "frontend/builtins/builtin.h"

/* Whether the device has cp.async and the program is not checked.  It is answered before code is generated, and has to
 * be the only condition of its branch (lower_device.c). */
extern bool __culvert_hidden_copies_async(void);

/* 16 bytes pass by the first-level cache, which the tiles of a kernel would only fill. */
#define START_COPY(bytes, way) \
	__attribute__((unused)) HELPER void start_copy_##bytes(uint target, ulong source) \
	{ \
		__asm__ __volatile__("cp.async." way ".shared.global [%0], [%1], " #bytes ";" \
				     : : "r"(target), "l"(source) : "memory"); \
	}
START_COPY(4, "ca")
START_COPY(8, "ca")
START_COPY(16, "cg")

/* The copies that the work-item started and that are in no stage yet become a stage. */
__attribute__((unused)) HELPER void end_stage(void)
{
	if (__culvert_hidden_copies_async())
		__asm__ __volatile__("cp.async.commit_group;" : : : "memory");
}

/* The work-item's copies have arrived, but perhaps those of its last stages.  The instruction has their number as a
 * literal. */
#define WAIT_BUT(stages) \
	case stages: \
		__asm__ __volatile__("cp.async.wait_group " #stages ";" : : : "memory"); \
		break;
__attribute__((unused)) HELPER void wait_for_older_stages(uint stages)
{
	if (__culvert_hidden_copies_async())
		switch (stages) {
			WAIT_BUT(1)
			WAIT_BUT(2)
			WAIT_BUT(3)
			WAIT_BUT(4)
			WAIT_BUT(5)
			WAIT_BUT(6)
			WAIT_BUT(7)
		default: __asm__ __volatile__("cp.async.wait_all;" : : : "memory");
		}
}

/* The work-item's copies have arrived. */
__attribute__((unused)) HELPER void wait_for_copies(void)
{
	if (__culvert_hidden_copies_async())
		__asm__ __volatile__("cp.async.wait_all;" : : : "memory");
}

#endif
