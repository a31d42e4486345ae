#include "config.h"

#include "backend/gpu_managed.h"

#include "backend/gpu_internal.h"
#include "backend/gpu_tables.h"
#include "base/log.h"
#include "base/memory_limit.h"
#include "base/options.h"

#include <stdlib.h>

struct gpu_managed {
	struct gpu_device *home;
	uint32_t count;                  /* of the devices that share it */
	void *pointer;
	uint64_t size_B;
	uint64_t home_B;                 /* how much of it, from the start, is meant to be on a device */
	atomic_bool arrived;             /* that part is on a device, as far as is known */
	struct gpu_device *all[];
};

/* In this process: bytes that are meant to be on a device and are not there yet, so that what a device reports as free
 * includes their room; and bytes that stay with the host. */
static _Atomic uint64_t awaited_B, rest_B;

/* The size of the pages in which NVIDIA's driver moves memory. */
static const uint64_t page_B = (uint64_t)2 << 20;

/* --- how much fits ----------------------------------------------------------------------- */

/* The room for new managed memory on all of the devices, if before_B is awaited there.  Memory that a device's pool
 * keeps does not count as free, because managed memory cannot use it. */
static uint64_t room_B(struct gpu_device *const *devices, uint32_t count, uint64_t before_B)
{
	uint64_t least_B = UINT64_MAX;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t left_B = 0;
		if (gpu_memory_left(devices[i], &left_B))
			return 0;
		left_B = left_B > before_B ? left_B - before_B : 0;
		least_B = left_B < least_B ? left_B : least_B;
	}
	return least_B;
}

/* Frees managed memory whose free is pending, and then gives the room as room_B does. */
static uint64_t made_room_B(struct gpu_device *const *devices, uint32_t count, uint64_t size_B)
{
	for (uint32_t i = 0; i < count; i++)
		gpu_defer_wait(devices[i]);
	const uint64_t all_B = atomic_load(&awaited_B);
	return room_B(devices, count, all_B > size_B ? all_B - size_B : 0);
}

static bool can_share(struct gpu_device *const *devices, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!devices[i]->caps.concurrent_managed)
			return false;
	return cuda.cuMemAllocManaged;
}

static bool can_exceed(void)
{
#if CUDA_VERSION >= 12020
	return cuda.cuMemAdvise_v2 && option_flag(OPTION_OVERSUBSCRIBE);
#else
	return false;
#endif
}

/* Whether the host can hold more_B in addition to the other rests: half of its memory is for the application. */
static bool host_can_hold(uint64_t all_B, uint64_t more_B)
{
	return all_B <= memory_machine_B() / 2 && more_B <= memory_available_B() / 8 * 7;
}

/* How much of an allocation that exceeds the room left_B of a device is to be there: what remains beside its page
 * tables and some room for code, stacks and buffers of the driver. */
static uint64_t home_B_of(const struct gpu_device *device, uint64_t size_B, uint64_t left_B)
{
	const uint64_t spare_B = left_B / 16 + device->caps.memory_B / 64 + gpu_tables_size_B(size_B);
	return left_B > spare_B ? (left_B - spare_B) / page_B * page_B : 0;
}

/* Decides how much of it will be at home.  size_B is counted as awaited already, and before_B was without it. */
static cl_int home_choose(struct gpu_device *const *devices, uint32_t count, uint64_t size_B,
			  uint64_t before_B, uint64_t *home_B_out)
{
	uint64_t left_B = room_B(devices, count, before_B);
	if (size_B > left_B)
		left_B = made_room_B(devices, count, size_B);
	*home_B_out = size_B;
	if (size_B <= left_B)
		return CL_SUCCESS;
	*home_B_out = home_B_of(devices[0], size_B, left_B);
	if (!can_exceed() || left_B < gpu_tables_room_B(devices[0], size_B))
		return CL_MEM_OBJECT_ALLOCATION_FAILURE;
	const uint64_t more_B = size_B - *home_B_out;
	if (host_can_hold(atomic_fetch_add(&rest_B, more_B) + more_B, more_B))
		return CL_SUCCESS;
	atomic_fetch_sub(&rest_B, more_B);
	log_info("%llu MiB exceed the free memory of the device, and the host cannot hold them",
		 (unsigned long long)(more_B >> 20));
	return CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

/* --- advice ------------------------------------------------------------------------------ */

#if CUDA_VERSION >= 12020
static CUmemLocation location_of(const struct gpu_device *device)
{
	return (CUmemLocation){
		.type = device ? CU_MEM_LOCATION_TYPE_DEVICE : CU_MEM_LOCATION_TYPE_HOST,
		.id = device ? device->cu_device : 0,
	};
}

/* device: NULL for the host.  The context of context is current. */
static cl_int advise(struct gpu_device *context, const struct gpu_managed *managed, uint64_t lo_B, uint64_t hi_B,
		     CUmem_advise cu_advice, const struct gpu_device *device)
{
	if (lo_B >= hi_B)
		return CL_SUCCESS;
	return gpu_check(context, cuda.cuMemAdvise_v2((CUdeviceptr)(uintptr_t)managed->pointer + lo_B, hi_B - lo_B,
						      cu_advice, location_of(device)));
}

/* Says where the parts of a range of memory that exceeds the device should be.  The context of device is current. */
static cl_int place(struct gpu_device *device, const struct gpu_managed *managed, uint64_t lo_B, uint64_t hi_B)
{
	const uint64_t end_B = hi_B < managed->home_B ? hi_B : managed->home_B;
	const uint64_t rest_lo_B = lo_B > managed->home_B ? lo_B : managed->home_B;
	cl_int error = advise(device, managed, lo_B, end_B, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, managed->home);
	if (!error)
		error = advise(device, managed, rest_lo_B, hi_B, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, NULL);
	for (uint32_t i = 0; i < managed->count && !error; i++)
		error = advise(device, managed, rest_lo_B, hi_B, CU_MEM_ADVISE_SET_ACCESSED_BY, managed->all[i]);
	return error;
}

static cl_int withdraw(struct gpu_device *device, const struct gpu_managed *managed, uint64_t lo_B, uint64_t hi_B)
{
	cl_int error = advise(device, managed, lo_B, hi_B, CU_MEM_ADVISE_UNSET_READ_MOSTLY, device);
	if (!error)
		error = advise(device, managed, lo_B, hi_B, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, device);
	if (!error)
		error = advise(device, managed, lo_B, hi_B, CU_MEM_ADVISE_UNSET_ACCESSED_BY, NULL);
	for (uint32_t i = 0; i < managed->count && !error; i++)
		error = advise(device, managed, lo_B, hi_B, CU_MEM_ADVISE_UNSET_ACCESSED_BY, managed->all[i]);
	if (!error && gpu_managed_exceeds(managed))
		error = place(device, managed, lo_B, hi_B);
	return error;
}

static const struct {
	CUmem_advise cu_advice;
	bool host;
} advices[] = {
	[GPU_ADVICE_SET_READ_MOSTLY] = {CU_MEM_ADVISE_SET_READ_MOSTLY, false},
	[GPU_ADVICE_UNSET_READ_MOSTLY] = {CU_MEM_ADVISE_UNSET_READ_MOSTLY, false},
	[GPU_ADVICE_PREFER_DEVICE] = {CU_MEM_ADVISE_SET_PREFERRED_LOCATION, false},
	[GPU_ADVICE_PREFER_HOST] = {CU_MEM_ADVISE_SET_PREFERRED_LOCATION, true},
	[GPU_ADVICE_PREFER_NONE] = {CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, false},
	[GPU_ADVICE_SET_ACCESSED_BY_DEVICE] = {CU_MEM_ADVISE_SET_ACCESSED_BY, false},
	[GPU_ADVICE_UNSET_ACCESSED_BY_DEVICE] = {CU_MEM_ADVISE_UNSET_ACCESSED_BY, false},
	[GPU_ADVICE_SET_ACCESSED_BY_HOST] = {CU_MEM_ADVISE_SET_ACCESSED_BY, true},
	[GPU_ADVICE_UNSET_ACCESSED_BY_HOST] = {CU_MEM_ADVISE_UNSET_ACCESSED_BY, true},
};

cl_int gpu_managed_advise(struct gpu_device *device, const struct gpu_managed *managed, uint64_t lo_B,
			  uint64_t size_B, enum gpu_advice advice)
{
	struct gpu_scope scope;
	if (!cuda.cuMemAdvise_v2 || !size_B)
		return gpu_device_status(device);
	cl_int error = gpu_enter(device, &scope);
	if (error)
		return error;
	if (advice == GPU_ADVICE_DEFAULT)
		(void)withdraw(device, managed, lo_B, lo_B + size_B);
	else
		(void)advise(device, managed, lo_B, lo_B + size_B, advices[advice].cu_advice,
			     advices[advice].host ? NULL : device);
	gpu_leave(&scope);
	return gpu_device_status(device);
}
#else
static cl_int place(struct gpu_device *device, const struct gpu_managed *managed, uint64_t lo_B, uint64_t hi_B)
{
	(void)managed, (void)lo_B, (void)hi_B;
	return gpu_device_status(device);
}

cl_int gpu_managed_advise(struct gpu_device *device, const struct gpu_managed *managed, uint64_t lo_B,
			  uint64_t size_B, enum gpu_advice advice)
{
	(void)managed, (void)lo_B, (void)size_B, (void)advice;
	return gpu_device_status(device);
}
#endif

/* --- prefetches -------------------------------------------------------------------------- */

#if CUDA_VERSION >= 12020
/* The context of the stream's device is current. */
static CUresult prefetch_range(struct gpu_stream *stream, const struct gpu_managed *managed, uint64_t lo_B,
			       uint64_t size_B, bool to_host)
{
	if (!cuda.cuMemPrefetchAsync_v2 || !size_B)
		return CUDA_SUCCESS;
	return cuda.cuMemPrefetchAsync_v2((CUdeviceptr)(uintptr_t)managed->pointer + lo_B, size_B,
					  location_of(to_host ? NULL : stream->device), 0, stream->cu_stream);
}
#else
static CUresult prefetch_range(struct gpu_stream *stream, const struct gpu_managed *managed, uint64_t lo_B,
			       uint64_t size_B, bool to_host)
{
	(void)stream, (void)managed, (void)lo_B, (void)size_B, (void)to_host;
	return CUDA_SUCCESS;
}
#endif

/* A prefetch is only a hint: without room on the device, pages move when they are accessed. */
static cl_int prefetch(struct gpu_stream *stream, const struct gpu_managed *managed, uint64_t lo_B, uint64_t size_B,
		       bool to_host)
{
	struct gpu_scope scope;
	cl_int error = gpu_enter(stream->device, &scope);
	if (error)
		return error;
	if (!gpu_check(stream->device, prefetch_range(stream, managed, lo_B, size_B, to_host)))
		gpu_stream_count(stream);
	gpu_leave(&scope);
	return CL_SUCCESS;
}

/* Fills an allocation that exceeds its device with pages: room for them and their page tables, which is there now, may
 * be gone when a kernel accesses them, and that would end the context.  The context of its home is current.  It has a
 * stream to itself, as other threads' allocations wait for memory_stream. */
static cl_int populate(const struct gpu_managed *managed)
{
	struct gpu_stream *stream;
	cl_int error = gpu_stream_acquire(managed->home, 0, &stream);
	if (error)
		return error;
	CUresult cu_result = prefetch_range(stream, managed, 0, managed->home_B, false);
	if (cu_result == CUDA_SUCCESS)
		cu_result = prefetch_range(stream, managed, managed->home_B, managed->size_B - managed->home_B, true);
	if (cu_result == CUDA_SUCCESS)
		cu_result = cuda.cuStreamSynchronize(stream->cu_stream);
	error = gpu_memory_check(managed->home, cu_result, "cuMemPrefetchAsync");
	gpu_stream_release(stream);
	/* Drivers that do not take such prefetches populate pages when they are accessed. */
	return error == CL_MEM_OBJECT_ALLOCATION_FAILURE ? error : gpu_device_status(managed->home);
}

/* --- allocations ------------------------------------------------------------------------- */

static cl_int allocate(struct gpu_managed *managed)
{
	struct gpu_scope scope;
	CUdeviceptr cu_address = 0;
	cl_int error = gpu_enter_new(managed->home, &scope);
	if (error)
		return error;
	CUresult cu_result = cuda.cuMemAllocManaged(&cu_address, managed->size_B, CU_MEM_ATTACH_GLOBAL);
	error = gpu_memory_check(managed->home, cu_result, "cuMemAllocManaged");
	managed->pointer = (void *)(uintptr_t)cu_address;
	/* Without the advice the driver would evict pages. */
	if (!error && gpu_managed_exceeds(managed) &&
	    (place(managed->home, managed, 0, managed->size_B) || populate(managed))) {
		(void)gpu_check(managed->home, cuda.cuMemFree_v2(cu_address));
		error = gpu_device_status(managed->home);
		error = error ? error : CL_MEM_OBJECT_ALLOCATION_FAILURE;
	}
	gpu_leave(&scope);
	if (!error)
		gpu_tables_add(managed->size_B);
	return error;
}

static void uncount(const struct gpu_managed *managed)
{
	if (!atomic_load(&managed->arrived))
		atomic_fetch_sub(&awaited_B, managed->home_B);
	atomic_fetch_sub(&rest_B, managed->size_B - managed->home_B);
}

static struct gpu_managed *managed_new(struct gpu_device *const *devices, uint32_t count, uint64_t size_B)
{
	struct gpu_managed *managed = calloc(1, sizeof(*managed) + count * sizeof(struct gpu_device *));
	if (!managed)
		return NULL;
	managed->home = devices[0];
	managed->count = count;
	managed->size_B = size_B;
	for (uint32_t i = 0; i < count; i++)
		managed->all[i] = devices[i];
	return managed;
}

cl_int gpu_managed_alloc(struct gpu_device *const *devices, uint32_t count, uint64_t size_B,
			 struct gpu_managed **managed_out)
{
	if (!can_share(devices, count))
		return CL_MEM_OBJECT_ALLOCATION_FAILURE;
	struct gpu_managed *managed = managed_new(devices, count, size_B);
	if (!managed)
		return CL_OUT_OF_HOST_MEMORY;
	const uint64_t before_B = atomic_fetch_add(&awaited_B, size_B);
	cl_int error = home_choose(devices, count, size_B, before_B, &managed->home_B);
	if (error) {
		atomic_fetch_sub(&awaited_B, size_B);
	} else {
		atomic_fetch_sub(&awaited_B, size_B - managed->home_B);
		error = allocate(managed);
		if (error)
			uncount(managed);
	}
	if (error)
		free(managed);
	else
		*managed_out = managed;
	return error;
}

void *gpu_managed_pointer(const struct gpu_managed *managed)
{
	return managed->pointer;
}

bool gpu_managed_exceeds(const struct gpu_managed *managed)
{
	return managed->home_B < managed->size_B;
}

/* The managed memory of a lost device is freed with its context. */
static void managed_end(struct gpu_device *device, void *object)
{
	struct gpu_managed *managed = object;
	struct gpu_scope scope;
	if (!gpu_enter(device, &scope)) {
		(void)gpu_check(device, cuda.cuMemFree_v2((CUdeviceptr)(uintptr_t)managed->pointer));
		gpu_leave(&scope);
	}
	gpu_tables_remove(managed->size_B);
	uncount(managed);
	free(managed);
}

void gpu_managed_free(struct gpu_managed *managed, struct gpu_event *const *after, uint32_t count)
{
	if (managed)
		gpu_defer_quiet(managed->home, managed_end, managed, managed->size_B, after, count);
}

/* --- moves ------------------------------------------------------------------------------- */

void gpu_managed_note_use(struct gpu_managed *managed)
{
	/* Whether pages have arrived is a guess.  Without the option, all memory counts as awaited as long as it
	 * exists, so that no page is ever evicted for another one. */
	if (option_flag(OPTION_OVERSUBSCRIBE) && !atomic_exchange(&managed->arrived, true))
		atomic_fetch_sub(&awaited_B, managed->home_B);
}

static void note_leave(struct gpu_managed *managed)
{
	if (atomic_exchange(&managed->arrived, false))
		atomic_fetch_add(&awaited_B, managed->home_B);
}

/* Where the pages are is also noted for a driver that takes no prefetches: the accesses that follow move them. */
cl_int gpu_managed_prefetch(struct gpu_stream *stream, struct gpu_managed *managed, uint64_t lo_B, uint64_t size_B,
			    bool to_host)
{
	cl_int error = size_B ? prefetch(stream, managed, lo_B, size_B, to_host) : CL_SUCCESS;
	if (error)
		return error;
	if (to_host && !lo_B && size_B >= managed->home_B)
		note_leave(managed);
	else if (!to_host)
		gpu_managed_note_use(managed);
	return gpu_device_status(stream->device);
}

cl_int gpu_managed_bring(struct gpu_stream *stream, struct gpu_managed *managed)
{
	return gpu_managed_prefetch(stream, managed, 0, managed->home_B, false);
}
