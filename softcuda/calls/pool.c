/* The calls of stream-ordered memory: pools, allocation and free in the order of a stream.
 *
 * Memory is mapped by the allocation call and unmapped when the stream reaches its free; the reserved size of a pool
 * is only a number.  It is reduced to the release threshold by a free, whereas a hardware driver does that at the
 * next synchronization. */
#include "config.h"

#include "base/log.h"
#include "softcuda/calls/door.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/device.h"
#include "softcuda/driver/handle.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/oracle.h"
#include "softcuda/driver/pool.h"
#include "softcuda/driver/sched.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/driver/stream.h"
#include "softcuda/exec/exec.h"

static struct soft_pool *pool_find_locked(CUmemoryPool cu_pool)
{
	return soft_handle_find_locked(SOFT_KIND_POOL, cu_pool);
}

static CUresult create_locked(CUmemoryPool *cu_pool_out, const CUmemPoolProps *properties)
{
	struct soft_device *device;
	if (!cu_pool_out || !properties || properties->allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
		return CUDA_ERROR_INVALID_VALUE;
	if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
	    properties->handleTypes != CU_MEM_HANDLE_TYPE_NONE) {
		log_err("softcuda: cuMemPoolCreate: pools of host memory or with "
			"shareable handles are not supported");
		return CUDA_ERROR_NOT_SUPPORTED;
	}
	CUresult result = soft_device_find_locked(properties->location.id, &device);
	if (result != CUDA_SUCCESS)
		return result;
	struct soft_pool *pool = soft_pool_create_locked(device, properties->maxSize);
	if (!pool)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*cu_pool_out = pool->handle;
	return CUDA_SUCCESS;
}

CUresult cuMemPoolCreate(CUmemoryPool *cu_pool_out, const CUmemPoolProps *properties)
{
	SOFT_CALL(SOFT_NEED_INIT, create_locked(cu_pool_out, properties));
}

/* Allocations from the pool stay valid until they are freed. */
static CUresult destroy_locked(CUmemoryPool cu_pool)
{
	struct soft_pool *pool = pool_find_locked(cu_pool);
	if (!pool || pool == pool->device->default_pool)
		return CUDA_ERROR_INVALID_VALUE;
	if (pool->device->pool == pool)
		pool->device->pool = pool->device->default_pool;
	soft_handle_destroy_locked(pool->handle);
	pool->destroyed = true;
	soft_pool_release_locked(pool);
	return CUDA_SUCCESS;
}

CUresult cuMemPoolDestroy(CUmemoryPool cu_pool)
{
	SOFT_CALL(SOFT_NEED_INIT, destroy_locked(cu_pool));
}

static CUresult device_pool_locked(CUmemoryPool *cu_pool_out, CUdevice cu_device, bool current)
{
	struct soft_device *device;
	if (!cu_pool_out)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_device_find_locked(cu_device, &device);
	if (result == CUDA_SUCCESS)
		*cu_pool_out = current ? device->pool->handle : device->default_pool->handle;
	return result;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *cu_pool_out, CUdevice cu_device)
{
	SOFT_CALL(SOFT_NEED_INIT, device_pool_locked(cu_pool_out, cu_device, false));
}

CUresult cuDeviceGetMemPool(CUmemoryPool *cu_pool_out, CUdevice cu_device)
{
	SOFT_CALL(SOFT_NEED_INIT, device_pool_locked(cu_pool_out, cu_device, true));
}

static CUresult set_device_pool_locked(CUdevice cu_device, CUmemoryPool cu_pool)
{
	struct soft_device *device;
	struct soft_pool *pool = pool_find_locked(cu_pool);
	CUresult result = soft_device_find_locked(cu_device, &device);
	if (result != CUDA_SUCCESS)
		return result;
	if (!pool || pool->device != device)
		return CUDA_ERROR_INVALID_VALUE;
	device->pool = pool;
	return CUDA_SUCCESS;
}

CUresult cuDeviceSetMemPool(CUdevice cu_device, CUmemoryPool cu_pool)
{
	SOFT_CALL(SOFT_NEED_INIT, set_device_pool_locked(cu_device, cu_pool));
}

/* --- attributes ---------- */

static uint64_t *pool_number(struct soft_pool *pool, CUmemPool_attribute attribute)
{
	switch (attribute) {
	case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
		return &pool->release_threshold_B;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
		return &pool->reserved_B;
	case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
		return &pool->used_B;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
		return &pool->reserved_high_B;
	case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
		return &pool->used_high_B;
	default:
		return NULL;
	}
}

static int *pool_switch(struct soft_pool *pool, CUmemPool_attribute attribute)
{
	switch (attribute) {
	case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
		return &pool->reuse[0];
	case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
		return &pool->reuse[1];
	case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
		return &pool->reuse[2];
	default:
		return NULL;
	}
}

static CUresult get_attribute_locked(CUmemoryPool cu_pool, CUmemPool_attribute attribute,
				     void *value)
{
	struct soft_pool *pool = pool_find_locked(cu_pool);
	if (!pool || !value)
		return CUDA_ERROR_INVALID_VALUE;
	const uint64_t *number = pool_number(pool, attribute);
	const int *reuse = pool_switch(pool, attribute);
	if (number)
		*(cuuint64_t *)value = *number;
	else if (reuse)
		*(int *)value = *reuse;
	else
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAttribute(CUmemoryPool cu_pool, CUmemPool_attribute attribute, void *value)
{
	SOFT_CALL(SOFT_NEED_INIT, get_attribute_locked(cu_pool, attribute, value));
}

static CUresult set_attribute_locked(CUmemoryPool cu_pool, CUmemPool_attribute attribute,
				     const void *value)
{
	struct soft_pool *pool = pool_find_locked(cu_pool);
	if (!pool || !value)
		return CUDA_ERROR_INVALID_VALUE;
	int *reuse = pool_switch(pool, attribute);
	if (reuse) {
		*reuse = *(const int *)value;
		return CUDA_SUCCESS;
	}
	uint64_t *number = pool_number(pool, attribute);
	if (!number)
		return CUDA_ERROR_INVALID_VALUE;
	if (attribute == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) {
		*number = *(const cuuint64_t *)value;
		return CUDA_SUCCESS;
	}
	/* High-water marks can only be reset to 0; other counts cannot be set. */
	if ((attribute != CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH &&
	     attribute != CU_MEMPOOL_ATTR_USED_MEM_HIGH) ||
	    *(const cuuint64_t *)value)
		return CUDA_ERROR_INVALID_VALUE;
	*number = attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH ? pool->used_B : pool->reserved_B;
	return CUDA_SUCCESS;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool cu_pool, CUmemPool_attribute attribute, void *value)
{
	SOFT_CALL(SOFT_NEED_INIT, set_attribute_locked(cu_pool, attribute, value));
}

static CUresult trim_locked(CUmemoryPool cu_pool, uint64_t keep_B)
{
	struct soft_pool *pool = pool_find_locked(cu_pool);
	if (!pool)
		return CUDA_ERROR_INVALID_VALUE;
	/* A hardware driver waits for all kernels when it gives memory back. */
	if (soft_sched.sync != SOFT_SYNC_NONE && pool->device->primary &&
	    pool->reserved_B > keep_B && pool->reserved_B > pool->used_B) {
		(void)soft_context_wait_locked(pool->device->primary);
		pool = pool_find_locked(cu_pool);
	}
	if (!pool)
		return CUDA_ERROR_INVALID_VALUE;
	soft_pool_trim_locked(pool, keep_B);
	return CUDA_SUCCESS;
}

CUresult cuMemPoolTrimTo(CUmemoryPool cu_pool, size_t keep_B)
{
	SOFT_CALL(SOFT_NEED_INIT, trim_locked(cu_pool, keep_B));
}

static CUresult set_access_locked(CUmemoryPool cu_pool, const CUmemAccessDesc *access,
				  size_t count)
{
	struct soft_pool *pool = pool_find_locked(cu_pool);
	if (!pool || (count && !access))
		return CUDA_ERROR_INVALID_VALUE;
	uint32_t wanted = pool->access;
	for (size_t i = 0; i < count; i++) {
		struct soft_device *device;
		if (access[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE)
			return CUDA_ERROR_INVALID_VALUE;
		CUresult result = soft_device_find_locked(access[i].location.id, &device);
		if (result != CUDA_SUCCESS)
			return result;
		uint32_t bit = (uint32_t)1 << device->index;
		if (access[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
			wanted |= bit;
		else if (access[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE ||
			 device == pool->device)
			return CUDA_ERROR_INVALID_VALUE;
		else
			wanted &= ~bit;
	}
	pool->access = wanted;
	return CUDA_SUCCESS;
}

CUresult cuMemPoolSetAccess(CUmemoryPool cu_pool, const CUmemAccessDesc *access, size_t count)
{
	SOFT_CALL(SOFT_NEED_INIT, set_access_locked(cu_pool, access, count));
}

static CUresult get_access_locked(CUmemAccess_flags *flags_out, CUmemoryPool cu_pool,
				  const CUmemLocation *location)
{
	struct soft_device *device;
	struct soft_pool *pool = pool_find_locked(cu_pool);
	if (!flags_out || !pool || !location || location->type != CU_MEM_LOCATION_TYPE_DEVICE)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_device_find_locked(location->id, &device);
	if (result == CUDA_SUCCESS)
		*flags_out = pool->access >> device->index & 1 ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
							       : CU_MEM_ACCESS_FLAGS_PROT_NONE;
	return result;
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags_out, CUmemoryPool cu_pool,
			    CUmemLocation *location)
{
	SOFT_CALL(SOFT_NEED_INIT, get_access_locked(flags_out, cu_pool, location));
}

/* --- in a stream's order ---------- */

/* From this operation on the memory belongs to the stream: other streams have to wait for it. */
static const struct soft_operation_type alloc_type = {.name = "cuMemAllocAsync"};

static CUresult alloc_submit_locked(struct soft_stream *stream, struct soft_allocation *allocation)
{
	struct soft_operation *operation = soft_operation_create(&alloc_type, sizeof(*operation));
	if (!operation)
		return CUDA_ERROR_OUT_OF_MEMORY;
	soft_oracle_declare_locked(operation, allocation, allocation->start, allocation->size_B,
				   SOFT_ACCESS_WRITE);
	return soft_operation_submit_locked(operation, stream);
}

static CUresult alloc_locked(struct soft_context *context, CUdeviceptr *address_out, size_t size_B,
			     struct soft_pool *pool, CUstream cu_stream)
{
	struct soft_stream *stream;
	struct soft_allocation *allocation;
	if (!address_out || !size_B || !pool)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_stream_find_locked(context, cu_stream, &stream);
	if (result == CUDA_SUCCESS)
		result = soft_memory_alloc_locked(stream->context, SOFT_MEMORY_DEVICE, size_B,
						  pool, &allocation);
	if (result != CUDA_SUCCESS)
		return result;
	result = alloc_submit_locked(stream, allocation);
	if (result == CUDA_SUCCESS)
		*address_out = allocation->start;
	else
		soft_memory_free_locked(allocation);
	return result;
}

CUresult cuMemAllocAsync(CUdeviceptr *address_out, size_t size_B, CUstream cu_stream)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, alloc_locked(context, address_out, size_B,
						  context->device->pool, cu_stream));
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address_out, size_t size_B, CUmemoryPool cu_pool,
				 CUstream cu_stream)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, alloc_locked(context, address_out, size_B,
						  pool_find_locked(cu_pool), cu_stream));
}

struct free_operation {
	struct soft_operation base;
	struct soft_allocation *allocation;
};

static void free_retire_locked(struct soft_operation *operation)
{
	soft_memory_free_locked(((struct free_operation *)operation)->allocation);
}

static const struct soft_operation_type free_type = {
	.name = "cuMemFreeAsync",
	.frees = true,
	.retire_locked = free_retire_locked,
};

static CUresult free_locked(struct soft_context *context, CUdeviceptr address, CUstream cu_stream)
{
	struct soft_stream *stream;
	CUresult result = soft_stream_find_locked(context, cu_stream, &stream);
	if (result != CUDA_SUCCESS || !address)
		return result;
	struct soft_allocation *allocation = soft_memory_lookup_locked(address);
	if (!allocation || allocation->start != address || allocation->freeing ||
	    allocation->kind != SOFT_MEMORY_DEVICE)
		return CUDA_ERROR_INVALID_VALUE;
	struct free_operation *operation = soft_operation_create(&free_type, sizeof(*operation));
	if (!operation)
		return CUDA_ERROR_OUT_OF_MEMORY;
	operation->allocation = allocation;
	allocation->freeing = true;
	soft_oracle_declare_locked(&operation->base, allocation, allocation->start,
				   allocation->size_B, SOFT_ACCESS_WRITE);
	struct soft_context *owner = allocation->context;
	/* From now on the stream frees it, not the end of the context. */
	allocation->context = NULL;
	result = soft_operation_submit_locked(&operation->base, stream);
	if (result != CUDA_SUCCESS) {
		allocation->freeing = false;
		allocation->context = owner;
	}
	return result;
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream cu_stream)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, free_locked(context, address, cu_stream));
}
