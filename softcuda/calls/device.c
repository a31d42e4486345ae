/* The calls of devices: how many, which, and what they can do. */
#include "config.h"

#include "softcuda/calls/door.h"
#include "softcuda/driver/device.h"
#include "softcuda/driver/machine.h"
#include "softcuda/driver/sched.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/exec/exec.h"

#include <stdio.h>
#include <string.h>

static CUresult get_locked(CUdevice *cu_device_out, int ordinal)
{
	struct soft_device *device;
	if (!cu_device_out)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_device_find_locked(ordinal, &device);
	if (result == CUDA_SUCCESS)
		*cu_device_out = ordinal;
	return result;
}

CUresult cuDeviceGet(CUdevice *cu_device_out, int ordinal)
{
	SOFT_CALL(SOFT_NEED_INIT, get_locked(cu_device_out, ordinal));
}

static CUresult count_locked(int *count_out)
{
	if (!count_out)
		return CUDA_ERROR_INVALID_VALUE;
	*count_out = (int)soft_driver.device_count;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count_out)
{
	SOFT_CALL(SOFT_NEED_INIT, count_locked(count_out));
}

static CUresult name_locked(char *name, int size_B, CUdevice cu_device)
{
	struct soft_device *device;
	if (!name || size_B <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_device_find_locked(cu_device, &device);
	if (result == CUDA_SUCCESS)
		snprintf(name, (size_t)size_B, "softcuda sm_%u (software)", device->sm);
	return result;
}

CUresult cuDeviceGetName(char *name, int size_B, CUdevice cu_device)
{
	SOFT_CALL(SOFT_NEED_INIT, name_locked(name, size_B, cu_device));
}

/* The UUID depends only on the device's index, so it is the same in every process; of_instance: that of the instance of
 * MIG, where the device is one. */
static CUresult uuid_locked(CUuuid *uuid_out, CUdevice cu_device, bool of_instance)
{
	static const char start[] = "culvert-softcuda";
	struct soft_device *device;
	if (!uuid_out)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_device_find_locked(cu_device, &device);
	if (result != CUDA_SUCCESS)
		return result;
	memcpy(uuid_out->bytes, start, sizeof(uuid_out->bytes));
	uuid_out->bytes[15] = (char)device->index;
	if (of_instance && soft_sharing() == SOFT_SHARING_INSTANCE)
		memcpy(uuid_out->bytes, "MIG", strlen("MIG"));
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid_out, CUdevice cu_device)
{
	SOFT_CALL(SOFT_NEED_INIT, uuid_locked(uuid_out, cu_device, true));
}

/* Of the whole GPU, also where MIG divides it. */
CUresult cuDeviceGetUuid(CUuuid *uuid_out, CUdevice cu_device)
{
	SOFT_CALL(SOFT_NEED_INIT, uuid_locked(uuid_out, cu_device, false));
}

/* LUIDs are Windows' way to name a device. */
static CUresult luid_locked(CUdevice cu_device)
{
	struct soft_device *device;
	CUresult result = soft_device_find_locked(cu_device, &device);
	return result == CUDA_SUCCESS ? CUDA_ERROR_NOT_SUPPORTED : result;
}

CUresult cuDeviceGetLuid(char *luid, unsigned int *node_mask, CUdevice cu_device)
{
	(void)luid;
	(void)node_mask;
	SOFT_CALL(SOFT_NEED_INIT, luid_locked(cu_device));
}

static CUresult total_locked(size_t *size_B_out, CUdevice cu_device)
{
	struct soft_device *device;
	if (!size_B_out)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_device_find_locked(cu_device, &device);
	if (result == CUDA_SUCCESS)
		*size_B_out = device->memory_B;
	return result;
}

CUresult cuDeviceTotalMem_v2(size_t *size_B_out, CUdevice cu_device)
{
	SOFT_CALL(SOFT_NEED_INIT, total_locked(size_B_out, cu_device));
}

static CUresult attribute_locked(int *value_out, CUdevice_attribute attribute, CUdevice cu_device)
{
	struct soft_device *device;
	if (!value_out)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_device_find_locked(cu_device, &device);
	return result == CUDA_SUCCESS ? soft_device_attribute(device, attribute, value_out)
				      : result;
}

CUresult cuDeviceGetAttribute(int *value_out, CUdevice_attribute attribute, CUdevice cu_device)
{
	SOFT_CALL(SOFT_NEED_INIT, attribute_locked(value_out, attribute, cu_device));
}

static CUresult capability_locked(int *major_out, int *minor_out, CUdevice cu_device)
{
	struct soft_device *device;
	if (!major_out || !minor_out)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_device_find_locked(cu_device, &device);
	if (result != CUDA_SUCCESS)
		return result;
	*major_out = (int)device->sm / 10;
	*minor_out = (int)device->sm % 10;
	return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int *major_out, int *minor_out, CUdevice cu_device)
{
	SOFT_CALL(SOFT_NEED_INIT, capability_locked(major_out, minor_out, cu_device));
}

static CUresult properties_locked(CUdevprop *properties_out, CUdevice cu_device)
{
	struct soft_device *device;
	if (!properties_out)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_device_find_locked(cu_device, &device);
	if (result != CUDA_SUCCESS)
		return result;
	*properties_out = (CUdevprop){
		.maxThreadsPerBlock = SOFT_THREADS_PER_BLOCK,
		.maxThreadsDim = {1024, 1024, 64},
		.maxGridSize = {2147483647, 65535, 65535},
		.sharedMemPerBlock = SOFT_SHARED_STATIC_B,
		.totalConstantMemory = 65536,
		.SIMDWidth = SOFT_WARP,
		.memPitch = 2147483647,
		.regsPerBlock = SOFT_REGISTERS,
		.clockRate = 1000000,
		.textureAlign = 512,
	};
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetProperties(CUdevprop *properties_out, CUdevice cu_device)
{
	SOFT_CALL(SOFT_NEED_INIT, properties_locked(properties_out, cu_device));
}

/* --- PCI: bus index + 1 of domain 0, made up ---------- */

static CUresult bus_id_locked(char *text, int size_B, CUdevice cu_device)
{
	struct soft_device *device;
	if (!text || size_B <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_device_find_locked(cu_device, &device);
	if (result == CUDA_SUCCESS)
		snprintf(text, (size_t)size_B, "0000:%02X:00.0", device->index + 1);
	return result;
}

CUresult cuDeviceGetPCIBusId(char *text, int size_B, CUdevice cu_device)
{
	SOFT_CALL(SOFT_NEED_INIT, bus_id_locked(text, size_B, cu_device));
}

static CUresult by_bus_id_locked(CUdevice *cu_device_out, const char *text)
{
	if (!cu_device_out || !text)
		return CUDA_ERROR_INVALID_VALUE;
	unsigned domain = 0, bus, slot, function = 0;
	if (sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3) {
		domain = 0;
		if (sscanf(text, "%x:%x.%x", &bus, &slot, &function) < 2)
			return CUDA_ERROR_INVALID_VALUE;
	}
	if (domain || slot || function || !bus || bus > soft_driver.device_count)
		return CUDA_ERROR_INVALID_DEVICE;
	*cu_device_out = (CUdevice)(bus - 1);
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice *cu_device_out, const char *text)
{
	SOFT_CALL(SOFT_NEED_INIT, by_bus_id_locked(cu_device_out, text));
}

/* --- peers: every device reaches every other, or none does ---------- */

static CUresult peer_locked(int *can_out, CUdevice cu_device, CUdevice cu_peer)
{
	struct soft_device *device, *peer;
	if (!can_out)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_device_find_locked(cu_device, &device);
	if (result == CUDA_SUCCESS)
		result = soft_device_find_locked(cu_peer, &peer);
	if (result == CUDA_SUCCESS)
		*can_out = device != peer && soft_sched.peer != SOFT_PEER_OFF && soft_machine() != SOFT_MACHINE_WSL;
	return result;
}

CUresult cuDeviceCanAccessPeer(int *can_out, CUdevice cu_device, CUdevice cu_peer)
{
	SOFT_CALL(SOFT_NEED_INIT, peer_locked(can_out, cu_device, cu_peer));
}

static CUresult peer_attribute_locked(int *value_out, CUdevice_P2PAttribute attribute,
				      CUdevice cu_source, CUdevice cu_target)
{
	int can;
	if (!value_out)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = peer_locked(&can, cu_source, cu_target);
	if (result != CUDA_SUCCESS)
		return result;
	if (cu_source == cu_target)
		return CUDA_ERROR_INVALID_DEVICE;
	switch (attribute) {
	case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
	case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
		*value_out = 0;
		return CUDA_SUCCESS;
	case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
	case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
		*value_out = can;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult cuDeviceGetP2PAttribute(int *value_out, CUdevice_P2PAttribute attribute,
				 CUdevice cu_source, CUdevice cu_target)
{
	SOFT_CALL(SOFT_NEED_INIT,
		  peer_attribute_locked(value_out, attribute, cu_source, cu_target));
}

static CUresult affinity_locked(int *supported_out, CUdevice cu_device)
{
	struct soft_device *device;
	if (!supported_out)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_device_find_locked(cu_device, &device);
	if (result == CUDA_SUCCESS)
		*supported_out = 0;
	return result;
}

CUresult cuDeviceGetExecAffinitySupport(int *supported_out, CUexecAffinityType type,
					CUdevice cu_device)
{
	(void)type;
	SOFT_CALL(SOFT_NEED_INIT, affinity_locked(supported_out, cu_device));
}
