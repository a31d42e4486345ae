/* For tests of what crosses processes: CUDA's calls beside OpenCL's, by the driver that OpenCL has
 * found, and memory that both may have. */
#ifndef CULVERT_TESTS_API_CUDA_SHARED_H
#define CULVERT_TESTS_API_CUDA_SHARED_H

#include "tests/api/api_test.h"
#include "tests/api/cuda_library.h"

#include <cuda.h>
#include <dlfcn.h>
#include <string.h>

#define CUDA_CALLS(CALL)                                                                  \
	CALL(cuInit, (unsigned))                                                                  \
	CALL(cuDeviceGetAttribute, (int *, CUdevice_attribute, CUdevice))                         \
	CALL(cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice))                                   \
	CALL(cuCtxSetCurrent, (CUcontext))                                                        \
	CALL(cuCtxSynchronize, (void))                                                            \
	CALL(cuMemGetAllocationGranularity,                                                       \
	     (size_t *, const CUmemAllocationProp *, CUmemAllocationGranularity_flags))           \
	CALL(cuMemCreate, (CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *,   \
			   unsigned long long))                                                   \
	CALL(cuMemExportToShareableHandle, (void *, CUmemGenericAllocationHandle,                 \
					    CUmemAllocationHandleType, unsigned long long))       \
	CALL(cuMemAddressReserve, (CUdeviceptr *, size_t, size_t, CUdeviceptr,                    \
				   unsigned long long))                                           \
	CALL(cuMemMap, (CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle,                \
			unsigned long long))                                                      \
	CALL(cuMemSetAccess, (CUdeviceptr, size_t, const CUmemAccessDesc *, size_t))              \
	CALL(cuMemUnmap, (CUdeviceptr, size_t))                                                   \
	CALL(cuMemAddressFree, (CUdeviceptr, size_t))                                             \
	CALL(cuMemRelease, (CUmemGenericAllocationHandle))                                        \
	CALL(cuMemsetD32_v2, (CUdeviceptr, unsigned, size_t))                                     \
	CALL(cuMemcpyDtoH_v2, (void *, CUdeviceptr, size_t))

static struct {
#define CALL(name, parameters) CUresult(*name) parameters;
	CUDA_CALLS(CALL)
#undef CALL
} cu;

static bool cuda_is_software;

#define CU_OK(call) CHECK((call) == CUDA_SUCCESS)

/* The driver is there once a device was found. */
static inline bool cuda_find(void)
{
	void *library = cuda_library(&cuda_is_software);
	if (!library)
		return false;
#define CALL(name, parameters)                                                                    \
	*(void **)&cu.name = dlsym(library, #name);                                               \
	if (!cu.name)                                                                             \
		return false;
	CUDA_CALLS(CALL)
#undef CALL
	return true;
}

/* Memory of device 0 that other processes may have. */
struct cuda_shared {
	CUmemGenericAllocationHandle handle;
	CUdeviceptr address;
	size_t size_B;
};

static inline struct cuda_shared cuda_shared_make(size_t size_B)
{
	struct cuda_shared shared = {0};
	CUmemAllocationProp properties;
	CUmemAccessDesc access;
	size_t granularity_B = 1;
	memset(&properties, 0, sizeof(properties));
	memset(&access, 0, sizeof(access));
	properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
	properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
	properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	access.location = properties.location;
	access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	CU_OK(cu.cuMemGetAllocationGranularity(&granularity_B, &properties,
					       CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	shared.size_B = (size_B + granularity_B - 1) / granularity_B * granularity_B;
	CU_OK(cu.cuMemCreate(&shared.handle, shared.size_B, &properties, 0));
	CU_OK(cu.cuMemAddressReserve(&shared.address, shared.size_B, 0, 0, 0));
	CU_OK(cu.cuMemMap(shared.address, shared.size_B, 0, shared.handle, 0));
	CU_OK(cu.cuMemSetAccess(shared.address, shared.size_B, &access, 1));
	return shared;
}

/* A descriptor of the caller's; -1 after a failure. */
static inline int cuda_shared_export(const struct cuda_shared *shared)
{
	int fd = -1;
	CU_OK(cu.cuMemExportToShareableHandle(&fd, shared->handle,
					      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	return fd;
}

static inline void cuda_shared_release(const struct cuda_shared *shared)
{
	CU_OK(cu.cuMemUnmap(shared->address, shared->size_B));
	CU_OK(cu.cuMemAddressFree(shared->address, shared->size_B));
	CU_OK(cu.cuMemRelease(shared->handle));
}

/* false: the driver does not share memory. */
static inline bool cuda_use(void)
{
	CUcontext context;
	int shares = 0;
	if (!cuda_find())
		return false;
	CU_OK(cu.cuInit(0));
	CU_OK(cu.cuDeviceGetAttribute(
		&shares, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 0));
	CU_OK(cu.cuDevicePrimaryCtxRetain(&context, 0));
	CU_OK(cu.cuCtxSetCurrent(context));
	return shares;
}

#endif
