/* Launches that come again: the same function in the same stream, again and again.
 *
 * A driver that was measured (580, an H200) takes 3 to 4 us for cuLaunchKernel, and 1.6 to 1.9 us to
 * change the parameters of a graph of one node and to launch that; the GPU begins sooner as well.  So
 * a function has such a graph for each stream that it is launched in often, where that proves
 * quicker.  Thread-safe. */
#ifndef CULVERT_BACKEND_GPU_REPEAT_H
#define CULVERT_BACKEND_GPU_REPEAT_H

#include "backend/gpu_internal.h"
#include "backend/gpu_module.h"

struct gpu_repeats;

/* The launch as cuLaunchKernel makes it. */
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

/* What a graph's node is told of a launch (gpu_graph.c). */
CUDA_KERNEL_NODE_PARAMS_v2 gpu_launch_node(const struct gpu_launch *launch);

/* As CULVERT_LAUNCH says; and what it calls each way. */
enum gpu_way gpu_way_first(const struct gpu_caps *caps);
const char *gpu_way_name(enum gpu_way way);

/* Whether gpu_repeat_launch is for launches in stream. */
static inline bool gpu_may_repeat(const struct gpu_stream *stream)
{
	return stream->device->way != GPU_WAY_KERNEL &&
	       !atomic_load_explicit(&stream->foreign, memory_order_relaxed) &&
	       !atomic_load_explicit(&stream->timed, memory_order_relaxed);
}

/* Not cooperative.  By a graph or otherwise. */
cl_int gpu_repeat_launch(struct gpu_stream *stream, const struct gpu_launch *launch);

/* The graphs of a function of device, whose launches are all complete; NULL is fine.  The
 * device's context is current, or the device is lost: is_lost. */
void gpu_repeats_destroy(struct gpu_device *device, struct gpu_repeats *repeats, bool is_lost);

#endif
