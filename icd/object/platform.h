/* The platform.  There is one, which lives as long as the process.
 *
 * Its devices are found when the application first asks for them and not before, so that a process which only uses
 * another platform never starts CUDA, which does not work in a child after a fork.  Thread-safe. */
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

/* CL_INVALID_PLATFORM unless it is this platform.  The pointer is only compared, so it may be any value. */
cl_int ocl_platform_check(const void *platform);

/* The devices, in the CUDA driver's order.  The array is constant and lives as long as the process.  Without a driver
 * or a device the count is 0 and CL_SUCCESS is returned. */
cl_int ocl_platform_devices(const cl_device_id **devices_out, cl_uint *count_out);

/* CL_INVALID_DEVICE unless it is one of the platform's devices.  The pointer is only compared, so it may be any
 * value. */
cl_int ocl_device_check(const void *device);
/* CL_INVALID_DEVICE unless all handles of a list are devices. */
cl_int ocl_devices_check(const cl_device_id *devices, cl_uint count);

/* Sets the dispatch table of the platform and of every object made from now on.  Called once, before the platform is
 * returned to the application. */
void ocl_platform_set_dispatch(const cl_icd_dispatch *dispatch);

/* cl_khr_icd 2.0: sets the loader's data of the platform and of every object made from now on. */
void ocl_platform_set_dispatch_data(void *dispatch_data);

cl_int ocl_platform_info(cl_platform_info name, const struct info_out *out);

#endif
