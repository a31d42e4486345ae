#include "config.h"

#include "backend/gpu_internal.h"
#include "backend/gpu_left.h"
#include "backend/gpu_tables.h"

#include "softcuda/control.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/options.h"

#include <string.h>

/* Freed blocks that are not in use any more are kept for a while: an allocation of the same size then needs no
 * driver call.
 *
 * Other allocations, and frees that wait for nothing, go through memory_stream, which is therefore always idle: an
 * allocation is complete when its call returns.  Frees that have to wait for events go through the reclaim streams.
 * The pool may use memory of such a free again, but only after it has happened. */

cl_int gpu_memory_check(struct gpu_device *device, CUresult cu_result, const char *call)
{
	cl_int error = gpu_check_result(device, cu_result, call, __FILE__, __LINE__);
	return cu_result == CUDA_ERROR_OUT_OF_MEMORY ? CL_MEM_OBJECT_ALLOCATION_FAILURE : error;
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
	/* It is not known whether the allocation is complete, so it is freed again. */
	if (cu_result != CUDA_SUCCESS)
		(void)gpu_check(device, cuda.cuMemFreeAsync(*cu_address, cu_stream));
	return cu_result;
}

static CUresult alloc(struct gpu_device *device, uint64_t size_B, CUdeviceptr *cu_address)
{
	CUresult cu_result = device->cu_pool ? alloc_from_pool(device, size_B, cu_address)
					     : cuda.cuMemAlloc_v2(cu_address, size_B);
	if (cu_result != CUDA_SUCCESS || gpu_tables_fit(device))
		return cu_result;
	(void)gpu_check(device, device->cu_pool ? cuda.cuMemFreeAsync(*cu_address, device->memory_stream->cu_stream)
						: cuda.cuMemFree_v2(*cu_address));
	return CUDA_ERROR_OUT_OF_MEMORY;
}

/* Takes a kept block of this size; 0: there is none. */
static gpu_address kept_take(struct gpu_device *device, uint64_t size_B)
{
	gpu_address address = 0;
	lock_take(&device->lock);
	for (unsigned i = 0; i < GPU_KEPT_BLOCKS && !address; i++) {
		struct gpu_block *block = &device->kept[i];
		if (block->size_B != size_B)
			continue;
		address = block->address;
		atomic_fetch_sub(&device->kept_B, size_B);
		*block = (struct gpu_block){0};
	}
	lock_drop(&device->lock);
	return address;
}

/* softcuda's checks have to see that memory is freed. */
static bool is_to_be_kept(const struct gpu_device *device, uint64_t size_B)
{
	const bool watched = device->caps.software && *option_string(OPTION_SOFT_CHECK);
	return !watched && size_B <= gpu_kept_max_B(device);
}

static void displace(struct gpu_device *device, struct gpu_block *block,
		     struct gpu_block *displaced, unsigned *count)
{
	if (block->address)
		displaced[(*count)++] = *block;
	atomic_fetch_sub(&device->kept_B, block->size_B);
	*block = (struct gpu_block){0};
}

/* Keeps a block.  Without room it replaces others, in turn, which are returned in displaced, an array of
 * GPU_KEPT_BLOCKS; returns their number. */
static unsigned kept_put(struct gpu_device *device, struct gpu_block added,
			 struct gpu_block *displaced)
{
	unsigned count = 0, place = 0;
	lock_take(&device->lock);
	while (place < GPU_KEPT_BLOCKS && device->kept[place].address)
		place++;
	if (place == GPU_KEPT_BLOCKS) {
		place = device->kept_turn++ % GPU_KEPT_BLOCKS;
		displace(device, &device->kept[place], displaced, &count);
	}
	while (atomic_load(&device->kept_B) > gpu_kept_max_B(device) - added.size_B)
		displace(device, &device->kept[device->kept_turn++ % GPU_KEPT_BLOCKS], displaced,
			 &count);
	atomic_fetch_add(&device->kept_B, added.size_B);
	device->kept[place] = added;
	lock_drop(&device->lock);
	return count;
}

/* How long the pool is not examined again after there was nothing to give back: otherwise each allocation of a
 * program with many small buffers would examine it. */
static const uint64_t trim_pause_ns = 1000000;

/* Whether memory should be given back to the driver, which waits for all kernels then; therefore only when the
 * device is idle. */
static bool trim_is_due(struct gpu_device *device)
{
	if (!device->cu_pool || atomic_load(&device->freed_B) <= gpu_unused_max_B(device) ||
	    host_now_ns() - atomic_load(&device->untrimmed_ns) < trim_pause_ns)
		return false;
	const bool idle = gpu_device_is_idle(device);
	if (!idle)
		atomic_store(&device->untrimmed_ns, host_now_ns());
	return idle;
}

/* Gives unused memory back to the driver, for other processes, and keeps gpu_unused_max_B of it: that is so little
 * that 16 processes together keep half of the device's memory.  Memory of a pending free is found by a later call.
 * The device's context is current. */
static void pool_trim(struct gpu_device *device)
{
	const uint64_t keep_B = gpu_unused_max_B(device) - atomic_load(&device->kept_B);
	cuuint64_t reserved_B, used_B;
	/* The driver counts freed memory as used until the stream has been synchronized. */
	if (gpu_check(device, cuda.cuStreamSynchronize(device->memory_stream->cu_stream)) ||
	    gpu_check(device, cuda.cuMemPoolGetAttribute(
			device->cu_pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved_B)) ||
	    gpu_check(device, cuda.cuMemPoolGetAttribute(
			device->cu_pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used_B)) ||
	    reserved_B <= used_B + keep_B) {
		atomic_store(&device->untrimmed_ns, host_now_ns());
		return;
	}
	atomic_store(&device->freed_B, 0);
	(void)gpu_check(device, cuda.cuMemPoolTrimTo(device->cu_pool, used_B + keep_B));
}

/* The device's context is current. */
static void kept_free(struct gpu_device *device)
{
	struct gpu_block kept[GPU_KEPT_BLOCKS];
	lock_take(&device->lock);
	memcpy(kept, device->kept, sizeof(kept));
	memset(device->kept, 0, sizeof(device->kept));
	atomic_store(&device->kept_B, 0);
	lock_drop(&device->lock);
	for (unsigned i = 0; i < GPU_KEPT_BLOCKS; i++)
		gpu_memory_free(device, kept[i].address, NULL, 0);
}

/* Gives all memory of the pool that is not in use back to the driver, which counts freed memory as used until the
 * stream has been synchronized.  The device's context is current. */
static void pool_empty(struct gpu_device *device)
{
	if (device->cu_pool && !gpu_check(device, cuda.cuStreamSynchronize(device->memory_stream->cu_stream)))
		(void)gpu_check(device, cuda.cuMemPoolTrimTo(device->cu_pool, 0));
}

void gpu_memory_make_room(struct gpu_device *device)
{
	kept_free(device);
	for (int i = 0; i < GPU_RECLAIM_STREAMS; i++) {
		struct gpu_stream *stream = atomic_load(&device->reclaim[i]);
		if (stream)
			(void)gpu_check(device, cuda.cuStreamSynchronize(stream->cu_stream));
	}
	gpu_defer_wait(device);
	pool_empty(device);
}

/* Allocates by a driver call, which may wait. */
static cl_int alloc_fresh(struct gpu_device *device, uint64_t size_B, gpu_address *address_out)
{
	struct gpu_scope scope;
	CUdeviceptr cu_address = 0;
	cl_int error = gpu_enter(device, &scope);
	if (error)
		return error;
	gpu_defer_reap(device);
	if (trim_is_due(device))
		pool_trim(device);
	CUresult cu_result = alloc(device, size_B, &cu_address);
	if (cu_result == CUDA_ERROR_OUT_OF_MEMORY) {
		gpu_memory_make_room(device);
		cu_result = alloc(device, size_B, &cu_address);
	}
	/* An allocation that fails leaves the pool with all the memory that was free (driver 580, H200), and neither
	 * other processes nor CUDA's other allocations could use it. */
	if (cu_result == CUDA_ERROR_OUT_OF_MEMORY)
		pool_empty(device);
	error = gpu_memory_check(device, cu_result, "cuMemAlloc");
	gpu_leave(&scope);
	if (!error)
		*address_out = cu_address;
	return error;
}

cl_int gpu_memory_alloc(struct gpu_device *device, uint64_t size_B, gpu_address *address_out)
{
	cl_int error = gpu_device_check_process(device);
	gpu_address kept = error ? 0 : kept_take(device, size_B);
	if (kept)
		*address_out = kept;
	if (kept || error)
		return error;
	const int before = cancel_hold();
	error = alloc_fresh(device, size_B, address_out);
	cancel_restore(before);
	return error;
}

void gpu_memory_note(gpu_address address, uint64_t size_B, bool is_new, bool read_only, bool write_only)
{
	if (cuda_note_memory)
		cuda_note_memory(address, size_B,
				 (is_new ? CULVERT_SOFT_NEW : 0) |
				 (read_only ? CULVERT_SOFT_READ_ONLY : 0) |
				 (write_only ? CULVERT_SOFT_WRITE_ONLY : 0));
}

/* --- free --- */

static struct gpu_stream *reclaim_stream_at(struct gpu_device *device, unsigned slot)
{
	struct gpu_stream *stream = atomic_load(&device->reclaim[slot]);
	struct gpu_stream *made;
	if (stream || gpu_stream_create(device, NULL, 0, &made))
		return stream;
	if (atomic_compare_exchange_strong(&device->reclaim[slot], &stream, made))
		return made;
	gpu_stream_release(made);
	return stream;
}

/* An idle reclaim stream, so that this free does not wait for the events of another one; NULL: none could be made. */
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

static void free_plain(struct gpu_device *device, void *object)
{
	struct gpu_scope scope;
	if (gpu_enter(device, &scope))
		return;
	(void)gpu_check(device, cuda.cuMemFree_v2((CUdeviceptr)(uintptr_t)object));
	gpu_leave(&scope);
}

/* If no stream can wait for the events, the host frees the memory when they have happened. */
static cl_int free_after(struct gpu_device *device, gpu_address address,
			 struct gpu_event *const *after, uint32_t count)
{
	struct gpu_stream *stream = reclaim_stream(device);
	bool waits = stream;
	for (uint32_t i = 0; i < count && waits; i++)
		/* An event of another device that is lost need not be waited for. */
		waits = !gpu_stream_wait_event(stream, after[i]) || gpu_device_status(after[i]->stream->device);
	if (!waits) {
		gpu_defer_quiet(device, free_plain, (void *)(uintptr_t)address, 0, after, count);
		return CL_SUCCESS;
	}
	cl_int error = gpu_check(device, cuda.cuMemFreeAsync(address, stream->cu_stream));
	if (!error)
		gpu_stream_count(stream);
	return error;
}

/* The memory of a lost device is freed with its context. */
void gpu_memory_free(struct gpu_device *device, gpu_address address,
		     struct gpu_event *const *after, uint32_t count)
{
	struct gpu_scope scope;
	cl_int error = address ? gpu_enter(device, &scope) : CL_SUCCESS;
	if (error && !gpu_device_status(device))
		log_warn("device memory at %#llx is leaked", (unsigned long long)address);
	if (error || !address)
		return;
	if (!device->cu_pool) {
		gpu_defer_quiet(device, free_plain, (void *)(uintptr_t)address, 0, after, count);
		goto leave;
	}
	if (!gpu_events_pending(after, count))
		error = gpu_check(device, cuda.cuMemFreeAsync(address,
							      device->memory_stream->cu_stream));
	else
		error = free_after(device, address, after, count);
	if (error)
		log_warn("device memory at %#llx could not be freed", (unsigned long long)address);
leave:
	gpu_leave(&scope);
}

static void free_counted(struct gpu_device *device, struct gpu_block block,
			 struct gpu_event *const *after, uint32_t count)
{
	const int before = cancel_hold();
	gpu_memory_free(device, block.address, after, count);
	cancel_restore(before);
	atomic_fetch_add(&device->freed_B, block.size_B);
}

void gpu_memory_give_back(struct gpu_device *device, gpu_address address, uint64_t size_B,
			  struct gpu_event *const *after, uint32_t count)
{
	const struct gpu_block block = {address, size_B};
	struct gpu_block displaced[GPU_KEPT_BLOCKS];
	struct gpu_scope scope;
	unsigned displaced_count = 0;
	if (address && !gpu_device_status(device) && is_to_be_kept(device, size_B) &&
	    !gpu_events_pending(after, count))
		displaced_count = kept_put(device, block, displaced);
	else if (address)
		free_counted(device, block, after, count);
	for (unsigned i = 0; i < displaced_count; i++)
		free_counted(device, displaced[i], NULL, 0);
	if (!trim_is_due(device) || gpu_enter(device, &scope))
		return;
	const int before = cancel_hold();
	pool_trim(device);
	cancel_restore(before);
	gpu_leave(&scope);
}

/* --- pinned host memory --- */

static cl_int host_alloc(struct gpu_device *device, uint64_t size_B, void **pointer_out)
{
	struct gpu_scope scope;
	void *pointer = NULL;
	cl_int error = gpu_enter_new(device, &scope);
	if (error)
		return error;
	CUresult cu_result = cuda.cuMemHostAlloc(&pointer, size_B, CU_MEMHOSTALLOC_PORTABLE);
	if (cu_result == CUDA_ERROR_OUT_OF_MEMORY && atomic_load(&device->deferred_count)) {
		gpu_defer_wait(device);
		cu_result = cuda.cuMemHostAlloc(&pointer, size_B, CU_MEMHOSTALLOC_PORTABLE);
	}
	error = gpu_memory_check(device, cu_result, "cuMemHostAlloc");
	gpu_leave(&scope);
	if (!error)
		*pointer_out = pointer;
	return error;
}

cl_int gpu_host_alloc(struct gpu_device *device, uint64_t size_B, void **pointer_out)
{
	const int before = cancel_hold();
	cl_int error = host_alloc(device, size_B, pointer_out);
	cancel_restore(before);
	return error;
}

static void host_end(struct gpu_device *device, void *pointer)
{
	struct gpu_scope scope;
	if (gpu_enter(device, &scope))
		return;
	(void)gpu_check(device, cuda.cuMemFreeHost(pointer));
	gpu_leave(&scope);
}

void gpu_host_free(struct gpu_device *device, void *pointer, uint64_t size_B)
{
	if (pointer)
		gpu_defer_quiet(device, host_end, pointer, size_B, NULL, 0);
}

cl_int gpu_memory_left(struct gpu_device *device, uint64_t *left_B_out)
{
	struct gpu_scope scope;
	cl_int error = gpu_enter_new(device, &scope);
	if (error)
		return error;
	error = gpu_check(device, gpu_left(device, left_B_out));
	gpu_leave(&scope);
	return error;
}
