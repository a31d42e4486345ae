/* The structs of modules and functions, for the files that load and launch them.
 *
 * Thread-safe. */
#ifndef CULVERT_BACKEND_GPU_MODULE_H
#define CULVERT_BACKEND_GPU_MODULE_H

#include "backend/gpu_internal.h"

struct gpu_repeats;

struct gpu_module {
	struct gpu_device *device;
	CUmodule cu_module;
	struct lock lock;                /* guards functions */
	struct list functions;           /* gpu_function.link: those that were asked for */
};

struct gpu_function {
	struct list link;                /* in the module's functions */
	struct gpu_module *module;
	CUfunction cu_function;
	struct gpu_function_caps caps;   /* constant */
	atomic_bool opted_in;            /* its launches may have the most dynamic local memory */
	_Atomic uint64_t suggested;      /* gpu_function_suggest's last result, see there; 0: none */
	atomic_uint launches;            /* number of launches, until repeats is made */
	_Atomic(struct gpu_repeats *) repeats;   /* owned: CUDA graphs of it (gpu_repeat.h); NULL: not launched often */
	char name[];                     /* ends with NUL */
};

/* Loads image with the driver's JIT options; PTX ends with NUL.  The device's context is current.  *cu_result_out: the
 * driver's result, which is always set. */
cl_int gpu_module_open(struct gpu_device *device, const void *image, unsigned int count,
		       CUjit_option *names, void **values, CUresult *cu_result_out,
		       struct gpu_module **module_out);

/* If a launch needs more local memory than the static limit, the function's attribute for the most dynamic local memory
 * has to be set before.  It is set once, to the largest value: two threads that set it to what they need could
 * overwrite a larger value with a smaller one.  CL_OUT_OF_RESOURCES: the launch needs more than that. */
cl_int gpu_function_opt_in(struct gpu_function *function, uint32_t dynamic_local_B);
static inline cl_int gpu_function_allow(struct gpu_function *function, uint32_t dynamic_local_B)
{
	const struct gpu_caps *caps = &function->module->device->caps;
	/* The static local memory of a function is never above the static limit. */
	return !dynamic_local_B ||
	       function->caps.static_local_B + (uint64_t)dynamic_local_B <= caps->local_static_B
		       ? CL_SUCCESS : gpu_function_opt_in(function, dynamic_local_B);
}

#endif
