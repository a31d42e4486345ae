#include "config.h"

#include "backend/gpu_internal.h"

#include <stdlib.h>

/* Managed memory: one address for the host and all devices; pages move to whoever accesses them.  All managed memory
 * together must be less than what each device that shares it has free: if pages have to be evicted for others, the
 * driver may block the whole machine. */

static _Atomic uint64_t managed_B;       /* size of all managed memory in this process */

/* Memory that the device's pool keeps does not count as free, because managed memory cannot use it. */
static bool fits_device(struct gpu_device *device, uint64_t all_B)
{
	uint64_t left_B = 0;
	return device->caps.concurrent_managed && !gpu_memory_left(device, &left_B) && all_B <= left_B;
}

static bool fits(struct gpu_device *const *devices, uint32_t count, uint64_t all_B)
{
	for (uint32_t i = 0; i < count; i++)
		if (!fits_device(devices[i], all_B))
			return false;
	return true;
}

/* Frees managed memory whose free is pending; returns whether there was any. */
static bool made_room(struct gpu_device *const *devices, uint32_t count)
{
	const uint64_t before_B = atomic_load(&managed_B);
	for (uint32_t i = 0; i < count; i++)
		gpu_defer_wait(devices[i]);
	return atomic_load(&managed_B) < before_B;
}

static cl_int managed_alloc(struct gpu_device *device, uint64_t size_B, void **pointer_out)
{
	struct gpu_scope scope;
	CUdeviceptr cu_address = 0;
	cl_int error = gpu_enter_new(device, &scope);
	if (error)
		return error;
	CUresult cu_result = cuda.cuMemAllocManaged(&cu_address, size_B, CU_MEM_ATTACH_GLOBAL);
	error = gpu_check(device, cu_result);
	gpu_leave(&scope);
	if (!error)
		*pointer_out = (void *)(uintptr_t)cu_address;
	return cu_result == CUDA_ERROR_OUT_OF_MEMORY ? CL_MEM_OBJECT_ALLOCATION_FAILURE : error;
}

cl_int gpu_managed_alloc(struct gpu_device *const *devices, uint32_t count, uint64_t size_B,
			 void **pointer_out)
{
	const uint64_t before_B = atomic_fetch_add(&managed_B, size_B);
	cl_int error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
	if (cuda.cuMemAllocManaged && size_B <= UINT64_MAX - before_B &&
	    (fits(devices, count, before_B + size_B) ||
	     (made_room(devices, count) && fits(devices, count, atomic_load(&managed_B)))))
		error = managed_alloc(devices[0], size_B, pointer_out);
	if (error)
		atomic_fetch_sub(&managed_B, size_B);
	return error;
}

struct managed {
	void *pointer;
	uint64_t size_B;
};

/* The managed memory of a lost device is freed with its context. */
static void managed_free(struct gpu_device *device, void *pointer, uint64_t size_B)
{
	struct gpu_scope scope;
	if (!gpu_enter(device, &scope)) {
		(void)gpu_check(device, cuda.cuMemFree_v2((CUdeviceptr)(uintptr_t)pointer));
		gpu_leave(&scope);
	}
	atomic_fetch_sub(&managed_B, size_B);
}

static void managed_end(struct gpu_device *device, void *object)
{
	struct managed *managed = object;
	managed_free(device, managed->pointer, managed->size_B);
	free(managed);
}

void gpu_managed_free(struct gpu_device *device, void *pointer, uint64_t size_B)
{
	struct managed *managed = malloc(sizeof(*managed));
	if (!managed) {
		managed_free(device, pointer, size_B);
		return;
	}
	*managed = (struct managed){pointer, size_B};
	gpu_defer_quiet(device, managed_end, managed, size_B, NULL, 0);
}

cl_int gpu_managed_prefetch(struct gpu_stream *stream, const void *pointer, uint64_t size_B,
			    bool to_host)
{
#if CUDA_VERSION >= 12020
	struct gpu_device *device = stream->device;
	const CUmemLocation cu_location = {
		.type = to_host ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE,
		.id = to_host ? 0 : device->cu_device,
	};
	struct gpu_scope scope;
	if (!cuda.cuMemPrefetchAsync_v2 || !size_B)
		return CL_SUCCESS;
	cl_int error = gpu_enter(device, &scope);
	if (error)
		return error;
	/* A prefetch is only a hint: without room on the device, pages move when they are accessed. */
	if (!gpu_check(device, cuda.cuMemPrefetchAsync_v2((CUdeviceptr)(uintptr_t)pointer, size_B,
							  cu_location, 0, stream->cu_stream)))
		gpu_stream_count(stream);
	gpu_leave(&scope);
	return gpu_device_status(device);
#else
	(void)pointer;
	(void)size_B;
	(void)to_host;
	return gpu_device_status(stream->device);
#endif
}
