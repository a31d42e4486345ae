#include "config.h"

#include "backend/gpu_internal.h"

#include "backend/gpu_module.h"

cl_int gpu_function_opt_in(struct gpu_function *function, uint32_t dynamic_local_B)
{
	struct gpu_device *device = function->module->device;
	uint64_t static_B = function->caps.static_local_B;
	if (static_B + dynamic_local_B > device->caps.local_optin_B)
		return CL_OUT_OF_RESOURCES;
	if (atomic_load_explicit(&function->opted_in, memory_order_acquire))
		return CL_SUCCESS;
	int most_B = (int)(device->caps.local_optin_B - static_B);
	struct gpu_scope scope;
	cl_int error = gpu_enter(device, &scope);
	if (error)
		return error;
	error = gpu_check(device, cuda.cuFuncSetAttribute(
		function->cu_function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most_B));
	gpu_leave(&scope);
	if (!error)
		atomic_store_explicit(&function->opted_in, true, memory_order_release);
	return error;
}

/* Each launch with a new global size calls this, mostly with the same dynamic local memory; so the last result is
 * kept, with the dynamic local memory in its upper half.  A result is never 0. */
cl_int gpu_function_suggest(struct gpu_function *function, uint32_t dynamic_local_B,
			    uint32_t *threads_out)
{
	struct gpu_device *device = function->module->device;
	const uint64_t last = atomic_load_explicit(&function->suggested, memory_order_relaxed);
	struct gpu_scope scope;
	int grid = 0, threads = 0;
	if (last && last >> 32 == dynamic_local_B) {
		*threads_out = (uint32_t)last;
		return CL_SUCCESS;
	}
	cl_int error = gpu_enter(device, &scope);
	if (error)
		return error;
	error = gpu_function_allow(function, dynamic_local_B);
	if (!error)
		error = gpu_check(device, cuda.cuOccupancyMaxPotentialBlockSize(
			&grid, &threads, function->cu_function, NULL, dynamic_local_B, 0));
	gpu_leave(&scope);
	if (!error && threads <= 0)
		error = CL_OUT_OF_RESOURCES;
	if (error)
		return error;
	atomic_store_explicit(&function->suggested, (uint64_t)dynamic_local_B << 32 | (uint32_t)threads,
			      memory_order_relaxed);
	*threads_out = (uint32_t)threads;
	return CL_SUCCESS;
}

cl_int gpu_function_resident(struct gpu_function *function, uint32_t threads,
			     uint32_t dynamic_local_B, uint64_t *groups_out)
{
	struct gpu_device *device = function->module->device;
	struct gpu_scope scope;
	int groups = 0;
	if (!device->caps.cooperative_launch) {
		*groups_out = 0;
		return CL_SUCCESS;
	}
	cl_int error = gpu_enter(device, &scope);
	if (error)
		return error;
	error = gpu_function_allow(function, dynamic_local_B);
	if (!error)
		error = gpu_check(device, cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(
			&groups, function->cu_function, (int)threads, dynamic_local_B));
	gpu_leave(&scope);
	if (!error)
		*groups_out = groups > 0 ? (uint64_t)groups : 0;
	return error;
}
