/* A stream of CUDA's, made: all that is done with one is gpu_stream.c's. */
#include "config.h"

#include "backend/gpu_internal.h"

#include <stdlib.h>

static atomic_uint next_id;

/* High, normal and low share CUDA's range, so that low is below normal. */
static int cuda_priority(const struct gpu_device *device, int priority)
{
	if (priority < 0)
		return device->greatest_priority;
	if (priority > 0)
		return device->least_priority;
	return device->least_priority + (device->greatest_priority - device->least_priority) / 2;
}

cl_int gpu_stream_create(struct gpu_device *device, int priority, struct gpu_stream **stream_out)
{
	struct gpu_stream *stream = calloc(1, sizeof(*stream));
	if (!stream)
		return CL_OUT_OF_HOST_MEMORY;
	cl_int error = gpu_check(device, cuda.cuStreamCreateWithPriority(
		&stream->cu_stream, CU_STREAM_NON_BLOCKING, cuda_priority(device, priority)));
	if (error) {
		free(stream);
		return error;
	}
	list_init(&stream->link);
	stream->device = device;
	stream->priority = priority;
	stream->id = atomic_fetch_add(&next_id, 1);
	stream->older = atomic_load(&device->streams);
	while (!atomic_compare_exchange_weak(&device->streams, &stream->older, stream))
		continue;
	*stream_out = stream;
	return CL_SUCCESS;
}
