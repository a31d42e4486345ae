#include "config.h"

#include "icd/graph/drawing.h"

#include "icd/launch/launch.h"
#include "icd/order/printf.h"
#include "icd/order/queue.h"
#include "icd/program/module.h"

#include <stdlib.h>

void ocl_drawing_unref(struct ocl_drawing *drawing)
{
	if (!drawing || atomic_fetch_sub_explicit(&drawing->refs, 1, memory_order_acq_rel) != 1)
		return;
	for (uint32_t i = 0; i < drawing->print_count; i++)
		gpu_memory_free(drawing->device, drawing->prints[i].buffer, &drawing->printed,
				drawing->printed != NULL);
	gpu_graph_destroy(drawing->graph);
	gpu_event_unref(drawing->ready);
	gpu_event_unref(drawing->printed);
	free(drawing->prints);
	free(drawing->accesses);
	free(drawing->modules);
	free(drawing);
}

bool ocl_drawing_is_idle(const struct ocl_drawing *drawing)
{
	return atomic_load(&drawing->refs) == 1;
}

/* --- what the commands use ------------------------------------------------------------------ */

static bool is_launch(const struct ocl_command *command)
{
	return command->kind == &ocl_command_launch || command->kind == &ocl_command_launch_printf;
}

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

static void module_gather(struct ocl_drawing *drawing, struct ocl_module *module)
{
	for (uint32_t i = 0; i < drawing->module_count; i++)
		if (drawing->modules[i] == module)
			return;
	drawing->modules[drawing->module_count++] = module;
}

static cl_int uses_gather(const struct ocl_recorded *commands, uint32_t count,
			  struct ocl_drawing *drawing)
{
	size_t accesses = 0;
	for (uint32_t i = 0; i < count; i++)
		accesses += commands[i].command->access_count;
	drawing->accesses = malloc((accesses + 1) * sizeof(*drawing->accesses));
	drawing->modules = malloc(((size_t)count + 1) * sizeof(struct ocl_module *));
	if (!drawing->accesses || !drawing->modules)
		return CL_OUT_OF_HOST_MEMORY;
	for (uint32_t i = 0; i < count; i++) {
		const struct ocl_command *command = commands[i].command;
		accesses_gather(drawing, command);
		if (!is_launch(command))
			continue;
		module_gather(drawing, command->u.launch.code->module);
		drawing->indirect |= command->u.launch.indirect;
	}
	return CL_SUCCESS;
}

/* --- drawing -------------------------------------------------------------------------------- */

/* The places that commands use, for what is recorded.  stream: where images are prepared. */
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
	}
	return error;
}

static cl_int launch_printf_draw(struct ocl_drawing *drawing, struct ocl_command *command)
{
	const struct gpu_sink sink = gpu_into_graph(drawing->graph);
	struct ocl_drawn_print *print = &drawing->prints[drawing->print_count];
	print->code = command->u.launch.code->program_code;
	cl_int error = ocl_print_buffer_create(drawing->device, &print->buffer);
	if (error)
		return error;
	drawing->print_count++;
	error = ocl_print_buffer_empty(sink, print->buffer);
	return error ? error : ocl_launch_put_printing(command, sink, print->buffer);
}

/* What is being drawn. */
struct sketch {
	struct ocl_drawing *drawing;
	struct ocl_recorded *commands;
	uint32_t count;
	struct gpu_stream *stream;       /* where images are prepared */
	uint32_t *nodes;                 /* room for what one command follows */
};

static cl_int command_follow(const struct sketch *sketch, const struct ocl_recorded *recorded)
{
	for (uint32_t i = 0; i < recorded->after_count; i++) {
		const struct ocl_recorded *earlier = &sketch->commands[recorded->after[i]];
		sketch->nodes[i] = earlier->first_node + earlier->node_count - 1;
	}
	return gpu_graph_follow(sketch->drawing->graph, sketch->nodes, recorded->after_count);
}

static cl_int command_draw(const struct sketch *sketch, struct ocl_recorded *recorded)
{
	struct gpu_graph *graph = sketch->drawing->graph;
	struct ocl_command *command = recorded->command;
	recorded->first_node = gpu_graph_node_count(graph);
	cl_int error = command_follow(sketch, recorded);
	if (!error)
		error = places_find(command, sketch->stream);
	if (!error && command->kind == &ocl_command_launch_printf)
		error = launch_printf_draw(sketch->drawing, command);
	else if (!error && command->kind->put)
		error = command->kind->put(command, gpu_into_graph(graph));
	/* Others may come after what does nothing. */
	if (!error && gpu_graph_node_count(graph) == recorded->first_node)
		error = gpu_graph_add_nothing(graph);
	recorded->node_count = gpu_graph_node_count(graph) - recorded->first_node;
	return error;
}

static cl_int sketch_draw(const struct sketch *sketch)
{
	struct ocl_drawing *drawing = sketch->drawing;
	const uint64_t before = gpu_stream_last(sketch->stream);
	cl_int error = gpu_graph_create(drawing->device, &drawing->graph);
	for (uint32_t i = 0; i < sketch->count && !error; i++)
		error = command_draw(sketch, &sketch->commands[i]);
	if (!error)
		error = gpu_graph_finish(drawing->graph);
	if (!error && gpu_stream_last(sketch->stream) != before)
		error = gpu_event_record(sketch->stream, false, &drawing->ready);
	return error;
}

static cl_int graph_make(struct ocl_drawing *drawing, struct ocl_recorded *commands,
			 uint32_t count)
{
	struct sketch sketch = {.drawing = drawing, .commands = commands, .count = count};
	sketch.nodes = malloc(((size_t)count + 1) * sizeof(*sketch.nodes));
	drawing->prints = calloc((size_t)count + 1, sizeof(*drawing->prints));
	cl_int error = sketch.nodes && drawing->prints ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
	if (!error)
		error = gpu_stream_acquire(drawing->device, 0, &sketch.stream);
	if (!error) {
		error = sketch_draw(&sketch);
		gpu_stream_release(sketch.stream);
	}
	free(sketch.nodes);
	return error;
}

cl_int ocl_drawing_make(cl_command_queue queue, struct ocl_recorded *commands, uint32_t count,
			struct ocl_drawing **drawing_out)
{
	struct ocl_drawing *drawing = calloc(1, sizeof(*drawing));
	if (!drawing)
		return CL_OUT_OF_HOST_MEMORY;
	atomic_init(&drawing->refs, 1);
	drawing->device = queue->device->gpu;
	cl_int error = uses_gather(commands, count, drawing);
	if (!error)
		error = graph_make(drawing, commands, count);
	if (error)
		ocl_drawing_unref(drawing);
	else
		*drawing_out = drawing;
	/* The pages list nothing else for memory that a buffer cannot have. */
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
	       command->u.launch.indirect == before->u.launch.indirect &&
	       !takes_images(command);
}

cl_int ocl_drawing_revise(struct ocl_drawing *drawing, struct ocl_recorded *commands,
			  uint32_t count, const uint32_t *positions, uint32_t position_count,
			  struct ocl_access **accesses_out, uint32_t *access_count_out)
{
	struct ocl_drawing uses = {0};
	cl_int error = uses_gather(commands, count, &uses);
	for (uint32_t i = 0; i < position_count && !error; i++) {
		struct ocl_recorded *recorded = &commands[positions[i]];
		gpu_graph_revise(drawing->graph, recorded->first_node);
		error = places_find(recorded->command, NULL);
		if (!error)
			error = recorded->command->kind->put(recorded->command,
							     gpu_into_graph(drawing->graph));
	}
	free(uses.modules);
	if (error) {
		free(uses.accesses);
		return error;
	}
	*accesses_out = uses.accesses;
	*access_count_out = uses.access_count;
	return CL_SUCCESS;
}

/* --- use -------------------------------------------------------------------------------------- */

static cl_int output_take(struct ocl_drawing *drawing, cl_command_queue queue,
			  struct gpu_stream *stream)
{
	struct gpu_event *printed;
	cl_int error = CL_SUCCESS;
	for (uint32_t i = 0; i < drawing->print_count && !error; i++)
		error = ocl_print_buffer_take(queue, stream, drawing->prints[i].code,
					      drawing->prints[i].buffer);
	if (!error)
		error = gpu_event_record(stream, false, &printed);
	if (error)
		return error;
	gpu_event_unref(drawing->printed);
	drawing->printed = printed;
	return CL_SUCCESS;
}

cl_int ocl_drawing_run(struct ocl_drawing *drawing, cl_command_queue queue,
		       struct gpu_stream *stream)
{
	cl_int error = CL_SUCCESS;
	for (uint32_t i = 0; i < drawing->module_count && !error; i++)
		error = ocl_module_note(drawing->modules[i], stream);
	if (!error && drawing->indirect)
		error = ocl_users_note(&queue->context->svm.indirect, stream);
	if (!error && drawing->ready)
		error = gpu_stream_wait_event(stream, drawing->ready);
	if (!error && drawing->printed)
		error = gpu_stream_wait_event(stream, drawing->printed);
	if (!error)
		error = gpu_graph_launch(drawing->graph, stream);
	return error || !drawing->print_count ? error : output_take(drawing, queue, stream);
}
