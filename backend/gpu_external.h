/* What gpu_external.c, gpu_external_image.c and gpu_export.c share: device memory that is shared with other processes
 * or APIs.
 *
 * The device's context is current in all calls.  Thread-safe: pure functions. */
#ifndef CULVERT_BACKEND_GPU_EXTERNAL_H
#define CULVERT_BACKEND_GPU_EXTERNAL_H

#include "backend/gpu_internal.h"

enum gpu_external_kind {
	GPU_EXTERNAL_FOREIGN,            /* of another API: cu_external, mapped at cu_address */
	GPU_EXTERNAL_MAPPED,             /* cu_memory, created here or by another process, mapped at cu_address */
	GPU_EXTERNAL_IPC_OPENED,         /* of another process: opened by its CUDA IPC handle */
	GPU_EXTERNAL_IPC_OWN             /* created here, with a CUDA IPC handle */
};

struct gpu_external {
	enum gpu_external_kind kind;
	CUdeviceptr cu_address;
	CUexternalMemory cu_external;
	CUmemGenericAllocationHandle cu_memory;
	size_t mapped_B;                 /* size of cu_memory */
	enum gpu_handle_type exported;   /* of GPU_EXTERNAL_MAPPED that was created here */
	CUipcMemHandle cu_ipc;           /* of GPU_EXTERNAL_IPC_OWN */
};

/* Whether the driver has all functions that are needed to import memory as cu_memory, to import it by CUDA IPC, and to
 * export it in both ways. */
static inline bool gpu_external_can_map(void)
{
	return cuda.cuMemImportFromShareableHandle && cuda.cuMemRelease && cuda.cuMemMap &&
	       cuda.cuMemUnmap && cuda.cuMemSetAccess && cuda.cuMemAddressReserve &&
	       cuda.cuMemAddressFree && cuda.cuMemGetAllocationGranularity;
}

static inline bool gpu_external_can_ipc(void)
{
	return cuda.cuIpcOpenMemHandle_v2 && cuda.cuIpcCloseMemHandle &&
	       cuda.cuMemGetAddressRange_v2;
}

static inline bool gpu_external_can_export(void)
{
	return gpu_external_can_map() && gpu_external_can_ipc() && cuda.cuMemCreate &&
	       cuda.cuMemExportToShareableHandle && cuda.cuIpcGetMemHandle;
}

/* Imports the allocation of another API.  flags: CUDA_EXTERNAL_MEMORY_DEDICATED or 0.  The file descriptor stays the
 * caller's. */
CUresult gpu_external_import_foreign(int fd, uint64_t size_B, unsigned flags,
				     CUexternalMemory *cu_external_out);
/* The error of an import that the driver refused, which is the application's error, whatever the driver's is:
 * CL_INVALID_PROPERTY, unless memory was short or the device was lost. */
cl_int gpu_external_refusal(struct gpu_device *device, CUresult cu_result, const char *call);

/* The properties of memory that cuMemCreate allocates on the device; *mapped_B_out: size_B rounded up to the
 * granularity of such memory. */
CUresult gpu_external_properties(const struct gpu_device *device, uint64_t size_B,
				 CUmemAllocationProp *properties_out, size_t *mapped_B_out);
/* Reserves addresses and maps cu_memory, whose size is mapped_B, at cu_address. */
CUresult gpu_external_map(const struct gpu_device *device, struct gpu_external *external);

#endif
