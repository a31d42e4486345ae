#include "config.h"

#include "backend/gpu_internal.h"

#include "base/log.h"

/* Allocations and frees that wait for nothing go through memory_stream, which
 * therefore is idle whenever somebody looks: an allocation is complete when its
 * call returns.  Frees that have to wait for events go through the reclaim
 * streams.  The pool may reuse what such a free has given back, but only after
 * it has happened. */

cl_int gpu_memory_check(struct gpu_device *device, CUresult cu_result, const char *call)
{
	cl_int err = gpu_check_result(device, cu_result, call, __FILE__, __LINE__);
	return cu_result == CUDA_ERROR_OUT_OF_MEMORY ? CL_MEM_OBJECT_ALLOCATION_FAILURE : err;
}

static CUresult alloc_from_pool(struct gpu_device *device, uint64_t size_B,
				CUdeviceptr *cu_address)
{
	CUstream cu_stream = device->memory_stream->cu_stream;
	CUresult cu_result = cuda.cuMemAllocFromPoolAsync(cu_address, size_B, device->cu_pool,
							  cu_stream);
	if (cu_result != CUDA_SUCCESS)
		return cu_result;
	cu_result = cuda.cuStreamQuery(cu_stream);
	if (cu_result == CUDA_ERROR_NOT_READY)
		cu_result = cuda.cuStreamSynchronize(cu_stream);
	/* Whether it is complete is not known, so nobody may have it. */
	if (cu_result != CUDA_SUCCESS)
		(void)gpu_check(device, cuda.cuMemFreeAsync(*cu_address, cu_stream));
	return cu_result;
}

static CUresult alloc(struct gpu_device *device, uint64_t size_B, CUdeviceptr *cu_address)
{
	return device->cu_pool ? alloc_from_pool(device, size_B, cu_address)
			       : cuda.cuMemAlloc_v2(cu_address, size_B);
}

void gpu_memory_make_room(struct gpu_device *device)
{
	for (int i = 0; i < GPU_RECLAIM_STREAMS; i++) {
		struct gpu_stream *stream = atomic_load(&device->reclaim[i]);
		if (stream)
			(void)gpu_check(device, cuda.cuStreamSynchronize(stream->cu_stream));
	}
	gpu_defer_wait(device);
	if (device->cu_pool)
		(void)gpu_check(device, cuda.cuMemPoolTrimTo(device->cu_pool, 0));
}

cl_int gpu_memory_alloc(struct gpu_device *device, uint64_t size_B, gpu_address *address_out)
{
	struct gpu_scope scope;
	CUdeviceptr cu_address = 0;
	cl_int err = gpu_enter_new(device, &scope);
	if (err)
		return err;
	gpu_defer_reap(device);
	CUresult cu_result = alloc(device, size_B, &cu_address);
	if (cu_result == CUDA_ERROR_OUT_OF_MEMORY) {
		gpu_memory_make_room(device);
		cu_result = alloc(device, size_B, &cu_address);
	}
	err = gpu_memory_check(device, cu_result, "cuMemAlloc");
	gpu_leave(&scope);
	if (!err)
		*address_out = cu_address;
	return err;
}

/* --- free --- */

static struct gpu_stream *reclaim_stream_at(struct gpu_device *device, unsigned slot)
{
	struct gpu_stream *stream = atomic_load(&device->reclaim[slot]);
	struct gpu_stream *made;
	if (stream || gpu_stream_create(device, 0, &made))
		return stream;
	if (atomic_compare_exchange_strong(&device->reclaim[slot], &stream, made))
		return made;
	gpu_stream_release(made);
	return stream;
}

/* An idle one, so that this free does not stand behind another one's events;
 * NULL when none could be made. */
static struct gpu_stream *reclaim_stream(struct gpu_device *device)
{
	struct gpu_stream *stream = NULL;
	for (unsigned i = 0; i < GPU_RECLAIM_STREAMS; i++) {
		stream = reclaim_stream_at(device, i);
		if (stream && gpu_stream_reached(stream, gpu_stream_last(stream)))
			return stream;
	}
	unsigned turn = atomic_fetch_add(&device->reclaim_turn, 1);
	return atomic_load(&device->reclaim[turn % GPU_RECLAIM_STREAMS]);
}

static bool any_pending(struct gpu_event *const *after, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (gpu_event_pending(after[i]))
			return true;
	return false;
}

static cl_int free_after(struct gpu_device *device, gpu_address address,
			 struct gpu_event *const *after, uint32_t count)
{
	struct gpu_stream *stream = reclaim_stream(device);
	if (!stream)
		return CL_OUT_OF_RESOURCES;
	for (uint32_t i = 0; i < count; i++) {
		cl_int err = gpu_stream_wait_event(stream, after[i]);
		/* An event of another device that died holds nothing back. */
		if (err && !gpu_device_status(after[i]->stream->device))
			return err;
	}
	cl_int err = gpu_check(device, cuda.cuMemFreeAsync(address, stream->cu_stream));
	if (!err)
		gpu_stream_count(stream);
	return err;
}

static void free_plain(struct gpu_device *device, void *object)
{
	struct gpu_scope scope;
	if (gpu_enter(device, &scope))
		return;
	(void)gpu_check(device, cuda.cuMemFree_v2((CUdeviceptr)(uintptr_t)object));
	gpu_leave(&scope);
}

/* On a lost device there is nothing left to be freed: the context took it all. */
void gpu_memory_free(struct gpu_device *device, gpu_address address,
		     struct gpu_event *const *after, uint32_t count)
{
	struct gpu_scope scope;
	cl_int err = address ? gpu_enter(device, &scope) : CL_SUCCESS;
	if (err && !gpu_device_status(device))
		log_warn("device memory at %#llx is leaked", (unsigned long long)address);
	if (err || !address)
		return;
	if (!device->cu_pool) {
		gpu_defer(device, free_plain, (void *)(uintptr_t)address, after, count);
		goto leave;
	}
	if (!any_pending(after, count))
		err = gpu_check(device, cuda.cuMemFreeAsync(address,
							    device->memory_stream->cu_stream));
	else
		err = free_after(device, address, after, count);
	if (err)
		log_warn("device memory at %#llx could not be freed", (unsigned long long)address);
leave:
	gpu_leave(&scope);
}

/* --- pinned host memory --- */

cl_int gpu_host_alloc(struct gpu_device *device, uint64_t size_B, void **pointer_out)
{
	struct gpu_scope scope;
	void *pointer = NULL;
	cl_int err = gpu_enter_new(device, &scope);
	if (err)
		return err;
	err = gpu_memory_check(device, cuda.cuMemHostAlloc(&pointer, size_B, CU_MEMHOSTALLOC_PORTABLE),
			  "cuMemHostAlloc");
	gpu_leave(&scope);
	if (!err)
		*pointer_out = pointer;
	return err;
}

void gpu_host_free(struct gpu_device *device, void *pointer)
{
	struct gpu_scope scope;
	if (!pointer || gpu_enter(device, &scope))
		return;
	(void)gpu_check(device, cuda.cuMemFreeHost(pointer));
	gpu_leave(&scope);
}
