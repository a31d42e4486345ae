#include "config.h"

#include "softcuda/driver/stream.h"

#include "softcuda/driver/context.h"
#include "softcuda/driver/green.h"
#include "softcuda/driver/handle.h"
#include "softcuda/driver/oracle.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/driver/thread.h"
#include "softcuda/exec/exec.h"

#include <stdlib.h>

bool soft_stream_idle(const struct soft_stream *stream)
{
	return stream->completed == stream->submitted;
}

struct soft_stream *soft_stream_create_locked(struct soft_context *context, unsigned flags,
					      int priority)
{
	struct soft_stream *stream = calloc(1, sizeof(*stream));
	if (!stream)
		return NULL;
	stream->context = context;
	stream->id = ++soft_driver.next_id;
	stream->flags = flags;
	if (priority > SOFT_LEAST_PRIORITY)
		priority = SOFT_LEAST_PRIORITY;
	stream->priority = priority < SOFT_GREATEST_PRIORITY ? SOFT_GREATEST_PRIORITY : priority;
	stream->refs = 1;
	list_init(&stream->active);
	list_init(&stream->operations);
	list_append(&context->streams, &stream->link);
	return stream;
}

void soft_stream_unref_locked(struct soft_stream *stream)
{
	if (!stream || --stream->refs)
		return;
	list_remove(&stream->link);
	soft_oracle_forget_stream_locked(stream);
	free(stream);
}

void soft_stream_retire_locked(struct soft_stream *stream)
{
	soft_handle_destroy_locked(stream->handle);
	stream->handle = NULL;
	stream->thread = 0;
	soft_stream_unref_locked(stream);
}

static void retire_thread_of_context_locked(struct soft_context *context, uint64_t thread)
{
	struct list *link, *next;
	list_for_each(link, next, &context->streams) {
		struct soft_stream *stream = list_entry(link, struct soft_stream, link);
		if (stream->thread == thread)
			soft_stream_retire_locked(stream);
	}
}

void soft_stream_retire_thread_locked(uint64_t thread)
{
	struct list *link, *next;
	list_for_each(link, next, &soft_driver.contexts)
		retire_thread_of_context_locked(list_entry(link, struct soft_context, link),
						thread);
}

static struct soft_stream *per_thread_stream_locked(struct soft_context *context)
{
	uint64_t thread = soft_thread_id_locked();
	if (!thread)
		return NULL;
	struct list *link, *next;
	list_for_each(link, next, &context->streams) {
		struct soft_stream *stream = list_entry(link, struct soft_stream, link);
		if (stream->thread == thread)
			return stream;
	}
	struct soft_stream *stream = soft_stream_create_locked(context, CU_STREAM_DEFAULT, 0);
	if (stream)
		stream->thread = thread;
	return stream;
}

CUresult soft_stream_find_locked(struct soft_context *context, CUstream cu_stream,
				 struct soft_stream **stream_out)
{
	struct soft_stream *stream;
	if (!cu_stream || cu_stream == CU_STREAM_LEGACY) {
		const struct soft_green *green = soft_green_current_locked();
		stream = green && green->context == context ? green->first : context->legacy;
	} else if (cu_stream == CU_STREAM_PER_THREAD) {
		stream = per_thread_stream_locked(context);
		if (!stream)
			return CUDA_ERROR_OUT_OF_MEMORY;
	} else {
		stream = soft_handle_find_locked(SOFT_KIND_STREAM, cu_stream);
		if (!stream)
			return CUDA_ERROR_INVALID_HANDLE;
	}
	if (stream->orphaned)
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	if (stream->context->fault != CUDA_SUCCESS)
		return stream->context->fault;
	*stream_out = stream;
	return CUDA_SUCCESS;
}
