#include "config.h"

#include "backend/gpu_internal.h"

#include "base/cancel.h"
#include "base/log.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* There are two kinds of file descriptors: those of other APIs (Vulkan), and those of CUDA's
 * own memory (cuMemExportToShareableHandle).  Which one it is only the driver knows: the
 * calls for one are tried, then those for the other. */
struct gpu_external {
	CUdeviceptr cu_address;
	CUexternalMemory cu_external;    /* of another API; or */
	CUmemGenericAllocationHandle cu_memory;  /* CUDA's own, mapped at cu_address */
	size_t mapped_B;
};

static bool have_external(void)
{
	return cuda.cuImportExternalMemory && cuda.cuExternalMemoryGetMappedBuffer &&
	       cuda.cuDestroyExternalMemory;
}

static bool have_mapping(void)
{
	return cuda.cuMemImportFromShareableHandle && cuda.cuMemRelease && cuda.cuMemMap &&
	       cuda.cuMemUnmap && cuda.cuMemSetAccess && cuda.cuMemAddressReserve &&
	       cuda.cuMemAddressFree && cuda.cuMemGetAllocationGranularity;
}

static CUresult import_foreign(int fd, uint64_t size_B, struct gpu_external *external)
{
	CUDA_EXTERNAL_MEMORY_HANDLE_DESC handle;
	CUDA_EXTERNAL_MEMORY_BUFFER_DESC buffer;
	if (!have_external())
		return CUDA_ERROR_NOT_SUPPORTED;
	/* The driver's, once the import succeeds. */
	const int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (own < 0)
		return CUDA_ERROR_INVALID_VALUE;
	memset(&handle, 0, sizeof(handle));
	handle.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
	handle.handle.fd = own;
	handle.size = size_B;
	CUresult cu_result = cuda.cuImportExternalMemory(&external->cu_external, &handle);
	if (cu_result != CUDA_SUCCESS) {
		close(own);
		return cu_result;
	}
	memset(&buffer, 0, sizeof(buffer));
	buffer.size = size_B;
	cu_result = cuda.cuExternalMemoryGetMappedBuffer(&external->cu_address,
							 external->cu_external, &buffer);
	if (cu_result != CUDA_SUCCESS)
		(void)cuda.cuDestroyExternalMemory(external->cu_external);
	return cu_result;
}

static CUresult map(const struct gpu_device *device, struct gpu_external *external)
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

/* The driver keeps nothing of the descriptor itself. */
static CUresult import_own(const struct gpu_device *device, int fd, uint64_t size_B,
			   struct gpu_external *external)
{
	CUmemAllocationProp properties;
	size_t granularity_B = 0;
	if (!have_mapping())
		return CUDA_ERROR_NOT_SUPPORTED;
	memset(&properties, 0, sizeof(properties));
	properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
	properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
	properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	properties.location.id = device->cu_device;
	CUresult cu_result = cuda.cuMemGetAllocationGranularity(
		&granularity_B, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
	if (cu_result == CUDA_SUCCESS && (!granularity_B || size_B > SIZE_MAX - granularity_B))
		cu_result = CUDA_ERROR_INVALID_VALUE;
	if (cu_result == CUDA_SUCCESS)
		cu_result = cuda.cuMemImportFromShareableHandle(
			&external->cu_memory, (void *)(intptr_t)fd,
			CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
	if (cu_result != CUDA_SUCCESS)
		return cu_result;
	/* CUDA's memory is made in whole pieces. */
	external->mapped_B = (size_B + granularity_B - 1) / granularity_B * granularity_B;
	cu_result = map(device, external);
	if (cu_result != CUDA_SUCCESS)
		(void)cuda.cuMemRelease(external->cu_memory);
	return cu_result;
}

/* What the driver does not take is the application's mistake, whatever the driver calls it. */
static cl_int import_any(struct gpu_device *device, int fd, uint64_t size_B,
			 struct gpu_external *external)
{
	const CUresult cu_foreign = import_foreign(fd, size_B, external);
	if (cu_foreign == CUDA_SUCCESS)
		return CL_SUCCESS;
	memset(external, 0, sizeof(*external));
	const CUresult cu_own = import_own(device, fd, size_B, external);
	if (cu_own == CUDA_SUCCESS)
		return CL_SUCCESS;
	if (cu_foreign == CUDA_ERROR_OUT_OF_MEMORY || cu_own == CUDA_ERROR_OUT_OF_MEMORY)
		return CL_MEM_OBJECT_ALLOCATION_FAILURE;
	if (gpu_error_find(cu_own)->fate == GPU_FATE_LOST)
		return gpu_check_result(device, cu_own, "cuMemImportFromShareableHandle", __FILE__,
					__LINE__);
	log_info("memory of file descriptor %d cannot be imported: as memory of another API %s, "
		 "as CUDA's %s", fd, gpu_error_find(cu_foreign)->name,
		 gpu_error_find(cu_own)->name);
	return CL_INVALID_PROPERTY;
}

cl_int gpu_external_import(struct gpu_device *device, int fd, uint64_t size_B,
			   struct gpu_external **external_out, gpu_address *address_out)
{
	struct gpu_scope scope;
	struct gpu_external *external = calloc(1, sizeof(*external));
	if (!external)
		return CL_OUT_OF_HOST_MEMORY;
	cl_int err = gpu_enter_new(device, &scope);
	if (!err) {
		err = import_any(device, fd, size_B, external);
		gpu_leave(&scope);
	}
	if (err) {
		free(external);
		return err;
	}
	*external_out = external;
	*address_out = external->cu_address;
	return CL_SUCCESS;
}

static void external_free(struct gpu_device *device, void *object)
{
	struct gpu_external *external = object;
	struct gpu_scope scope;
	/* A lost device has nothing left to give back. */
	if (!gpu_enter(device, &scope)) {
		if (external->cu_external) {
			(void)gpu_check(device, cuda.cuMemFree_v2(external->cu_address));
			(void)gpu_check(device,
					cuda.cuDestroyExternalMemory(external->cu_external));
		} else {
			(void)gpu_check(device, cuda.cuMemUnmap(external->cu_address,
								external->mapped_B));
			(void)gpu_check(device, cuda.cuMemAddressFree(external->cu_address,
								      external->mapped_B));
			(void)gpu_check(device, cuda.cuMemRelease(external->cu_memory));
		}
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
