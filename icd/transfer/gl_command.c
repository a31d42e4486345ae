/* The commands that acquire and release objects of OpenGL and EGL images: copies between those and the memory of
 * OpenCL's.
 *
 * CUDA uses the OpenGL context of the thread that submits the command.  Therefore the function that enqueues it waits
 * until it can submit it itself, unless that could take forever (ocl_queue_enqueue_here). */
#include "config.h"

#include "icd/memory/gl_object.h"
#include "icd/order/queue.h"

#include <stdlib.h>

/* The objects to copy: all that are acquired; of those that are released, the ones that were acquired.  What was never
 * acquired has no contents for OpenGL. */
static uint32_t sides_fill(const struct ocl_command *command, struct gpu_graphics_side *sides, bool release)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < command->access_count; i++) {
		const struct ocl_access *access = &command->accesses[i];
		if (!release || atomic_load(&access->mem->gl->acquired))
			sides[count++] = ocl_gl_side(access->mem, &access->at);
	}
	return count;
}

static cl_int copy(struct ocl_command *command, struct gpu_stream *stream, bool release)
{
	struct gpu_graphics_side *sides = calloc(command->access_count, sizeof(*sides));
	if (!sides)
		return CL_OUT_OF_HOST_MEMORY;
	const uint32_t count = sides_fill(command, sides, release);
	cl_int (*copy_sides)(struct gpu_stream *, const struct gpu_graphics_side *, uint32_t, bool) =
		command->accesses[0].mem->gl->egl ? gpu_egl_copy : gpu_graphics_copy;
	cl_int error = count ? copy_sides(stream, sides, count, release) : CL_SUCCESS;
	free(sides);
	for (uint32_t i = 0; i < command->access_count && !error; i++)
		atomic_store(&command->accesses[i].mem->gl->acquired, !release);
	return error;
}

static cl_int acquire_run(struct ocl_command *command, struct gpu_stream *stream)
{
	return copy(command, stream, false);
}

static cl_int release_run(struct ocl_command *command, struct gpu_stream *stream)
{
	return copy(command, stream, true);
}

/* OpenGL may call the application's debug callback, and the driver may wait for OpenGL. */
static enum ocl_delay gl_delay(const struct ocl_command *command)
{
	(void)command;
	return OCL_DELAY_SHORT;
}

/* A fence of EGL may have to be waited for. */
static enum ocl_delay egl_delay(const struct ocl_command *command)
{
	for (uint32_t i = 0; i < command->dependency_count; i++)
		if (ocl_event_is_linked(command->dependencies[i]))
			return OCL_DELAY_GPU;
	return OCL_DELAY_NONE;
}

const struct ocl_command_kind ocl_command_gl_acquire = {
	.run = acquire_run, .delay = gl_delay, .here = true,
};
const struct ocl_command_kind ocl_command_gl_release = {
	.run = release_run, .delay = gl_delay, .here = true,
};
/* CUDA uses EGL images in any thread. */
const struct ocl_command_kind ocl_command_egl_acquire = {.run = acquire_run, .delay = egl_delay};
const struct ocl_command_kind ocl_command_egl_release = {.run = release_run, .delay = egl_delay};
