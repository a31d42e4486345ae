#include "config.h"

#include "backend/gpu_internal.h"

/* The counters of grid barriers, one for each stream id.  Launches in one stream run one after the other, and a
 * barrier leaves its counter ready for the next one.  Counters are STRIDE_B apart, so that launches that poll
 * concurrently do not use the same memory sector. */
enum { WORDS = 4096, STRIDE_B = 64 };

/* Fills the counters with zeroes.  After an error the memory is freed, unless the fill may still run. */
static cl_int fill_wait(struct gpu_device *device, gpu_address address)
{
	const uint32_t zero = 0;
	struct gpu_stream *stream;
	cl_int error = gpu_stream_acquire(device, 0, &stream), drain_error = CL_SUCCESS;
	if (!error) {
		error = gpu_fill(stream, address, &zero, sizeof(zero), (uint64_t)WORDS * STRIDE_B);
		drain_error = gpu_stream_drain(stream);
		gpu_stream_release(stream);
	}
	if (error && !drain_error)
		gpu_memory_free(device, address, NULL, 0);
	return error ? error : drain_error;
}

/* If two threads make the counters, one frees its own again. */
cl_int gpu_barriers_wait_ready(struct gpu_device *device)
{
	gpu_address there = atomic_load(&device->barriers), made;
	if (there)
		return CL_SUCCESS;
	cl_int error = gpu_memory_alloc(device, (uint64_t)WORDS * STRIDE_B, &made);
	if (error)
		return error;
	error = fill_wait(device, made);
	if (!error && !atomic_compare_exchange_strong(&device->barriers, &there, made))
		gpu_memory_free(device, made, NULL, 0);
	return error;
}

cl_int gpu_stream_barrier(const struct gpu_stream *stream, gpu_address *address_out)
{
	gpu_address words = atomic_load(&stream->device->barriers);
	if (!words || stream->id >= WORDS)
		return CL_OUT_OF_RESOURCES;
	*address_out = words + (uint64_t)stream->id * STRIDE_B;
	return CL_SUCCESS;
}
