/* The bytes in global memory that a launch accesses.
 *
 * The executor's threads mark bytes concurrently and without a lock; the marks are read as intervals when the launch
 * is complete.  Bytes are stored as bits, in pages, so that the cost depends on the memory that is accessed and not
 * on the number of accesses. */
#ifndef CULVERT_SOFTCUDA_CHECK_TRACE_H
#define CULVERT_SOFTCUDA_CHECK_TRACE_H

#include "softcuda/exec/watch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct soft_interval {
	uint64_t start, end;
	unsigned kinds;                      /* of SOFT_ACCESS_* */
};

struct soft_trace;

/* NULL when out of memory. */
struct soft_trace *soft_trace_create(void);
void soft_trace_destroy(struct soft_trace *trace);
/* The lanes in mask access size_B bytes each.  When memory runs out marks are lost, which soft_trace_intervals
 * reports. */
void soft_trace_mark_lanes(struct soft_trace *trace, unsigned kind, uint32_t mask, uint32_t size_B,
			   const uint64_t *address);
/* The same for addresses that are step_B apart, which is size_B or 0, from that of lane 0 on. */
void soft_trace_mark_row(struct soft_trace *trace, unsigned kind, uint32_t mask, uint32_t size_B, uint64_t address,
			 uint32_t step_B);
/* Sorted and disjoint; the caller frees them.  False when memory has run out, now or before. */
bool soft_trace_intervals(const struct soft_trace *trace, struct soft_interval **intervals_out,
			  size_t *count_out);

#endif
