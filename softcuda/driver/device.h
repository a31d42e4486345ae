/* Devices: found by number, and what cuDeviceGetAttribute says of them. */
#ifndef CULVERT_SOFTCUDA_DRIVER_DEVICE_H
#define CULVERT_SOFTCUDA_DRIVER_DEVICE_H

#include "softcuda/driver/schedule.h"
#include "softcuda/exec/cuda.h"

struct soft_device;

/* CUDA_ERROR_INVALID_DEVICE where there is no such device. */
CUresult soft_device_find_locked(CUdevice cu_device, struct soft_device **device_out);
/* One number of the table that cuDeviceGetAttribute answers from. */
CUresult soft_device_attribute(const struct soft_device *device, CUdevice_attribute attribute,
			       int *value_out);

#endif
