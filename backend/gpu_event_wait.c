/* Waits for events; afterwards objects whose destruction was deferred are destroyed. */
#include "config.h"

#include "backend/gpu_internal.h"

cl_int gpu_event_wait(struct gpu_event *event)
{
	lock_assert_none();
	cl_int error = gpu_event_block(event);
	gpu_defer_reap(event->stream->device);
	return error;
}

static cl_int synchronize(struct gpu_stream *stream)
{
	struct gpu_scope scope;
	cl_int error = gpu_enter(stream->device, &scope);
	if (error)
		return error;
	error = gpu_check(stream->device, cuda.cuStreamSynchronize(stream->cu_stream));
	gpu_leave(&scope);
	return error;
}

cl_int gpu_stream_drain(struct gpu_stream *stream)
{
	struct gpu_event *tail;
	cl_int error = gpu_event_record(stream, false, &tail);
	if (!error) {
		error = gpu_event_wait(tail);
		gpu_event_unref(tail);
	}
	return error ? synchronize(stream) : CL_SUCCESS;
}
