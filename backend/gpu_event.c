#include "config.h"

#include "backend/gpu_internal.h"

#include "base/cache_line.h"

#include <stdlib.h>
#include <string.h>

/* An event begins at a cache line, because programs with many events find them outside the cache. */
enum { EVENT_ALIGN_B = CACHE_LINE_B };
_Static_assert(sizeof(struct gpu_event) <= EVENT_ALIGN_B, "an event is a cache line");

/* --- the pool: events keep their CUevent for ever, so no handle comes back as
 * another event, and none is made in a steady state --- */

static struct gpu_event *take_free(struct gpu_device *device, bool timing)
{
	lock_take(&device->lock);
	struct gpu_event *event = device->free_events[timing];
	if (event)
		device->free_events[timing] = event->next;
	lock_drop(&device->lock);
	return event;
}

static void put_free(struct gpu_device *device, struct gpu_event *event)
{
	lock_take(&device->lock);
	event->next = device->free_events[event->timing];
	device->free_events[event->timing] = event;
	lock_drop(&device->lock);
}

static cl_int event_make(struct gpu_device *device, bool timing, struct gpu_event **event_out)
{
	struct gpu_event *event = aligned_alloc(EVENT_ALIGN_B, EVENT_ALIGN_B);
	if (!event)
		return CL_OUT_OF_HOST_MEMORY;
	memset(event, 0, sizeof(*event));
	struct gpu_scope scope;
	cl_int error = gpu_enter(device, &scope);
	if (!error) {
		/* Without CU_EVENT_BLOCKING_SYNC, which makes each record 1 us slower. */
		error = gpu_check(device, cuda.cuEventCreate(
			&event->cu_event, timing ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING));
		gpu_leave(&scope);
	}
	if (error) {
		free(event);
		return error;
	}
	event->timing = timing;
	*event_out = event;
	return CL_SUCCESS;
}

static void event_recycle(struct gpu_device *device, struct gpu_event *event)
{
	if (event->epoch)
		gpu_epoch_unref(device, event->epoch);
	event->epoch = NULL;
	put_free(device, event);
}

static cl_int record(struct gpu_stream *stream, struct gpu_event *event, struct gpu_scope *scope)
{
	struct gpu_device *device = stream->device;
	CUresult cu_result;
	if (event->epoch)
		gpu_epoch_unref(device, event->epoch);
	event->epoch = NULL;
	cl_int error = event->timing ? gpu_epoch_get(device, &event->epoch) : CL_SUCCESS;
	if (error)
		return error;
	atomic_store_explicit(&event->refs, 1, memory_order_relaxed);
	atomic_store_explicit(&event->done, false, memory_order_relaxed);
	event->stream = stream;
	/* Operations that the application put in were not counted, so the record is counted.  So is a timing event,
	 * because its timestamp is written after the operations before it. */
	if (event->timing || atomic_load_explicit(&stream->foreign, memory_order_relaxed))
		gpu_stream_count(stream);
	/* The sequence is read before the record is made (gpu_internal.h). */
	event->sequence = gpu_stream_last(stream);
	do
		cu_result = cuda.cuEventRecord(event->cu_event, stream->cu_stream);
	while (cu_result && gpu_wants_current(device, cu_result, scope));
	return gpu_check_result(device, cu_result, "cuEventRecord", __FILE__, __LINE__);
}

static cl_int event_take(struct gpu_device *device, bool timing, struct gpu_event **spare,
			 struct gpu_event **event_out)
{
	struct gpu_event *event = *spare;
	if (!event || event->timing != timing || event->stream->device != device)
		event = take_free(device, timing);
	else
		*spare = NULL;
	if (!event)
		return event_make(device, timing, event_out);
	*event_out = event;
	return CL_SUCCESS;
}

cl_int gpu_event_record_in(struct gpu_stream *stream, bool timing, struct gpu_event **spare,
			   struct gpu_event **event_out)
{
	struct gpu_device *device = stream->device;
	struct gpu_event *event = NULL;
	struct gpu_scope scope;
	cl_int error = gpu_scope_by_handle(device, &scope);
	if (error)
		return error;
	error = event_take(device, timing, spare, &event);
	if (error)
		goto leave;
	error = record(stream, event, &scope);
	if (timing)
		atomic_store_explicit(&stream->timed, true, memory_order_relaxed);
	if (error)
		event_recycle(device, event);
	else
		*event_out = event;
leave:
	gpu_leave(&scope);
	return error;
}

cl_int gpu_event_record(struct gpu_stream *stream, bool timing, struct gpu_event **event_out)
{
	struct gpu_event *none = NULL;
	return gpu_event_record_in(stream, timing, &none, event_out);
}

bool gpu_event_is_only(const struct gpu_event *event)
{
	return atomic_load_explicit(&event->refs, memory_order_acquire) == 1;
}

struct gpu_event *gpu_event_ref(struct gpu_event *event)
{
	atomic_fetch_add_explicit(&event->refs, 1, memory_order_relaxed);
	return event;
}

/* A CUevent may be recorded again while streams still wait for its last record: a wait refers to the record at the
 * time of the call. */
void gpu_event_unref(struct gpu_event *event)
{
	if (event && atomic_fetch_sub_explicit(&event->refs, 1, memory_order_acq_rel) == 1)
		event_recycle(event->stream->device, event);
}

struct gpu_stream *gpu_event_stream(const struct gpu_event *event)
{
	return event->stream;
}

uint64_t gpu_event_sequence(const struct gpu_event *event)
{
	return event->sequence;
}

bool gpu_event_is_tail(const struct gpu_event *event, const struct gpu_stream *stream)
{
	return event->stream == stream && event->sequence == gpu_stream_last(stream) &&
	       !atomic_load_explicit(&stream->foreign, memory_order_relaxed);
}

/* --- has it happened? --- */

bool gpu_event_known_done(const struct gpu_event *event)
{
	return gpu_event_is_done(event);
}

bool gpu_event_has_failed(const struct gpu_event *event)
{
	return gpu_stream_failed_at(event->stream, event->sequence);
}

void gpu_event_note_done(struct gpu_event *event)
{
	if (!gpu_event_has_failed(event))
		atomic_store_explicit(&event->done, true, memory_order_release);
	gpu_stream_raise_done(event->stream, event->sequence);
}

cl_int gpu_event_query(struct gpu_event *event, bool *done_out)
{
	struct gpu_device *device = event->stream->device;
	struct gpu_scope scope;
	if (gpu_event_known_done(event)) {
		*done_out = true;
		return CL_SUCCESS;
	}
	cl_int error = gpu_scope_by_handle(device, &scope);
	if (error)
		return error;
	CUresult cu_result;
	do
		cu_result = cuda.cuEventQuery(event->cu_event);
	while (cu_result && gpu_wants_current(device, cu_result, &scope));
	if (cu_result == CUDA_ERROR_NOT_READY)
		(void)gpu_epoch_renew(device);    /* for timestamps; its error does not concern this call */
	else
		error = gpu_check_result(device, cu_result, "cuEventQuery", __FILE__, __LINE__);
	gpu_leave(&scope);
	if (error)
		return error;
	*done_out = cu_result == CUDA_SUCCESS;
	if (!*done_out)
		return CL_SUCCESS;
	gpu_stream_check_others(event->stream);
	gpu_event_note_done(event);
	return gpu_event_has_failed(event) ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

bool gpu_event_pending(struct gpu_event *event)
{
	bool done = false;
	const cl_int error = gpu_event_query(event, &done);
	return !done && (!error || !gpu_device_status(event->stream->device));
}

bool gpu_events_pending(struct gpu_event *const *events, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (gpu_event_pending(events[i]))
			return true;
	return false;
}

cl_int gpu_event_block(struct gpu_event *event)
{
	bool done = false;
	cl_int error = gpu_event_query(event, &done);
	if (error || done)
		return error;
	struct gpu_pauses pauses;
	struct gpu_scope scope;
	const bool entered = !gpu_scope_by_handle(event->stream->device, &scope);
	gpu_pauses_begin(&pauses, event->stream);
	do {
		gpu_pause(&pauses, event->cu_event);
		error = gpu_event_query(event, &done);
	} while (!error && !done);
	gpu_pauses_end(&pauses);
	if (entered)
		gpu_leave(&scope);
	return error;
}

/* --- when has it happened? --- */

cl_int gpu_event_time_ns(struct gpu_event *event, uint64_t *time_ns_out)
{
	struct gpu_device *device = event->stream->device;
	struct gpu_scope scope;
	if (!event->timing)
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	cl_int error = gpu_enter(device, &scope);
	if (error)
		return error;
	error = gpu_epoch_renew(device);
	if (!error)
		error = gpu_epoch_time_ns(device, event->epoch, event->cu_event, time_ns_out);
	gpu_leave(&scope);
	return error;
}
