/* The calls of events. */
#include "config.h"

#include "base/log.h"
#include "softcuda/calls/door.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/event.h"
#include "softcuda/driver/handle.h"
#include "softcuda/driver/oracle.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/stream.h"
#include "softcuda/exec/exec.h"

#include <stdlib.h>

static CUresult create_locked(struct soft_context *context, CUevent *cu_event_out, unsigned flags)
{
	const unsigned known = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING;
	if (flags & CU_EVENT_INTERPROCESS) {
		log_err("softcuda: cuEventCreate: interprocess events are not supported");
		return CUDA_ERROR_NOT_SUPPORTED;
	}
	if (!cu_event_out || flags & ~known)
		return CUDA_ERROR_INVALID_VALUE;
	struct soft_event *event = calloc(1, sizeof(*event));
	if (!event)
		return CUDA_ERROR_OUT_OF_MEMORY;
	event->handle = soft_handle_create_locked(SOFT_KIND_EVENT, event);
	if (!event->handle) {
		free(event);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	event->context = context;
	event->flags = flags;
	event->refs = 1;
	list_append(&context->events, &event->link);
	*cu_event_out = event->handle;
	return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *cu_event_out, unsigned int flags)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, create_locked(context, cu_event_out, flags));
}

static CUresult destroy_locked(CUevent cu_event)
{
	struct soft_event *event;
	CUresult result = soft_event_find_locked(cu_event, &event);
	if (result != CUDA_SUCCESS)
		return result;
	CUresult fault = event->context->fault;
	soft_event_destroy_locked(event);
	return fault;
}

CUresult cuEventDestroy_v2(CUevent cu_event)
{
	SOFT_CALL(SOFT_NEED_FAULTY, destroy_locked(cu_event));
}

CUresult cuEventDestroy(CUevent cu_event)
{
	return cuEventDestroy_v2(cu_event);
}

static CUresult record_locked(struct soft_context *context, CUevent cu_event, CUstream cu_stream,
			      unsigned flags)
{
	struct soft_event *event;
	struct soft_stream *stream;
	if (flags & ~(unsigned)CU_EVENT_RECORD_EXTERNAL)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_event_find_locked(cu_event, &event);
	if (result == CUDA_SUCCESS)
		result = soft_stream_find_locked(context, cu_stream, &stream);
	if (result != CUDA_SUCCESS)
		return result;
	if (event->context != stream->context)
		return CUDA_ERROR_INVALID_HANDLE;
	return soft_event_record_locked(event, stream);
}

CUresult cuEventRecord(CUevent cu_event, CUstream cu_stream)
{
	SOFT_STREAM_CALL(cu_stream, record_locked(context, cu_event, cu_stream, 0));
}

CUresult cuEventRecordWithFlags(CUevent cu_event, CUstream cu_stream, unsigned int flags)
{
	SOFT_STREAM_CALL(cu_stream, record_locked(context, cu_event, cu_stream, flags));
}

static CUresult query_locked(CUevent cu_event)
{
	struct soft_event *event;
	CUresult result = soft_event_find_locked(cu_event, &event);
	if (result != CUDA_SUCCESS)
		return result;
	if (event->context->fault == CUDA_SUCCESS && !soft_point_reached(&event->point)) {
		soft_schedule_nudge_locked();
		result = soft_event_find_locked(cu_event, &event);
		if (result != CUDA_SUCCESS)
			return result;
	}
	if (event->context->fault != CUDA_SUCCESS)
		return event->context->fault;
	if (!soft_point_reached(&event->point))
		return CUDA_ERROR_NOT_READY;
	soft_oracle_learn_locked(event->point.stream, event->point.sequence);
	return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent cu_event)
{
	SOFT_CALL(SOFT_NEED_INIT, query_locked(cu_event));
}

static CUresult synchronize_locked(CUevent cu_event)
{
	struct soft_event *event;
	CUresult result = soft_event_find_locked(cu_event, &event);
	if (result != CUDA_SUCCESS)
		return result;
	const struct soft_point point = event->point;
	if (point.stream)
		point.stream->refs++;
	event->refs++;
	result = soft_point_wait_locked(&point);
	if (result == CUDA_SUCCESS && event->context)
		result = event->context->fault;
	soft_event_unref_locked(event);
	soft_stream_unref_locked(point.stream);
	return result;
}

CUresult cuEventSynchronize(CUevent cu_event)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, synchronize_locked(cu_event));
}

static CUresult elapsed_locked(float *milliseconds_out, CUevent cu_start, CUevent cu_end)
{
	struct soft_event *start, *end;
	if (!milliseconds_out)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_event_find_locked(cu_start, &start);
	if (result == CUDA_SUCCESS)
		result = soft_event_find_locked(cu_end, &end);
	if (result != CUDA_SUCCESS)
		return result;
	if (start->context->fault != CUDA_SUCCESS)
		return start->context->fault;
	if (!start->point.stream || !end->point.stream ||
	    (start->flags | end->flags) & CU_EVENT_DISABLE_TIMING ||
	    start->context->device != end->context->device)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!soft_point_reached(&start->point) || !soft_point_reached(&end->point))
		return CUDA_ERROR_NOT_READY;
	soft_oracle_learn_locked(start->point.stream, start->point.sequence);
	soft_oracle_learn_locked(end->point.stream, end->point.sequence);
	/* The difference is computed first, because a float is too inexact for the time since boot. */
	*milliseconds_out = (float)((double)(int64_t)(end->time_ns - start->time_ns) / 1e6);
	return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime_v2(float *milliseconds_out, CUevent cu_start, CUevent cu_end)
{
	SOFT_CALL(SOFT_NEED_INIT, elapsed_locked(milliseconds_out, cu_start, cu_end));
}

CUresult cuEventElapsedTime(float *milliseconds_out, CUevent cu_start, CUevent cu_end)
{
	return cuEventElapsedTime_v2(milliseconds_out, cu_start, cu_end);
}
