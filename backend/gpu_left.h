/* How much of a device's memory is free.  Thread-safe. */
#ifndef CULVERT_BACKEND_GPU_LEFT_H
#define CULVERT_BACKEND_GPU_LEFT_H

#include "backend/gpu_internal.h"

/* The context of device is current. */
CUresult gpu_left(const struct gpu_device *device, uint64_t *left_B_out);

#endif
