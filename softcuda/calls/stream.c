/* The calls of streams: creation, queries, waiting. */
#include "config.h"

#include "softcuda/calls/door.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/event.h"
#include "softcuda/driver/green.h"
#include "softcuda/driver/handle.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/oracle.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/driver/stream.h"
#include "softcuda/exec/exec.h"

/* The header's macro would change the name. */
#undef cuStreamGetDevice

static CUresult create_locked(struct soft_context *context, CUstream *cu_stream_out,
			      unsigned flags, int priority)
{
	if (!cu_stream_out || flags & ~(unsigned)CU_STREAM_NON_BLOCKING)
		return CUDA_ERROR_INVALID_VALUE;
	struct soft_stream *stream = soft_stream_create_locked(context, flags, priority);
	struct soft_green *green = soft_green_current_locked();
	if (!stream)
		return CUDA_ERROR_OUT_OF_MEMORY;
	stream->green = green;
	stream->multiprocessors = green ? green->multiprocessors : 0;
	stream->handle = soft_handle_create_locked(SOFT_KIND_STREAM, stream);
	if (!stream->handle) {
		soft_stream_unref_locked(stream);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*cu_stream_out = stream->handle;
	return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *cu_stream_out, unsigned int flags)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, create_locked(context, cu_stream_out, flags, 0));
}

CUresult cuStreamCreateWithPriority(CUstream *cu_stream_out, unsigned int flags, int priority)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, create_locked(context, cu_stream_out, flags, priority));
}

/* The handle becomes invalid; work in the stream continues. */
static CUresult destroy_locked(CUstream cu_stream)
{
	struct soft_stream *stream = soft_handle_find_locked(SOFT_KIND_STREAM, cu_stream);
	if (!stream)
		return CUDA_ERROR_INVALID_HANDLE;
	if (stream->orphaned)
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	CUresult fault = stream->context->fault;
	soft_stream_retire_locked(stream);
	return fault;
}

CUresult cuStreamDestroy_v2(CUstream cu_stream)
{
	SOFT_CALL(SOFT_NEED_FAULTY, destroy_locked(cu_stream));
}

CUresult cuStreamDestroy(CUstream cu_stream)
{
	return cuStreamDestroy_v2(cu_stream);
}

/* Whether a wait for stream includes other.  The NULL stream is complete when all streams that it waits for are. */
static bool covers(const struct soft_stream *stream, const struct soft_stream *other)
{
	return other == stream || (stream == stream->context->legacy &&
				   !(other->flags & CU_STREAM_NON_BLOCKING));
}

static bool all_idle_locked(const struct soft_stream *stream)
{
	struct list *link, *next;
	list_for_each(link, next, &stream->context->streams) {
		struct soft_stream *other = list_entry(link, struct soft_stream, link);
		if (covers(stream, other) && !soft_stream_idle(other))
			return false;
	}
	return true;
}

static CUresult query_locked(struct soft_context *context, CUstream cu_stream)
{
	struct soft_stream *stream;
	struct list *link, *next;
	CUresult result = soft_stream_find_locked(context, cu_stream, &stream);
	if (result != CUDA_SUCCESS)
		return result;
	if (!all_idle_locked(stream)) {
		context->refs++;
		soft_schedule_nudge_locked();
		result = context->alive ? soft_stream_find_locked(context, cu_stream, &stream)
					: CUDA_ERROR_CONTEXT_IS_DESTROYED;
		soft_context_unref_locked(context);
		if (result != CUDA_SUCCESS)
			return result;
	}
	if (!all_idle_locked(stream))
		return CUDA_ERROR_NOT_READY;
	list_for_each(link, next, &stream->context->streams) {
		struct soft_stream *other = list_entry(link, struct soft_stream, link);
		if (covers(stream, other))
			soft_oracle_learn_locked(other, other->submitted);
	}
	return CUDA_SUCCESS;
}

CUresult cuStreamQuery(CUstream cu_stream)
{
	SOFT_STREAM_CALL(cu_stream, query_locked(context, cu_stream));
}

/* An operation without an effect, which has a place in a stream. */
static const struct soft_operation_type marker_type = {.name = "marker"};

static CUresult synchronize_locked(struct soft_context *context, CUstream cu_stream)
{
	struct soft_stream *stream;
	CUresult result = soft_stream_find_locked(context, cu_stream, &stream);
	if (result != CUDA_SUCCESS)
		return result;
	if (stream == context->legacy) {
		struct soft_operation *marker =
			soft_operation_create(&marker_type, sizeof(*marker));
		if (!marker)
			return CUDA_ERROR_OUT_OF_MEMORY;
		result = soft_operation_submit_locked(marker, stream);
		if (result != CUDA_SUCCESS)
			return result;
	}
	return soft_stream_wait_locked(stream);
}

CUresult cuStreamSynchronize(CUstream cu_stream)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, synchronize_locked(context, cu_stream));
}

static CUresult wait_event_locked(struct soft_context *context, CUstream cu_stream,
				  CUevent cu_event, unsigned flags)
{
	struct soft_stream *stream;
	struct soft_event *event;
	if (flags & ~(unsigned)CU_EVENT_WAIT_EXTERNAL)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_stream_find_locked(context, cu_stream, &stream);
	if (result == CUDA_SUCCESS)
		result = soft_event_find_locked(cu_event, &event);
	return result == CUDA_SUCCESS ? soft_event_await_locked(event, stream) : result;
}

CUresult cuStreamWaitEvent(CUstream cu_stream, CUevent cu_event, unsigned int flags)
{
	SOFT_STREAM_CALL(cu_stream, wait_event_locked(context, cu_stream, cu_event, flags));
}

enum query { QUERY_FLAGS, QUERY_PRIORITY, QUERY_ID, QUERY_CONTEXT, QUERY_DEVICE };

static CUresult get_locked(struct soft_context *context, CUstream cu_stream, enum query query,
			   void *out)
{
	struct soft_stream *stream;
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_stream_find_locked(context, cu_stream, &stream);
	if (result != CUDA_SUCCESS)
		return result;
	switch (query) {
	case QUERY_FLAGS:
		*(unsigned *)out = stream->flags;
		break;
	case QUERY_PRIORITY:
		*(int *)out = stream->priority;
		break;
	case QUERY_ID:
		*(unsigned long long *)out = stream->id;
		break;
	case QUERY_CONTEXT:
		*(CUcontext *)out = stream->green ? stream->green->converted
						  : stream->context->handle;
		break;
	case QUERY_DEVICE:
		*(CUdevice *)out = (CUdevice)stream->context->device->index;
		break;
	}
	return CUDA_SUCCESS;
}

CUresult cuStreamGetFlags(CUstream cu_stream, unsigned int *flags)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, get_locked(context, cu_stream, QUERY_FLAGS, flags));
}

CUresult cuStreamGetPriority(CUstream cu_stream, int *priority)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, get_locked(context, cu_stream, QUERY_PRIORITY, priority));
}

CUresult cuStreamGetId(CUstream cu_stream, unsigned long long *id)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, get_locked(context, cu_stream, QUERY_ID, id));
}

CUresult cuStreamGetCtx(CUstream cu_stream, CUcontext *cu_context)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, get_locked(context, cu_stream, QUERY_CONTEXT, cu_context));
}

#if CUDA_VERSION >= 12080
CUresult cuStreamGetDevice(CUstream cu_stream, CUdevice *cu_device)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, get_locked(context, cu_stream, QUERY_DEVICE, cu_device));
}
#endif

static CUresult capturing_locked(struct soft_context *context, CUstream cu_stream,
				 CUstreamCaptureStatus *status)
{
	struct soft_stream *stream;
	if (!status)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_stream_find_locked(context, cu_stream, &stream);
	if (result == CUDA_SUCCESS)
		*status = CU_STREAM_CAPTURE_STATUS_NONE;
	return result;
}

/* Capture is not supported, so the answer is always no. */
CUresult cuStreamIsCapturing(CUstream cu_stream, CUstreamCaptureStatus *status)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, capturing_locked(context, cu_stream, status));
}

static CUresult attach_locked(struct soft_context *context, CUstream cu_stream,
			      CUdeviceptr address, unsigned flags)
{
	struct soft_stream *stream;
	CUresult result = soft_stream_find_locked(context, cu_stream, &stream);
	if (result != CUDA_SUCCESS)
		return result;
	struct soft_allocation *allocation = soft_memory_lookup_locked(address);
	if (!allocation || allocation->kind != SOFT_MEMORY_MANAGED ||
	    (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST &&
	     flags != CU_MEM_ATTACH_SINGLE))
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

/* Managed memory is always accessible everywhere, so the call has no effect. */
CUresult cuStreamAttachMemAsync(CUstream cu_stream, CUdeviceptr address, size_t size_B,
				unsigned int flags)
{
	(void)size_B;
	SOFT_CALL(SOFT_NEED_CONTEXT, attach_locked(context, cu_stream, address, flags));
}
