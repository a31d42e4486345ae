/* Launches that come again: the same function in the same stream, again and again.
 *
 * A driver that was measured (580, an H200) takes 3 to 4 us for cuLaunchKernel, and 1.6 to 1.9 us to
 * change the parameters of a graph of one node and to launch that; the GPU begins sooner as well.  So
 * a function has such a graph for each stream that it is launched in often, where that proves
 * quicker.  Thread-safe. */
#ifndef CULVERT_BACKEND_GPU_REPEAT_H
#define CULVERT_BACKEND_GPU_REPEAT_H

#include "backend/gpu_internal.h"

struct gpu_repeats;

/* The launch as cuLaunchKernel makes it (gpu_launch.c). */
cl_int gpu_launch_kernel(struct gpu_stream *stream, const struct gpu_launch *launch);
/* What a graph's node is told of a launch (gpu_graph.c). */
CUDA_KERNEL_NODE_PARAMS_v2 gpu_launch_node(const struct gpu_launch *launch);

/* As CULVERT_LAUNCH says. */
enum gpu_way gpu_way_first(const struct gpu_caps *caps);

/* Whether gpu_repeat_launch is for launches in stream. */
static inline bool gpu_may_repeat(const struct gpu_stream *stream)
{
	return stream->device->way != GPU_WAY_KERNEL &&
	       !atomic_load_explicit(&stream->foreign, memory_order_relaxed) &&
	       !atomic_load_explicit(&stream->timed, memory_order_relaxed);
}

/* In stream, which is no recorder; not cooperative.  By a graph or otherwise. */
cl_int gpu_repeat_launch(struct gpu_stream *stream, const struct gpu_launch *launch);

/* The graphs of a function of device, whose launches are all complete; NULL is fine.  The
 * device's context is current, or the device is lost: is_lost. */
void gpu_repeats_destroy(struct gpu_device *device, struct gpu_repeats *repeats, bool is_lost);

#endif
