/* The platform: one, always there, alive as long as the process.
 *
 * Its devices are found at the first question about them and not before, so that
 * a process that only walks past us to another platform never starts CUDA (which
 * would break its later fork).  Thread-safe. */
#ifndef CULVERT_ICD_PLATFORM_H
#define CULVERT_ICD_PLATFORM_H

#include "icd/object/device.h"
#include "icd/object/info.h"
#include "icd/object/object.h"

extern const struct object_type ocl_platform_type;

struct _cl_platform_id {
	struct object base;
};

/* Never NULL. */
cl_platform_id ocl_platform(void);

/* CL_INVALID_PLATFORM unless it is ours: compared, and never read. */
cl_int ocl_platform_check(const void *platform);

/* The devices in the driver's order: the room's own array, fixed once made; none
 * when there is no driver or no device, which is CL_SUCCESS. */
cl_int ocl_platform_devices(const cl_device_id **devices_out, cl_uint *count_out);

/* CL_INVALID_DEVICE unless it is one of the platform's devices.  Those are known, so that a value that
 * is no handle at all is compared and never read. */
cl_int ocl_device_check(const void *device);
/* Checks a list of handles: CL_INVALID_DEVICE at the first one that is no device. */
cl_int ocl_devices_check(const cl_device_id *devices, cl_uint count);

/* The dispatch table of the platform and of every object made from now on.  Called once, before the
 * platform is handed out or any other call can be made. */
void ocl_platform_set_dispatch(const cl_icd_dispatch *dispatch);

/* cl_khr_icd 2.0: for the platform and every object made from now on. */
void ocl_platform_set_dispatch_data(void *dispatch_data);

cl_int ocl_platform_info(cl_platform_info name, const struct info_out *out);

#endif
