/* What a node enqueues: see graphs_run.h. */
#include "config.h"

#include "tests/stress/graphs_run.h"

static const struct graph_root *root_of(const struct graph_run *run,
					const struct graph_access *access)
{
	return &run->graph->roots[access->root];
}

static bool is_svm(const struct graph_run *run, const struct graph_access *access)
{
	return root_of(run, access)->kind == GRAPH_SVM;
}

static uint32_t *svm_words(const struct graph_run *run, const struct graph_access *access)
{
	return (uint32_t *)run->host[access->root] + access->words.lo;
}

static uint32_t view_start(const struct graph_run *run, const struct graph_access *access)
{
	return root_of(run, access)->views[access->view].lo;
}

static size_t offset_B(const struct graph_run *run, const struct graph_access *access)
{
	return (access->words.lo - view_start(run, access)) * sizeof(uint32_t);
}

static size_t size_B(const struct graph_access *access)
{
	return (access->words.hi - access->words.lo) * sizeof(uint32_t);
}

/* --- handles: a fresh one is released once the command is enqueued ---------------------------- */

static cl_mem view_open(const struct graph_run *run, const struct graph_access *access)
{
	const struct graph_range view = root_of(run, access)->views[access->view];
	const cl_buffer_region region = {view.lo * sizeof(uint32_t),
					 (view.hi - view.lo) * sizeof(uint32_t)};
	cl_mem mem = run->mems[access->root][access->view];
	if (!access->fresh)
		return mem;
	mem = sub_buffer_make(run->mems[access->root][0], 0, &region);
	return mem;
}

static void view_close(const struct graph_access *access, cl_mem mem)
{
	if (access->fresh && mem)
		CHECK_OK(clReleaseMemObject(mem));
}

static cl_mem image_open(const struct graph_run *run, const struct graph_access *access)
{
	const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT32};
	const cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER,
		.image_width = root_of(run, access)->words / 4,
		.buffer = run->mems[access->root][0],
	};
	return image_make(run->context, CL_MEM_READ_WRITE, &format, &desc, NULL);
}

/* --- kernels ---------------------------------------------------------------------------------- */

/* The pointer, and where the words begin behind it. */
static void set_words(const struct graph_run *run, cl_kernel kernel, cl_uint *at,
		      const struct graph_access *access, cl_mem *opened)
{
	const cl_uint start = is_svm(run, access) ? access->words.lo :
						    access->words.lo - view_start(run, access);
	if (is_svm(run, access)) {
		CHECK_OK(clSetKernelArgSVMPointer(kernel, (*at)++, run->host[access->root]));
	} else {
		*opened = view_open(run, access);
		CHECK_OK(clSetKernelArg(kernel, (*at)++, sizeof(*opened), opened));
	}
	CHECK_OK(clSetKernelArg(kernel, (*at)++, sizeof(start), &start));
}

static void set_image(const struct graph_run *run, cl_kernel kernel, cl_uint *at,
		      const struct graph_access *access, cl_mem *opened)
{
	*opened = image_open(run, access);
	CHECK_OK(clSetKernelArg(kernel, (*at)++, sizeof(*opened), opened));
}

struct wait_list { cl_uint count; const cl_event *events; };

static cl_int kernel_enqueue(const struct graph_run *run, const struct graph_node *node,
			     struct wait_list after, cl_event *event_out)
{
	static const char *const names[] = {"mix_words", "sum_words", "swap_words", "pick_words",
					    "image_load", "image_store", "nothing"};
	const uint32_t n = node->accesses[0].words.hi - node->accesses[0].words.lo;
	const bool image = node->kind == GRAPH_IMAGE_LOAD || node->kind == GRAPH_IMAGE_STORE;
	const size_t items = node->kind == GRAPH_NOTHING ? 0 : image ? n / 4 : n;
	cl_kernel kernel = kernel_make(run->program, names[node->kind]);
	cl_mem opened[GRAPH_ACCESSES] = {NULL};
	cl_uint at = 0;
	for (unsigned i = 0; i < node->access_count; i++) {
		if (image && i == (node->kind == GRAPH_IMAGE_LOAD))
			set_image(run, kernel, &at, &node->accesses[i], &opened[i]);
		else
			set_words(run, kernel, &at, &node->accesses[i], &opened[i]);
	}
	if (node->kind != GRAPH_NOTHING)
		CHECK_OK(clSetKernelArg(kernel, at++, sizeof(node->k), &node->k));
	if (node->kind == GRAPH_PICK)
		CHECK_OK(clSetKernelArg(kernel, at++, sizeof(n), &n));
	const cl_int code = clEnqueueNDRangeKernel(run->queues[node->queue], kernel, 1, NULL,
						   &items, NULL, after.count, after.events,
						   event_out);
	CHECK_OK(clReleaseKernel(kernel));
	for (unsigned i = 0; i < node->access_count; i++) {
		if (image && i == (node->kind == GRAPH_IMAGE_LOAD))
			CHECK_OK(clReleaseMemObject(opened[i]));
		else
			view_close(&node->accesses[i], opened[i]);
	}
	return code;
}

/* --- the host's memory ------------------------------------------------------------------------ */

/* What the node reads to, or writes from. */
static uint32_t *host_words(struct graph_run *run, unsigned at)
{
	const struct graph_node *node = &run->graph->nodes[at];
	struct graph_slot *slot = &run->slots[at];
	const uint32_t n = node->accesses[0].words.hi - node->accesses[0].words.lo;
	if (!slot->host) {
		slot->host = malloc(n * sizeof(uint32_t));
		slot->own_host = true;
	}
	if (!CHECK(slot->host))
		return NULL;
	for (uint32_t i = 0; i < n; i++)
		slot->host[i] = graph_host_word(i, node->k);
	return slot->host;
}

static cl_int read_enqueue(struct graph_run *run, unsigned at, struct wait_list after,
			   cl_event *event_out)
{
	const struct graph_node *node = &run->graph->nodes[at];
	const struct graph_access *access = &node->accesses[0];
	uint32_t *to = host_words(run, at);
	cl_command_queue queue = run->queues[node->queue];
	if (!to)
		return CL_OUT_OF_HOST_MEMORY;
	if (is_svm(run, access))
		return clEnqueueSVMMemcpy(queue, node->blocking, to, svm_words(run, access),
					  size_B(access), after.count, after.events, event_out);
	cl_mem mem = view_open(run, access);
	const cl_int code = clEnqueueReadBuffer(queue, mem, node->blocking, offset_B(run, access),
						size_B(access), to, after.count, after.events,
						event_out);
	view_close(access, mem);
	return code;
}

static cl_int write_enqueue(struct graph_run *run, unsigned at, struct wait_list after,
			    cl_event *event_out)
{
	const struct graph_node *node = &run->graph->nodes[at];
	const struct graph_access *access = &node->accesses[0];
	uint32_t *from = host_words(run, at);
	cl_command_queue queue = run->queues[node->queue];
	if (!from)
		return CL_OUT_OF_HOST_MEMORY;
	if (is_svm(run, access))
		return clEnqueueSVMMemcpy(queue, node->blocking, svm_words(run, access), from,
					  size_B(access), after.count, after.events, event_out);
	cl_mem mem = view_open(run, access);
	const cl_int code = clEnqueueWriteBuffer(queue, mem, node->blocking, offset_B(run, access),
						 size_B(access), from, after.count, after.events,
						 event_out);
	view_close(access, mem);
	return code;
}

static cl_int rect_enqueue(struct graph_run *run, unsigned at, struct wait_list after,
			   cl_event *event_out)
{
	enum { PITCH_B = GRAPH_PITCH * sizeof(uint32_t) };
	const struct graph_node *node = &run->graph->nodes[at];
	cl_command_queue queue = run->queues[node->queue];
	const size_t region[3] = {node->rect_w * sizeof(uint32_t), node->rect_h, 1};
	const size_t host_origin[3] = {0, 0, 0};
	cl_mem mems[2] = {NULL, NULL};
	size_t origins[2][3] = {{0}};
	for (unsigned i = 0; i < node->access_count; i++) {
		const size_t start_B = offset_B(run, &node->accesses[i]);
		mems[i] = view_open(run, &node->accesses[i]);
		origins[i][0] = start_B % PITCH_B;
		origins[i][1] = start_B / PITCH_B;
	}
	cl_int code = CL_OUT_OF_HOST_MEMORY;
	uint32_t *host = node->kind == GRAPH_COPY_RECT ? NULL : host_words(run, at);
	if (node->kind == GRAPH_COPY_RECT)
		code = clEnqueueCopyBufferRect(queue, mems[1], mems[0], origins[1], origins[0],
					       region, PITCH_B, 0, PITCH_B, 0, after.count,
					       after.events, event_out);
	else if (host && node->kind == GRAPH_READ_RECT)
		code = clEnqueueReadBufferRect(queue, mems[0], node->blocking, origins[0],
					       host_origin, region, PITCH_B, 0, PITCH_B, 0, host,
					       after.count, after.events, event_out);
	else if (host)
		code = clEnqueueWriteBufferRect(queue, mems[0], node->blocking, origins[0],
						host_origin, region, PITCH_B, 0, PITCH_B, 0, host,
						after.count, after.events, event_out);
	for (unsigned i = 0; i < node->access_count; i++)
		view_close(&node->accesses[i], mems[i]);
	return code;
}

/* --- within the device ------------------------------------------------------------------------ */

static cl_int fill_enqueue(const struct graph_run *run, const struct graph_node *node,
			   struct wait_list after, cl_event *event_out)
{
	const struct graph_access *access = &node->accesses[0];
	cl_command_queue queue = run->queues[node->queue];
	if (is_svm(run, access))
		return clEnqueueSVMMemFill(queue, svm_words(run, access), &node->k,
					   sizeof(node->k), size_B(access), after.count,
					   after.events, event_out);
	cl_mem mem = view_open(run, access);
	const cl_int code = clEnqueueFillBuffer(queue, mem, &node->k, sizeof(node->k),
						offset_B(run, access), size_B(access), after.count,
						after.events, event_out);
	view_close(access, mem);
	return code;
}

static cl_int copy_enqueue(const struct graph_run *run, const struct graph_node *node,
			   struct wait_list after, cl_event *event_out)
{
	const struct graph_access *to = &node->accesses[0], *from = &node->accesses[1];
	cl_command_queue queue = run->queues[node->queue];
	if (is_svm(run, to))
		return clEnqueueSVMMemcpy(queue, CL_FALSE, svm_words(run, to),
					  svm_words(run, from), size_B(to), after.count,
					  after.events, event_out);
	cl_mem target = view_open(run, to), source = view_open(run, from);
	const cl_int code = clEnqueueCopyBuffer(queue, source, target, offset_B(run, from),
						offset_B(run, to), size_B(to), after.count,
						after.events, event_out);
	view_close(to, target);
	view_close(from, source);
	return code;
}

static cl_int migrate_enqueue(const struct graph_run *run, const struct graph_node *node,
			      struct wait_list after, cl_event *event_out)
{
	const struct graph_access *access = &node->accesses[0];
	const cl_mem_migration_flags flags = node->k % 3 ? 0 : CL_MIGRATE_MEM_OBJECT_HOST;
	cl_command_queue queue = run->queues[node->queue];
	if (is_svm(run, access)) {
		const void *pointer = run->host[access->root];
		return clEnqueueSVMMigrateMem(queue, 1, &pointer, NULL, flags, after.count,
					      after.events, event_out);
	}
	cl_mem mem = view_open(run, access);
	const cl_int code = clEnqueueMigrateMemObjects(queue, 1, &mem, flags, after.count,
						       after.events, event_out);
	view_close(access, mem);
	return code;
}

/* --- maps ------------------------------------------------------------------------------------- */

static cl_int map_enqueue(struct graph_run *run, unsigned at, struct wait_list after,
			  cl_event *event_out)
{
	const struct graph_node *node = &run->graph->nodes[at];
	const struct graph_access *access = &node->accesses[0];
	const cl_map_flags flags = node->discards_map ? CL_MAP_WRITE_INVALIDATE_REGION :
				   node->writes_map ? CL_MAP_READ | CL_MAP_WRITE : CL_MAP_READ;
	struct graph_slot *slot = &run->slots[at];
	cl_int code;
	if (is_svm(run, access)) {
		slot->mapped = svm_words(run, access);
		return clEnqueueSVMMap(run->queues[node->queue], node->blocking, flags,
				       slot->mapped, size_B(access), after.count, after.events,
				       event_out);
	}
	/* A view that is unmapped later has to be the same. */
	slot->mapped = clEnqueueMapBuffer(run->queues[node->queue],
					  run->mems[access->root][access->view], node->blocking,
					  flags, offset_B(run, access), size_B(access),
					  after.count, after.events, event_out, &code);
	return code;
}

static cl_int unmap_enqueue(struct graph_run *run, const struct graph_node *node,
			    struct wait_list after, cl_event *event_out)
{
	const struct graph_node *map = &run->graph->nodes[node->other];
	const struct graph_access *access = &map->accesses[0];
	struct graph_slot *slot = &run->slots[node->other];
	cl_command_queue queue = run->queues[node->queue];
	const uint32_t n = access->words.hi - access->words.lo;
	uint32_t *words = slot->mapped;
	if (!CHECK_OK(clWaitForEvents(1, &slot->event)) || !CHECK(words))
		return CL_INVALID_VALUE;
	if (!map->discards_map)
		CHECK(graph_words_are("map", node->other, words, map->expected, n));
	for (uint32_t i = 0; i < n && map->writes_map; i++)
		words[i] = graph_host_word(i, node->k);
	if (is_svm(run, access))
		return clEnqueueSVMUnmap(queue, words, after.count, after.events, event_out);
	return clEnqueueUnmapMemObject(queue, run->mems[access->root][access->view], words,
				       after.count, after.events, event_out);
}

/* --- the others ------------------------------------------------------------------------------- */

struct native_work { uint32_t *words; uint32_t start, n, k; };

static void CL_CALLBACK native_mix(void *data)
{
	const struct native_work *work = data;
	uint32_t *words = work->words + work->start;
	for (uint32_t i = 0; i < work->n; i++)
		words[i] = graph_mix(words[i], i, work->k);
}

static cl_int native_enqueue(const struct graph_run *run, const struct graph_node *node,
			     struct wait_list after, cl_event *event_out)
{
	const struct graph_access *access = &node->accesses[0];
	struct native_work work = {
		.start = access->words.lo - view_start(run, access),
		.n = access->words.hi - access->words.lo, .k = node->k,
	};
	const void *places[1] = {&work.words};
	cl_mem mem = view_open(run, access);
	const cl_int code = clEnqueueNativeKernel(run->queues[node->queue], native_mix, &work,
						  sizeof(work), 1, &mem, places, after.count,
						  after.events, event_out);
	view_close(access, mem);
	return code;
}

/* Three commands in line: the first access is filled, the second mixed, then they are swapped. */
static cl_int recorded_enqueue(const struct graph_run *run, const struct graph_node *node,
			       struct wait_list after, cl_event *event_out)
{
	const struct command_buffer_entry *commands = &run->platform->commands;
	const size_t items = node->accesses[0].words.hi - node->accesses[0].words.lo;
	cl_command_queue queue = run->queues[node->queue];
	cl_kernel kernels[2] = {kernel_make(run->program, "mix_words"),
				kernel_make(run->program, "swap_words")};
	cl_mem opened[2], again[2] = {NULL, NULL};
	cl_sync_point_khr points[2];
	cl_uint at = 0;
	cl_int code;
	cl_command_buffer_khr buffer = commands->create(1, &queue, NULL, &code);
	CHECK_OK(code);
	opened[0] = view_open(run, &node->accesses[0]);
	CHECK_OK(commands->fill(buffer, NULL, NULL, opened[0], &node->k, sizeof(node->k),
				offset_B(run, &node->accesses[0]), size_B(&node->accesses[0]), 0,
				NULL, &points[0], NULL));
	set_words(run, kernels[0], &at, &node->accesses[1], &opened[1]);
	CHECK_OK(clSetKernelArg(kernels[0], at, sizeof(node->k), &node->k));
	CHECK_OK(commands->launch(buffer, NULL, NULL, kernels[0], 1, NULL, &items, NULL, 0, NULL,
				  &points[1], NULL));
	at = 0;
	for (unsigned i = 0; i < 2; i++)
		set_words(run, kernels[1], &at, &node->accesses[i], &again[i]);
	CHECK_OK(clSetKernelArg(kernels[1], at, sizeof(node->k), &node->k));
	CHECK_OK(commands->launch(buffer, NULL, NULL, kernels[1], 1, NULL, &items, NULL, 2, points,
				  NULL, NULL));
	CHECK_OK(commands->finalize(buffer));
	code = commands->enqueue(0, NULL, buffer, after.count, after.events, event_out);
	CHECK_OK(commands->release(buffer));
	for (unsigned i = 0; i < 2; i++) {
		view_close(&node->accesses[i], opened[i]);
		view_close(&node->accesses[i], again[i]);
		CHECK_OK(clReleaseKernel(kernels[i]));
	}
	return code;
}

cl_int graph_enqueue(struct graph_run *run, unsigned at, cl_uint count, const cl_event *events,
		     cl_event *event_out)
{
	const struct graph_node *node = &run->graph->nodes[at];
	const struct wait_list after = {count, count ? events : NULL};
	cl_command_queue queue = run->queues[node->queue];
	switch (node->kind) {
	case GRAPH_FILL:
		return fill_enqueue(run, node, after, event_out);
	case GRAPH_COPY:
		return copy_enqueue(run, node, after, event_out);
	case GRAPH_COPY_RECT: case GRAPH_READ_RECT: case GRAPH_WRITE_RECT:
		return rect_enqueue(run, at, after, event_out);
	case GRAPH_READ:
		return read_enqueue(run, at, after, event_out);
	case GRAPH_WRITE:
		return write_enqueue(run, at, after, event_out);
	case GRAPH_MIGRATE:
		return migrate_enqueue(run, node, after, event_out);
	case GRAPH_NATIVE:
		return native_enqueue(run, node, after, event_out);
	case GRAPH_RECORDED:
		return recorded_enqueue(run, node, after, event_out);
	case GRAPH_MAP:
		return map_enqueue(run, at, after, event_out);
	case GRAPH_UNMAP:
		return unmap_enqueue(run, node, after, event_out);
	case GRAPH_MARKER:
		return clEnqueueMarkerWithWaitList(queue, after.count, after.events, event_out);
	case GRAPH_BARRIER:
		return clEnqueueBarrierWithWaitList(queue, after.count, after.events, event_out);
	default:
		return kernel_enqueue(run, node, after, event_out);
	}
}
