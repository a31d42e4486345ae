#include "config.h"

#include "icd/command_buffer.h"

#include "icd/queue.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(offsetof(struct _cl_command_buffer_khr, base) == 0,
	       "a handle starts with its object");

enum { OWN_ACCESSES = 16 };

/* --- birth and death -------------------------------------------------------------------- */

static cl_int properties_copy(struct _cl_command_buffer_khr *buffer,
			      const cl_command_buffer_properties_khr *list)
{
	size_t count = 0;
	if (!list)
		return CL_SUCCESS;
	while (list[count])
		count += 2;
	count++;
	buffer->properties = malloc(count * sizeof(*list));
	if (!buffer->properties)
		return CL_OUT_OF_HOST_MEMORY;
	memcpy(buffer->properties, list, count * sizeof(*list));
	buffer->property_count = count;
	return CL_SUCCESS;
}

cl_int ocl_command_buffer_create(cl_command_queue queue,
				 const cl_command_buffer_properties_khr *properties,
				 cl_command_buffer_khr *buffer_out)
{
	struct _cl_command_buffer_khr *buffer = calloc(1, sizeof(*buffer));
	if (!buffer)
		return CL_OUT_OF_HOST_MEMORY;
	if (lock_init(&buffer->lock, LOCK_RANK_COMMAND_BUFFER)) {
		free(buffer);
		return CL_OUT_OF_HOST_MEMORY;
	}
	cl_int error = properties_copy(buffer, properties);
	if (error) {
		lock_finish(&buffer->lock);
		free(buffer);
		return error;
	}
	object_init(&buffer->base, &ocl_command_buffer_type);
	object_ref(queue);
	buffer->queue = queue;
	*buffer_out = buffer;
	return CL_SUCCESS;
}

static void graph_drop(struct _cl_command_buffer_khr *buffer)
{
	gpu_graph_destroy(buffer->graph);
	free(buffer->accesses);
	free(buffer->builds);
	buffer->graph = NULL;
	buffer->accesses = NULL;
	buffer->builds = NULL;
	buffer->access_count = buffer->build_count = 0;
}

static void command_buffer_destroy(struct object *object)
{
	struct _cl_command_buffer_khr *buffer = (struct _cl_command_buffer_khr *)object;
	graph_drop(buffer);
	for (uint32_t i = 0; i < buffer->count; i++) {
		ocl_command_unref(buffer->commands[i].command);
		free(buffer->commands[i].after);
	}
	free(buffer->commands);
	free(buffer->properties);
	object_unref(buffer->queue);
	lock_finish(&buffer->lock);
	free(buffer);
}

const struct object_type ocl_command_buffer_type = {
	"command buffer", CL_INVALID_COMMAND_BUFFER_KHR, command_buffer_destroy,
};

/* --- recording ---------------------------------------------------------------------------- */

static bool is_in_order(const struct _cl_command_buffer_khr *buffer)
{
	return !(buffer->queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

static bool has_room_locked(struct _cl_command_buffer_khr *buffer)
{
	if (buffer->count < buffer->capacity)
		return true;
	const uint32_t capacity = buffer->capacity ? 2 * buffer->capacity : 16;
	struct ocl_recorded *commands = realloc(buffer->commands, capacity * sizeof(*commands));
	if (!commands)
		return false;
	buffer->commands = commands;
	buffer->capacity = capacity;
	return true;
}

static void after_add_locked(struct _cl_command_buffer_khr *buffer, struct ocl_recorded *recorded,
			     uint32_t position)
{
	struct ocl_recorded *earlier = &buffer->commands[position];
	if (earlier->named_by == buffer->count)
		return;
	earlier->named_by = buffer->count;
	recorded->after[recorded->after_count++] = position;
}

/* A sync point is 1 + the position of its command. */
static bool list_is_good_locked(const struct _cl_command_buffer_khr *buffer,
				const struct ocl_sync_list *list)
{
	for (cl_uint i = 0; i < list->count; i++)
		if (!list->points[i] || list->points[i] > buffer->count)
			return false;
	return true;
}

/* cl_khr_command_buffer, Command Synchronization: commands follow the sync points in
 * their lists, the last barrier, and in a buffer for an in-order queue the command
 * before.  A barrier without a list follows all. */
static cl_int after_make_locked(struct _cl_command_buffer_khr *buffer,
				struct ocl_recorded *recorded, const struct ocl_sync_list *list)
{
	const uint32_t since = buffer->barrier ? buffer->barrier - 1 : 0;
	const bool joins = recorded->command->joins;
	size_t most = (size_t)list->count + 1;
	if (joins)
		most += buffer->count - since;
	recorded->after = malloc(most * sizeof(*recorded->after));
	if (!recorded->after)
		return CL_OUT_OF_HOST_MEMORY;
	if (is_in_order(buffer)) {
		if (buffer->count)
			after_add_locked(buffer, recorded, buffer->count - 1);
		return CL_SUCCESS;
	}
	for (cl_uint i = 0; i < list->count; i++)
		after_add_locked(buffer, recorded, list->points[i] - 1);
	for (uint32_t i = since; joins && i < buffer->count; i++)
		after_add_locked(buffer, recorded, i);
	if (buffer->barrier)
		after_add_locked(buffer, recorded, buffer->barrier - 1);
	return CL_SUCCESS;
}

static cl_int record_locked(struct _cl_command_buffer_khr *buffer, struct ocl_command *command,
			    const struct ocl_sync_list *list)
{
	struct ocl_recorded recorded = {.command = command, .named_by = UINT32_MAX};
	if (buffer->state != OCL_RECORDING)
		return CL_INVALID_OPERATION;
	if (!list_is_good_locked(buffer, list))
		return CL_INVALID_SYNC_POINT_WAIT_LIST_KHR;
	if (buffer->count == UINT32_MAX / 2)
		return CL_OUT_OF_RESOURCES;
	if (!has_room_locked(buffer))
		return CL_OUT_OF_HOST_MEMORY;
	cl_int error = after_make_locked(buffer, &recorded, list);
	if (error)
		return error;
	buffer->commands[buffer->count++] = recorded;
	if (command->bars)
		buffer->barrier = buffer->count;
	return CL_SUCCESS;
}

cl_int ocl_command_buffer_record(cl_command_buffer_khr buffer, const struct ocl_command *command,
				 const struct ocl_sync_list *list, cl_sync_point_khr *point_out)
{
	struct ocl_command *copy = ocl_command_defer(command);
	if (!copy)
		return CL_OUT_OF_HOST_MEMORY;
	lock_take(&buffer->lock);
	cl_int error = record_locked(buffer, copy, list);
	const cl_sync_point_khr point = buffer->count;
	lock_drop(&buffer->lock);
	if (error)
		ocl_command_unref(copy);
	else if (point_out)
		*point_out = point;
	return error;
}

/* --- finalizing ------------------------------------------------------------------------------ */

/* What all commands touch, each range once. */
static void accesses_gather(struct _cl_command_buffer_khr *buffer,
			    const struct ocl_command *command)
{
	for (uint32_t i = 0; i < command->access_count; i++) {
		const struct ocl_access *access = &command->accesses[i];
		uint32_t k = 0;
		while (k < buffer->access_count &&
		       (buffer->accesses[k].mem->storage != access->mem->storage ||
			buffer->accesses[k].lo_B != access->lo_B ||
			buffer->accesses[k].hi_B != access->hi_B))
			k++;
		if (k == buffer->access_count)
			buffer->accesses[buffer->access_count++] = *access;
		else
			buffer->accesses[k].mode = (enum ocl_access_mode)(
				buffer->accesses[k].mode | (unsigned)access->mode);
	}
}

static void builds_gather(struct _cl_command_buffer_khr *buffer, const struct ocl_command *command)
{
	if (command->kind != &ocl_command_launch)
		return;
	struct ocl_build *build = command->u.launch.code->build;
	for (uint32_t i = 0; i < buffer->build_count; i++)
		if (buffer->builds[i] == build)
			return;
	buffer->builds[buffer->build_count++] = build;
}

static cl_int uses_gather(struct _cl_command_buffer_khr *buffer)
{
	size_t accesses = 0;
	for (uint32_t i = 0; i < buffer->count; i++)
		accesses += buffer->commands[i].command->access_count;
	buffer->accesses = malloc((accesses + 1) * sizeof(*buffer->accesses));
	buffer->builds = malloc(((size_t)buffer->count + 1) * sizeof(struct ocl_build *));
	if (!buffer->accesses || !buffer->builds)
		return CL_OUT_OF_HOST_MEMORY;
	for (uint32_t i = 0; i < buffer->count; i++) {
		accesses_gather(buffer, buffer->commands[i].command);
		builds_gather(buffer, buffer->commands[i].command);
	}
	return CL_SUCCESS;
}

static cl_int addresses_find(struct ocl_command *command)
{
	cl_int error = CL_SUCCESS;
	for (uint32_t i = 0; i < command->access_count && !error; i++) {
		struct ocl_access *access = &command->accesses[i];
		error = ocl_storage_place(access->mem->storage, command->queue->device_index,
					  &access->at.address);
		access->at.address += access->lo_B;
	}
	return error;
}

static cl_int command_follow(struct _cl_command_buffer_khr *buffer,
			     const struct ocl_recorded *recorded, uint32_t *nodes)
{
	for (uint32_t i = 0; i < recorded->after_count; i++) {
		const struct ocl_recorded *earlier = &buffer->commands[recorded->after[i]];
		nodes[i] = earlier->first_node + earlier->node_count - 1;
	}
	return gpu_graph_follow(buffer->graph, nodes, recorded->after_count);
}

/* nodes: room for what it follows. */
static cl_int command_draw(struct _cl_command_buffer_khr *buffer, struct ocl_recorded *recorded,
			   uint32_t *nodes)
{
	struct ocl_command *command = recorded->command;
	recorded->first_node = gpu_graph_node_count(buffer->graph);
	cl_int error = command_follow(buffer, recorded, nodes);
	if (!error)
		error = addresses_find(command);
	if (!error && command->kind->run)
		error = command->kind->run(command, gpu_graph_recorder(buffer->graph));
	/* Others may come after what does nothing. */
	if (!error && gpu_graph_node_count(buffer->graph) == recorded->first_node)
		error = gpu_graph_add_nothing(buffer->graph);
	recorded->node_count = gpu_graph_node_count(buffer->graph) - recorded->first_node;
	return error;
}

static cl_int graph_make(struct _cl_command_buffer_khr *buffer)
{
	uint32_t *nodes = malloc(((size_t)buffer->count + 1) * sizeof(*nodes));
	if (!nodes)
		return CL_OUT_OF_HOST_MEMORY;
	cl_int error = gpu_graph_create(buffer->queue->device->gpu, &buffer->graph);
	for (uint32_t i = 0; i < buffer->count && !error; i++)
		error = command_draw(buffer, &buffer->commands[i], nodes);
	if (!error)
		error = gpu_graph_finish(buffer->graph);
	free(nodes);
	return error;
}

static bool state_change(struct _cl_command_buffer_khr *buffer, enum ocl_recording from,
			 enum ocl_recording to)
{
	lock_take(&buffer->lock);
	const bool good = buffer->state == from;
	if (good)
		buffer->state = to;
	lock_drop(&buffer->lock);
	return good;
}

enum ocl_recording ocl_command_buffer_state(cl_command_buffer_khr buffer)
{
	lock_take(&buffer->lock);
	const enum ocl_recording state = buffer->state;
	lock_drop(&buffer->lock);
	return state;
}

cl_int ocl_command_buffer_finalize(cl_command_buffer_khr buffer)
{
	/* Nobody else records or finalizes meanwhile. */
	if (!state_change(buffer, OCL_RECORDING, OCL_FINALIZING))
		return CL_INVALID_OPERATION;
	cl_int error = uses_gather(buffer);
	if (!error)
		error = graph_make(buffer);
	if (error)
		graph_drop(buffer);
	(void)state_change(buffer, OCL_FINALIZING, error ? OCL_RECORDING : OCL_EXECUTABLE);
	/* The page lists nothing else for memory that a buffer cannot have. */
	return error == CL_MEM_OBJECT_ALLOCATION_FAILURE ? CL_OUT_OF_RESOURCES : error;
}

/* --- the command ------------------------------------------------------------------------------ */

static cl_int command_buffer_run(struct ocl_command *command, struct gpu_stream *stream)
{
	const struct _cl_command_buffer_khr *buffer = command->u.command_buffer;
	cl_int error = CL_SUCCESS;
	for (uint32_t i = 0; i < buffer->build_count && !error; i++)
		error = ocl_users_note(&buffer->builds[i]->users, stream);
	return error ? error : gpu_graph_launch(buffer->graph, stream);
}

static void command_buffer_retain(struct ocl_command *command)
{
	object_ref(command->u.command_buffer);
}

static void command_buffer_release(struct ocl_command *command)
{
	object_unref(command->u.command_buffer);
}

const struct ocl_command_kind ocl_command_command_buffer = {
	.run = command_buffer_run, .retain = command_buffer_retain,
	.release = command_buffer_release,
};

cl_int ocl_command_buffer_enqueue(cl_command_buffer_khr buffer, cl_command_queue queue,
				  cl_uint count, const cl_event *events, cl_event *event_out)
{
	struct ocl_access own[OWN_ACCESSES], *accesses = own;
	const size_t accesses_B = buffer->access_count * sizeof(*accesses);
	struct ocl_command command;
	if (buffer->access_count > OWN_ACCESSES)
		accesses = malloc(accesses_B);
	if (!accesses)
		return CL_OUT_OF_HOST_MEMORY;
	memcpy(accesses, buffer->accesses, accesses_B);
	/* Without commands there is nothing to launch. */
	ocl_command_init(&command, buffer->count ? &ocl_command_command_buffer
						 : &ocl_command_marker,
			 queue, CL_COMMAND_COMMAND_BUFFER_KHR, accesses);
	command.access_count = buffer->access_count;
	command.u.command_buffer = buffer;
	cl_int error = ocl_queue_enqueue(&command, false, count, events, event_out);
	if (accesses != own)
		free(accesses);
	return error == CL_MEM_OBJECT_ALLOCATION_FAILURE ? CL_OUT_OF_RESOURCES : error;
}
