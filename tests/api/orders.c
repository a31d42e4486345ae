/* Random work of several threads over queues, devices, buffers, views, maps and user
 * events, ordered by events alone: the bytes must be those of the same work done one by
 * one.
 *
 *	orders [seed [rounds [round]]]
 *
 * Each step's dice depend on seed, round, thread and step only: of a round that fails
 * steps are left out, one after the other, as long as it fails without them; the rest
 * is printed.  round: that one alone. */
#include "config.h"

#include "tests/api/fixture.h"

#include <pthread.h>
#include <stdint.h>

static const char source[] =
"kernel void next(global uint *c) { c[get_global_id(0)] += 1; }\n"
"kernel void blend(global const uint *a, global uint *b) {\n"
"	b[get_global_id(0)] = b[get_global_id(0)] * 3 + a[get_global_id(0)];\n"
"}\n";

enum { WORDS = 1024, BUFFERS = 3, VIEWS = 4, QUEUES = 6, USERS = 2, STEPS = 40, THREADS = 2 };
enum { VIEW_WORDS = WORDS / VIEWS, MOST_DEVICES = 3, ROW = 32, ROWS = WORDS / ROW };

/* A buffer, what it should hold, and the event that its next user waits for. */
struct item {
	cl_mem mem, views[VIEWS];
	cl_event last;                /* NULL: nothing to wait for */
	cl_uint words[WORDS];
	cl_uint given[WORDS];         /* CL_MEM_USE_HOST_PTR */
};

/* A thread: all but the queues is its own. */
struct worker {
	uint64_t state;               /* of the dice */
	uint32_t first;               /* its number times STEPS: into skipped */
	cl_kernel next, mix;
	cl_event users[USERS];
	struct item items[BUFFERS];
	cl_uint reads[BUFFERS][WORDS]; /* what reads brought, and should have */
	cl_uint expected[BUFFERS][WORDS];
	bool read[BUFFERS];
	bool right;
};

static cl_context context;
static cl_program program;
static cl_command_queue queues[QUEUES];
static uint32_t seed;
static bool skipped[THREADS * STEPS], tell;

/* SplitMix64. */
static uint64_t mixed(uint64_t z)
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static uint32_t dice(struct worker *worker, uint32_t sides)
{
	worker->state += 0x9e3779b97f4a7c15u;
	return (uint32_t)(mixed(worker->state) % sides);
}

static void item_make(struct worker *worker, struct item *item, cl_mem_flags flags)
{
	for (unsigned i = 0; i < WORDS; i++)
		item->words[i] = item->given[i] = dice(worker, 1 << 20);
	item->mem = buffer_make(context, flags, sizeof(item->given), item->given);
	for (unsigned v = 0; v < VIEWS; v++) {
		const cl_buffer_region region = {v * VIEW_WORDS * 4, VIEW_WORDS * 4};
		item->views[v] = sub_buffer_make(item->mem, 0, &region);
	}
	item->last = NULL;
}

static void item_release(struct item *item)
{
	for (unsigned v = 0; v < VIEWS; v++)
		CHECK_OK(clReleaseMemObject(item->views[v]));
	CHECK_OK(clReleaseMemObject(item->mem));
	if (item->last)
		CHECK_OK(clReleaseEvent(item->last));
}

/* --- steps ---------------------------------------------------------------------------------- */

/* One step: whose, in which queue, on which buffers; and its wait list. */
struct step {
	struct worker *worker;
	cl_command_queue queue;
	struct item *a, *b;           /* b may be a, or not count */
	cl_event waits[3];
	cl_uint wait_count;
};

static const cl_event *waits_of(const struct step *step)
{
	return step->wait_count ? step->waits : NULL;
}

/* For a step on a and perhaps b; now and then a user event too. */
static void waits_make(struct step *step, bool both)
{
	step->wait_count = 0;
	if (step->a->last)
		step->waits[step->wait_count++] = step->a->last;
	if (both && step->b->last)
		step->waits[step->wait_count++] = step->b->last;
	if (!dice(step->worker, 5))
		step->waits[step->wait_count++] = step->worker->users[dice(step->worker, USERS)];
}

static void item_used(struct item *item, cl_event event)
{
	if (item->last)
		CHECK_OK(clReleaseEvent(item->last));
	item->last = event;
}

static void both_used(const struct step *step, cl_event event)
{
	CHECK_OK(clRetainEvent(event));
	item_used(step->a, event);
	item_used(step->b, event);
}

static void step_fill(struct step *step)
{
	struct worker *worker = step->worker;
	const cl_uint value = dice(worker, 1 << 20), at = dice(worker, WORDS);
	const cl_uint count = 1 + dice(worker, WORDS - at);
	cl_event event = NULL;
	waits_make(step, false);
	CHECK_OK(clEnqueueFillBuffer(step->queue, step->a->mem, &value, 4, at * 4, count * 4,
				     step->wait_count, waits_of(step), &event));
	for (cl_uint i = at; i < at + count; i++)
		step->a->words[i] = value;
	item_used(step->a, event);
}

static void step_launch(struct step *step)
{
	const cl_uint view = dice(step->worker, VIEWS + 2);
	const cl_uint first = view < VIEWS ? view * VIEW_WORDS : 0;
	const size_t global = view < VIEWS ? VIEW_WORDS : WORDS;
	cl_mem mem = view < VIEWS ? step->a->views[view] : step->a->mem;
	cl_event event = NULL;
	waits_make(step, false);
	CHECK_OK(clSetKernelArg(step->worker->next, 0, sizeof(mem), &mem));
	launch_1d_after(step->queue, step->worker->next, global, step->wait_count, waits_of(step),
			&event);
	for (size_t i = 0; i < global; i++)
		step->a->words[first + i]++;
	item_used(step->a, event);
}

static void step_mix(struct step *step)
{
	const size_t global = WORDS;
	cl_event event = NULL;
	waits_make(step, true);
	CHECK_OK(clSetKernelArg(step->worker->mix, 0, sizeof(cl_mem), &step->a->mem));
	CHECK_OK(clSetKernelArg(step->worker->mix, 1, sizeof(cl_mem), &step->b->mem));
	launch_1d_after(step->queue, step->worker->mix, global, step->wait_count, waits_of(step),
			&event);
	for (unsigned i = 0; i < WORDS; i++)
		step->b->words[i] = step->b->words[i] * 3 + step->a->words[i];
	both_used(step, event);
}

/* Of the whole, or from view to view. */
static void step_copy(struct step *step)
{
	struct worker *worker = step->worker;
	const bool views = !dice(worker, 3);
	const cl_uint from = dice(worker, VIEWS), to = dice(worker, VIEWS);
	const cl_uint room = views ? VIEW_WORDS : WORDS, count = 1 + dice(worker, room / 2);
	const cl_uint a = dice(worker, room - count), b = dice(worker, room - count);
	cl_event event = NULL;
	waits_make(step, true);
	CHECK_OK(clEnqueueCopyBuffer(step->queue, views ? step->a->views[from] : step->a->mem,
				     views ? step->b->views[to] : step->b->mem, a * 4, b * 4,
				     count * 4, step->wait_count, waits_of(step), &event));
	memcpy(step->b->words + b + (views ? to * VIEW_WORDS : 0),
	       step->a->words + a + (views ? from * VIEW_WORDS : 0), count * 4);
	both_used(step, event);
}

/* The buffers as rows of 32 words. */
static void step_rect(struct step *step)
{
	struct worker *worker = step->worker;
	const cl_uint width = 1 + dice(worker, ROW), height = 1 + dice(worker, ROWS);
	const cl_uint x = dice(worker, ROW - width + 1), y = dice(worker, ROWS - height + 1);
	const cl_uint to_x = dice(worker, ROW - width + 1), to_y = dice(worker, ROWS - height + 1);
	const size_t from[3] = {x * 4, y, 0}, to[3] = {to_x * 4, to_y, 0};
	const size_t region[3] = {width * 4, height, 1};
	cl_event event = NULL;
	waits_make(step, true);
	CHECK_OK(clEnqueueCopyBufferRect(step->queue, step->a->mem, step->b->mem, from, to, region,
					 ROW * 4, 0, ROW * 4, 0, step->wait_count, waits_of(step),
					 &event));
	for (cl_uint row = 0; row < height; row++)
		memcpy(step->b->words + (to_y + row) * ROW + to_x,
		       step->a->words + (y + row) * ROW + x, width * 4);
	both_used(step, event);
}

/* Into memory of the thread's; looked at when the round is over. */
static void step_read(struct step *step)
{
	struct worker *worker = step->worker;
	const unsigned place = (unsigned)(step->a - worker->items);
	cl_event event = NULL;
	waits_make(step, false);
	CHECK_OK(clEnqueueReadBuffer(step->queue, step->a->mem, CL_FALSE, 0, sizeof(step->a->words),
				     worker->reads[place], step->wait_count, waits_of(step),
				     &event));
	memcpy(worker->expected[place], step->a->words, sizeof(step->a->words));
	worker->read[place] = true;
	item_used(step->a, event);
}

static void users_set(struct worker *worker)
{
	for (unsigned i = 0; i < USERS; i++) {
		CHECK_OK(clSetUserEventStatus(worker->users[i], CL_COMPLETE));
		CHECK_OK(clReleaseEvent(worker->users[i]));
		worker->users[i] = user_event_make(context);
	}
}

/* Blocks: only when none of our user events can hold it up. */
static void step_map(struct step *step)
{
	struct worker *worker = step->worker;
	struct item *item = step->a;
	const bool keep = dice(worker, 2);
	cl_command_queue other = queues[dice(worker, QUEUES)];
	const cl_uint at = dice(worker, WORDS), count = 1 + dice(worker, WORDS - at);
	const cl_map_flags flags =
		keep ? CL_MAP_READ | CL_MAP_WRITE : CL_MAP_WRITE_INVALIDATE_REGION;
	cl_event event = NULL;
	cl_int code;
	users_set(worker);
	cl_uint *words = clEnqueueMapBuffer(step->queue, item->mem, CL_TRUE, flags, at * 4,
					    count * 4, item->last != NULL,
					    item->last ? &item->last : NULL, NULL, &code);
	CHECK_OK(code);
	if (!words)
		return;
	worker->right &= !keep || !memcmp(words, item->words + at, count * 4);
	for (cl_uint i = 0; i < count; i++)
		words[i] = item->words[at + i] = dice(worker, 1 << 20);
	CHECK_OK(clEnqueueUnmapMemObject(other, item->mem, words, 0, NULL, &event));
	item_used(item, event);
}

static void step_users(struct step *step)
{
	users_set(step->worker);
}

static void step_flush(struct step *step)
{
	CHECK_OK(clFlush(step->queue));
}

static const struct {
	const char *name;
	void (*run)(struct step *step);
	bool two;                     /* different buffers */
} kinds[] = {
	{"fill", step_fill, false}, {"launch", step_launch, false}, {"launch", step_launch, false},
	{"mix", step_mix, true}, {"copy", step_copy, true}, {"rect", step_rect, true},
	{"read", step_read, false}, {"map", step_map, false}, {"users", step_users, false},
	{"flush", step_flush, false},
};

static void step_run(struct worker *worker, unsigned index, uint32_t round)
{
	worker->state = mixed(((uint64_t)seed << 32 | round) + 1) ^ mixed(worker->first + index);
	const unsigned kind = dice(worker, sizeof(kinds) / sizeof(kinds[0]));
	const unsigned queue = dice(worker, QUEUES), a = dice(worker, BUFFERS);
	const unsigned b = kinds[kind].two ? (a + 1 + dice(worker, BUFFERS - 1)) % BUFFERS : a;
	struct step step = {worker, queues[queue], &worker->items[a], &worker->items[b], {NULL}, 0};
	if (tell)
		printf("  thread %u, step %u: %s, queue %u, buffers %u and %u\n",
		       worker->first / STEPS, index, kinds[kind].name, queue, a, b);
	kinds[kind].run(&step);
}

/* --- rounds ---------------------------------------------------------------------------------- */

static void worker_check(struct worker *worker)
{
	cl_uint words[WORDS];
	for (unsigned i = 0; i < BUFFERS; i++) {
		cl_event *last = worker->items[i].last ? &worker->items[i].last : NULL;
		CHECK_OK(clEnqueueReadBuffer(queues[dice(worker, QUEUES)], worker->items[i].mem,
					     CL_TRUE, 0, sizeof(words), words, last != NULL, last,
					     NULL));
		worker->right &= !memcmp(words, worker->items[i].words, sizeof(words));
		worker->right &= !worker->read[i] || !memcmp(worker->reads[i], worker->expected[i],
							     sizeof(words));
	}
}

struct job {
	struct worker *worker;
	uint32_t round;
};

static void *worker_run(void *data)
{
	struct worker *worker = ((struct job *)data)->worker;
	const uint32_t round = ((struct job *)data)->round;
	worker->state = mixed(((uint64_t)seed << 32 | round) + worker->first);
	worker->right = true;
	for (unsigned i = 0; i < BUFFERS; i++) {
		item_make(worker, &worker->items[i],
			  i == 1 ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR);
		worker->read[i] = false;
	}
	for (unsigned i = 0; i < USERS; i++)
		worker->users[i] = user_event_make(context);
	for (unsigned i = 0; i < STEPS; i++)
		if (!skipped[worker->first + i])
			step_run(worker, i, round);
	users_set(worker);
	worker_check(worker);
	for (unsigned i = 0; i < USERS; i++) {
		CHECK_OK(clSetUserEventStatus(worker->users[i], CL_COMPLETE));
		CHECK_OK(clReleaseEvent(worker->users[i]));
	}
	for (unsigned i = 0; i < BUFFERS; i++)
		item_release(&worker->items[i]);
	return NULL;
}

static bool round_run(struct worker *workers, uint32_t round)
{
	struct job jobs[THREADS];
	pthread_t threads[THREADS];
	bool right = true;
	for (unsigned i = 0; i < THREADS; i++) {
		jobs[i] = (struct job){&workers[i], round};
		CHECK(!pthread_create(&threads[i], NULL, worker_run, &jobs[i]));
	}
	for (unsigned i = 0; i < THREADS; i++) {
		CHECK(!pthread_join(threads[i], NULL));
		right &= workers[i].right;
	}
	return right;
}

/* Leaves out what the failure does not need, and prints the rest. */
static void round_shrink(struct worker *workers, uint32_t round)
{
	for (unsigned i = 0; i < THREADS * STEPS; i++) {
		skipped[i] = true;
		skipped[i] = !round_run(workers, round);
	}
	printf("seed %u, round %u fails; of its steps these are enough:\n", seed, round);
	tell = true;
	(void)round_run(workers, round);
	tell = false;
	memset(skipped, 0, sizeof(skipped));
}

static void rounds_run(uint32_t first, uint32_t end)
{
	static struct worker workers[THREADS];
	cl_int code;
	for (unsigned i = 0; i < THREADS; i++) {
		workers[i].first = i * STEPS;
		workers[i].next = clCreateKernel(program, "next", &code);
		workers[i].mix = clCreateKernel(program, "blend", &code);
	}
	for (uint32_t round = first; round < end; round++)
		if (!CHECK(round_run(workers, round)))
			round_shrink(workers, round);
	for (unsigned i = 0; i < THREADS; i++) {
		CHECK_OK(clReleaseKernel(workers[i].next));
		CHECK_OK(clReleaseKernel(workers[i].mix));
	}
}

/* Every other queue of a device is out of order, if it has such queues. */
static void queues_make(const struct api_test *test, cl_uint count)
{
	cl_command_queue_properties has = 0;
	CHECK_OK(clGetDeviceInfo(test->device, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, sizeof(has),
				 &has, NULL));
	for (unsigned q = 0; q < QUEUES; q++) {
		const cl_command_queue_properties properties =
			q >= QUEUES / 2 ? has & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0;
		queues[q] = queue_make(context, test->devices[q % count], properties);
	}
}

int main(int argc, char **argv)
{
	struct api_test test;
	/* The software driver shows as many devices as it is asked for. */
	setenv("CULVERT_SOFT_DEVICES", "3", 0);
	if (!api_test_start(&test, "orders"))
		return API_TEST_SKIP;
	seed = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 0) : 1;
	uint32_t rounds = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 0) : 40, first = 0;
	if (argc > 3) {
		first = (uint32_t)strtoul(argv[3], NULL, 0);
		rounds = first + 1;
	}
	const cl_uint count = test.device_count < MOST_DEVICES ? test.device_count : MOST_DEVICES;
	context = context_make(count, test.devices);
	queues_make(&test, count);
	program = api_test_build(context, test.device, source, "");
	if (program) {
		rounds_run(first, rounds);
		CHECK_OK(clReleaseProgram(program));
	}
	for (unsigned q = 0; q < QUEUES; q++)
		CHECK_OK(clReleaseCommandQueue(queues[q]));
	CHECK_OK(clReleaseContext(context));
	return api_test_end(&test);
}
