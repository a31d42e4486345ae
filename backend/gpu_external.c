#include "config.h"

#include "backend/gpu_external.h"

#include "base/cancel.h"
#include "base/log.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* There are two kinds of file descriptors: those of other APIs (Vulkan), and those of CUDA's own memory
 * (cuMemExportToShareableHandle).  Only the driver can tell them apart: first the call for one kind is tried, then
 * that for the other. */

static bool have_external(void)
{
	return cuda.cuImportExternalMemory && cuda.cuExternalMemoryGetMappedBuffer &&
	       cuda.cuDestroyExternalMemory;
}

CUresult gpu_external_import_foreign(int fd, uint64_t size_B, unsigned flags,
				     CUexternalMemory *cu_external_out)
{
	CUDA_EXTERNAL_MEMORY_HANDLE_DESC handle;
	if (!have_external())
		return CUDA_ERROR_NOT_SUPPORTED;
	/* A copy of the file descriptor, which the driver owns once the import succeeds. */
	const int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (own < 0)
		return CUDA_ERROR_INVALID_VALUE;
	memset(&handle, 0, sizeof(handle));
	handle.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
	handle.handle.fd = own;
	handle.size = size_B;
	handle.flags = flags;
	const CUresult cu_result = cuda.cuImportExternalMemory(cu_external_out, &handle);
	if (cu_result != CUDA_SUCCESS)
		close(own);
	return cu_result;
}

static CUresult import_foreign(int fd, uint64_t size_B, struct gpu_external *external)
{
	CUDA_EXTERNAL_MEMORY_BUFFER_DESC buffer;
	CUresult cu_result = gpu_external_import_foreign(fd, size_B, 0, &external->cu_external);
	if (cu_result != CUDA_SUCCESS)
		return cu_result;
	memset(&buffer, 0, sizeof(buffer));
	buffer.size = size_B;
	cu_result = cuda.cuExternalMemoryGetMappedBuffer(&external->cu_address,
							 external->cu_external, &buffer);
	if (cu_result != CUDA_SUCCESS)
		(void)cuda.cuDestroyExternalMemory(external->cu_external);
	return cu_result;
}

CUresult gpu_external_map(const struct gpu_device *device, struct gpu_external *external)
{
	CUmemAccessDesc access;
	memset(&access, 0, sizeof(access));
	access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	access.location.id = device->cu_device;
	access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	CUresult cu_result = cuda.cuMemAddressReserve(&external->cu_address, external->mapped_B,
						      0, 0, 0);
	if (cu_result != CUDA_SUCCESS)
		return cu_result;
	cu_result = cuda.cuMemMap(external->cu_address, external->mapped_B, 0,
				  external->cu_memory, 0);
	if (cu_result == CUDA_SUCCESS) {
		cu_result = cuda.cuMemSetAccess(external->cu_address, external->mapped_B, &access,
						1);
		if (cu_result == CUDA_SUCCESS)
			return CUDA_SUCCESS;
		(void)cuda.cuMemUnmap(external->cu_address, external->mapped_B);
	}
	(void)cuda.cuMemAddressFree(external->cu_address, external->mapped_B);
	return cu_result;
}

CUresult gpu_external_properties(const struct gpu_device *device, uint64_t size_B,
				 CUmemAllocationProp *properties_out, size_t *mapped_B_out)
{
	size_t granularity_B = 0;
	if (!gpu_external_can_map())
		return CUDA_ERROR_NOT_SUPPORTED;
	memset(properties_out, 0, sizeof(*properties_out));
	properties_out->type = CU_MEM_ALLOCATION_TYPE_PINNED;
	properties_out->requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
	properties_out->location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	properties_out->location.id = device->cu_device;
	CUresult cu_result = cuda.cuMemGetAllocationGranularity(
		&granularity_B, properties_out, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
	if (cu_result == CUDA_SUCCESS && (!granularity_B || size_B > SIZE_MAX - granularity_B))
		cu_result = CUDA_ERROR_INVALID_VALUE;
	/* CUDA allocates multiples of the granularity. */
	if (cu_result == CUDA_SUCCESS)
		*mapped_B_out = (size_B + granularity_B - 1) / granularity_B * granularity_B;
	return cu_result;
}

/* The driver does not take this file descriptor over. */
static CUresult import_own(const struct gpu_device *device, int fd, uint64_t size_B,
			   struct gpu_external *external)
{
	CUmemAllocationProp properties;
	CUresult cu_result = gpu_external_properties(device, size_B, &properties,
						     &external->mapped_B);
	if (cu_result == CUDA_SUCCESS)
		cu_result = cuda.cuMemImportFromShareableHandle(
			&external->cu_memory, (void *)(intptr_t)fd,
			CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
	if (cu_result != CUDA_SUCCESS)
		return cu_result;
	external->kind = GPU_EXTERNAL_MAPPED;
	cu_result = gpu_external_map(device, external);
	if (cu_result != CUDA_SUCCESS)
		(void)cuda.cuMemRelease(external->cu_memory);
	return cu_result;
}

cl_int gpu_external_refusal(struct gpu_device *device, CUresult cu_result, const char *call)
{
	if (cu_result == CUDA_ERROR_OUT_OF_MEMORY)
		return CL_MEM_OBJECT_ALLOCATION_FAILURE;
	if (gpu_error_find(cu_result)->fate == GPU_FATE_LOST)
		return gpu_check_result(device, cu_result, call, __FILE__, __LINE__);
	return CL_INVALID_PROPERTY;
}

static cl_int import_fd(struct gpu_device *device, int fd, uint64_t size_B,
			struct gpu_external *external)
{
	const CUresult cu_foreign = import_foreign(fd, size_B, external);
	if (cu_foreign == CUDA_SUCCESS)
		return CL_SUCCESS;
	memset(external, 0, sizeof(*external));
	const CUresult cu_own = import_own(device, fd, size_B, external);
	if (cu_own == CUDA_SUCCESS)
		return CL_SUCCESS;
	if (cu_foreign == CUDA_ERROR_OUT_OF_MEMORY)
		return CL_MEM_OBJECT_ALLOCATION_FAILURE;
	const cl_int error = gpu_external_refusal(device, cu_own, "cuMemImportFromShareableHandle");
	if (error == CL_INVALID_PROPERTY)
		log_info("memory of file descriptor %d cannot be imported: as memory of another API %s, "
			 "as CUDA's %s", fd, gpu_error_find(cu_foreign)->name,
			 gpu_error_find(cu_own)->name);
	return error;
}

static CUresult ipc_open(const CUipcMemHandle *cu_ipc, uint64_t size_B,
			 struct gpu_external *external)
{
	size_t there_B = 0;
	if (!gpu_external_can_ipc())
		return CUDA_ERROR_NOT_SUPPORTED;
	CUresult cu_result = cuda.cuIpcOpenMemHandle_v2(&external->cu_address, *cu_ipc,
							CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
	if (cu_result != CUDA_SUCCESS)
		return cu_result;
	external->kind = GPU_EXTERNAL_IPC_OPENED;
	cu_result = cuda.cuMemGetAddressRange_v2(NULL, &there_B, external->cu_address);
	if (cu_result == CUDA_SUCCESS && there_B < size_B)
		cu_result = CUDA_ERROR_INVALID_VALUE;
	if (cu_result != CUDA_SUCCESS)
		(void)cuda.cuIpcCloseMemHandle(external->cu_address);
	return cu_result;
}

static cl_int import_ipc(struct gpu_device *device, const unsigned char *ipc, uint64_t size_B,
			 struct gpu_external *external)
{
	CUipcMemHandle cu_ipc;
	memcpy(&cu_ipc, ipc, sizeof(cu_ipc));
	const CUresult cu_result = ipc_open(&cu_ipc, size_B, external);
	if (cu_result == CUDA_SUCCESS)
		return CL_SUCCESS;
	const cl_int error = gpu_external_refusal(device, cu_result, "cuIpcOpenMemHandle");
	if (error == CL_INVALID_PROPERTY)
		log_info("memory of a CUDA IPC handle cannot be imported: %s",
			 gpu_error_find(cu_result)->name);
	return error;
}

cl_int gpu_external_import(struct gpu_device *device, const struct gpu_handle *handle,
			   uint64_t size_B, struct gpu_external **external_out,
			   gpu_address *address_out)
{
	struct gpu_scope scope;
	struct gpu_external *external = calloc(1, sizeof(*external));
	if (!external)
		return CL_OUT_OF_HOST_MEMORY;
	cl_int error = gpu_enter_new(device, &scope);
	if (!error) {
		error = handle->type == GPU_HANDLE_FD
			      ? import_fd(device, handle->fd, size_B, external)
			      : import_ipc(device, handle->ipc, size_B, external);
		gpu_leave(&scope);
	}
	if (error) {
		free(external);
		return error;
	}
	*external_out = external;
	*address_out = external->cu_address;
	return CL_SUCCESS;
}

static void give_back(struct gpu_device *device, const struct gpu_external *external)
{
	switch (external->kind) {
	case GPU_EXTERNAL_FOREIGN:
		(void)gpu_check(device, cuda.cuMemFree_v2(external->cu_address));
		(void)gpu_check(device, cuda.cuDestroyExternalMemory(external->cu_external));
		break;
	case GPU_EXTERNAL_MAPPED:
		(void)gpu_check(device,
				cuda.cuMemUnmap(external->cu_address, external->mapped_B));
		(void)gpu_check(device,
				cuda.cuMemAddressFree(external->cu_address, external->mapped_B));
		(void)gpu_check(device, cuda.cuMemRelease(external->cu_memory));
		break;
	case GPU_EXTERNAL_IPC_OPENED:
		(void)gpu_check(device, cuda.cuIpcCloseMemHandle(external->cu_address));
		break;
	case GPU_EXTERNAL_IPC_OWN:
		(void)gpu_check(device, cuda.cuMemFree_v2(external->cu_address));
		break;
	}
}

static void external_free(struct gpu_device *device, void *object)
{
	struct gpu_external *external = object;
	struct gpu_scope scope;
	/* The memory of a lost device is freed with its context. */
	if (!gpu_enter(device, &scope)) {
		give_back(device, external);
		gpu_leave(&scope);
	}
	free(external);
}

void gpu_external_release(struct gpu_device *device, struct gpu_external *external,
			  struct gpu_event *const *after, uint32_t count)
{
	struct gpu_scope scope;
	if (!external)
		return;
	if (gpu_enter(device, &scope)) {
		const int before = cancel_hold();
		external_free(device, external);
		cancel_restore(before);
		return;
	}
	gpu_defer(device, external_free, external, after, count);
	gpu_leave(&scope);
}
