#include "config.h"

#include "icd/command_buffer.h"

#include "icd/launch.h"
#include "icd/mutable_command.h"
#include "icd/module.h"
#include "icd/properties.h"
#include "icd/queue.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(offsetof(struct _cl_command_buffer_khr, base) == 0,
	       "a handle starts with its object");

enum { OWN_ACCESSES = 16 };

/* --- birth and death -------------------------------------------------------------------- */

cl_int ocl_command_buffer_create(cl_command_queue queue,
				 const cl_command_buffer_properties_khr *properties,
				 cl_command_buffer_flags_khr flags, bool keeps_groups,
				 cl_command_buffer_khr *buffer_out)
{
	struct _cl_command_buffer_khr *buffer = calloc(1, sizeof(*buffer));
	if (!buffer)
		return CL_OUT_OF_HOST_MEMORY;
	if (lock_init(&buffer->lock, LOCK_RANK_COMMAND_BUFFER))
		goto fail_lock;
	if (lock_condition_init(&buffer->idle))
		goto fail_condition;
	if (ocl_properties_copy(properties, &buffer->properties, &buffer->property_count))
		goto fail_properties;
	object_init(&buffer->base, &ocl_command_buffer_type);
	object_ref(queue);
	buffer->queue = queue;
	buffer->flags = flags;
	buffer->keeps_groups = keeps_groups;
	*buffer_out = buffer;
	return CL_SUCCESS;
fail_properties:
	lock_condition_finish(&buffer->idle);
fail_condition:
	lock_finish(&buffer->lock);
fail_lock:
	free(buffer);
	return CL_OUT_OF_HOST_MEMORY;
}

static void drawing_unref(struct ocl_drawing *drawing)
{
	if (!drawing || atomic_fetch_sub_explicit(&drawing->refs, 1, memory_order_acq_rel) != 1)
		return;
	gpu_graph_destroy(drawing->graph);
	free(drawing->accesses);
	free(drawing->builds);
	free(drawing);
}

static void command_buffer_destroy(struct object *object)
{
	struct _cl_command_buffer_khr *buffer = (struct _cl_command_buffer_khr *)object;
	drawing_unref(buffer->drawing);
	for (uint32_t i = 0; i < buffer->count; i++) {
		ocl_command_unref(buffer->commands[i].command);
		ocl_mutable_destroy(buffer->commands[i].handle);
		free(buffer->commands[i].after);
	}
	free(buffer->commands);
	free(buffer->properties);
	object_unref(buffer->queue);
	lock_condition_finish(&buffer->idle);
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
			    const struct ocl_sync_list *list,
			    struct _cl_mutable_command_khr *handle)
{
	struct ocl_recorded recorded = {
		.command = command, .handle = handle, .named_by = UINT32_MAX,
	};
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
	if (handle)
		handle->position = buffer->count;
	buffer->commands[buffer->count++] = recorded;
	if (command->bars)
		buffer->barrier = buffer->count;
	return CL_SUCCESS;
}

cl_int ocl_command_buffer_record(cl_command_buffer_khr buffer, const struct ocl_command *command,
				 const struct ocl_sync_list *list,
				 struct _cl_mutable_command_khr *handle,
				 cl_sync_point_khr *point_out)
{
	struct ocl_command *copy = ocl_command_defer(command);
	if (!copy)
		return CL_OUT_OF_HOST_MEMORY;
	lock_take(&buffer->lock);
	cl_int error = record_locked(buffer, copy, list, handle);
	const cl_sync_point_khr point = buffer->count;
	lock_drop(&buffer->lock);
	if (error)
		ocl_command_unref(copy);
	else if (point_out)
		*point_out = point;
	return error;
}

/* --- drawing -------------------------------------------------------------------------------- */

/* What all commands touch, each range once. */
static void accesses_gather(struct ocl_drawing *drawing, const struct ocl_command *command)
{
	for (uint32_t i = 0; i < command->access_count; i++) {
		const struct ocl_access *access = &command->accesses[i];
		uint32_t k = 0;
		while (k < drawing->access_count &&
		       (drawing->accesses[k].mem->storage != access->mem->storage ||
			drawing->accesses[k].lo_B != access->lo_B ||
			drawing->accesses[k].hi_B != access->hi_B))
			k++;
		if (k == drawing->access_count)
			drawing->accesses[drawing->access_count++] = *access;
		else
			drawing->accesses[k].mode = (enum ocl_access_mode)(
				drawing->accesses[k].mode | (unsigned)access->mode);
	}
}

static void builds_gather(struct ocl_drawing *drawing, const struct ocl_command *command)
{
	if (command->kind != &ocl_command_launch)
		return;
	struct ocl_build *build = command->u.launch.code->build;
	for (uint32_t i = 0; i < drawing->build_count; i++)
		if (drawing->builds[i] == build)
			return;
	drawing->builds[drawing->build_count++] = build;
}

static cl_int uses_gather(const struct _cl_command_buffer_khr *buffer, struct ocl_drawing *drawing)
{
	size_t accesses = 0;
	for (uint32_t i = 0; i < buffer->count; i++)
		accesses += buffer->commands[i].command->access_count;
	drawing->accesses = malloc((accesses + 1) * sizeof(*drawing->accesses));
	drawing->builds = malloc(((size_t)buffer->count + 1) * sizeof(struct ocl_build *));
	if (!drawing->accesses || !drawing->builds)
		return CL_OUT_OF_HOST_MEMORY;
	for (uint32_t i = 0; i < buffer->count; i++) {
		accesses_gather(drawing, buffer->commands[i].command);
		builds_gather(drawing, buffer->commands[i].command);
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

static cl_int command_follow(struct _cl_command_buffer_khr *buffer, struct gpu_graph *graph,
			     const struct ocl_recorded *recorded, uint32_t *nodes)
{
	for (uint32_t i = 0; i < recorded->after_count; i++) {
		const struct ocl_recorded *earlier = &buffer->commands[recorded->after[i]];
		nodes[i] = earlier->first_node + earlier->node_count - 1;
	}
	return gpu_graph_follow(graph, nodes, recorded->after_count);
}

/* nodes: room for what it follows. */
static cl_int command_draw(struct _cl_command_buffer_khr *buffer, struct gpu_graph *graph,
			   struct ocl_recorded *recorded, uint32_t *nodes)
{
	struct ocl_command *command = recorded->command;
	recorded->first_node = gpu_graph_node_count(graph);
	cl_int error = command_follow(buffer, graph, recorded, nodes);
	if (!error)
		error = addresses_find(command);
	if (!error && command->kind->run)
		error = command->kind->run(command, gpu_graph_recorder(graph));
	/* Others may come after what does nothing. */
	if (!error && gpu_graph_node_count(graph) == recorded->first_node)
		error = gpu_graph_add_nothing(graph);
	recorded->node_count = gpu_graph_node_count(graph) - recorded->first_node;
	return error;
}

static cl_int graph_make(struct _cl_command_buffer_khr *buffer, struct gpu_graph **graph_out)
{
	uint32_t *nodes = malloc(((size_t)buffer->count + 1) * sizeof(*nodes));
	if (!nodes)
		return CL_OUT_OF_HOST_MEMORY;
	cl_int error = gpu_graph_create(buffer->queue->device->gpu, graph_out);
	for (uint32_t i = 0; i < buffer->count && !error; i++)
		error = command_draw(buffer, *graph_out, &buffer->commands[i], nodes);
	if (!error)
		error = gpu_graph_finish(*graph_out);
	free(nodes);
	return error;
}

static cl_int drawing_make(struct _cl_command_buffer_khr *buffer,
			   struct ocl_drawing **drawing_out)
{
	struct ocl_drawing *drawing = calloc(1, sizeof(*drawing));
	if (!drawing)
		return CL_OUT_OF_HOST_MEMORY;
	atomic_init(&drawing->refs, 1);
	cl_int error = uses_gather(buffer, drawing);
	if (!error)
		error = graph_make(buffer, &drawing->graph);
	if (error)
		drawing_unref(drawing);
	else
		*drawing_out = drawing;
	/* The pages list nothing else for memory that a buffer cannot have. */
	return error == CL_MEM_OBJECT_ALLOCATION_FAILURE ? CL_OUT_OF_RESOURCES : error;
}

static bool commands_are_set(const struct _cl_command_buffer_khr *buffer)
{
	for (uint32_t i = 0; i < buffer->count; i++)
		if (buffer->commands[i].handle && !buffer->commands[i].handle->set)
			return false;
	return true;
}

/* Draws anew, if all arguments are set. The caller is busy. */
static cl_int draw(struct _cl_command_buffer_khr *buffer)
{
	struct ocl_drawing *drawing = NULL, *before;
	const bool set = commands_are_set(buffer);
	cl_int error = set ? drawing_make(buffer, &drawing) : CL_SUCCESS;
	if (error)
		return error;
	lock_take(&buffer->lock);
	before = buffer->drawing;
	buffer->drawing = drawing;
	buffer->state = set ? OCL_EXECUTABLE : OCL_FINALIZED;
	lock_drop(&buffer->lock);
	drawing_unref(before);
	return CL_SUCCESS;
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
	lock_take(&buffer->lock);
	const bool good = buffer->state == OCL_RECORDING;
	/* Nobody else records or finalizes meanwhile. */
	if (good)
		buffer->state = OCL_FINALIZING;
	lock_drop(&buffer->lock);
	if (!good)
		return CL_INVALID_OPERATION;
	cl_int error = draw(buffer);
	if (error) {
		lock_take(&buffer->lock);
		buffer->state = OCL_RECORDING;
		lock_drop(&buffer->lock);
	}
	return error;
}

/* --- changes ----------------------------------------------------------------------------------- */

cl_int ocl_command_buffer_change_begin(cl_command_buffer_khr buffer)
{
	lock_take(&buffer->lock);
	while (buffer->busy)
		lock_condition_wait(&buffer->idle, &buffer->lock);
	buffer->busy = buffer->state == OCL_FINALIZED || buffer->state == OCL_EXECUTABLE;
	const cl_int error = buffer->busy ? CL_SUCCESS : CL_INVALID_OPERATION;
	lock_drop(&buffer->lock);
	return error;
}

void ocl_command_buffer_change_end(cl_command_buffer_khr buffer)
{
	lock_take(&buffer->lock);
	buffer->busy = false;
	lock_condition_signal_all(&buffer->idle);
	lock_drop(&buffer->lock);
}

static bool same_nodes(const struct ocl_recorded *recorded, const struct ocl_command *before)
{
	return before->kind == &ocl_command_launch &&
	       recorded->command->kind == &ocl_command_launch &&
	       ocl_launch_grids(&recorded->command->u.launch) == recorded->node_count;
}

/* The graph itself can be changed: it has the nodes, and nothing that is enqueued waits
 * in line for it. */
static bool can_revise(cl_command_buffer_khr buffer, const uint32_t *positions,
		       struct ocl_command **before, uint32_t count)
{
	if (!buffer->drawing || atomic_load(&buffer->drawing->refs) != 1)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!same_nodes(&buffer->commands[positions[i]], before[i]))
			return false;
	return true;
}

static cl_int revise(cl_command_buffer_khr buffer, const uint32_t *positions, uint32_t count)
{
	struct ocl_drawing *drawing = buffer->drawing, uses = {0};
	cl_int error = uses_gather(buffer, &uses);
	for (uint32_t i = 0; i < count && !error; i++) {
		struct ocl_recorded *recorded = &buffer->commands[positions[i]];
		gpu_graph_revise(drawing->graph, recorded->first_node);
		error = addresses_find(recorded->command);
		if (!error)
			error = recorded->command->kind->run(recorded->command,
							     gpu_graph_recorder(drawing->graph));
	}
	free(uses.builds);
	if (error) {
		free(uses.accesses);
		return error;
	}
	lock_take(&buffer->lock);
	struct ocl_access *old = drawing->accesses;
	drawing->accesses = uses.accesses;
	drawing->access_count = uses.access_count;
	lock_drop(&buffer->lock);
	free(old);
	return CL_SUCCESS;
}

cl_int ocl_command_buffer_redraw(cl_command_buffer_khr buffer, const uint32_t *positions,
				 struct ocl_command **before, uint32_t count)
{
	if (positions && can_revise(buffer, positions, before, count) &&
	    !revise(buffer, positions, count))
		return CL_SUCCESS;
	return draw(buffer);
}

/* --- the command ------------------------------------------------------------------------------ */

static cl_int command_buffer_run(struct ocl_command *command, struct gpu_stream *stream)
{
	const struct ocl_drawing *drawing = command->u.buffer.drawing;
	cl_int error = CL_SUCCESS;
	for (uint32_t i = 0; i < drawing->build_count && !error; i++)
		error = ocl_module_note(drawing->builds[i]->module, stream);
	return error ? error : gpu_graph_launch(drawing->graph, stream);
}

static void command_buffer_retain(struct ocl_command *command)
{
	object_ref(command->u.buffer.buffer);
	atomic_fetch_add_explicit(&command->u.buffer.drawing->refs, 1, memory_order_relaxed);
}

static void command_buffer_release(struct ocl_command *command)
{
	drawing_unref(command->u.buffer.drawing);
	object_unref(command->u.buffer.buffer);
}

const struct ocl_command_kind ocl_command_command_buffer = {
	.run = command_buffer_run, .retain = command_buffer_retain,
	.release = command_buffer_release,
};

/* The drawing of now with a reference, and what it touches, with references too: room
 * for OWN_ACCESSES is in own.  CL_INVALID_OPERATION: it is not executable. */
static cl_int drawing_take(cl_command_buffer_khr buffer, struct ocl_access *own,
			   struct ocl_drawing **drawing_out, struct ocl_access **accesses_out,
			   uint32_t *count_out)
{
	cl_int error = CL_SUCCESS;
	lock_take(&buffer->lock);
	struct ocl_drawing *drawing = buffer->drawing;
	if (!drawing) {
		error = CL_INVALID_OPERATION;
		goto drop;
	}
	const uint32_t count = drawing->access_count;
	struct ocl_access *accesses = count > OWN_ACCESSES ? malloc(count * sizeof(*accesses))
							   : own;
	if (!accesses) {
		error = CL_OUT_OF_HOST_MEMORY;
		goto drop;
	}
	memcpy(accesses, drawing->accesses, count * sizeof(*accesses));
	for (uint32_t i = 0; i < count; i++)
		object_ref(accesses[i].mem);
	atomic_fetch_add_explicit(&drawing->refs, 1, memory_order_relaxed);
	*drawing_out = drawing;
	*accesses_out = accesses;
	*count_out = count;
drop:
	lock_drop(&buffer->lock);
	return error;
}

cl_int ocl_command_buffer_enqueue(cl_command_buffer_khr buffer, cl_command_queue queue,
				  cl_uint count, const cl_event *events, cl_event *event_out)
{
	struct ocl_access own[OWN_ACCESSES], *accesses = own;
	struct ocl_drawing *drawing;
	struct ocl_command command;
	uint32_t access_count;
	cl_int error = drawing_take(buffer, own, &drawing, &accesses, &access_count);
	if (error)
		return error;
	/* Without commands there is nothing to launch. */
	ocl_command_init(&command, buffer->count ? &ocl_command_command_buffer
						 : &ocl_command_marker,
			 queue, CL_COMMAND_COMMAND_BUFFER_KHR, accesses);
	command.access_count = access_count;
	command.u.buffer.buffer = buffer;
	command.u.buffer.drawing = drawing;
	error = ocl_queue_enqueue(&command, false, count, events, event_out);
	for (uint32_t i = 0; i < access_count; i++)
		object_unref(accesses[i].mem);
	if (accesses != own)
		free(accesses);
	drawing_unref(drawing);
	return error == CL_MEM_OBJECT_ALLOCATION_FAILURE ? CL_OUT_OF_RESOURCES : error;
}
