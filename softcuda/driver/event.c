/* Events: a name for a point in a stream, and the time when it was reached. */
#include "config.h"

#include "softcuda/driver/event.h"

#include "base/log.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/handle.h"
#include "softcuda/driver/oracle.h"
#include "softcuda/driver/sched.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/stream.h"

#include <stdlib.h>

void soft_event_unref_locked(struct soft_event *event)
{
	if (--event->refs)
		return;
	soft_stream_unref_locked(event->point.stream);
	list_remove(&event->link);
	free(event);
}

/* The handle becomes invalid; a record that is still in a stream keeps the event's memory. */
void soft_event_destroy_locked(struct soft_event *event)
{
	soft_handle_destroy_locked(event->handle);
	event->handle = NULL;
	event->context = NULL;
	list_remove(&event->link);
	soft_event_unref_locked(event);
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
	/* The time of a later record counts. */
	if (event->point.stream == operation->stream &&
	    event->point.sequence == operation->sequence)
		event->time_ns = soft_sched_now_ns_locked();
}

static void record_finish_locked(struct soft_operation *operation)
{
	soft_event_unref_locked(((struct record_operation *)operation)->event);
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
	/* Set before the operation is submitted, because it may be reached at once. */
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

/* A wait refers to the latest record at the time of the call; without a record it does not wait. */
static const struct soft_operation_type await_type = {.name = "event wait"};

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
