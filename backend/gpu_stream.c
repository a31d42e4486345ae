#include "config.h"

#include "backend/gpu_internal.h"

static struct list *pool_of(struct gpu_device *device, struct gpu_share *share, int rank)
{
	return share ? &share->idle_streams[rank] : &device->idle_streams[rank];
}

/* Takes the stream that was released first from the pool; NULL: the pool is empty. */
static struct gpu_stream *take_oldest(struct gpu_device *device, struct list *pool)
{
	struct gpu_stream *stream = NULL;
	lock_take(&device->lock);
	if (!list_empty(pool)) {
		stream = list_entry(pool->next, struct gpu_stream, link);
		list_remove(&stream->link);
	}
	lock_drop(&device->lock);
	return stream;
}

/* In a stream with work of its last owner the new owner's work would have to wait; so if even the oldest one is
 * busy, a new stream is made. */
cl_int gpu_stream_acquire_of(struct gpu_device *device, struct gpu_share *share, int priority,
			     struct gpu_stream **stream_out)
{
	int rank = priority < 0 ? 0 : priority > 0 ? 2 : 1;
	struct gpu_scope scope;
	cl_int error = gpu_enter_new(device, &scope);
	if (error)
		return error;
	struct gpu_stream *stream = take_oldest(device, pool_of(device, share, rank));
	if (stream && !gpu_stream_reached(stream, gpu_stream_last(stream))) {
		gpu_stream_release(stream);
		stream = NULL;
	}
	if (!stream)
		error = gpu_stream_create(device, share, rank - 1, &stream);
	gpu_leave(&scope);
	if (error)
		return error;
	atomic_store_explicit(&stream->timed, false, memory_order_relaxed);
	*stream_out = stream;
	return CL_SUCCESS;
}

void gpu_stream_release(struct gpu_stream *stream)
{
	struct gpu_device *device = stream->device;
	lock_take(&device->lock);
	list_append(pool_of(device, stream->share, stream->priority + 1), &stream->link);
	lock_drop(&device->lock);
}

struct gpu_device *gpu_stream_device(const struct gpu_stream *stream)
{
	return stream->device;
}

uint32_t gpu_stream_id(const struct gpu_stream *stream)
{
	return stream->id;
}

uint64_t gpu_stream_last(const struct gpu_stream *stream)
{
	return atomic_load_explicit(&stream->last, memory_order_acquire);
}

uint64_t gpu_stream_outstanding(const struct gpu_stream *stream)
{
	/* done is read first, so that it is not larger than last. */
	const uint64_t done = atomic_load_explicit(&stream->done, memory_order_acquire);
	return gpu_stream_last(stream) - done;
}

static void raise_to(_Atomic uint64_t *number, uint64_t value)
{
	uint64_t now = atomic_load_explicit(number, memory_order_relaxed);
	while (now < value && !atomic_compare_exchange_weak_explicit(
			number, &now, value, memory_order_release, memory_order_relaxed))
		continue;
}

void gpu_stream_raise_done(struct gpu_stream *stream, uint64_t sequence)
{
	raise_to(&stream->done, sequence);
}

bool gpu_stream_is_known_past(const struct gpu_stream *stream, uint64_t sequence)
{
	return atomic_load_explicit(&stream->done, memory_order_acquire) >= sequence &&
	       !atomic_load_explicit(&stream->foreign, memory_order_relaxed);
}

bool gpu_stream_is_known_done(const struct gpu_stream *stream)
{
	return !gpu_stream_outstanding(stream) &&
	       !atomic_load_explicit(&stream->foreign, memory_order_relaxed);
}

bool gpu_stream_reached(struct gpu_stream *stream, uint64_t sequence)
{
	if (gpu_stream_is_known_past(stream, sequence))
		return true;
	struct gpu_scope scope;
	if (gpu_scope_by_handle(stream->device, &scope))
		return gpu_device_status(stream->device) != CL_SUCCESS;
	/* Read before the query: later operations are not included in its answer. */
	uint64_t last = gpu_stream_last(stream);
	CUresult cu_result;
	do
		cu_result = cuda.cuStreamQuery(stream->cu_stream);
	while (cu_result && gpu_wants_current(stream->device, cu_result, &scope));
	if (cu_result != CUDA_SUCCESS && cu_result != CUDA_ERROR_NOT_READY)
		(void)gpu_check_result(stream->device, cu_result, "cuStreamQuery", __FILE__,
				       __LINE__);
	gpu_leave(&scope);
	if (cu_result == CUDA_SUCCESS) {
		gpu_stream_check_others(stream);
		gpu_stream_raise_done(stream, last);
	}
	return cu_result == CUDA_SUCCESS || gpu_device_status(stream->device) != CL_SUCCESS;
}

bool gpu_device_is_idle(struct gpu_device *device)
{
	for (struct gpu_stream *stream = atomic_load(&device->streams); stream;
	     stream = stream->older)
		if (!gpu_stream_reached(stream, gpu_stream_last(stream)))
			return false;
	return true;
}

/* --- other devices --- */

static uint64_t device_bit(const struct gpu_device *device)
{
	return UINT64_C(1) << device->index % 64;
}

/* The devices that unfinished operations of the stream need. */
static uint64_t others_of(struct gpu_stream *stream)
{
	const uint64_t others = atomic_load_explicit(&stream->others, memory_order_acquire);
	if (!others || atomic_load_explicit(&stream->others_last, memory_order_acquire) <=
		       atomic_load_explicit(&stream->done, memory_order_acquire))
		return 0;
	return others;
}

static void others_add(struct gpu_stream *stream, uint64_t others)
{
	others &= ~device_bit(stream->device);
	if (!others)
		return;
	atomic_fetch_or_explicit(&stream->others, others, memory_order_release);
	raise_to(&stream->others_last, gpu_stream_last(stream) + 1);
}

void gpu_stream_need(struct gpu_stream *stream, const struct gpu_device *device)
{
	others_add(stream, device_bit(device));
}

void gpu_stream_check_others(struct gpu_stream *stream)
{
	struct gpu_device *const *devices;
	uint32_t count;
	uint64_t lost = 0;
	const uint64_t others = others_of(stream);
	if (!others)
		return;
	(void)gpu_devices(&devices, &count);
	for (uint32_t i = 0; i < count; i++)
		if (others & device_bit(devices[i]) && gpu_device_ask(devices[i]))
			lost |= device_bit(devices[i]);
	if (!lost)
		return;
	/* After an earlier failure its first operation stays the first one. */
	if (!atomic_load_explicit(&stream->failed_last, memory_order_relaxed))
		atomic_store_explicit(&stream->failed_from,
				      atomic_load_explicit(&stream->done, memory_order_acquire), memory_order_relaxed);
	raise_to(&stream->failed_last, gpu_stream_last(stream));
	/* What is put in from now on needs them only if it says so again. */
	atomic_fetch_and_explicit(&stream->others, ~lost, memory_order_release);
}

cl_int gpu_stream_status(struct gpu_stream *stream)
{
	const cl_int error = gpu_device_status(stream->device);
	return !error && gpu_stream_failed_at(stream, gpu_stream_last(stream)) ? CL_OUT_OF_RESOURCES : error;
}

/* --- waits --- */

static bool already_waits(const struct gpu_stream *stream, const struct gpu_event *event)
{
	uint32_t id = event->stream->id;
	return id < GPU_STREAMS_TRACKED &&
	       atomic_load_explicit(&stream->seen[id], memory_order_acquire) >= event->sequence;
}

cl_int gpu_stream_wait_event(struct gpu_stream *stream, struct gpu_event *event)
{
	if (event->stream == stream || gpu_event_is_done(event) || already_waits(stream, event))
		return gpu_device_status(stream->device);
	/* Unfinished work of a lost device will never be complete. */
	cl_int error = gpu_device_status(event->stream->device);
	struct gpu_scope scope;
	if (!error)
		error = gpu_scope_by_handle(stream->device, &scope);
	if (error)
		return error;
	CUresult cu_result;
	do
		cu_result = cuda.cuStreamWaitEvent(stream->cu_stream, event->cu_event, 0);
	while (cu_result && gpu_wants_current(stream->device, cu_result, &scope));
	error = gpu_check_result(stream->device, cu_result, "cuStreamWaitEvent", __FILE__,
				 __LINE__);
	gpu_leave(&scope);
	if (error)
		return error;
	others_add(stream, others_of(event->stream) | device_bit(event->stream->device));
	/* The wait counts as an operation, so that a later event of this stream includes what was waited for.  It is
	 * counted before seen[] is raised: a thread that skips a wait because of seen[] records a sequence that
	 * includes this one. */
	gpu_stream_count(stream);
	if (event->stream->id < GPU_STREAMS_TRACKED)
		raise_to(&stream->seen[event->stream->id], event->sequence);
	return CL_SUCCESS;
}
