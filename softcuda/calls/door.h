/* The begin and the end of every exported cu* function.
 *
 * Each is one SOFT_CALL: soft_enter makes the checks that all calls share and takes the driver's lock, soft_leave
 * drops it.  Calls are traced and counted there, and made to fail on purpose (driver/fault.h). */
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
	SOFT_NEED_FAULTY         /* a current context, which may have a fault */
};

/* On success the lock is taken, and *context_out is the current context (NULL if there is none and none is needed);
 * otherwise returns why the call cannot continue, without the lock. call: NULL for a further part of a call, which
 * is not counted again.  SOFT_DROPPED: the call has to return success without doing anything. */
CUresult soft_enter(const char *call, enum soft_need need, struct soft_context **context_out);
/* As soft_enter, for a call on a stream, whose context is used instead of the current one. */
CUresult soft_enter_stream(const char *call, CUstream cu_stream,
			   struct soft_context **context_out);
/* Drops the lock and returns the result. */
CUresult soft_leave(const char *call, CUresult result);

/* The result of a call whose soft_enter has failed. */
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

/* Called when the process ends: every call fails from now on.  False when that was done before, or in a child after
 * fork. */
bool soft_door_close(void);

#endif
