#include "config.h"

#include "icd/graph/command_buffer.h"

#include "icd/graph/mutable_command.h"
#include "icd/object/properties.h"
#include "icd/order/queue.h"

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

static void command_buffer_destroy(struct object *object)
{
	struct _cl_command_buffer_khr *buffer = (struct _cl_command_buffer_khr *)object;
	ocl_command_graph_unref(buffer->graph);
	for (uint32_t i = 0; i < buffer->count; i++) {
		ocl_recorded_free(buffer->commands[i].command);
		object_unref(buffer->commands[i].handle);
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

/* The copy's references to memory objects are also counted in mem->recorded: a blocking free of SVM, which waits for
 * enqueued commands, does not wait for recorded ones (svm.c). */
struct ocl_command *ocl_recorded_copy(const struct ocl_command *command)
{
	struct ocl_command *copy = malloc(sizeof(*copy) + ocl_command_duplicate_B(command));
	if (!copy)
		return NULL;
	ocl_command_duplicate(copy, command, copy + 1);
	for (uint32_t i = 0; i < copy->access_count; i++)
		atomic_fetch_add(&copy->accesses[i].mem->recorded, 1);
	return copy;
}

void ocl_recorded_free(struct ocl_command *command)
{
	for (uint32_t i = 0; i < command->access_count; i++)
		atomic_fetch_sub(&command->accesses[i].mem->recorded, 1);
	ocl_command_duplicate_finish(command);
	free(command);
}

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

/* cl_khr_command_buffer, Command Synchronization: a command follows the commands of its list of sync points, the
 * last barrier and, in a buffer for an in-order queue, the previous command.  A barrier without a list follows all
 * commands before it. */
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
	struct ocl_command *copy = ocl_recorded_copy(command);
	if (!copy)
		return CL_OUT_OF_HOST_MEMORY;
	lock_take(&buffer->lock);
	cl_int error = record_locked(buffer, copy, list, handle);
	const cl_sync_point_khr point = buffer->count;
	lock_drop(&buffer->lock);
	if (error)
		ocl_recorded_free(copy);
	else if (point_out)
		*point_out = point;
	return error;
}

/* --- the graph ----------------------------------------------------------------------------- */

static bool commands_are_set(const struct _cl_command_buffer_khr *buffer)
{
	for (uint32_t i = 0; i < buffer->count; i++)
		if (buffer->commands[i].handle && !buffer->commands[i].handle->set)
			return false;
	return true;
}

/* Makes a new graph if all arguments are set; otherwise there is none.  The caller has set busy. */
static cl_int graph_rebuild(struct _cl_command_buffer_khr *buffer)
{
	struct ocl_command_graph *graph = NULL, *before;
	const bool set = commands_are_set(buffer);
	cl_int error = set ? ocl_command_graph_make(buffer->queue, buffer->commands, buffer->count,
						    &graph) : CL_SUCCESS;
	if (error)
		return error;
	lock_take(&buffer->lock);
	before = buffer->graph;
	buffer->graph = graph;
	buffer->state = set ? OCL_EXECUTABLE : OCL_FINALIZED;
	lock_drop(&buffer->lock);
	ocl_command_graph_unref(before);
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
	/* In this state no other thread records or finalizes. */
	if (good)
		buffer->state = OCL_FINALIZING;
	lock_drop(&buffer->lock);
	if (!good)
		return CL_INVALID_OPERATION;
	cl_int error = graph_rebuild(buffer);
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

static bool can_revise(const struct _cl_command_buffer_khr *buffer, const uint32_t *positions,
		       struct ocl_command **before, uint32_t count)
{
	bool can = buffer->graph && ocl_command_graph_is_idle(buffer->graph);
	for (uint32_t i = 0; i < count && can; i++)
		can = ocl_recorded_is_like(&buffer->commands[positions[i]], before[i]);
	return can;
}

static cl_int revise(cl_command_buffer_khr buffer, const uint32_t *positions, uint32_t count)
{
	struct ocl_access *accesses;
	uint32_t access_count;
	cl_int error = ocl_command_graph_revise(buffer->graph, buffer->commands, buffer->count,
						positions, count, &accesses, &access_count);
	if (error)
		return error;
	lock_take(&buffer->lock);
	struct ocl_access *old = buffer->graph->accesses;
	buffer->graph->accesses = accesses;
	buffer->graph->access_count = access_count;
	lock_drop(&buffer->lock);
	free(old);
	return CL_SUCCESS;
}

cl_int ocl_command_buffer_rebuild_graph(cl_command_buffer_khr buffer, const uint32_t *positions,
					struct ocl_command **before, uint32_t count)
{
	if (positions && can_revise(buffer, positions, before, count) &&
	    !revise(buffer, positions, count))
		return CL_SUCCESS;
	return graph_rebuild(buffer);
}

/* --- the command ------------------------------------------------------------------------------ */

/* The kernels of a graph print into buffers that belong to the graph.  Their output is copied before the graph may
 * run again, so threads run such a graph one after the other. */
static cl_int printing_run(struct ocl_command *command, struct gpu_stream *stream)
{
	cl_command_buffer_khr buffer = command->u.buffer.buffer;
	struct ocl_command_graph *graph = command->u.buffer.graph;
	lock_assert_none();
	lock_take(&buffer->lock);
	while (graph->running)
		lock_condition_wait(&buffer->idle, &buffer->lock);
	graph->running = true;
	lock_drop(&buffer->lock);
	cl_int error = ocl_command_graph_run(graph, command->queue, stream);
	lock_take(&buffer->lock);
	graph->running = false;
	lock_condition_signal_all(&buffer->idle);
	lock_drop(&buffer->lock);
	return error;
}

static cl_int command_buffer_run(struct ocl_command *command, struct gpu_stream *stream)
{
	struct ocl_command_graph *graph = command->u.buffer.graph;
	return graph->print_count ? printing_run(command, stream)
				    : ocl_command_graph_run(graph, command->queue, stream);
}

static enum ocl_delay command_buffer_delay(const struct ocl_command *command)
{
	return command->u.buffer.graph->print_count ? OCL_DELAY_SHORT : OCL_DELAY_NONE;
}

static void command_buffer_retain(struct ocl_command *command)
{
	object_ref(command->u.buffer.buffer);
	atomic_fetch_add_explicit(&command->u.buffer.graph->refs, 1, memory_order_relaxed);
	if (command->u.buffer.graph->indirect)
		atomic_fetch_add(&command->queue->context->svm.waiting, 1);
}

static void command_buffer_release(struct ocl_command *command)
{
	if (command->u.buffer.graph->indirect)
		atomic_fetch_sub(&command->queue->context->svm.waiting, 1);
	ocl_command_graph_unref(command->u.buffer.graph);
	object_unref(command->u.buffer.buffer);
}

const struct ocl_command_kind ocl_command_command_buffer = {
	.run = command_buffer_run, .delay = command_buffer_delay,
	.retain = command_buffer_retain, .release = command_buffer_release,
};

/* Gets the present graph and the array of its accesses, with references; accesses_out is own, which has room for
 * OWN_ACCESSES, or allocated.  CL_INVALID_OPERATION: the buffer is not executable. */
static cl_int graph_take(cl_command_buffer_khr buffer, struct ocl_access *own,
			 struct ocl_command_graph **graph_out, struct ocl_access **accesses_out,
			 uint32_t *count_out)
{
	cl_int error = CL_SUCCESS;
	lock_take(&buffer->lock);
	struct ocl_command_graph *graph = buffer->graph;
	if (!graph) {
		error = CL_INVALID_OPERATION;
		goto drop;
	}
	const uint32_t count = graph->access_count;
	struct ocl_access *accesses = count > OWN_ACCESSES ? malloc(count * sizeof(*accesses))
							   : own;
	if (!accesses) {
		error = CL_OUT_OF_HOST_MEMORY;
		goto drop;
	}
	memcpy(accesses, graph->accesses, count * sizeof(*accesses));
	for (uint32_t i = 0; i < count; i++)
		object_ref(accesses[i].mem);
	atomic_fetch_add_explicit(&graph->refs, 1, memory_order_relaxed);
	*graph_out = graph;
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
	struct ocl_command_graph *graph;
	struct ocl_command command;
	uint32_t access_count;
	cl_int error = graph_take(buffer, own, &graph, &accesses, &access_count);
	if (error)
		return error;
	/* A buffer without commands has no graph to launch. */
	ocl_command_init(&command, buffer->count ? &ocl_command_command_buffer
						 : &ocl_command_marker,
			 queue, CL_COMMAND_COMMAND_BUFFER_KHR, accesses);
	command.access_count = access_count;
	command.u.buffer.buffer = buffer;
	command.u.buffer.graph = graph;
	error = ocl_queue_enqueue(&command, false, count, events, event_out);
	for (uint32_t i = 0; i < access_count; i++)
		object_unref(accesses[i].mem);
	if (accesses != own)
		free(accesses);
	ocl_command_graph_unref(graph);
	return error == CL_MEM_OBJECT_ALLOCATION_FAILURE ? CL_OUT_OF_RESOURCES : error;
}
