/* Events: a name for a point in a stream, and the time when it was reached. */
#include "config.h"

#include "base/log.h"
#include "softcuda/driver/oracle.h"
#include "softcuda/driver/sched.h"
#include "softcuda/driver/soft.h"

#include <stdlib.h>

static void event_unref_locked(struct soft_event *event)
{
	if (--event->refs)
		return;
	soft_stream_unref_locked(event->point.stream);
	list_remove(&event->link);
	free(event);
}

/* A record that is still in a stream keeps the event's memory, not its handle. */
void soft_event_destroy_locked(struct soft_event *event)
{
	soft_handle_destroy_locked(event->handle);
	event->handle = NULL;
	event->context = NULL;
	list_remove(&event->link);
	event_unref_locked(event);
}

CUresult soft_event_find_locked(CUevent cu_event, struct soft_event **event_out)
{
	struct soft_event *event = soft_handle_find_locked(SOFT_KIND_EVENT, cu_event);
	if (!event)
		return CUDA_ERROR_INVALID_HANDLE;
	*event_out = event;
	return CUDA_SUCCESS;
}

struct record_operation {
	struct soft_operation base;
	struct soft_event *event;
};

static void record_retire_locked(struct soft_operation *operation)
{
	struct soft_event *event = ((struct record_operation *)operation)->event;
	/* A later record has taken the event over: its time counts. */
	if (event->point.stream == operation->stream &&
	    event->point.sequence == operation->sequence)
		event->time_ns = soft_sched_now_ns_locked();
}

static void record_finish_locked(struct soft_operation *operation)
{
	event_unref_locked(((struct record_operation *)operation)->event);
}

static const struct soft_operation_type record_type = {
	.name = "event record",
	.retire_locked = record_retire_locked,
	.finish_locked = record_finish_locked,
};

CUresult soft_event_record_locked(struct soft_event *event, struct soft_stream *stream)
{
	struct record_operation *record = soft_operation_create(&record_type, sizeof(*record));
	if (!record)
		return CUDA_ERROR_OUT_OF_MEMORY;
	record->event = event;
	event->refs++;
	/* Set before it is submitted, for it may be reached at once. */
	const struct soft_point before = event->point;
	stream->refs++;
	event->point = (struct soft_point){stream, stream->submitted + 1};
	CUresult result = soft_operation_submit_locked(&record->base, stream);
	if (result != CUDA_SUCCESS) {
		event->point = before;
		soft_stream_unref_locked(stream);
		return result;
	}
	soft_stream_unref_locked(before.stream);
	return CUDA_SUCCESS;
}

static const struct soft_operation_type await_type = {.name = "event wait"};

/* The latest record counts, as it is now; none at all is no wait. */
CUresult soft_event_await_locked(struct soft_event *event, struct soft_stream *stream)
{
	if (!event->point.stream) {
		log_warn("softcuda: a wait for an event that was never recorded: no effect");
		soft_oracle_report_unrecorded_locked(stream);
		return CUDA_SUCCESS;
	}
	if (soft_point_reached(&event->point) && !soft_oracle_on())
		return CUDA_SUCCESS;
	struct soft_operation *wait = soft_operation_create(&await_type, sizeof(*wait));
	if (!wait)
		return CUDA_ERROR_OUT_OF_MEMORY;
	CUresult result = soft_operation_wait_for_locked(wait, event->point.stream,
							 event->point.sequence);
	if (result != CUDA_SUCCESS) {
		soft_operation_destroy_locked(wait);
		return result;
	}
	return soft_operation_submit_locked(wait, stream);
}

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
	event_unref_locked(event);
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
	/* The difference first: a float holds a time since boot to milliseconds only. */
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
