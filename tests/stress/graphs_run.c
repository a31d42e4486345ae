/* One graph on a platform: see graphs_run.h. */
#include "config.h"

#include "tests/stress/graphs_run.h"

#include <pthread.h>
#include <unistd.h>

/* Stamps of one device: the host's clock is in what keeps them in order, and may be off. By no more
 * than half the bracket that gpu_clock.c takes, 50 us, each of two: where processes share a GPU, it
 * looks at the clock when their turn comes. */
enum { PATIENCE = 100000, PAUSE_US = 100, STAMP_SLACK_NS = 50000 };

static const char source[] =
"kernel void mix_words(global uint *a, uint oa, uint k)\n"
"{ uint i = get_global_id(0); a[oa + i] = a[oa + i] * (2 * k + 1) + i; }\n"
"kernel void sum_words(global uint *a, uint oa, global const uint *b, uint ob,\n"
"		      global const uint *c, uint oc, uint k)\n"
"{ uint i = get_global_id(0); a[oa + i] = (b[ob + i] + c[oc + i] * (2 * k + 1)) ^ k; }\n"
"kernel void swap_words(global uint *a, uint oa, global uint *b, uint ob, uint k)\n"
"{ uint i = get_global_id(0), t = a[oa + i]; a[oa + i] = b[ob + i] + k; b[ob + i] = t ^ k; }\n"
"kernel void pick_words(global uint *a, uint oa, global const uint *b, uint ob, uint k, uint n)\n"
"{ uint i = get_global_id(0); a[oa + i] = b[ob + (i * 7 + k) % n]; }\n"
"kernel void nothing(void) { }\n";

static const char image_source[] =
"kernel void image_load(global uint *a, uint oa, read_only image1d_buffer_t b, uint k)\n"
"{ uint i = get_global_id(0); vstore4(read_imageui(b, (int)i) ^ k, i, a + oa); }\n"
"kernel void image_store(write_only image1d_buffer_t a, global const uint *b, uint ob, uint k)\n"
"{ uint i = get_global_id(0); write_imageui(a, (int)i, vload4(i, b + ob) ^ k); }\n";

/* --- what is checked -------------------------------------------------------------------------- */

bool graph_words_are(const char *what, unsigned number, const uint32_t *words,
		     const uint32_t *expected, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (words[i] != expected[i]) {
			printf("%s %u: word %u of %u is %08x, not %08x\n", what, number, i, count,
			       words[i], expected[i]);
			return false;
		}
	return true;
}

static void read_check(const struct graph_run *run, unsigned at)
{
	const struct graph_node *node = &run->graph->nodes[at];
	const uint32_t *words = run->slots[at].host;
	const uint32_t n = node->accesses[0].words.hi - node->accesses[0].words.lo;
	if (node->fails) {
		/* Nothing was read: it is as it was. */
		for (uint32_t i = 0; i < n && words; i++)
			if (!CHECK(words[i] == graph_host_word(i, node->k)))
				return;
		return;
	}
	if (!words || !node->expected)
		return;
	if (node->kind == GRAPH_READ) {
		CHECK(graph_words_are("read", at, words, node->expected, n));
		return;
	}
	for (uint32_t y = 0; y < node->rect_h; y++)
		CHECK(graph_words_are("read rect", at, words + y * GRAPH_PITCH,
				      node->expected + y * GRAPH_PITCH, node->rect_w));
}

static cl_ulong stamp(cl_event event, cl_profiling_info name)
{
	cl_ulong ns = 0;
	CHECK_OK(clGetEventProfilingInfo(event, name, sizeof(ns), &ns, NULL));
	return ns;
}

static bool has_stamps(const struct graph_run *run, unsigned at)
{
	const struct graph_node *node = &run->graph->nodes[at];
	return node->kept && !node->fails && node->kind < GRAPH_USER &&
	       run->graph->queues[node->queue].profiling && run->slots[at].event;
}

static void stamps_check(const struct graph_run *run, unsigned at)
{
	const struct graph_node *node = &run->graph->nodes[at];
	const unsigned device = run->graph->queues[node->queue].device;
	cl_event event = run->slots[at].event;
	if (!has_stamps(run, at))
		return;
	const cl_ulong queued = stamp(event, CL_PROFILING_COMMAND_QUEUED);
	const cl_ulong submit = stamp(event, CL_PROFILING_COMMAND_SUBMIT);
	const cl_ulong start = stamp(event, CL_PROFILING_COMMAND_START);
	const cl_ulong end = stamp(event, CL_PROFILING_COMMAND_END);
	CHECK(queued && queued <= submit && submit <= start && start <= end);
	for (unsigned i = 0; i < node->dependency_count; i++) {
		const unsigned on = node->dependencies[i];
		if (!has_stamps(run, on) ||
		    run->graph->queues[run->graph->nodes[on].queue].device != device)
			continue;
		const cl_ulong ended = stamp(run->slots[on].event, CL_PROFILING_COMMAND_END);
		if (!CHECK(ended <= start + STAMP_SLACK_NS))
			printf("node %u (%s) started %llu ns before the end of %u (%s)\n", at,
			       graph_kind_name(node->kind), (unsigned long long)(ended - start), on,
			       graph_kind_name(run->graph->nodes[on].kind));
	}
}

/* OpenCL 3.0 API, 5.11: what waits for an event that has ended badly ends with
 * CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST. */
static cl_int status_due(const struct graph_node *node)
{
	if (node->kind == GRAPH_USER)
		return node->status;
	return node->fails ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_COMPLETE;
}

static cl_int status_of(cl_event event)
{
	cl_int status = 12345;
	CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
				NULL));
	return status;
}

/* --- events ----------------------------------------------------------------------------------- */

static void event_drop(struct graph_run *run, unsigned at)
{
	struct graph_slot *slot = &run->slots[at];
	if (slot->event && atomic_fetch_sub(&slot->uses, 1) == 1) {
		cl_event event = slot->event;
		CHECK_OK(clReleaseEvent(event));
	}
}

static void CL_CALLBACK told(cl_event event, cl_int status, void *data)
{
	struct graph_slot *slot = data;
	struct graph_run *run = slot->run;
	(void)event;
	atomic_store(&slot->told, status);
	atomic_fetch_add(&slot->calls, 1);
	atomic_fetch_add(&run->callbacks_done, 1);
}

/* The bytes were written: their memory is used for something else. */
static void CL_CALLBACK garble(cl_event event, cl_int status, void *data)
{
	struct graph_slot *slot = data;
	struct graph_run *run = slot->run;
	const struct graph_node *node = &run->graph->nodes[slot - run->slots];
	const uint32_t n = node->accesses[0].words.hi - node->accesses[0].words.lo;
	(void)event, (void)status;
	memset(slot->host, GRAPH_GARBAGE, n * sizeof(uint32_t));
	atomic_fetch_add(&run->callbacks_done, 1);
}

static cl_int callback_type(const struct graph_node *node)
{
	return node->k % 5 ? CL_COMPLETE : CL_SUBMITTED;
}

static void callbacks_add(struct graph_run *run, unsigned at, cl_event event)
{
	const struct graph_node *node = &run->graph->nodes[at];
	struct graph_slot *slot = &run->slots[at];
	if (node->called) {
		atomic_fetch_add(&run->callbacks_due, 1);
		CHECK_OK(clSetEventCallback(event, callback_type(node), told, slot));
	}
	if ((node->kind == GRAPH_WRITE || node->kind == GRAPH_WRITE_RECT) && !node->blocking) {
		atomic_fetch_add(&run->callbacks_due, 1);
		CHECK_OK(clSetEventCallback(event, CL_COMPLETE, garble, slot));
	}
}

static void callbacks_check(const struct graph_run *run, unsigned at)
{
	const struct graph_node *node = &run->graph->nodes[at];
	const struct graph_slot *slot = &run->slots[at];
	if (!node->called || !node->event)
		return;
	const cl_int type = callback_type(node);
	/* A user event is submitted from the beginning. */
	const bool at_once = node->kind == GRAPH_USER && type == CL_SUBMITTED;
	const cl_int due = at_once ? CL_COMPLETE : status_due(node);
	CHECK(atomic_load(&slot->calls) == 1);
	/* A callback is told its own type, or why the command has failed. */
	CHECK(atomic_load(&slot->told) == (due < 0 ? due : type));
}

/* --- a thread's part -------------------------------------------------------------------------- */

static cl_event event_of(struct graph_run *run, unsigned at)
{
	/* Another thread enqueues it, and waits for nothing that comes later. */
	while (!atomic_load(&run->slots[at].issued))
		usleep(20);
	return run->slots[at].event;
}

static void CL_CALLBACK host_free(cl_mem mem, void *data)
{
	struct graph_run *run = data;
	(void)mem;
	atomic_fetch_add(&run->host_freed, 1);
}

static void root_release(struct graph_run *run, unsigned root)
{
	for (unsigned i = GRAPH_VIEWS; i-- > 0;)
		if (run->mems[root][i])
			CHECK_OK(clReleaseMemObject(run->mems[root][i]));
	run->mems[root][0] = NULL;
}

static void roots_drop(struct graph_run *run, const struct graph_node *node)
{
	for (unsigned i = 0; i < node->access_count; i++) {
		const unsigned root = node->accesses[i].root;
		if (atomic_fetch_sub(&run->root_uses[root], 1) == 1 &&
		    run->graph->roots[root].brief)
			root_release(run, root);
	}
}

static void publish(struct graph_run *run, unsigned at, cl_event event)
{
	struct graph_slot *slot = &run->slots[at];
	slot->event = event;
	atomic_store(&slot->issued, true);
	event_drop(run, at);
}

static void command_issue(struct graph_run *run, unsigned at)
{
	const struct graph_node *node = &run->graph->nodes[at];
	struct graph_slot *slot = &run->slots[at];
	cl_event list[GRAPH_DEPENDENCIES], event = NULL;
	cl_uint count = 0;
	for (unsigned i = 0; i < node->dependency_count; i++) {
		list[count] = event_of(run, node->dependencies[i]);
		count += list[count] != NULL;
	}
	if (node->kind == GRAPH_UNMAP)
		(void)event_of(run, node->other);
	/* OpenCL 3.0 API, 5.2: "event returns an event object ... can be NULL". */
	CHECK_OK(graph_enqueue(run, at, count, list, node->event ? &event : NULL));
	CHECK(!node->event || event);
	if (node->blocking && slot->host &&
	    (node->kind == GRAPH_WRITE || node->kind == GRAPH_WRITE_RECT))
		memset(slot->host, GRAPH_GARBAGE,
		       (node->accesses[0].words.hi - node->accesses[0].words.lo) * sizeof(uint32_t));
	else if (node->blocking && node->kind != GRAPH_MAP)
		read_check(run, at);
	if (event)
		callbacks_add(run, at, event);
	roots_drop(run, node);
	publish(run, at, event);
	for (unsigned i = 0; i < node->dependency_count; i++)
		event_drop(run, node->dependencies[i]);
	if (node->kind == GRAPH_UNMAP)
		event_drop(run, node->other);
}

static void wait_issue(struct graph_run *run, const struct graph_node *node)
{
	cl_event list[GRAPH_DEPENDENCIES];
	cl_uint count = 0;
	for (unsigned i = 0; i < node->dependency_count; i++) {
		list[count] = event_of(run, node->dependencies[i]);
		count += list[count] != NULL;
	}
	if (count)
		CHECK_OK(clWaitForEvents(count, list));
	for (unsigned i = 0; i < node->dependency_count; i++)
		event_drop(run, node->dependencies[i]);
}

static void user_issue(struct graph_run *run, unsigned at)
{
	cl_event event = user_event_make(run->context);
	if (event)
		callbacks_add(run, at, event);
	publish(run, at, event);
}

static void issue(struct graph_run *run, unsigned at)
{
	const struct graph_node *node = &run->graph->nodes[at];
	switch (node->kind) {
	case GRAPH_USER:
		user_issue(run, at);
		break;
	case GRAPH_SET:
		CHECK_OK(clSetUserEventStatus(event_of(run, node->other), node->status));
		event_drop(run, node->other);
		break;
	case GRAPH_WAIT:
		wait_issue(run, node);
		break;
	case GRAPH_FINISH:
		CHECK_OK(clFinish(run->queues[node->queue]));
		break;
	default:
		command_issue(run, at);
		if (node->k % 4 == 0)
			CHECK_OK(clFlush(run->queues[node->queue]));
		break;
	}
}

struct part { struct graph_run *run; unsigned thread; };

static void *part_main(void *data)
{
	const struct part *part = data;
	const struct graph *graph = part->run->graph;
	for (unsigned i = 0; i < graph->node_count; i++)
		if (graph->nodes[i].thread == part->thread)
			issue(part->run, i);
	return NULL;
}

/* --- birth ------------------------------------------------------------------------------------ */

static cl_mem root_create(struct graph_run *run, unsigned root)
{
	const struct graph_root *made = &run->graph->roots[root];
	const size_t size_B = made->words * sizeof(uint32_t);
	uint32_t *words = malloc(size_B);
	cl_int code = CL_SUCCESS;
	cl_mem mem = NULL;
	if (!CHECK(words))
		return NULL;
	for (uint32_t i = 0; i < made->words; i++)
		words[i] = graph_first_word(root, i);
	switch (made->kind) {
	case GRAPH_COPIED:
		mem = clCreateBuffer(run->context, CL_MEM_COPY_HOST_PTR, size_B, words, &code);
		break;
	case GRAPH_HOST_POINTER:
		mem = clCreateBuffer(run->context, CL_MEM_USE_HOST_PTR, size_B, words, &code);
		run->host[root] = words;
		CHECK_OK(clSetMemObjectDestructorCallback(mem, host_free, run));
		return mem;
	case GRAPH_SVM:
		run->host[root] = clSVMAlloc(run->context, CL_MEM_READ_WRITE, size_B, 0);
		CHECK(run->host[root]);
		CHECK_OK(clEnqueueSVMMemcpy(run->queues[0], CL_TRUE, run->host[root], words, size_B,
					    0, NULL, NULL));
		break;
	default:
		mem = buffer_make(run->context,
				  made->kind == GRAPH_HOST_MEMORY ? CL_MEM_ALLOC_HOST_PTR
								  : CL_MEM_READ_WRITE,
				  size_B, NULL);
		CHECK_OK(clEnqueueWriteBuffer(run->queues[0], mem, CL_TRUE, 0, size_B, words, 0,
					      NULL, NULL));
		/* What a blocking write has taken may be on its way still. */
		CHECK_OK(clFinish(run->queues[0]));
		break;
	}
	CHECK_OK(code);
	CHECK_OK(clFinish(run->queues[0]));
	free(words);
	return mem;
}

static void roots_create(struct graph_run *run)
{
	const struct graph *graph = run->graph;
	for (unsigned i = 0; i < graph->root_count; i++) {
		run->mems[i][0] = root_create(run, i);
		atomic_init(&run->root_uses[i], graph->roots[i].uses);
		for (unsigned j = 1; j < GRAPH_VIEWS && run->mems[i][0]; j++) {
			const struct graph_range view = graph->roots[i].views[j];
			const cl_buffer_region region = {view.lo * sizeof(uint32_t),
							 (view.hi - view.lo) * sizeof(uint32_t)};
			run->mems[i][j] = sub_buffer_make(run->mems[i][0], 0, &region);
		}
	}
}

static void queues_create(struct graph_run *run)
{
	static const cl_queue_priority_khr priorities[] = {
		0, CL_QUEUE_PRIORITY_HIGH_KHR, CL_QUEUE_PRIORITY_MED_KHR, CL_QUEUE_PRIORITY_LOW_KHR,
	};
	for (unsigned i = 0; i < run->graph->queue_count; i++) {
		const struct graph_queue *queue = &run->graph->queues[i];
		const cl_queue_properties list[] = {
			CL_QUEUE_PROPERTIES,
			(queue->in_order ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) |
				(queue->profiling ? CL_QUEUE_PROFILING_ENABLE : 0),
			queue->priority ? CL_QUEUE_PRIORITY_KHR : 0, priorities[queue->priority], 0
		};
		cl_int code;
		run->queues[i] = clCreateCommandQueueWithProperties(
			run->context, run->platform->test.devices[queue->device], list, &code);
		CHECK_OK(code);
	}
}

static void arena_create(struct graph_run *run)
{
	cl_int code;
	run->arena = buffer_make(run->context, CL_MEM_ALLOC_HOST_PTR,
				 GRAPH_ARENA_WORDS * sizeof(uint32_t), NULL);
	run->arena_words = clEnqueueMapBuffer(run->queues[0], run->arena, CL_TRUE,
					      CL_MAP_READ | CL_MAP_WRITE, 0,
					      GRAPH_ARENA_WORDS * sizeof(uint32_t), 0, NULL, NULL,
					      &code);
	CHECK_OK(code);
}

/* Room in pinned memory, as long as there is some. */
static uint32_t *arena_take(struct graph_run *run, const struct graph_node *node)
{
	const size_t n = node->accesses[0].words.hi - node->accesses[0].words.lo;
	if (!node->pinned || !node->access_count || !run->arena_words ||
	    n > GRAPH_ARENA_WORDS - run->arena_used)
		return NULL;
	run->arena_used += n;
	return run->arena_words + run->arena_used - n;
}

static void slots_init(struct graph_run *run)
{
	for (unsigned i = 0; i < run->graph->node_count; i++) {
		const struct graph_node *node = &run->graph->nodes[i];
		struct graph_slot *slot = &run->slots[i];
		slot->run = run;
		atomic_init(&slot->uses, node->uses + (node->kept ? 2u : 1u));
		atomic_init(&slot->told, 12345);
		if (node->kind >= GRAPH_READ && node->kind <= GRAPH_WRITE_RECT)
			slot->host = arena_take(run, node);
	}
}

/* --- the end ---------------------------------------------------------------------------------- */

/* Queues are given back as soon as their last command is enqueued: a marker that says when all
 * that was in them is over. */
static void queues_end(struct graph_run *run)
{
	cl_event ends[GRAPH_QUEUES];
	cl_int code;
	for (unsigned i = 0; i < run->graph->queue_count; i++) {
		ends[i] = NULL;
		code = clEnqueueMarkerWithWaitList(run->queues[i], 0, NULL, &ends[i]);
		CHECK_OK(code);
		CHECK_OK(clReleaseCommandQueue(run->queues[i]));
	}
	for (unsigned i = 0; i < run->graph->queue_count; i++) {
		/* On a device that was lost there is none. */
		if (!ends[i])
			continue;
		/* By waiting, or by asking alone. */
		for (unsigned n = 0; run->graph->seed % 2 && n < PATIENCE &&
				     status_of(ends[i]) > CL_COMPLETE; n++)
			usleep(PAUSE_US);
		CHECK_OK(clWaitForEvents(1, &ends[i]));
		CHECK_OK(clReleaseEvent(ends[i]));
	}
}

static void events_end(struct graph_run *run)
{
	const struct graph *graph = run->graph;
	for (unsigned i = 0; i < graph->node_count; i++) {
		const struct graph_node *node = &graph->nodes[i];
		if (node->kept && node->event && run->slots[i].event &&
		    !CHECK(status_of(run->slots[i].event) == status_due(node)))
			printf("node %u (%s) has status %d, not %d\n", i,
			       graph_kind_name(node->kind), status_of(run->slots[i].event),
			       status_due(node));
		stamps_check(run, i);
	}
	for (unsigned n = 0; n < PATIENCE && atomic_load(&run->callbacks_done) <
					     atomic_load(&run->callbacks_due); n++)
		usleep(PAUSE_US);
	CHECK(atomic_load(&run->callbacks_done) == atomic_load(&run->callbacks_due));
	for (unsigned i = 0; i < graph->node_count; i++) {
		callbacks_check(run, i);
		if (graph->nodes[i].kept)
			event_drop(run, i);
		if (graph->nodes[i].kind == GRAPH_READ || graph->nodes[i].kind == GRAPH_READ_RECT)
			read_check(run, i);
	}
}

static void root_check(struct graph_run *run, cl_command_queue queue, unsigned root)
{
	const struct graph_root *made = &run->graph->roots[root];
	const size_t size_B = made->words * sizeof(uint32_t);
	const bool svm = made->kind == GRAPH_SVM;
	if (!svm && !run->mems[root][0])
		return;
	uint32_t *words = svm ? run->host[root] : malloc(size_B);
	if (!CHECK(words))
		return;
	if (svm)
		CHECK_OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, words, size_B, 0, NULL, NULL));
	else
		buffer_read(queue, run->mems[root][0], words, size_B);
	CHECK(graph_words_are("root", root, words, run->graph->words[root], made->words));
	if (svm)
		CHECK_OK(clEnqueueSVMUnmap(queue, words, 0, NULL, NULL));
	else
		free(words);
}

static void roots_end(struct graph_run *run)
{
	const struct graph *graph = run->graph;
	unsigned borrowed = 0;
	cl_command_queue queue = queue_make(
		run->context, run->platform->test.devices[graph->seed % graph->devices], 0);
	for (unsigned i = 0; i < graph->root_count; i++)
		root_check(run, queue, i);
	/* Callbacks have written there until now. */
	CHECK_OK(clEnqueueUnmapMemObject(queue, run->arena, run->arena_words, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	CHECK_OK(clReleaseCommandQueue(queue));
	for (unsigned i = 0; i < graph->root_count; i++) {
		borrowed += graph->roots[i].kind == GRAPH_HOST_POINTER;
		if (run->mems[i][0])
			root_release(run, i);
		if (graph->roots[i].kind == GRAPH_SVM && run->host[i])
			clSVMFree(run->context, run->host[i]);
	}
	CHECK_OK(clReleaseMemObject(run->arena));
	for (unsigned n = 0; n < PATIENCE && atomic_load(&run->host_freed) < borrowed; n++)
		usleep(PAUSE_US);
	CHECK(atomic_load(&run->host_freed) == borrowed);
	for (unsigned i = 0; i < graph->root_count; i++)
		if (graph->roots[i].kind == GRAPH_HOST_POINTER)
			free(run->host[i]);
}

static void threads_run(struct graph_run *run)
{
	pthread_t threads[GRAPH_THREADS];
	struct part parts[GRAPH_THREADS];
	unsigned started = 1;
	for (unsigned i = 0; i < run->graph->threads; i++)
		parts[i] = (struct part){run, i};
	while (started < run->graph->threads &&
	       CHECK(!pthread_create(&threads[started], NULL, part_main, &parts[started])))
		started++;
	(void)part_main(&parts[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(threads[i], NULL);
}

/* --- the platform ----------------------------------------------------------------------------- */

/* What all devices have. */
static void wishes_find(struct graph_platform *platform)
{
	struct graph_wishes *wishes = &platform->wishes;
	wishes->images = wishes->native = wishes->svm = wishes->out_of_order = true;
	for (cl_uint i = 0; i < platform->test.device_count; i++) {
		cl_device_id device = platform->test.devices[i];
		cl_device_exec_capabilities runs = 0;
		cl_device_svm_capabilities svm = 0;
		cl_command_queue_properties queues = 0;
		cl_bool images = CL_FALSE;
		(void)clGetDeviceInfo(device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof(runs), &runs,
				      NULL);
		(void)clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof(svm), &svm, NULL);
		(void)clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images,
				      NULL);
		(void)clGetDeviceInfo(device, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, sizeof(queues),
				      &queues, NULL);
		wishes->images &= images;
		wishes->native &= (runs & CL_EXEC_NATIVE_KERNEL) != 0;
		wishes->svm &= (svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) != 0;
		wishes->out_of_order &= (queues & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
	}
	wishes->recorded = command_buffer_entry_find(platform->test.platform, &platform->commands);
}

bool graph_platform_start(struct graph_platform *platform, const char *name)
{
	if (!api_test_start(&platform->test, name))
		return false;
	wishes_find(platform);
	return true;
}

void graph_platform_end(struct graph_platform *platform)
{
	for (unsigned i = 0; i <= GRAPH_DEVICES; i++) {
		if (platform->programs[i])
			CHECK_OK(clReleaseProgram(platform->programs[i]));
		if (platform->contexts[i])
			CHECK_OK(clReleaseContext(platform->contexts[i]));
	}
}

static bool run_context_make(struct graph_platform *platform, unsigned devices)
{
	char text[sizeof(source) + sizeof(image_source)];
	cl_int code;
	if (platform->programs[devices])
		return true;
	platform->contexts[devices] = clCreateContext(NULL, devices, platform->test.devices, NULL,
						      NULL, &code);
	if (!CHECK_OK(code))
		return false;
	snprintf(text, sizeof(text), "%s%s", source,
		 platform->wishes.images ? image_source : "");
	platform->programs[devices] = api_test_build(platform->contexts[devices],
						     platform->test.device, text, "");
	return platform->programs[devices] != NULL;
}

bool graph_run(struct graph_platform *platform, const struct graph *graph)
{
	const unsigned failures = api_test_failures;
	struct graph_run *run = calloc(1, sizeof(*run));
	if (!CHECK(run) || !run_context_make(platform, graph->devices)) {
		free(run);
		return false;
	}
	run->platform = platform;
	run->graph = graph;
	run->context = platform->contexts[graph->devices];
	run->program = platform->programs[graph->devices];
	queues_create(run);
	roots_create(run);
	arena_create(run);
	slots_init(run);
	threads_run(run);
	queues_end(run);
	events_end(run);
	roots_end(run);
	for (unsigned i = 0; i < graph->node_count; i++)
		if (run->slots[i].own_host)
			free(run->slots[i].host);
	free(run);
	return api_test_failures == failures;
}
