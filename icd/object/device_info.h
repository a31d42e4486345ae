/* clGetDeviceInfo.  The values describe the device as it is, and are the same in each run.
 * Thread-safe. */
#ifndef CULVERT_ICD_DEVICE_INFO_H
#define CULVERT_ICD_DEVICE_INFO_H

#include "icd/object/device.h"
#include "icd/object/info.h"

cl_int ocl_device_info(cl_device_id device, cl_device_info name, const struct info_out *out);

#endif
