/* Modules and functions from the inside: for gpu_module.c and gpu_launch.c. */
#ifndef CULVERT_BACKEND_GPU_MODULE_H
#define CULVERT_BACKEND_GPU_MODULE_H

#include "backend/gpu_internal.h"

struct gpu_module {
	struct gpu_device *device;
	CUmodule cu_module;
	struct lock lock;
	struct list functions;           /* gpu_function.link; guarded by lock */
};

struct gpu_function {
	struct list link;                /* in the module's functions */
	struct gpu_module *module;
	CUfunction cu_function;
	struct gpu_function_caps caps;   /* immutable */
	atomic_bool opted_in;            /* to all the dynamic local memory there is */
	char name[];
};

#endif
