/* The way into and out of every exported cu* function.
 *
 * Each is one SOFT_CALL: soft_enter checks
 * what all calls check, soft_leave lets go. That pair is also the one place
 * where calls are traced and counted, and where they fail on purpose (driver/fault.h). */
#ifndef CULVERT_SOFTCUDA_CALLS_DOOR_H
#define CULVERT_SOFTCUDA_CALLS_DOOR_H

#include "softcuda/driver/fault.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/exec/cuda.h"
#include "softcuda/exec/exec.h"

#include <stdbool.h>

struct soft_context;

enum soft_need {
	SOFT_NEED_NOTHING,       /* works before cuInit */
	SOFT_NEED_INIT,
	SOFT_NEED_CONTEXT,       /* a current context without a fault */
	SOFT_NEED_FAULTY         /* a current context, with a fault or not */
};

/* CUDA_SUCCESS with the lock taken and the current context (NULL if there is
 * none and none is needed), or why the call cannot go on, lock not taken.
 * call: NULL for another part of a call that was entered before: not counted again.
 * SOFT_DROPPED: the call is to be answered with success and left undone. */
CUresult soft_enter(const char *call, enum soft_need need, struct soft_context **context_out);
/* The same for a call on a stream, which knows its context, whatever is current. */
CUresult soft_enter_stream(const char *call, CUstream cu_stream,
			   struct soft_context **context_out);
/* Drops the lock and hands the result through. */
CUresult soft_leave(const char *call, CUresult result);

/* What a door returns that soft_enter has turned back. */
static inline CUresult soft_turned_back(CUresult result)
{
	return result == SOFT_DROPPED ? CUDA_SUCCESS : result;
}

#define SOFT_CALL(need, expression)                                             \
	struct soft_context *context = NULL;                                    \
	CUresult call_result = soft_enter(__func__, (need), &context);          \
	return call_result != CUDA_SUCCESS ? soft_turned_back(call_result)      \
					   : soft_leave(__func__, (expression))

#define SOFT_STREAM_CALL(cu_stream, expression)                                 \
	struct soft_context *context = NULL;                                    \
	CUresult call_result = soft_enter_stream(__func__, (cu_stream), &context); \
	return call_result != CUDA_SUCCESS ? soft_turned_back(call_result)      \
					   : soft_leave(__func__, (expression))

/* The process ends: every call fails from now on.  False when it did so before, or this is a child of a fork. */
bool soft_door_close(void);

#endif
