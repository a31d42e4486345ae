/* Modules and functions from the inside: for gpu_module.c and gpu_launch.c. */
#ifndef CULVERT_BACKEND_GPU_MODULE_H
#define CULVERT_BACKEND_GPU_MODULE_H

#include "backend/gpu_internal.h"

struct gpu_repeats;

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
	atomic_uint launches;            /* until there are repeats */
	_Atomic(struct gpu_repeats *) repeats;   /* owned; NULL: not launched often */
	char name[];
};

/* Loads image (text ends in a NUL) with the driver's own options, in the current
 * context, which is device's.  cu_result_out tells what the driver said, also when the
 * code is not CL_SUCCESS. */
cl_int gpu_module_open(struct gpu_device *device, const void *image, unsigned int count,
		       CUjit_option *names, void **values, CUresult *cu_result_out,
		       struct gpu_module **module_out);

/* Above the static limit a function has to be told how much dynamic local memory a launch may ask for.  It is
 * told the most there is, once: two threads that told it their own needs could lower each other's.
 * CL_OUT_OF_RESOURCES: it is more than that. */
cl_int gpu_function_opt_in(struct gpu_function *function, uint32_t dynamic_local_B);
static inline cl_int gpu_function_allow(struct gpu_function *function, uint32_t dynamic_local_B)
{
	const struct gpu_caps *caps = &function->module->device->caps;
	/* What a function has of its own is never above that limit. */
	return !dynamic_local_B ||
	       function->caps.static_local_B + (uint64_t)dynamic_local_B <= caps->local_static_B
		       ? CL_SUCCESS : gpu_function_opt_in(function, dynamic_local_B);
}

#endif
