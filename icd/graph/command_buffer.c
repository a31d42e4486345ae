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

static bool queues_take(struct _cl_command_buffer_khr *buffer, cl_uint count, const cl_command_queue *queues)
{
	buffer->queues = malloc(count * sizeof(cl_command_queue));
	buffer->last = calloc(count, sizeof(*buffer->last));
	if (!buffer->queues || !buffer->last)
		return false;
	for (cl_uint i = 0; i < count; i++) {
		object_ref(queues[i]);
		buffer->queues[i] = queues[i];
	}
	buffer->queue_count = count;
	return true;
}

static void queues_drop(struct _cl_command_buffer_khr *buffer)
{
	for (uint32_t i = 0; i < buffer->queue_count; i++)
		object_unref(buffer->queues[i]);
	free(buffer->queues);
	free(buffer->last);
}

cl_int ocl_command_buffer_create(cl_uint queue_count, const cl_command_queue *queues,
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
	if (!queues_take(buffer, queue_count, queues))
		goto fail_queues;
	object_init(&buffer->base, &ocl_command_buffer_type);
	buffer->flags = flags;
	buffer->keeps_groups = keeps_groups;
	*buffer_out = buffer;
	return CL_SUCCESS;
fail_queues:
	queues_drop(buffer);
	free(buffer->properties);
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
	ocl_command_parts_free(buffer->parts, buffer->part_count);
	for (uint32_t i = 0; i < buffer->count; i++) {
		ocl_recorded_free(buffer->commands[i].command);
		object_unref(buffer->commands[i].handle);
		free(buffer->commands[i].after);
	}
	free(buffer->commands);
	free(buffer->properties);
	queues_drop(buffer);
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

bool ocl_command_queue_is_in_order(const struct _cl_command_queue *queue)
{
	return !(queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

uint32_t ocl_command_buffer_queue_index(const struct _cl_command_buffer_khr *buffer,
					const struct _cl_command_queue *queue)
{
	uint32_t i = 0;
	while (buffer->queues[i] != queue)
		i++;
	return i;
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
 * last barrier and, if its queue is in-order, the previous command of that queue.  A barrier without a list follows all
 * commands before it.  "Commands recorded to different command-queues in the same command-buffer may be executed
 * concurrently to each other unless synchronized explicitly with sync-points, barrier commands, or in-order queue
 * implicit dependencies" (OpenCL 3.1 API, 5.18.1): barriers are for all queues. */
static cl_int after_make_locked(struct _cl_command_buffer_khr *buffer,
				struct ocl_recorded *recorded, const struct ocl_sync_list *list)
{
	const uint32_t since = buffer->barrier ? buffer->barrier - 1 : 0;
	const bool joins = recorded->command->joins;
	size_t most = (size_t)list->count + 2;
	if (joins)
		most += buffer->count - since;
	recorded->after = malloc(most * sizeof(*recorded->after));
	if (!recorded->after)
		return CL_OUT_OF_HOST_MEMORY;
	if (ocl_command_queue_is_in_order(recorded->command->queue)) {
		if (buffer->last[recorded->queue])
			after_add_locked(buffer, recorded, buffer->last[recorded->queue] - 1);
		/* The previous command follows all others. */
		if (buffer->queue_count == 1)
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
		.command = command, .handle = handle, .queue = ocl_command_buffer_queue_index(buffer, command->queue),
		.named_by = UINT32_MAX,
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
	buffer->last[recorded.queue] = buffer->count;
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

static struct ocl_recorded_list list_of(const struct _cl_command_buffer_khr *buffer,
					const struct ocl_command_part *part)
{
	return (struct ocl_recorded_list){buffer->commands, part->positions, part->count};
}

static void graphs_unref(struct ocl_command_graph **graphs, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		ocl_command_graph_unref(graphs[i]);
}

/* graphs: for each part, NULL at first. */
static cl_int graphs_make(const struct _cl_command_buffer_khr *buffer, struct ocl_command_graph **graphs)
{
	cl_int error = CL_SUCCESS;
	for (uint32_t i = 0; i < buffer->part_count && !error; i++) {
		const struct ocl_recorded_list list = list_of(buffer, &buffer->parts[i]);
		error = ocl_command_graph_make(buffer->queues[buffer->parts[i].queue], &list, &graphs[i]);
	}
	if (error)
		graphs_unref(graphs, buffer->part_count);
	return error;
}

/* Makes new graphs if all arguments are set; otherwise there are none.  The caller has set busy. */
static cl_int graphs_rebuild(struct _cl_command_buffer_khr *buffer)
{
	const bool set = commands_are_set(buffer);
	struct ocl_command_graph **graphs = calloc((size_t)buffer->part_count + 1, sizeof(struct ocl_command_graph *));
	cl_int error = graphs ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
	if (!error && set)
		error = graphs_make(buffer, graphs);
	if (error) {
		free(graphs);
		return error;
	}
	lock_take(&buffer->lock);
	for (uint32_t i = 0; i < buffer->part_count; i++) {
		struct ocl_command_graph *before = buffer->parts[i].graph;
		buffer->parts[i].graph = graphs[i];
		graphs[i] = before;
	}
	buffer->state = set ? OCL_EXECUTABLE : OCL_FINALIZED;
	lock_drop(&buffer->lock);
	graphs_unref(graphs, buffer->part_count);
	free(graphs);
	return CL_SUCCESS;
}

enum ocl_recording ocl_command_buffer_state(cl_command_buffer_khr buffer)
{
	lock_take(&buffer->lock);
	const enum ocl_recording state = buffer->state;
	lock_drop(&buffer->lock);
	return state;
}

/* Makes the parts and their graphs.  The state is OCL_FINALIZING. */
static cl_int finalize(cl_command_buffer_khr buffer)
{
	cl_int error = ocl_command_parts_make(buffer->commands, buffer->count, buffer->queue_count, &buffer->parts,
					      &buffer->part_count);
	if (error)
		return error;
	error = graphs_rebuild(buffer);
	if (error) {
		ocl_command_parts_free(buffer->parts, buffer->part_count);
		buffer->parts = NULL;
		buffer->part_count = 0;
	}
	return error;
}

cl_int ocl_command_buffer_finalize(cl_command_buffer_khr buffer)
{
	lock_take(&buffer->lock);
	while (buffer->busy)
		lock_condition_wait(&buffer->idle, &buffer->lock);
	const bool good = buffer->state == OCL_RECORDING;
	/* In this state no other thread records or finalizes. */
	if (good)
		buffer->state = OCL_FINALIZING;
	lock_drop(&buffer->lock);
	if (!good)
		return CL_INVALID_OPERATION;
	cl_int error = finalize(buffer);
	lock_take(&buffer->lock);
	if (error)
		buffer->state = OCL_RECORDING;
	lock_condition_signal_all(&buffer->idle);
	lock_drop(&buffer->lock);
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

cl_int ocl_command_buffer_snapshot_begin(cl_command_buffer_khr buffer, struct ocl_command_snapshot *snapshot)
{
	lock_take(&buffer->lock);
	while (buffer->busy || buffer->state == OCL_FINALIZING)
		lock_condition_wait(&buffer->idle, &buffer->lock);
	*snapshot = (struct ocl_command_snapshot){
		.commands = malloc(((size_t)buffer->count + 1) * sizeof(*snapshot->commands)),
		.count = buffer->count, .barrier = buffer->barrier, .state = buffer->state,
	};
	if (snapshot->commands && buffer->count)
		memcpy(snapshot->commands, buffer->commands, buffer->count * sizeof(*snapshot->commands));
	buffer->busy = snapshot->commands;
	lock_drop(&buffer->lock);
	return snapshot->commands ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

void ocl_command_buffer_snapshot_end(cl_command_buffer_khr buffer, struct ocl_command_snapshot *snapshot)
{
	free(snapshot->commands);
	ocl_command_buffer_change_end(buffer);
}

static struct ocl_command_part *part_of(const struct _cl_command_buffer_khr *buffer, uint32_t position)
{
	return &buffer->parts[buffer->commands[position].part];
}

static bool can_revise(const struct _cl_command_buffer_khr *buffer, const uint32_t *positions,
		       struct ocl_command **before, uint32_t count)
{
	bool can = true;
	for (uint32_t i = 0; i < count && can; i++) {
		const struct ocl_command_graph *graph = part_of(buffer, positions[i])->graph;
		can = graph && ocl_command_graph_is_idle(graph) &&
		      ocl_recorded_is_like(&buffer->commands[positions[i]], before[i]);
	}
	return can;
}

static cl_int part_revise(cl_command_buffer_khr buffer, const struct ocl_command_part *part,
			  const uint32_t *positions, uint32_t count)
{
	const struct ocl_recorded_list list = list_of(buffer, part);
	struct ocl_access *accesses;
	uint32_t access_count;
	cl_int error = ocl_command_graph_revise(part->graph, &list, positions, count, &accesses, &access_count);
	if (error)
		return error;
	lock_take(&buffer->lock);
	struct ocl_access *old = part->graph->accesses;
	part->graph->accesses = accesses;
	part->graph->access_count = access_count;
	lock_drop(&buffer->lock);
	free(old);
	return CL_SUCCESS;
}

/* Changes the graphs of the parts that have any of the commands at positions. */
static cl_int revise(cl_command_buffer_khr buffer, const uint32_t *positions, uint32_t count)
{
	cl_int error = CL_SUCCESS;
	for (uint32_t i = 0; i < count && !error; i++) {
		const struct ocl_command_part *part = part_of(buffer, positions[i]);
		uint32_t k = 0;
		while (part_of(buffer, positions[k]) != part)
			k++;
		if (k == i)
			error = part_revise(buffer, part, positions, count);
	}
	return error;
}

cl_int ocl_command_buffer_rebuild_graph(cl_command_buffer_khr buffer, const uint32_t *positions,
					struct ocl_command **before, uint32_t count)
{
	if (positions && can_revise(buffer, positions, before, count) &&
	    !revise(buffer, positions, count))
		return CL_SUCCESS;
	return graphs_rebuild(buffer);
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

/* A graph and the array of its accesses, with references. */
struct taken {
	struct ocl_command_graph *graph;
	struct ocl_access *accesses;     /* owned, or the array that was passed to graph_take_locked */
	uint32_t access_count;
};

/* Gets the present graph of a part.  own: has room for OWN_ACCESSES; NULL: an array is allocated in any case.
 * CL_INVALID_OPERATION: the buffer is not executable. */
static cl_int graph_take_locked(const struct ocl_command_part *part, struct ocl_access *own, struct taken *taken)
{
	struct ocl_command_graph *graph = part->graph;
	if (!graph)
		return CL_INVALID_OPERATION;
	const uint32_t count = graph->access_count;
	struct ocl_access *accesses = own;
	if (!own || count > OWN_ACCESSES)
		accesses = malloc(((size_t)count + 1) * sizeof(*accesses));
	if (!accesses)
		return CL_OUT_OF_HOST_MEMORY;
	memcpy(accesses, graph->accesses, count * sizeof(*accesses));
	for (uint32_t i = 0; i < count; i++)
		object_ref(accesses[i].mem);
	atomic_fetch_add_explicit(&graph->refs, 1, memory_order_relaxed);
	*taken = (struct taken){graph, accesses, count};
	return CL_SUCCESS;
}

/* Nothing is there to drop if graph_take_locked failed. */
static void graph_drop(const struct taken *taken, const struct ocl_access *own)
{
	for (uint32_t i = 0; i < taken->access_count; i++)
		object_unref(taken->accesses[i].mem);
	if (taken->accesses != own)
		free(taken->accesses);
	ocl_command_graph_unref(taken->graph);
}

static cl_int part_enqueue(cl_command_buffer_khr buffer, const struct taken *taken, cl_command_queue queue,
			   cl_uint count, const cl_event *events, cl_event *event_out)
{
	struct ocl_command command;
	ocl_command_init(&command, &ocl_command_command_buffer, queue, CL_COMMAND_COMMAND_BUFFER_KHR,
			 taken->accesses);
	command.access_count = taken->access_count;
	command.u.buffer.buffer = buffer;
	command.u.buffer.graph = taken->graph;
	return ocl_queue_enqueue(&command, false, count, events, event_out);
}

static cl_int marker_enqueue(cl_command_queue queue, cl_uint count, const cl_event *events, cl_event *event_out)
{
	struct ocl_command command;
	ocl_command_init(&command, &ocl_command_marker, queue, CL_COMMAND_COMMAND_BUFFER_KHR, NULL);
	return ocl_queue_enqueue(&command, false, count, events, event_out);
}

static cl_int enqueue_one(cl_command_buffer_khr buffer, cl_command_queue queue, cl_uint count,
			  const cl_event *events, cl_event *event_out)
{
	struct ocl_access own[OWN_ACCESSES];
	struct taken taken = {0};
	lock_take(&buffer->lock);
	cl_int error = graph_take_locked(buffer->parts, own, &taken);
	lock_drop(&buffer->lock);
	if (error)
		return error;
	error = part_enqueue(buffer, &taken, queue, count, events, event_out);
	graph_drop(&taken, own);
	return error;
}

/* --- several queues --------------------------------------------------------------------------- */

/* The state while a buffer of several queues is enqueued. */
struct spread {
	cl_command_buffer_khr buffer;
	const cl_command_queue *queues;
	struct taken *taken;             /* for each part */
	cl_event *ended;                 /* for each part, its event, or NULL */
	cl_event *waits;                 /* room for an event of each part */
	cl_event begun;                  /* when the wait list has ended; NULL: without profiling */
	bool wanted;                     /* the application wants an event */
};

static cl_int graphs_take(const struct spread *spread)
{
	const struct _cl_command_buffer_khr *buffer = spread->buffer;
	cl_int error = CL_SUCCESS;
	lock_take(&spread->buffer->lock);
	for (uint32_t i = 0; i < buffer->part_count && !error; i++)
		error = graph_take_locked(&buffer->parts[i], NULL, &spread->taken[i]);
	lock_drop(&spread->buffer->lock);
	return error;
}

/* A queue whose events have time stamps, or else any. */
static cl_command_queue timed_queue(const struct spread *spread)
{
	for (uint32_t i = 0; i < spread->buffer->queue_count; i++)
		if (spread->queues[i]->properties & CL_QUEUE_PROFILING_ENABLE)
			return spread->queues[i];
	return spread->queues[0];
}

static cl_int parts_enqueue(const struct spread *spread, cl_uint count, const cl_event *events)
{
	cl_int error = CL_SUCCESS;
	for (uint32_t i = 0; i < spread->buffer->part_count && !error; i++) {
		const struct ocl_command_part *part = &spread->buffer->parts[i];
		const bool first = !part->after_count;
		for (uint32_t k = 0; k < part->after_count; k++)
			spread->waits[k] = spread->ended[part->after[k]];
		error = part_enqueue(spread->buffer, &spread->taken[i], spread->queues[part->queue],
				     first ? count : part->after_count, first ? events : spread->waits,
				     part->followed || spread->wanted ? &spread->ended[i] : NULL);
	}
	return error;
}

/* Enqueues the marker whose event the application gets. */
static cl_int end_enqueue(const struct spread *spread, cl_uint count, const cl_event *events, cl_event *event_out)
{
	const struct _cl_command_buffer_khr *buffer = spread->buffer;
	cl_uint ends = 0;
	for (uint32_t i = 0; i < buffer->part_count; i++)
		if (!buffer->parts[i].followed)
			spread->waits[ends++] = spread->ended[i];
	cl_event event;
	cl_int error = marker_enqueue(timed_queue(spread), ends ? ends : count, ends ? spread->waits : events, &event);
	if (error)
		return error;
	ocl_event_set_several(event, spread->begun);
	*event_out = event;
	return CL_SUCCESS;
}

static cl_int spread_enqueue(struct spread *spread, cl_uint count, const cl_event *events, cl_event *event_out)
{
	const cl_command_queue queue = timed_queue(spread);
	cl_int error = graphs_take(spread);
	if (!error && spread->wanted && (queue->properties & CL_QUEUE_PROFILING_ENABLE)) {
		error = marker_enqueue(queue, count, events, &spread->begun);
		count = 1;
		events = &spread->begun;
	}
	if (!error)
		error = parts_enqueue(spread, count, events);
	return error || !spread->wanted ? error : end_enqueue(spread, count, events, event_out);
}

static cl_int enqueue_several(cl_command_buffer_khr buffer, const cl_command_queue *queues, cl_uint count,
			      const cl_event *events, cl_event *event_out)
{
	const size_t parts = (size_t)buffer->part_count + 1;
	struct spread spread = {.buffer = buffer, .queues = queues, .wanted = event_out};
	spread.taken = calloc(parts, sizeof(*spread.taken));
	spread.ended = calloc(parts, sizeof(cl_event));
	spread.waits = calloc(parts, sizeof(cl_event));
	cl_int error = CL_OUT_OF_HOST_MEMORY;
	if (spread.taken && spread.ended && spread.waits)
		error = spread_enqueue(&spread, count, events, event_out);
	for (uint32_t i = 0; i < buffer->part_count; i++) {
		if (spread.taken)
			graph_drop(&spread.taken[i], NULL);
		if (spread.ended)
			object_unref(spread.ended[i]);
	}
	object_unref(spread.begun);
	free(spread.taken);
	free(spread.ended);
	free(spread.waits);
	return error;
}

cl_int ocl_command_buffer_enqueue(cl_command_buffer_khr buffer, const cl_command_queue *queues,
				  cl_uint count, const cl_event *events, cl_event *event_out)
{
	cl_int error;
	if (buffer->queue_count > 1)
		error = enqueue_several(buffer, queues, count, events, event_out);
	/* A buffer without commands has no graph to launch. */
	else if (!buffer->part_count)
		error = marker_enqueue(queues[0], count, events, event_out);
	else
		error = enqueue_one(buffer, queues[0], count, events, event_out);
	return error == CL_MEM_OBJECT_ALLOCATION_FAILURE ? CL_OUT_OF_RESOURCES : error;
}
