/* Memory that can be exported.  Memory of CUDA's pools cannot be exported by a handle, so each such allocation is
 * made by the driver: a slow call, which allocates multiples of 2 MiB. */
#include "config.h"

#include "backend/gpu_external.h"

#include "base/cancel.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(CUipcMemHandle) == GPU_IPC_HANDLE_B, "the size that gpu.h says");

/* CUDA IPC shares the whole block of which an allocation is a part.  The size is rounded up to that of a block, so
 * that no other memory of the process is shared. */
enum { IPC_PIECE_B = 2 << 20 };

/* Whether a network card may access memory of cuMemCreate, which has to be known when it is created. */
static bool network_may(const struct gpu_device *device)
{
	int may = 0;
	return cuda.cuDeviceGetAttribute(&may, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED,
					 device->cu_device) == CUDA_SUCCESS && may;
}

static CUresult create_mapped(const struct gpu_device *device, enum gpu_handle_type type, uint64_t size_B,
			      struct gpu_external *external)
{
	CUmemAllocationProp properties;
	CUresult cu_result = gpu_external_properties(device, size_B, &properties,
						     &external->mapped_B);
	external->exported = type;
	if (cu_result == CUDA_SUCCESS && type == GPU_HANDLE_DMA_BUF)
		properties.allocFlags.gpuDirectRDMACapable = network_may(device);
	if (cu_result == CUDA_SUCCESS)
		cu_result = cuda.cuMemCreate(&external->cu_memory, external->mapped_B, &properties,
					     0);
	if (cu_result != CUDA_SUCCESS)
		return cu_result;
	external->kind = GPU_EXTERNAL_MAPPED;
	cu_result = gpu_external_map(device, external);
	if (cu_result != CUDA_SUCCESS)
		(void)cuda.cuMemRelease(external->cu_memory);
	return cu_result;
}

static CUresult create_ipc(uint64_t size_B, struct gpu_external *external)
{
	if (size_B > SIZE_MAX - IPC_PIECE_B)
		return CUDA_ERROR_OUT_OF_MEMORY;
	size_B = (size_B + IPC_PIECE_B - 1) / IPC_PIECE_B * IPC_PIECE_B;
	CUresult cu_result = cuda.cuMemAlloc_v2(&external->cu_address, size_B);
	if (cu_result != CUDA_SUCCESS)
		return cu_result;
	external->kind = GPU_EXTERNAL_IPC_OWN;
	/* The handle is made now, so that the call fails if the memory cannot be exported. */
	cu_result = cuda.cuIpcGetMemHandle(&external->cu_ipc, external->cu_address);
	if (cu_result != CUDA_SUCCESS)
		(void)cuda.cuMemFree_v2(external->cu_address);
	return cu_result;
}

static CUresult create(const struct gpu_device *device, enum gpu_handle_type type, uint64_t size_B,
		       struct gpu_external *external)
{
	memset(external, 0, sizeof(*external));
	return type == GPU_HANDLE_IPC ? create_ipc(size_B, external)
				      : create_mapped(device, type, size_B, external);
}

static cl_int create_entered(struct gpu_device *device, enum gpu_handle_type type, uint64_t size_B,
			     struct gpu_external *external)
{
	CUresult cu_result = create(device, type, size_B, external);
	if (cu_result == CUDA_ERROR_OUT_OF_MEMORY) {
		gpu_memory_make_room(device);
		cu_result = create(device, type, size_B, external);
	}
	return gpu_memory_check(device, cu_result,
				type == GPU_HANDLE_IPC ? "cuIpcGetMemHandle" : "cuMemCreate");
}

cl_int gpu_external_create(struct gpu_device *device, enum gpu_handle_type type, uint64_t size_B,
			   struct gpu_external **external_out, gpu_address *address_out)
{
	struct gpu_scope scope;
	if (!device->caps.exports || (type == GPU_HANDLE_DMA_BUF && !device->caps.exports_dma_buf))
		return CL_INVALID_PROPERTY;
	struct gpu_external *external = calloc(1, sizeof(*external));
	if (!external)
		return CL_OUT_OF_HOST_MEMORY;
	const int before = cancel_hold();
	cl_int error = gpu_enter_new(device, &scope);
	if (!error) {
		error = create_entered(device, type, size_B, external);
		gpu_leave(&scope);
	}
	cancel_restore(before);
	if (error) {
		free(external);
		return error;
	}
	*external_out = external;
	*address_out = external->cu_address;
	return CL_SUCCESS;
}

static CUresult export_mapped(const struct gpu_external *external, int *fd_out)
{
	if (external->exported == GPU_HANDLE_DMA_BUF)
		return cuda.cuMemGetHandleForAddressRange(fd_out, external->cu_address, external->mapped_B,
							  CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0);
	return cuda.cuMemExportToShareableHandle(fd_out, external->cu_memory,
						 CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
}

cl_int gpu_external_export(struct gpu_device *device, const struct gpu_external *external,
			   struct gpu_handle *handle_out)
{
	struct gpu_scope scope;
	if (external->kind == GPU_EXTERNAL_IPC_OWN) {
		handle_out->type = GPU_HANDLE_IPC;
		memcpy(handle_out->ipc, &external->cu_ipc, sizeof(external->cu_ipc));
		return CL_SUCCESS;
	}
	cl_int error = gpu_enter(device, &scope);
	if (error)
		return error;
	handle_out->type = external->exported;
	error = gpu_check(device, export_mapped(external, &handle_out->fd));
	gpu_leave(&scope);
	return error;
}
