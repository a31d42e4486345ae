/* The calls that say where pages of managed memory should be. */
#include "config.h"

#include "softcuda/calls/door.h"
#include "softcuda/control.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/managed.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/state.h"
#include "softcuda/driver/stream.h"

uint64_t culvert_soft_migrated(void)
{
	return soft_managed_moved_B();
}

/* The managed allocation that has all of the range; NULL: there is none. */
static struct soft_allocation *managed_locked(CUdeviceptr address, size_t size_B)
{
	struct soft_allocation *allocation = size_B ? soft_memory_range_locked(address, size_B) : NULL;
	return allocation && allocation->kind == SOFT_MEMORY_MANAGED ? allocation : NULL;
}

/* Managed memory moves only where the host and devices share it. */
static bool is_place(int place)
{
	return place == SOFT_AT_HOST ||
	       (place >= 0 && (unsigned)place < soft_driver.device_count && soft_shares_pages());
}

static CUresult prefetch_locked(struct soft_context *context, CUdeviceptr address, size_t size_B, int place,
				CUstream cu_stream)
{
	struct soft_stream *stream;
	struct soft_allocation *allocation = managed_locked(address, size_B);
	CUresult result = soft_stream_find_locked(context, cu_stream, &stream);
	if (result != CUDA_SUCCESS)
		return result;
	if (!soft_shares_pages() || !is_place(place))
		return CUDA_ERROR_INVALID_DEVICE;
	if (!allocation)
		return CUDA_ERROR_INVALID_VALUE;
	soft_managed_move_locked(allocation, address, size_B, place);
	return CUDA_SUCCESS;
}

/* The place of an advice that has none is ignored. */
static CUresult advise_locked(CUdeviceptr address, size_t size_B, CUmem_advise advice, int place)
{
	struct soft_allocation *allocation = managed_locked(address, size_B);
	const bool placeless = advice == CU_MEM_ADVISE_SET_READ_MOSTLY || advice == CU_MEM_ADVISE_UNSET_READ_MOSTLY ||
			       advice == CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION;
	if (!allocation)
		return CUDA_ERROR_INVALID_VALUE;
	if (!placeless && !is_place(place))
		return CUDA_ERROR_INVALID_DEVICE;
	return allocation->managed ? soft_managed_advise_locked(allocation, address, size_B, advice, place)
				   : CUDA_SUCCESS;
}

CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t size_B, CUdevice cu_device, CUstream cu_stream)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, prefetch_locked(context, address, size_B, cu_device, cu_stream));
}

CUresult cuMemAdvise(CUdeviceptr address, size_t size_B, CUmem_advise advice, CUdevice cu_device)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, advise_locked(address, size_B, advice, cu_device));
}

#if CUDA_VERSION >= 12020
/* One of the host's NUMA nodes is its memory, here. */
static int place_of(CUmemLocation location)
{
	switch (location.type) {
	case CU_MEM_LOCATION_TYPE_DEVICE:
		return location.id < 0 ? SOFT_AT_NONE : location.id;
	case CU_MEM_LOCATION_TYPE_HOST:
	case CU_MEM_LOCATION_TYPE_HOST_NUMA:
	case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
		return SOFT_AT_HOST;
	default:
		return SOFT_AT_NONE;
	}
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t size_B, CUmemLocation location,
			       unsigned int flags, CUstream cu_stream)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, flags ? CUDA_ERROR_INVALID_VALUE
					   : prefetch_locked(context, address, size_B, place_of(location), cu_stream));
}

CUresult cuMemAdvise_v2(CUdeviceptr address, size_t size_B, CUmem_advise advice, CUmemLocation location)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, advise_locked(address, size_B, advice, place_of(location)));
}
#endif

static CUresult query_locked(void *data, size_t data_B, CUmem_range_attribute attribute, CUdeviceptr address,
			     size_t size_B)
{
	const struct soft_allocation *allocation = managed_locked(address, size_B);
	return allocation && allocation->managed
		       ? soft_managed_query_locked(allocation, address, size_B, attribute, data, data_B)
		       : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemRangeGetAttribute(void *data, size_t data_B, CUmem_range_attribute attribute, CUdeviceptr address,
				size_t size_B)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, query_locked(data, data_B, attribute, address, size_B));
}
