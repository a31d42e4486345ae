/* The calls that allocate and free memory outside of pools. */
#include "config.h"

#include "base/log.h"
#include "softcuda/calls/door.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/machine.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/sched.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/exec/exec.h"

enum { PITCH_B = 512 };

static CUresult alloc_locked(struct soft_context *context, CUdeviceptr *address_out,
			     size_t size_B, enum soft_memory_kind kind, unsigned flags)
{
	struct soft_allocation *allocation;
	if (!address_out || !size_B)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = CUDA_SUCCESS;
	if (soft_sched.sync == SOFT_SYNC_ALL)
		result = soft_context_wait_locked(context);
	if (result == CUDA_SUCCESS)
		result = soft_memory_alloc_locked(context, kind, size_B, NULL, &allocation);
	if (result != CUDA_SUCCESS)
		return result;
	allocation->flags = flags;
	*address_out = allocation->start;
	return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr *address_out, size_t size_B)
{
	SOFT_CALL(SOFT_NEED_CONTEXT,
		  alloc_locked(context, address_out, size_B, SOFT_MEMORY_DEVICE, 0));
}

static CUresult alloc_pitch_locked(struct soft_context *context, CUdeviceptr *address_out,
				   size_t *pitch_B_out, size_t width_B, size_t height,
				   unsigned element_B)
{
	if (!pitch_B_out || !width_B || !height ||
	    (element_B != 4 && element_B != 8 && element_B != 16) || width_B > SIZE_MAX - PITCH_B)
		return CUDA_ERROR_INVALID_VALUE;
	size_t pitch_B = (width_B + PITCH_B - 1) / PITCH_B * PITCH_B;
	if (height > SIZE_MAX / pitch_B)
		return CUDA_ERROR_OUT_OF_MEMORY;
	CUresult result = alloc_locked(context, address_out, pitch_B * height,
				       SOFT_MEMORY_DEVICE, 0);
	if (result == CUDA_SUCCESS)
		*pitch_B_out = pitch_B;
	return result;
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *address_out, size_t *pitch_B_out, size_t width_B,
			    size_t height, unsigned int element_B)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, alloc_pitch_locked(context, address_out, pitch_B_out, width_B,
							height, element_B));
}

static CUresult alloc_managed_locked(struct soft_context *context, CUdeviceptr *address_out,
				     size_t size_B, unsigned flags)
{
	if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
		return CUDA_ERROR_INVALID_VALUE;
	return alloc_locked(context, address_out, size_B, SOFT_MEMORY_MANAGED, flags);
}

CUresult cuMemAllocManaged(CUdeviceptr *address_out, size_t size_B, unsigned int flags)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, alloc_managed_locked(context, address_out, size_B, flags));
}

static CUresult free_locked(struct soft_context *context, uint64_t address, bool host)
{
	struct soft_allocation *allocation = soft_memory_lookup_locked(address);
	if (!address)
		return host ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
	if (!allocation || allocation->start != address || allocation->freeing ||
	    allocation->kind == SOFT_MEMORY_REGISTERED || allocation->mapped ||
	    host != (allocation->kind == SOFT_MEMORY_HOST))
		return CUDA_ERROR_INVALID_VALUE;
	return soft_memory_end_locked(allocation->context ? allocation->context : context,
				      allocation, host ? "cuMemFreeHost" : "cuMemFree");
}

CUresult cuMemFree_v2(CUdeviceptr address)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, free_locked(context, address, false));
}

/* --- pinned host memory ---------- */

static CUresult host_alloc_locked(struct soft_context *context, void **pointer_out, size_t size_B,
				  unsigned flags)
{
	const unsigned known = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP |
			       CU_MEMHOSTALLOC_WRITECOMBINED;
	CUdeviceptr address;
	if (!pointer_out || flags & ~known)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = alloc_locked(context, &address, size_B, SOFT_MEMORY_HOST,
				       flags | CU_MEMHOSTALLOC_DEVICEMAP);
	if (result == CUDA_SUCCESS)
		*pointer_out = (void *)(uintptr_t)address;
	return result;
}

CUresult cuMemHostAlloc(void **pointer_out, size_t size_B, unsigned int flags)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, host_alloc_locked(context, pointer_out, size_B, flags));
}

CUresult cuMemAllocHost_v2(void **pointer_out, size_t size_B)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, host_alloc_locked(context, pointer_out, size_B, 0));
}

CUresult cuMemFreeHost(void *pointer)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, free_locked(context, (uint64_t)(uintptr_t)pointer, true));
}

static CUresult host_register_locked(struct soft_context *context, void *pointer, size_t size_B,
				     unsigned flags)
{
	const unsigned known = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
			       CU_MEMHOSTREGISTER_READ_ONLY;
	if (flags & CU_MEMHOSTREGISTER_IOMEMORY) {
		log_err("softcuda: cuMemHostRegister: I/O memory is not supported");
		return CUDA_ERROR_NOT_SUPPORTED;
	}
	if (!pointer || flags & ~known)
		return CUDA_ERROR_INVALID_VALUE;
	return soft_memory_register_locked(context, pointer, size_B,
					   flags | CU_MEMHOSTREGISTER_DEVICEMAP);
}

CUresult cuMemHostRegister_v2(void *pointer, size_t size_B, unsigned int flags)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, host_register_locked(context, pointer, size_B, flags));
}

CUresult cuMemHostRegister(void *pointer, size_t size_B, unsigned int flags)
{
	return cuMemHostRegister_v2(pointer, size_B, flags);
}

static CUresult host_unregister_locked(void *pointer)
{
	const uint64_t address = (uint64_t)(uintptr_t)pointer;
	if (!pointer)
		return CUDA_ERROR_INVALID_VALUE;
	struct soft_allocation *allocation = soft_memory_lookup_locked(address);
	if (!allocation || allocation->kind != SOFT_MEMORY_REGISTERED ||
	    allocation->start != address || allocation->freeing)
		return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
	return soft_memory_end_locked(allocation->context, allocation, "cuMemHostUnregister");
}

CUresult cuMemHostUnregister(void *pointer)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, host_unregister_locked(pointer));
}

static struct soft_allocation *host_lookup_locked(const void *pointer)
{
	struct soft_allocation *allocation =
		soft_memory_lookup_locked((uint64_t)(uintptr_t)pointer);
	return allocation && (allocation->kind == SOFT_MEMORY_HOST ||
			      allocation->kind == SOFT_MEMORY_REGISTERED)
		       ? allocation
		       : NULL;
}

static CUresult device_pointer_locked(CUdeviceptr *address_out, const void *pointer,
				      unsigned flags)
{
	if (!address_out || flags || !host_lookup_locked(pointer))
		return CUDA_ERROR_INVALID_VALUE;
	*address_out = (uint64_t)(uintptr_t)pointer;
	return CUDA_SUCCESS;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *address_out, void *pointer, unsigned int flags)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, device_pointer_locked(address_out, pointer, flags));
}

static CUresult host_flags_locked(unsigned *flags_out, const void *pointer)
{
	const struct soft_allocation *allocation = host_lookup_locked(pointer);
	if (!flags_out || !allocation)
		return CUDA_ERROR_INVALID_VALUE;
	*flags_out = allocation->flags;
	return CUDA_SUCCESS;
}

CUresult cuMemHostGetFlags(unsigned int *flags_out, void *pointer)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, host_flags_locked(flags_out, pointer));
}

/* --- how much ---------- */

static CUresult info_locked(const struct soft_context *context, size_t *free_B_out,
			    size_t *total_B_out)
{
	if (!free_B_out || !total_B_out)
		return CUDA_ERROR_INVALID_VALUE;
	const uint64_t taken_B = context->device->used_B + context->device->idle_B;
	*free_B_out = soft_memory_told_B(taken_B < context->device->memory_B ? context->device->memory_B - taken_B : 0);
	*total_B_out = context->device->memory_B;
	return CUDA_SUCCESS;
}

CUresult cuMemGetInfo_v2(size_t *free_B_out, size_t *total_B_out)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, info_locked(context, free_B_out, total_B_out));
}
