#include "config.h"

#include "icd/memory/stream_set.h"

#include <stdlib.h>

void ocl_stream_set_init(struct ocl_stream_set *set)
{
	for (unsigned i = 0; i < OCL_STREAM_SET_CHUNK; i++)
		atomic_init(&set->streams[i], NULL);
	atomic_init(&set->more, NULL);
	atomic_init(&set->noted, 0);
}

void ocl_stream_set_finish(struct ocl_stream_set *set)
{
	struct ocl_stream_set *chunk = atomic_load(&set->more);
	while (chunk) {
		struct ocl_stream_set *next = atomic_load(&chunk->more);
		free(chunk);
		chunk = next;
	}
	atomic_store(&set->more, NULL);
}

/* Adds stream to the chunk if it is not in it.  False: the chunk is full. */
static bool chunk_note(struct ocl_stream_set *chunk, struct gpu_stream *stream)
{
	for (unsigned i = 0; i < OCL_STREAM_SET_CHUNK; i++) {
		struct gpu_stream *seen = atomic_load_explicit(&chunk->streams[i],
							       memory_order_relaxed);
		if (!seen && atomic_compare_exchange_strong(&chunk->streams[i], &seen, stream))
			return true;
		if (seen == stream)
			return true;
	}
	return false;
}

/* The chunk after a full one, which is made if necessary; NULL: out of memory. */
static struct ocl_stream_set *chunk_next(struct ocl_stream_set *chunk)
{
	struct ocl_stream_set *next = atomic_load(&chunk->more);
	if (next)
		return next;
	struct ocl_stream_set *fresh = malloc(sizeof(*fresh));
	if (!fresh)
		return NULL;
	ocl_stream_set_init(fresh);
	if (atomic_compare_exchange_strong(&chunk->more, &next, fresh))
		return fresh;
	free(fresh);
	return next;
}

cl_int ocl_stream_set_add_another(struct ocl_stream_set *set, struct gpu_stream *stream)
{
	const uint32_t id = gpu_stream_id(stream);
	const uint64_t bit = id < 64 ? UINT64_C(1) << id : 0;
	struct ocl_stream_set *chunk = set;
	if (atomic_load_explicit(&set->noted, memory_order_acquire) & bit)
		return CL_SUCCESS;
	while (chunk && !chunk_note(chunk, stream))
		chunk = chunk_next(chunk);
	if (!chunk)
		return CL_OUT_OF_HOST_MEMORY;
	atomic_fetch_or_explicit(&set->noted, bit, memory_order_release);
	return CL_SUCCESS;
}

static void stream_collect(struct gpu_stream *stream, struct ocl_witnesses *witnesses)
{
	struct gpu_event *event;
	if (gpu_stream_reached(stream, gpu_stream_last(stream)))
		return;
	/* Without an event, nobody can wait for the stream's work later. */
	if (gpu_event_record(stream, false, &event)) {
		(void)gpu_stream_drain(stream);
		return;
	}
	if (!ocl_witnesses_add(witnesses, event))
		(void)gpu_event_wait(event);
	gpu_event_unref(event);
}

void ocl_stream_set_collect(struct ocl_stream_set *set, struct ocl_witnesses *witnesses)
{
	for (; set; set = atomic_load(&set->more)) {
		for (unsigned i = 0; i < OCL_STREAM_SET_CHUNK; i++) {
			struct gpu_stream *stream = atomic_load(&set->streams[i]);
			if (stream)
				stream_collect(stream, witnesses);
		}
	}
}

/* Work of a lost device need not be waited for. */
static cl_int stream_order(struct gpu_stream *user, struct gpu_stream *stream)
{
	struct gpu_event *event;
	if (user == stream || gpu_device_status(gpu_stream_device(user)) ||
	    gpu_stream_reached(user, gpu_stream_last(user)))
		return CL_SUCCESS;
	cl_int error = gpu_event_record(user, false, &event);
	if (error)
		return error;
	error = gpu_stream_wait_event(stream, event);
	gpu_event_unref(event);
	return error;
}

cl_int ocl_stream_set_order(struct ocl_stream_set *set, struct gpu_stream *stream)
{
	cl_int error = CL_SUCCESS;
	for (; set && !error; set = atomic_load(&set->more)) {
		for (unsigned i = 0; i < OCL_STREAM_SET_CHUNK && !error; i++) {
			struct gpu_stream *user = atomic_load(&set->streams[i]);
			if (user)
				error = stream_order(user, stream);
		}
	}
	return error;
}
