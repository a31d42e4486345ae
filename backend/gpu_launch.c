#include "config.h"

#include "backend/gpu_internal.h"

#include "backend/gpu_repeat.h"

/* Launches a kernel whose work-groups all run concurrently. */
static cl_int launch_cooperatively(struct gpu_stream *stream, const struct gpu_launch *launch)
{
	struct gpu_device *device = stream->device;
	const uint32_t *grid = launch->grid;
	const uint32_t *block = launch->block;
	struct gpu_scope scope;
	cl_int error = gpu_enter(device, &scope);
	if (error)
		return error;
	error = gpu_check(device, cuda.cuLaunchCooperativeKernel(
		launch->function->cu_function, grid[0], grid[1], grid[2], block[0], block[1],
		block[2], launch->dynamic_local_B, stream->cu_stream, launch->parameters));
	gpu_leave(&scope);
	return error;
}

cl_int gpu_launch(struct gpu_stream *stream, const struct gpu_launch *launch)
{
	if (launch->function->module->device != stream->device)
		return CL_INVALID_VALUE;
	cl_int error = gpu_function_allow(launch->function, launch->dynamic_local_B);
	if (!error)
		error = launch->cooperative      ? launch_cooperatively(stream, launch)
			: gpu_may_repeat(stream) ? gpu_repeat_launch(stream, launch)
						 : gpu_launch_plainly(stream, launch);
	if (!error)
		gpu_stream_count(stream);
	return error;
}
