#include "config.h"

#include "backend/gpu_internal.h"

#include "backend/gpu_repeat.h"

/* Above the static limit a function has to be told how much dynamic memory a
 * launch may ask for.  It is told the most there is, once: two threads that told
 * it their own needs could lower each other's. */
static cl_int opt_in(struct gpu_function *function, uint32_t dynamic_local_B)
{
	struct gpu_device *device = function->module->device;
	uint64_t static_B = function->caps.static_local_B;
	if (static_B + dynamic_local_B > device->caps.local_optin_B)
		return CL_OUT_OF_RESOURCES;
	if (atomic_load_explicit(&function->opted_in, memory_order_acquire))
		return CL_SUCCESS;
	int most_B = (int)(device->caps.local_optin_B - static_B);
	struct gpu_scope scope;
	cl_int err = gpu_enter(device, &scope);
	if (err)
		return err;
	err = gpu_check(device, cuda.cuFuncSetAttribute(
		function->cu_function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most_B));
	gpu_leave(&scope);
	if (!err)
		atomic_store_explicit(&function->opted_in, true, memory_order_release);
	return err;
}

static inline cl_int allow_dynamic(struct gpu_function *function, uint32_t dynamic_local_B)
{
	const struct gpu_caps *caps = &function->module->device->caps;
	/* What a function has of its own is never above that limit. */
	return !dynamic_local_B ||
	       function->caps.static_local_B + (uint64_t)dynamic_local_B <= caps->local_static_B
		       ? CL_SUCCESS : opt_in(function, dynamic_local_B);
}

cl_int gpu_function_suggest(struct gpu_function *function, uint32_t dynamic_local_B,
			    uint32_t *threads_out)
{
	struct gpu_device *device = function->module->device;
	struct gpu_scope scope;
	int grid = 0, threads = 0;
	cl_int err = gpu_enter(device, &scope);
	if (err)
		return err;
	err = allow_dynamic(function, dynamic_local_B);
	if (!err)
		err = gpu_check(device, cuda.cuOccupancyMaxPotentialBlockSize(
			&grid, &threads, function->cu_function, NULL, dynamic_local_B, 0));
	gpu_leave(&scope);
	if (!err && threads <= 0)
		err = CL_OUT_OF_RESOURCES;
	if (!err)
		*threads_out = (uint32_t)threads;
	return err;
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
	cl_int err = gpu_enter(device, &scope);
	if (err)
		return err;
	err = allow_dynamic(function, dynamic_local_B);
	if (!err)
		err = gpu_check(device, cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(
			&groups, function->cu_function, (int)threads, dynamic_local_B));
	gpu_leave(&scope);
	if (!err)
		*groups_out = groups > 0 ? (uint64_t)groups * device->caps.multiprocessors : 0;
	return err;
}

/* Into a graph, or with all work-groups at once. */
static cl_int launch_otherwise(struct gpu_stream *stream, const struct gpu_launch *launch)
{
	struct gpu_device *device = stream->device;
	const uint32_t *grid = launch->grid;
	const uint32_t *block = launch->block;
	struct gpu_scope scope;
	cl_int err = gpu_enter(device, &scope);
	if (err)
		return err;
	if (stream->graph)
		err = gpu_graph_add_launch(stream->graph, launch);
	else
		err = gpu_check(device, cuda.cuLaunchCooperativeKernel(
			launch->function->cu_function, grid[0], grid[1], grid[2], block[0],
			block[1], block[2], launch->dynamic_local_B, stream->cu_stream,
			launch->parameters));
	gpu_leave(&scope);
	return err;
}

cl_int gpu_launch(struct gpu_stream *stream, const struct gpu_launch *launch)
{
	if (launch->function->module->device != stream->device)
		return CL_INVALID_VALUE;
	cl_int err = allow_dynamic(launch->function, launch->dynamic_local_B);
	if (!err)
		err = stream->graph || launch->cooperative ? launch_otherwise(stream, launch)
		    : gpu_may_repeat(stream)		   ? gpu_repeat_launch(stream, launch)
							   : gpu_launch_plainly(stream, launch);
	if (!err)
		gpu_stream_count(stream);
	return err;
}
