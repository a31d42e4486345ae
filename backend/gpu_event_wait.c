/* Waiting for events as others do: what was put off until then is done afterwards. */
#include "config.h"

#include "backend/gpu_internal.h"

cl_int gpu_event_wait(struct gpu_event *event)
{
	lock_assert_none();
	cl_int err = gpu_event_block(event);
	gpu_defer_reap(event->stream->device);
	return err;
}

static cl_int synchronize(struct gpu_stream *stream)
{
	struct gpu_scope scope;
	cl_int err = gpu_enter(stream->device, &scope);
	if (err)
		return err;
	err = gpu_check(stream->device, cuda.cuStreamSynchronize(stream->cu_stream));
	gpu_leave(&scope);
	return err;
}

cl_int gpu_stream_drain(struct gpu_stream *stream)
{
	struct gpu_event *tail;
	cl_int err = gpu_event_record(stream, false, &tail);
	if (!err) {
		err = gpu_event_wait(tail);
		gpu_event_unref(tail);
	}
	return err ? synchronize(stream) : CL_SUCCESS;
}
