#include "config.h"

#include "icd/graph/command_graph.h"

#include "icd/launch/launch.h"
#include "icd/memory/image_mirror.h"
#include "icd/order/printf.h"
#include "icd/order/queue.h"

#include <stdlib.h>

/* Runs of the graph may not have ended. */
static void counters_free(struct ocl_command_graph *graph)
{
	struct ocl_witnesses witnesses = OCL_WITNESSES_INIT;
	if (graph->counter_count)
		ocl_stream_set_collect(&graph->counting, &witnesses);
	for (uint32_t i = 0; i < graph->counter_count; i++)
		gpu_memory_free(graph->device, graph->counters[i], witnesses.events, witnesses.count);
	ocl_witnesses_finish(&witnesses);
	ocl_stream_set_finish(&graph->counting);
	free(graph->counters);
}

void ocl_command_graph_unref(struct ocl_command_graph *graph)
{
	if (!graph || atomic_fetch_sub_explicit(&graph->refs, 1, memory_order_acq_rel) != 1)
		return;
	for (uint32_t i = 0; i < graph->print_count; i++)
		gpu_memory_free(graph->device, graph->prints[i].buffer, &graph->printed,
				graph->printed != NULL);
	counters_free(graph);
	gpu_graph_destroy(graph->cuda_graph);
	gpu_event_unref(graph->ready);
	gpu_event_unref(graph->printed);
	free(graph->prints);
	free(graph->accesses);
	free(graph->mirrored);
	free(graph->stream_sets);
	free(graph);
}

bool ocl_command_graph_is_idle(const struct ocl_command_graph *graph)
{
	return atomic_load(&graph->refs) == 1;
}

/* --- what the commands use ------------------------------------------------------------------ */

static bool is_launch(const struct ocl_command *command)
{
	return command->kind == &ocl_command_launch || command->kind == &ocl_command_launch_printf;
}

/* Adds the command's accesses to those of the graph, which have each range once. */
static void accesses_gather(struct ocl_command_graph *graph, const struct ocl_command *command)
{
	for (uint32_t i = 0; i < command->access_count; i++) {
		const struct ocl_access *access = &command->accesses[i];
		uint32_t k = 0;
		while (k < graph->access_count &&
		       (graph->accesses[k].mem->storage != access->mem->storage ||
			graph->accesses[k].lo_B != access->lo_B ||
			graph->accesses[k].hi_B != access->hi_B))
			k++;
		if (k == graph->access_count)
			graph->accesses[graph->access_count++] = *access;
		else
			graph->accesses[k].mode = (enum ocl_access_mode)(
				graph->accesses[k].mode | (unsigned)access->mode);
	}
}

static void stream_set_gather(struct ocl_command_graph *graph, struct ocl_stream_set *set)
{
	for (uint32_t i = 0; i < graph->stream_set_count; i++)
		if (graph->stream_sets[i] == set)
			return;
	graph->stream_sets[graph->stream_set_count++] = set;
}

/* Whether the command is a launch that uses the image through its mirror. */
static bool uses_mirror(const struct ocl_command *command, const struct _cl_mem *mem)
{
	for (uint32_t i = 0; is_launch(command) && i < command->access_count; i++)
		if (command->accesses[i].mem == mem)
			return true;
	return false;
}

static void mirrored_gather(struct ocl_command_graph *graph, const struct ocl_command *command)
{
	for (uint32_t i = 0; i < command->access_count; i++) {
		const cl_mem mem = command->accesses[i].mem;
		uint32_t k = 0;
		while (k < graph->mirrored_count && graph->mirrored[k] != mem)
			k++;
		if (k == graph->mirrored_count && ocl_mem_is_mirrored(mem))
			graph->mirrored[graph->mirrored_count++] = mem;
	}
}

static struct ocl_recorded *recorded_at(const struct ocl_recorded_list *list, uint32_t index)
{
	return &list->all[list->positions[index]];
}

static cl_int uses_gather(const struct ocl_recorded_list *list, struct ocl_command_graph *graph)
{
	size_t accesses = 0;
	for (uint32_t i = 0; i < list->count; i++)
		accesses += recorded_at(list, i)->command->access_count;
	graph->accesses = malloc((accesses + 1) * sizeof(*graph->accesses));
	graph->mirrored = malloc((accesses + 1) * sizeof(*graph->mirrored));
	graph->stream_sets = malloc(((size_t)list->count + 1) * sizeof(struct ocl_stream_set *));
	if (!graph->accesses || !graph->mirrored || !graph->stream_sets)
		return CL_OUT_OF_HOST_MEMORY;
	for (uint32_t i = 0; i < list->count; i++) {
		const struct ocl_command *command = recorded_at(list, i)->command;
		accesses_gather(graph, command);
		if (!is_launch(command))
			continue;
		mirrored_gather(graph, command);
		stream_set_gather(graph, command->u.launch.code->streams);
		graph->indirect |= command->u.launch.indirect;
	}
	return CL_SUCCESS;
}

/* --- making it ------------------------------------------------------------------------------ */

/* Finds where the command's memory is on the device; these addresses do not change. stream: where the descriptors of
 * images are written. */
static cl_int places_find(struct ocl_command *command, struct gpu_stream *stream)
{
	cl_int error = CL_SUCCESS;
	for (uint32_t i = 0; i < command->access_count && !error; i++) {
		struct ocl_access *access = &command->accesses[i];
		access->at = (struct ocl_acquired){
			.lo_B = access->lo_B, .hi_B = access->hi_B, .stream = stream,
			.device = command->queue->device_index, .mode = access->mode,
		};
		error = ocl_storage_place(access->mem->storage, access->at.device,
					  &access->at.address, &access->at.array);
		access->at.address += access->lo_B;
		/* A descriptor is freed after its write, also if the graph never runs. */
		if (!error && access->mem->image && stream)
			error = ocl_stream_set_add(
				&access->mem->storage->locations[access->at.device].streams, stream);
	}
	return error;
}

static cl_int launch_printf_record(struct ocl_command_graph *graph, struct ocl_command *command)
{
	const struct gpu_sink sink = gpu_into_graph(graph->cuda_graph);
	struct ocl_graph_print *print = &graph->prints[graph->print_count];
	print->code = command->u.launch.code->program_code;
	cl_int error = ocl_print_buffer_create(graph->device, &print->buffer);
	if (error)
		return error;
	graph->print_count++;
	error = ocl_print_buffer_empty(sink, print->buffer);
	return error ? error : ocl_launch_put_printing(command, sink, print->buffer);
}

/* The counter of a grid barrier, and a node that sets it to 0 before the kernel runs. */
static cl_int counter_record(struct ocl_command_graph *graph, struct ocl_command *command)
{
	const uint32_t zero = 0;
	gpu_address *counter = &graph->counters[graph->counter_count];
	cl_int error = gpu_memory_alloc(graph->device, sizeof(zero), counter);
	if (error)
		return error;
	graph->counter_count++;
	command->u.launch.grid_barrier = *counter;
	return gpu_sink_fill(gpu_into_graph(graph->cuda_graph), *counter, &zero, sizeof(zero), sizeof(zero));
}

/* The state while a graph is made. */
struct recorder {
	struct ocl_command_graph *graph;
	const struct ocl_recorded_list *list;
	struct gpu_stream *stream;       /* where the descriptors of images are written */
	uint32_t *nodes;                 /* room for the nodes that one command follows */
};

bool ocl_recorded_follows(const struct ocl_recorded *recorded, uint32_t position)
{
	for (uint32_t i = 0; i < recorded->after_count; i++)
		if (recorded->after[i] == position)
			return true;
	return false;
}

/* A command also follows earlier ones that use the same mirror.  Adds their last nodes to the count nodes that there
 * are, and returns how many there are then. */
static uint32_t mirror_nodes(const struct recorder *recorder, const struct ocl_recorded *recorded, uint32_t count)
{
	const struct ocl_command_graph *graph = recorder->graph;
	for (uint32_t i = 0; graph->mirrored_count && recorded_at(recorder->list, i) != recorded; i++) {
		const struct ocl_recorded *earlier = recorded_at(recorder->list, i);
		bool shared = false;
		for (uint32_t k = 0; k < graph->mirrored_count; k++)
			shared = shared || (uses_mirror(earlier->command, graph->mirrored[k]) &&
					    uses_mirror(recorded->command, graph->mirrored[k]));
		if (shared && !ocl_recorded_follows(recorded, recorder->list->positions[i]))
			recorder->nodes[count++] = earlier->first_node + earlier->node_count - 1;
	}
	return count;
}

/* Commands of other parts end before this part starts. */
static cl_int command_follow(const struct recorder *recorder, const struct ocl_recorded *recorded)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < recorded->after_count; i++) {
		const struct ocl_recorded *earlier = &recorder->list->all[recorded->after[i]];
		if (earlier->part == recorded->part)
			recorder->nodes[count++] = earlier->first_node + earlier->node_count - 1;
	}
	return gpu_graph_follow(recorder->graph->cuda_graph, recorder->nodes,
				mirror_nodes(recorder, recorded, count));
}

static cl_int command_record(const struct recorder *recorder, struct ocl_recorded *recorded)
{
	struct gpu_graph *cuda_graph = recorder->graph->cuda_graph;
	struct ocl_command *command = recorded->command;
	recorded->first_node = gpu_graph_node_count(cuda_graph);
	cl_int error = command_follow(recorder, recorded);
	if (!error)
		error = places_find(command, recorder->stream);
	if (!error && is_launch(command) && command->u.launch.cooperative)
		error = counter_record(recorder->graph, command);
	if (!error && command->kind == &ocl_command_launch_printf)
		error = launch_printf_record(recorder->graph, command);
	else if (!error && command->kind->put)
		error = command->kind->put(command, gpu_into_graph(cuda_graph));
	/* A command without an operation gets an empty node, because other commands may follow it. */
	if (!error && gpu_graph_node_count(cuda_graph) == recorded->first_node)
		error = gpu_graph_add_nothing(cuda_graph);
	recorded->node_count = gpu_graph_node_count(cuda_graph) - recorded->first_node;
	return error;
}

static cl_int graph_record(const struct recorder *recorder)
{
	struct ocl_command_graph *graph = recorder->graph;
	const uint64_t before = gpu_stream_last(recorder->stream);
	cl_int error = gpu_graph_create(graph->device, graph->share, &graph->cuda_graph);
	for (uint32_t i = 0; i < recorder->list->count && !error; i++)
		error = command_record(recorder, recorded_at(recorder->list, i));
	if (!error)
		error = gpu_graph_finish(graph->cuda_graph);
	if (!error && gpu_stream_last(recorder->stream) != before)
		error = gpu_event_record(recorder->stream, false, &graph->ready);
	return error;
}

static cl_int graph_make(struct ocl_command_graph *graph, const struct ocl_recorded_list *list)
{
	const size_t room = (size_t)list->count + 1;
	struct recorder recorder = {.graph = graph, .list = list};
	recorder.nodes = malloc(room * sizeof(*recorder.nodes));
	graph->prints = calloc(room, sizeof(*graph->prints));
	graph->counters = calloc(room, sizeof(*graph->counters));
	cl_int error = recorder.nodes && graph->prints && graph->counters ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
	if (!error)
		error = gpu_stream_acquire(graph->device, 0, &recorder.stream);
	if (!error) {
		error = graph_record(&recorder);
		gpu_stream_release(recorder.stream);
	}
	free(recorder.nodes);
	return error;
}

cl_int ocl_command_graph_make(cl_command_queue queue, const struct ocl_recorded_list *list,
			      struct ocl_command_graph **graph_out)
{
	struct ocl_command_graph *graph = calloc(1, sizeof(*graph));
	if (!graph)
		return CL_OUT_OF_HOST_MEMORY;
	atomic_init(&graph->refs, 1);
	ocl_stream_set_init(&graph->counting);
	graph->device = queue->device->gpu;
	graph->share = queue->device->share;
	cl_int error = uses_gather(list, graph);
	if (!error)
		error = graph_make(graph, list);
	if (error)
		ocl_command_graph_unref(graph);
	else
		*graph_out = graph;
	/* The specification lists no other error for memory that cannot be allocated here. */
	return error == CL_MEM_OBJECT_ALLOCATION_FAILURE ? CL_OUT_OF_RESOURCES : error;
}

/* --- changes --------------------------------------------------------------------------------- */

static bool takes_images(const struct ocl_command *command)
{
	for (uint32_t i = 0; i < command->access_count; i++)
		if (command->accesses[i].mem->image)
			return true;
	return false;
}

bool ocl_recorded_is_like(const struct ocl_recorded *recorded, const struct ocl_command *before)
{
	const struct ocl_command *command = recorded->command;
	return before->kind == &ocl_command_launch && command->kind == &ocl_command_launch &&
	       ocl_launch_grids(&command->u.launch) == recorded->node_count &&
	       command->u.launch.indirect == before->u.launch.indirect && !command->u.launch.cooperative &&
	       !takes_images(command);
}

cl_int ocl_command_graph_revise(struct ocl_command_graph *graph, const struct ocl_recorded_list *list,
				const uint32_t *positions, uint32_t position_count,
				struct ocl_access **accesses_out, uint32_t *access_count_out)
{
	struct ocl_command_graph uses = {0};
	cl_int error = uses_gather(list, &uses);
	for (uint32_t i = 0; i < position_count && !error; i++) {
		struct ocl_recorded *recorded = &list->all[positions[i]];
		if (recorded->part != recorded_at(list, 0)->part)
			continue;
		gpu_graph_revise(graph->cuda_graph, recorded->first_node);
		error = places_find(recorded->command, NULL);
		if (!error)
			error = recorded->command->kind->put(recorded->command,
							     gpu_into_graph(graph->cuda_graph));
	}
	free(uses.mirrored);
	free(uses.stream_sets);
	if (error) {
		free(uses.accesses);
		return error;
	}
	*accesses_out = uses.accesses;
	*access_count_out = uses.access_count;
	return CL_SUCCESS;
}

/* --- use -------------------------------------------------------------------------------------- */

static cl_int output_take(struct ocl_command_graph *graph, cl_command_queue queue,
			  struct gpu_stream *stream)
{
	struct gpu_event *printed;
	cl_int error = CL_SUCCESS;
	for (uint32_t i = 0; i < graph->print_count && !error; i++)
		error = ocl_print_buffer_take(queue, stream, graph->prints[i].code,
					      graph->prints[i].buffer);
	if (!error)
		error = gpu_event_record(stream, false, &printed);
	if (error)
		return error;
	gpu_event_unref(graph->printed);
	graph->printed = printed;
	return CL_SUCCESS;
}

/* Launches a graph that changes mirrors. */
static cl_int mirrored_launch(struct ocl_command_graph *graph, cl_command_queue queue,
			      struct gpu_stream *stream)
{
	struct lock *mirrors = &queue->context->mirrors;
	const uint32_t device = queue->device_index;
	cl_int error = CL_SUCCESS;
	uint32_t begun = 0;
	lock_take(mirrors);
	for (; begun < graph->mirrored_count && !error; begun++)
		error = ocl_mirror_replay(graph->mirrored[begun], device, stream);
	if (!error)
		error = gpu_graph_launch(graph->cuda_graph, stream);
	for (uint32_t i = 0; i < begun; i++) {
		const cl_int noted = ocl_mirror_replayed(graph->mirrored[i], device, stream);
		error = error ? error : noted;
	}
	lock_drop(mirrors);
	return error;
}

cl_int ocl_command_graph_run(struct ocl_command_graph *graph, cl_command_queue queue,
			     struct gpu_stream *stream)
{
	cl_int error = CL_SUCCESS;
	for (uint32_t i = 0; i < graph->stream_set_count && !error; i++)
		error = ocl_stream_set_add(graph->stream_sets[i], stream);
	if (!error && graph->indirect)
		error = ocl_stream_set_add(&queue->context->svm.indirect, stream);
	if (!error && graph->counter_count)
		error = ocl_stream_set_add(&graph->counting, stream);
	if (!error && graph->ready)
		error = gpu_stream_wait_event(stream, graph->ready);
	if (!error && graph->printed)
		error = gpu_stream_wait_event(stream, graph->printed);
	if (!error)
		error = graph->mirrored_count ? mirrored_launch(graph, queue, stream)
					      : gpu_graph_launch(graph->cuda_graph, stream);
	return error || !graph->print_count ? error : output_take(graph, queue, stream);
}
