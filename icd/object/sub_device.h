/* Sub-devices: shares of a GPU's compute units, on which their queues run (OpenCL 3.0 API, 4.3).
 *
 * The GPU is partitioned in the steps that it allows: units of several compute units each.  A sub-device has some of
 * its parent's units, and all else with it in common: memory, and the code that was built for it.  Thread-safe. */
#ifndef CULVERT_ICD_SUB_DEVICE_H
#define CULVERT_ICD_SUB_DEVICE_H

#include "icd/object/device.h"

/* How many sub-devices device can have at once; 0: it cannot be partitioned. */
cl_uint ocl_device_partitions_max(const struct _cl_device_id *device);

/* As clCreateSubDevices, whose errors it returns; parent is checked. */
cl_int ocl_sub_devices_create(cl_device_id parent, const cl_device_partition_property *properties,
			      cl_uint count, cl_device_id *devices_out, cl_uint *count_out);

#endif
