#include "config.h"

#include "softcuda/calls/door.h"

#include "base/log.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/fault.h"
#include "softcuda/driver/handle.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/driver/stream.h"
#include "softcuda/driver/thread.h"
#include "softcuda/exec/exec.h"

static atomic_bool closed;

static void stick_locked(struct soft_context *context, const char *call, CUresult result)
{
	struct bytes report = BYTES_INIT;
	bytes_printf(&report, "%s: fault injected", call);
	soft_context_fault_locked(context, result, &report);
	bytes_finish(&report);
}

static CUresult current_context_locked(enum soft_need need, struct soft_context **context_out)
{
	struct soft_context *context = soft_thread_context_locked();
	if (context && !context->alive) {
		if (need >= SOFT_NEED_CONTEXT)
			return CUDA_ERROR_CONTEXT_IS_DESTROYED;
		context = NULL;
	}
	if (need >= SOFT_NEED_CONTEXT && !context)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (need == SOFT_NEED_CONTEXT && context->fault != CUDA_SUCCESS)
		return context->fault;
	*context_out = context;
	return CUDA_SUCCESS;
}

/* The context of a stream; CUDA's default streams belong to the current context. */
static CUresult stream_context_locked(CUstream cu_stream, struct soft_context **context_out)
{
	const struct soft_stream *stream = soft_handle_find_locked(SOFT_KIND_STREAM, cu_stream);
	if (!stream)
		return current_context_locked(SOFT_NEED_CONTEXT, context_out);
	*context_out = stream->context;
	return stream->context->fault;
}

/* cu_stream: a stream of the context; NULL: the current context is used. */
static CUresult enter(const char *call, enum soft_need need, const CUstream *cu_stream,
		      struct soft_context **context_out)
{
	if (atomic_load(&soft_driver.forked))
		return CUDA_ERROR_NOT_INITIALIZED;
	if (atomic_load(&closed))
		return CUDA_ERROR_DEINITIALIZED;
	if (soft_thread_forbidden()) {
		log_err("%s: called from a host function of a stream, which must not call the driver",
			call);
		return CUDA_ERROR_NOT_PERMITTED;
	}
	lock_take(&soft_driver.lock);
	CUresult result = CUDA_SUCCESS;
	if (need != SOFT_NEED_NOTHING && !soft_driver.initialised)
		result = CUDA_ERROR_NOT_INITIALIZED;
	else if (cu_stream)
		result = stream_context_locked(*cu_stream, context_out);
	else if (need != SOFT_NEED_NOTHING)
		result = current_context_locked(need, context_out);
	CUresult injected = CUDA_SUCCESS, sticks = CUDA_SUCCESS;
	if (call)
		injected = soft_fault_call_locked(call, *context_out, &sticks);
	if (sticks != CUDA_SUCCESS)
		stick_locked(*context_out, call, sticks);
	if (result == CUDA_SUCCESS)
		result = injected;
	if (result != CUDA_SUCCESS)
		return soft_leave(call, result);
	return CUDA_SUCCESS;
}

CUresult soft_enter(const char *call, enum soft_need need, struct soft_context **context_out)
{
	return enter(call, need, NULL, context_out);
}

CUresult soft_enter_stream(const char *call, CUstream cu_stream, struct soft_context **context_out)
{
	return enter(call, SOFT_NEED_CONTEXT, &cu_stream, context_out);
}

CUresult soft_leave(const char *call, CUresult result)
{
	soft_fault_call_end();
	lock_drop(&soft_driver.lock);
	if (call)
		log_trace("softcuda: %s = %d", call, (int)result);
	return result;
}

bool soft_door_close(void)
{
	return !atomic_load(&soft_driver.forked) && !atomic_exchange(&closed, true);
}
