#include "config.h"

#include "icd/graph/command_remap.h"

#include "icd/graph/mutable_command.h"
#include "icd/order/queue.h"

#include <stdlib.h>
#include <string.h>

/* Whether all handles are of launches of buffer.  The caller has made it busy. */
static bool handles_are_good(const struct _cl_command_buffer_khr *buffer, const struct ocl_remap_handles *handles)
{
	for (cl_uint i = 0; i < handles->count; i++) {
		const struct _cl_mutable_command_khr *handle = handles->given[i];
		if (object_check(handle, &ocl_mutable_command_type) || handle->buffer != buffer)
			return false;
	}
	return true;
}

/* Copies a command that is not a launch. */
static cl_int command_copy(const struct ocl_command *command, cl_command_queue queue, struct ocl_command **copy_out)
{
	struct ocl_command *copy = ocl_recorded_copy(command);
	if (!copy)
		return CL_OUT_OF_HOST_MEMORY;
	object_ref(queue);
	object_unref(copy->queue);
	copy->queue = queue;
	*copy_out = copy;
	return CL_SUCCESS;
}

/* Copies what a command follows.  In an in-order queue it follows the command before it, whether the queue for which it
 * was recorded is in-order or not. */
static void after_copy(cl_command_buffer_khr copy, const struct ocl_recorded *from, struct ocl_recorded *recorded)
{
	const uint32_t last = copy->last[recorded->queue];
	memcpy(recorded->after, from->after, from->after_count * sizeof(*recorded->after));
	recorded->after_count = from->after_count;
	if (last && ocl_command_queue_is_in_order(copy->queues[recorded->queue]) &&
	    !ocl_recorded_follows(recorded, last - 1))
		recorded->after[recorded->after_count++] = last - 1;
}

/* Adds the copy of a command to a new buffer, which no other thread knows, and which has room for it. */
static cl_int recorded_add(cl_command_buffer_khr copy, const struct ocl_recorded *from)
{
	const cl_command_queue queue = copy->queues[from->queue];
	struct ocl_recorded recorded = {
		.queue = ocl_command_buffer_queue_index(copy, queue), .named_by = UINT32_MAX,
	};
	recorded.after = malloc(((size_t)from->after_count + 1) * sizeof(*recorded.after));
	cl_int error = recorded.after ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
	if (!error)
		error = from->handle ? ocl_mutable_remap(from->handle, copy, queue, &recorded.handle, &recorded.command)
				     : command_copy(from->command, queue, &recorded.command);
	if (error) {
		free(recorded.after);
		return error;
	}
	after_copy(copy, from, &recorded);
	copy->commands[copy->count++] = recorded;
	copy->last[recorded.queue] = copy->count;
	return CL_SUCCESS;
}

/* from: the commands of buffer, which another thread may add to while it is recorded. */
static cl_int commands_copy(cl_command_buffer_khr copy, const struct ocl_recorded *from, uint32_t count)
{
	cl_int error = CL_SUCCESS;
	copy->commands = malloc(((size_t)count + 1) * sizeof(*copy->commands));
	if (!copy->commands)
		return CL_OUT_OF_HOST_MEMORY;
	copy->capacity = count + 1;
	for (uint32_t i = 0; i < count && !error; i++)
		error = recorded_add(copy, &from[i]);
	return error;
}

static cl_int remap(cl_command_buffer_khr buffer, const struct ocl_command_snapshot *snapshot,
		    const cl_command_queue *queues, const struct ocl_remap_handles *handles,
		    cl_command_buffer_khr *copy_out)
{
	cl_command_buffer_khr copy;
	if (!handles_are_good(buffer, handles))
		return CL_INVALID_VALUE;
	cl_int error = ocl_command_buffer_create(buffer->queue_count, queues, buffer->properties, buffer->flags,
						 buffer->keeps_groups, &copy);
	if (error)
		return error;
	copy->barrier = snapshot->barrier;
	error = commands_copy(copy, snapshot->commands, snapshot->count);
	if (!error && snapshot->state != OCL_RECORDING)
		error = ocl_command_buffer_finalize(copy);
	if (error) {
		object_unref(copy);
		return error;
	}
	for (cl_uint i = 0; i < handles->count; i++)
		handles->copies[i] = copy->commands[handles->given[i]->position].handle;
	*copy_out = copy;
	return CL_SUCCESS;
}

cl_int ocl_command_buffer_remap(cl_command_buffer_khr buffer, const cl_command_queue *queues,
				const struct ocl_remap_handles *handles, cl_command_buffer_khr *buffer_out)
{
	struct ocl_command_snapshot snapshot;
	cl_int error = ocl_command_buffer_snapshot_begin(buffer, &snapshot);
	if (error)
		return error;
	error = remap(buffer, &snapshot, queues, handles, buffer_out);
	ocl_command_buffer_snapshot_end(buffer, &snapshot);
	return error;
}
