/* A device (cl_device_id).  It is constant once it is there.  A root device lives as long as the process, and
 * clRetainDevice and clReleaseDevice do nothing with it (OpenCL 3.0 API, 4.2.1); a sub-device (sub_device.h) is
 * counted.  Thread-safe. */
#ifndef CULVERT_ICD_DEVICE_H
#define CULVERT_ICD_DEVICE_H

#include "backend/gpu.h"
#include "base/list.h"
#include "icd/object/object.h"

#include <stdint.h>

extern const struct object_type ocl_device_type;

struct _cl_device_id {
	struct object base;
	cl_platform_id platform;
	struct gpu_device *gpu;
	const struct gpu_caps *caps;
	uint32_t index;               /* position in the platform's list, of the root device */
	bool images;                  /* CL_DEVICE_IMAGE_SUPPORT: its limits are large enough for OpenCL's images */
	/* Of a sub-device; NULL or 0 otherwise. */
	struct list link;             /* in the list of them; guarded by its lock */
	cl_device_id parent;          /* a reference */
	struct gpu_share *share;      /* where its queues run */
	uint32_t share_first, share_units;   /* of the GPU's units */
	struct gpu_caps *own_caps;    /* owned: the GPU's, with its compute units */
	cl_device_partition_property *partition; /* owned, as given, with the final 0 */
	size_t partition_count;
};

/* The device that clGetDeviceIDs gives, of which it is, or is a part. */
static inline cl_device_id ocl_device_root(cl_device_id device)
{
	while (device->parent)
		device = device->parent;
	return device;
}

/* Sub-devices are listed while they live, since handles of devices are compared and never read. */
void ocl_device_enlist(cl_device_id sub_device);
bool ocl_device_is_listed(const void *handle);

void ocl_device_init(cl_device_id device, cl_platform_id platform, struct gpu_device *gpu,
		     uint32_t index);

/* CL_DEVICE_MAX_MEM_ALLOC_SIZE: the device's memory without a reserve for the driver. */
cl_ulong ocl_device_max_alloc_B(const struct _cl_device_id *device);
/* Bytes that all __constant arguments of a kernel may have; see docs/decisions.md. */
cl_ulong ocl_device_max_constant_B(const struct _cl_device_id *device);
/* Bytes of local memory that one work-group may have. */
static inline cl_ulong ocl_device_local_B(const struct _cl_device_id *device)
{
	const struct gpu_caps *caps = device->caps;
	return caps->local_optin_B > caps->local_static_B ? caps->local_optin_B
							  : caps->local_static_B;
}
/* Alignment of sub-buffers in bytes (CL_DEVICE_MEM_BASE_ADDR_ALIGN / 8): that of long16, the least that OpenCL
 * allows (3.0, 4.2). */
#define OCL_BUFFER_ALIGN_B 128u
/* CL_DEVICE_PRINTF_BUFFER_SIZE: the size of the records of all printf calls of a launch together. */
#define OCL_PRINTF_BUFFER_B ((size_t)1 << 20)
/* CL_DEVICE_PIPE_MAX_PACKET_SIZE: the implementation does not need this limit, but the query has to return one. */
#define OCL_PIPE_PACKET_MAX_B 65536u

/* CL_DEVICE_SVM_CAPABILITIES; and the USM capabilities that the query name asks for, a
 * cl_device_unified_shared_memory_capabilities_intel. */
cl_device_svm_capabilities ocl_svm_capabilities(const struct gpu_caps *caps);
cl_bitfield ocl_usm_capabilities(const struct gpu_caps *caps, cl_device_info name);

/* Whether a mask given to clGetDeviceIDs or clCreateContextFromType includes this device.  All devices are GPUs, and
 * the first one is the default device. */
bool ocl_device_matches(const struct _cl_device_id *device, cl_device_type type);
/* CL_INVALID_DEVICE_TYPE when the mask is 0, or has unknown bits and is not CL_DEVICE_TYPE_ALL, which may have been in
 * an int. */
cl_int ocl_device_type_check(cl_device_type type);

#endif
