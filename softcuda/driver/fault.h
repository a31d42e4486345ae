/* Calls that fail on purpose, and how often each call was made.
 *
 * CULVERT_SOFT_FAULT holds rules, with a comma between them:
 *
 *	PATTERN:COUNT:ERROR[:sticky][:async][:dev=N]
 *
 * PATTERN is a call's name with shell wildcards, COUNT which of the calls that
 * match fail (3: the third; 3+: from the third on; *: each), ERROR a result's name
 * without CUDA_ERROR_.  sticky: the caller's context has the error from then on.
 * async: the call goes well and what it put into a stream fails when its turn
 * comes.  dev: counts only calls made with a context of that device current.
 * ERROR may also be DROP: the call is answered with success and left undone.
 *
 * CULVERT_SOFT_COUNT names a file that gets the counts when the process ends. */
#ifndef CULVERT_SOFTCUDA_DRIVER_FAULT_H
#define CULVERT_SOFTCUDA_DRIVER_FAULT_H

#include "base/bytes.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/exec/cuda.h"

#include <stdint.h>

struct soft_context;

/* The result of a call that is to be forgotten. */
#define SOFT_DROPPED ((CUresult)-1)

/* Reads the rules, once. CUDA_ERROR_INVALID_VALUE when one of them is wrong. */
CUresult soft_fault_start(void);
/* Takes the rules of text in the place of those before. As soft_fault_start. */
CUresult soft_fault_restart_locked(const char *text);
/* Counts the call of the calling thread; the error that it is to return, or
 * SOFT_DROPPED.  *sticks_out is set to an error that context, which may be NULL, is to have from now on. */
CUresult soft_fault_call_locked(const char *call, const struct soft_context *context,
				CUresult *sticks_out);
/* How often the rules in force made a call fail, or dropped it. */
uint64_t soft_fault_fired_locked(void);
/* How often calls that match pattern were made since somebody first asked for counts. */
uint64_t soft_fault_count_locked(const char *pattern);
/* The error that an operation of the call under way is to end with. */
CUresult soft_fault_take_operation(void);
/* The call is over: no operation of it comes any more. */
void soft_fault_call_end(void);
/* Appends how often each call was made, a line each, and how many faults were injected. */
void soft_fault_write_locked(struct bytes *text);

#endif
