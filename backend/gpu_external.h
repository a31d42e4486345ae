/* What gpu_external.c and gpu_export.c share: device memory that other processes or APIs have, too.
 *
 * The device's context is current in all calls. */
#ifndef CULVERT_BACKEND_GPU_EXTERNAL_H
#define CULVERT_BACKEND_GPU_EXTERNAL_H

#include "backend/gpu_internal.h"

enum gpu_external_kind {
	GPU_EXTERNAL_FOREIGN,            /* another API's: cu_external, mapped at cu_address */
	GPU_EXTERNAL_MAPPED,             /* cu_memory, mapped at cu_address; ours or another's */
	GPU_EXTERNAL_IPC_OPENED,         /* another process's */
	GPU_EXTERNAL_IPC_OWN             /* ours */
};

struct gpu_external {
	enum gpu_external_kind kind;
	CUdeviceptr cu_address;
	CUexternalMemory cu_external;
	CUmemGenericAllocationHandle cu_memory;
	size_t mapped_B;                 /* of cu_memory */
	CUipcMemHandle cu_ipc;           /* of IPC_OWN */
};

/* Whether the driver has all calls to import as cu_memory, by CUDA IPC, and to export as either. */
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

/* What cuMemCreate makes, and cuMemImportFromShareableHandle takes, for the device; size_B
 * is rounded up to whole pieces in mapped_B_out. */
CUresult gpu_external_properties(const struct gpu_device *device, uint64_t size_B,
				 CUmemAllocationProp *properties_out, size_t *mapped_B_out);
/* Maps cu_memory, mapped_B of it, at cu_address. */
CUresult gpu_external_map(const struct gpu_device *device, struct gpu_external *external);

#endif
