/* Makes calls fail on purpose, and counts calls.
 *
 * CULVERT_SOFT_FAULT contains rules, separated by commas:
 *
 * PATTERN:COUNT:ERROR[:sticky][:async][:dev=N]
 *
 * PATTERN is the name of a call with shell wildcards.  COUNT says which of the matching calls fail (3: the third;
 * 3+: from the third on; *: each).  ERROR is the name of a result without CUDA_ERROR_. sticky: the caller's context
 * has the error from then on. async: the call succeeds, and the operation that it puts into a stream fails. dev:
 * only calls with a current context of that device count.  ERROR may also be DROP: the call returns success without
 * doing anything.
 *
 * CULVERT_SOFT_COUNT names a file to which the counts are written when the process ends. */
#ifndef CULVERT_SOFTCUDA_DRIVER_FAULT_H
#define CULVERT_SOFTCUDA_DRIVER_FAULT_H

#include "base/bytes.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/exec/cuda.h"

#include <stdint.h>

struct soft_context;

/* The result that stands for a call that has to do nothing. */
#define SOFT_DROPPED ((CUresult)-1)

/* Reads the rules, once. CUDA_ERROR_INVALID_VALUE when one of them is wrong. */
CUresult soft_fault_start(void);
/* Replaces the rules by those in text.  Results as soft_fault_start's. */
CUresult soft_fault_restart_locked(const char *text);
/* Counts the call of the calling thread; the error that it is to return, or
 * SOFT_DROPPED.  *sticks_out is set to an error that context, which may be NULL, is to have from now on. */
CUresult soft_fault_call_locked(const char *call, const struct soft_context *context,
				CUresult *sticks_out);
/* The number of calls that failed, or did nothing, because of the present rules. */
uint64_t soft_fault_fired_locked(void);
/* The number of calls that match pattern since counts were first asked for. */
uint64_t soft_fault_count_locked(const char *pattern);
/* The error with which an operation of the present call has to end. */
CUresult soft_fault_take_operation(void);
/* The call has ended: it submits no more operations. */
void soft_fault_call_end(void);
/* Appends how often each call was made, a line each, and how many faults were injected. */
void soft_fault_write_locked(struct bytes *text);

#endif
