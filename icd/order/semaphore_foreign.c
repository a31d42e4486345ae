#include "config.h"

#include "icd/order/semaphore_foreign.h"

#include <stdlib.h>

cl_int ocl_foreign_use(cl_uint count, const cl_semaphore_khr *semaphores,
		       struct ocl_foreign_use **use_out)
{
	cl_uint foreign = 0;
	*use_out = NULL;
	for (cl_uint i = 0; i < count; i++)
		foreign += semaphores[i]->foreign != NULL;
	if (!foreign)
		return CL_SUCCESS;
	struct ocl_foreign_use *use =
		malloc(sizeof(*use) + foreign * sizeof(use->semaphores[0]));
	if (!use)
		return CL_OUT_OF_HOST_MEMORY;
	atomic_init(&use->refs, 1);
	use->count = 0;
	for (cl_uint i = 0; i < count; i++) {
		if (!semaphores[i]->foreign)
			continue;
		object_ref(semaphores[i]);
		use->semaphores[use->count++] = semaphores[i];
	}
	*use_out = use;
	return CL_SUCCESS;
}

void ocl_foreign_unref(struct ocl_foreign_use *use)
{
	if (!use || atomic_fetch_sub_explicit(&use->refs, 1, memory_order_acq_rel) != 1)
		return;
	for (cl_uint i = 0; i < use->count; i++)
		object_unref(use->semaphores[i]);
	free(use);
}

/* --- the commands ---------------------------------------------------------------------------- */

static cl_int use_run(const struct ocl_command *command, struct gpu_stream *stream,
		      cl_int (*put)(struct gpu_stream *, struct gpu_semaphore *))
{
	const struct ocl_foreign_use *use = command->u.foreign;
	cl_int error = CL_SUCCESS;
	for (cl_uint i = 0; i < use->count && !error; i++) {
		error = ocl_stream_set_add(&use->semaphores[i]->streams, stream);
		if (!error)
			error = put(stream, use->semaphores[i]->foreign);
	}
	return error;
}

static cl_int signal_run(struct ocl_command *command, struct gpu_stream *stream)
{
	return use_run(command, stream, gpu_semaphore_signal);
}

static cl_int wait_run(struct ocl_command *command, struct gpu_stream *stream)
{
	return use_run(command, stream, gpu_semaphore_wait);
}

static void use_retain(struct ocl_command *command)
{
	atomic_fetch_add_explicit(&command->u.foreign->refs, 1, memory_order_relaxed);
}

static void use_release(struct ocl_command *command)
{
	ocl_foreign_unref(command->u.foreign);
}

const struct ocl_command_kind ocl_command_foreign_signal = {
	.run = signal_run, .retain = use_retain, .release = use_release,
};
const struct ocl_command_kind ocl_command_foreign_wait = {
	.run = wait_run, .retain = use_retain, .release = use_release,
};
