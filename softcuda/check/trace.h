/* What a launch touches in global memory, byte by byte.
 *
 * The executor marks, from any number of threads at once and without a lock; the
 * marks are read as intervals when the launch is over.  Bytes are kept as bits,
 * a page of them at a time, so that the cost is bounded by the memory touched and
 * not by the number of accesses. */
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
/* The lanes in mask access size_B bytes each.  Where memory runs out marks are
 * lost, which soft_trace_intervals tells. */
void soft_trace_mark_lanes(struct soft_trace *trace, unsigned kind, uint32_t mask, uint32_t size_B,
			   const uint64_t *address);
/* Sorted, disjoint; to be freed.  False when memory ran out, now or before. */
bool soft_trace_intervals(const struct soft_trace *trace, struct soft_interval **intervals_out,
			  size_t *count_out);

#endif
