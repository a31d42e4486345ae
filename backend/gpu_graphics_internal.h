/* The struct of registered objects, for gpu_graphics.c and gpu_egl.c.  Thread-safe: constant. */
#ifndef CULVERT_BACKEND_GPU_GRAPHICS_INTERNAL_H
#define CULVERT_BACKEND_GPU_GRAPHICS_INTERNAL_H

#include "backend/gpu_graphics.h"
#include "backend/gpu_image_internal.h"

struct gpu_graphics {
	struct gpu_device *device;
	CUgraphicsResource cu_resource;
};

/* The error of a call that uses an object: what the driver refuses is the application's error, refusal, unless memory
 * is short or the device is lost. */
cl_int gpu_graphics_check(struct gpu_device *device, CUresult cu_result, const char *call, cl_int refusal);

#endif
