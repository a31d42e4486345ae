/* A CUDA driver for models of streams and events: what was put into a stream, and what an event has recorded, behind
 * the driver's own lock. */
#ifndef CULVERT_TESTS_LITMUS_DRIVER_H
#define CULVERT_TESTS_LITMUS_DRIVER_H

#include "tests/litmus/litmus.h"

#include "backend/gpu_internal.h"

struct cuda_symbols cuda;
static pthread_mutex_t driver_lock = PTHREAD_MUTEX_INITIALIZER;

struct CUstream_st {
	bool waits;                      /* a wait for an event was put into it */
};

struct CUevent_st {
	bool after_wait;                 /* it was recorded after the wait */
};

static CUresult CUDAAPI stream_wait_event(CUstream stream, CUevent event, unsigned flags)
{
	(void)event;
	(void)flags;
	pthread_mutex_lock(&driver_lock);
	stream->waits = true;
	pthread_mutex_unlock(&driver_lock);
	return CUDA_SUCCESS;
}

static CUresult CUDAAPI event_record(CUevent event, CUstream stream)
{
	pthread_mutex_lock(&driver_lock);
	event->after_wait = stream->waits;
	pthread_mutex_unlock(&driver_lock);
	return CUDA_SUCCESS;
}

static CUresult CUDAAPI stream_query(CUstream stream)
{
	(void)stream;
	return CUDA_SUCCESS;
}

static void driver_set_up(void)
{
	cuda.cuStreamWaitEvent = stream_wait_event;
	cuda.cuEventRecord = event_record;
	cuda.cuStreamQuery = stream_query;
}

cl_int gpu_device_status(const struct gpu_device *device)
{
	(void)device;
	return CL_SUCCESS;
}

#endif
