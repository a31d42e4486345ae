/* Makes CUDA streams; gpu_stream.c uses them. */
#include "config.h"

#include "backend/gpu_internal.h"

#include <stdlib.h>

static atomic_uint next_id;

/* High, normal and low divide CUDA's range of priorities, so that low is below normal. */
static int cuda_priority(const struct gpu_device *device, int priority)
{
	if (priority < 0)
		return device->greatest_priority;
	if (priority > 0)
		return device->least_priority;
	return device->least_priority + (device->greatest_priority - device->least_priority) / 2;
}

static CUresult cuda_create(struct gpu_share *share, int cuda_priority,
			    CUstream *cu_stream_out)
{
#if CUDA_VERSION >= 12050
	if (share)
		return cuda.cuGreenCtxStreamCreate(cu_stream_out, share->cu_green, CU_STREAM_NON_BLOCKING,
						   cuda_priority);
#endif
	(void)share;
	return cuda.cuStreamCreateWithPriority(cu_stream_out, CU_STREAM_NON_BLOCKING, cuda_priority);
}

cl_int gpu_stream_create(struct gpu_device *device, struct gpu_share *share, int priority,
			 struct gpu_stream **stream_out)
{
	struct gpu_stream *stream = calloc(1, sizeof(*stream));
	if (!stream)
		return CL_OUT_OF_HOST_MEMORY;
	cl_int error = gpu_check(device, cuda_create(share, cuda_priority(device, priority),
						   &stream->cu_stream));
	if (error) {
		free(stream);
		return error;
	}
	list_init(&stream->link);
	stream->device = device;
	stream->share = share;
	stream->priority = priority;
	stream->id = atomic_fetch_add(&next_id, 1);
	stream->older = atomic_load(&device->streams);
	while (!atomic_compare_exchange_weak(&device->streams, &stream->older, stream))
		continue;
	*stream_out = stream;
	return CL_SUCCESS;
}
