/* Queries about a pointer. */
#include "config.h"

#include "softcuda/calls/door.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/machine.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/pool.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/driver/stream.h"
#include "softcuda/exec/exec.h"

static CUresult range_locked(CUdeviceptr *start_out, size_t *size_B_out, CUdeviceptr address)
{
	const struct soft_allocation *allocation = soft_memory_lookup_locked(address);
	if (!allocation)
		return CUDA_ERROR_NOT_FOUND;
	if (start_out)
		*start_out = allocation->start;
	if (size_B_out)
		*size_B_out = allocation->size_B;
	return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *start_out, size_t *size_B_out, CUdeviceptr address)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, range_locked(start_out, size_B_out, address));
}

static bool on_host(const struct soft_allocation *allocation)
{
	return allocation->kind == SOFT_MEMORY_HOST || allocation->kind == SOFT_MEMORY_REGISTERED;
}

static CUresult kind_attribute_locked(void *data, CUpointer_attribute attribute,
				      const struct soft_allocation *allocation)
{
	switch (attribute) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
		*(CUcontext *)data = allocation->context ? allocation->context->handle : NULL;
		break;
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		*(CUmemorytype *)data = on_host(allocation) ? CU_MEMORYTYPE_HOST
							    : CU_MEMORYTYPE_DEVICE;
		break;
	case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
		*(unsigned *)data = allocation->sync_operations;
		break;
	case CU_POINTER_ATTRIBUTE_BUFFER_ID:
		*(unsigned long long *)data = allocation->id;
		break;
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
		*(unsigned *)data = allocation->kind == SOFT_MEMORY_MANAGED;
		break;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		*(int *)data = (int)allocation->device->index;
		break;
	case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
		*(unsigned *)data = soft_memory_is_ipc_capable(allocation) && soft_machine() != SOFT_MACHINE_WSL;
		break;
	case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
		*(unsigned *)data = 0;
		break;
	case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
		*(unsigned long long *)data = CU_MEM_HANDLE_TYPE_NONE;
		break;
	case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
		*(CUDA_POINTER_ATTRIBUTE_ACCESS_FLAGS *)data =
			CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE;
		break;
	case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
		*(CUmemoryPool *)data = allocation->pool ? allocation->pool->handle : NULL;
		break;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}

static CUresult attribute_locked(void *data, CUpointer_attribute attribute, CUdeviceptr address)
{
	const struct soft_allocation *allocation = soft_memory_lookup_locked(address);
	if (!data)
		return CUDA_ERROR_INVALID_VALUE;
	if (attribute == CU_POINTER_ATTRIBUTE_MAPPED) {
		*(unsigned *)data = allocation != NULL;
		return CUDA_SUCCESS;
	}
	if (!allocation)
		return CUDA_ERROR_INVALID_VALUE;
	switch (attribute) {
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
		*(CUdeviceptr *)data = address;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		if (allocation->kind == SOFT_MEMORY_DEVICE)
			return CUDA_ERROR_INVALID_VALUE;
		*(void **)data = (void *)(uintptr_t)address;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
		*(CUdeviceptr *)data = allocation->start;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
		*(size_t *)data = allocation->size_B;
		return CUDA_SUCCESS;
	default:
		return kind_attribute_locked(data, attribute, allocation);
	}
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr address)
{
	SOFT_CALL(SOFT_NEED_INIT, attribute_locked(data, attribute, address));
}

/* The size of an attribute's value.  For an unknown pointer, the call for several attributes returns zeros of these
 * sizes. */
static size_t attribute_size_B(CUpointer_attribute attribute)
{
	switch (attribute) {
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
	case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
	case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
	case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
	case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
		return sizeof(int);
	case CU_POINTER_ATTRIBUTE_CONTEXT:
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
	case CU_POINTER_ATTRIBUTE_BUFFER_ID:
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
	case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
	case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
		return sizeof(void *);
	default:
		return 0;
	}
}

static CUresult nothing_known(void *data, CUpointer_attribute attribute)
{
	if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) {
		*(int *)data = -2;
		return CUDA_SUCCESS;
	}
	size_t size_B = attribute_size_B(attribute);
	if (!size_B)
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < size_B; i++)
		((char *)data)[i] = 0;
	return CUDA_SUCCESS;
}

static CUresult attributes_locked(unsigned count, const CUpointer_attribute *attributes,
				  void **data, CUdeviceptr address)
{
	if (!count || !attributes || !data)
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i < count; i++) {
		if (!data[i])
			return CUDA_ERROR_INVALID_VALUE;
		if (attribute_locked(data[i], attributes[i], address) == CUDA_SUCCESS)
			continue;
		CUresult result = nothing_known(data[i], attributes[i]);
		if (result != CUDA_SUCCESS)
			return result;
	}
	return CUDA_SUCCESS;
}

CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes, void **data,
				CUdeviceptr address)
{
	SOFT_CALL(SOFT_NEED_INIT, attributes_locked(count, attributes, data, address));
}

static CUresult set_attribute_locked(const void *value, CUpointer_attribute attribute,
				     CUdeviceptr address)
{
	struct soft_allocation *allocation = soft_memory_lookup_locked(address);
	if (!value || !allocation || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
		return CUDA_ERROR_INVALID_VALUE;
	allocation->sync_operations = *(const unsigned *)value != 0;
	return CUDA_SUCCESS;
}

CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute,
			       CUdeviceptr address)
{
	SOFT_CALL(SOFT_NEED_INIT, set_attribute_locked(value, attribute, address));
}
