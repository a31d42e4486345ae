/* Repeated launches of a function in a stream.
 *
 * cuLaunchKernel takes 3 to 4 us on the host (driver 580, an H200); to change the parameters of a CUDA graph with one
 * node and launch that takes 1.6 to 1.9 us, and the GPU starts the kernel earlier.  Therefore a function gets such a
 * graph for each stream in which it is launched often, if that proves to be faster on this system.  Thread-safe. */
#ifndef CULVERT_BACKEND_GPU_REPEAT_H
#define CULVERT_BACKEND_GPU_REPEAT_H

#include "backend/gpu_internal.h"
#include "backend/gpu_module.h"

struct gpu_repeats;

/* A launch by cuLaunchKernel. */
static inline cl_int gpu_launch_plainly(struct gpu_stream *stream, const struct gpu_launch *launch)
{
	struct gpu_device *device = stream->device;
	const uint32_t *grid = launch->grid;
	const uint32_t *block = launch->block;
	struct gpu_scope scope;
	CUresult cu_result;
	cl_int error = gpu_scope_by_handle(device, &scope);
	if (error)
		return error;
	do
		cu_result = cuda.cuLaunchKernel(
			launch->function->cu_function, grid[0], grid[1], grid[2], block[0],
			block[1], block[2], launch->dynamic_local_B, stream->cu_stream,
			launch->parameters, NULL);
	while (cu_result && gpu_wants_current(device, cu_result, &scope));
	gpu_leave(&scope);
	return gpu_check_result(device, cu_result, "cuLaunchKernel", __FILE__, __LINE__);
}

/* The parameters of a graph's node for a launch (gpu_graph.c). */
CUDA_KERNEL_NODE_PARAMS_v2 gpu_launch_node(const struct gpu_launch *launch);

/* The way that CULVERT_LAUNCH sets, and the name that it has for each way. */
enum gpu_way gpu_way_first(const struct gpu_caps *caps);
const char *gpu_way_name(enum gpu_way way);

/* Whether launches in stream go through gpu_repeat_launch: not those of a share, which a node of a graph would have to
 * name. */
static inline bool gpu_may_repeat(const struct gpu_stream *stream)
{
	return stream->device->way != GPU_WAY_KERNEL && !stream->share &&
	       !atomic_load_explicit(&stream->foreign, memory_order_relaxed) &&
	       !atomic_load_explicit(&stream->timed, memory_order_relaxed);
}

/* Launches by a graph or by cuLaunchKernel, whichever is faster.  Not for cooperative launches. */
cl_int gpu_repeat_launch(struct gpu_stream *stream, const struct gpu_launch *launch);

/* Destroys the graphs of a function of device, whose launches are all complete; NULL is fine.  The device's context is
 * current, or is_lost is set because the device is lost. */
void gpu_repeats_destroy(struct gpu_device *device, struct gpu_repeats *repeats, bool is_lost);

#endif
