/* Random work over queues, devices, buffers, views and user events, ordered by
 * events alone: the bytes must be those of the same work done one by one.
 *
 *	orders [seed [rounds]] */
#include "config.h"

#include "tests/api/api_test.h"

#include <stdint.h>

static const char source[] =
"kernel void next(global uint *c) { c[get_global_id(0)] += 1; }\n"
"kernel void mix(global const uint *a, global uint *b) {\n"
"	b[get_global_id(0)] = b[get_global_id(0)] * 3 + a[get_global_id(0)];\n"
"}\n";

enum { WORDS = 1024, BUFFERS = 4, VIEWS = 4, QUEUES = 6, USERS = 3, STEPS = 60 };
enum { VIEW_WORDS = WORDS / VIEWS, MOST_DEVICES = 3 };

/* A buffer, what it should hold, and the event that its next user waits for. */
struct item {
	cl_mem mem, views[VIEWS];
	cl_event last;                /* NULL: nothing to wait for */
	cl_uint words[WORDS];
	cl_uint given[WORDS];         /* CL_MEM_USE_HOST_PTR */
};

static cl_context context;
static cl_command_queue queues[QUEUES];
static cl_event users[USERS];
static cl_kernel next, mix;
static struct item items[BUFFERS];
static uint32_t seed;

static uint32_t dice(uint32_t sides)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)(((uint64_t)(seed >> 8) * sides) >> 24);
}

static void item_make(struct item *item, cl_mem_flags flags)
{
	cl_int code;
	for (unsigned i = 0; i < WORDS; i++)
		item->words[i] = item->given[i] = dice(1 << 20);
	item->mem = clCreateBuffer(context, flags, sizeof(item->given), item->given, &code);
	CHECK_OK(code);
	for (unsigned v = 0; v < VIEWS; v++) {
		const cl_buffer_region region = {v * VIEW_WORDS * 4, VIEW_WORDS * 4};
		item->views[v] = clCreateSubBuffer(item->mem, 0, CL_BUFFER_CREATE_TYPE_REGION,
						   &region, &code);
		CHECK_OK(code);
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

/* The wait list for a step on a and, if it is given, b; now and then a user event. */
static cl_uint waits_make(const struct item *a, const struct item *b, cl_event waits[3])
{
	cl_uint count = 0;
	if (a->last)
		waits[count++] = a->last;
	if (b && b != a && b->last)
		waits[count++] = b->last;
	if (!dice(5))
		waits[count++] = users[dice(USERS)];
	return count;
}

static void item_used(struct item *item, cl_event event)
{
	if (item->last)
		CHECK_OK(clReleaseEvent(item->last));
	item->last = event;
}

static void step_fill(cl_command_queue queue, struct item *item)
{
	const cl_uint value = dice(1 << 20), at = dice(WORDS), most = WORDS - at;
	const cl_uint count = 1 + dice(most);
	cl_event waits[3], event;
	const cl_uint n = waits_make(item, NULL, waits);
	CHECK_OK(clEnqueueFillBuffer(queue, item->mem, &value, 4, at * 4, count * 4, n,
				     n ? waits : NULL, &event));
	for (cl_uint i = at; i < at + count; i++)
		item->words[i] = value;
	item_used(item, event);
}

static void step_launch(cl_command_queue queue, struct item *item)
{
	const cl_uint view = dice(VIEWS + 2), first = view < VIEWS ? view * VIEW_WORDS : 0;
	const size_t global = view < VIEWS ? VIEW_WORDS : WORDS;
	cl_mem mem = view < VIEWS ? item->views[view] : item->mem;
	cl_event waits[3], event;
	const cl_uint n = waits_make(item, NULL, waits);
	CHECK_OK(clSetKernelArg(next, 0, sizeof(mem), &mem));
	CHECK_OK(clEnqueueNDRangeKernel(queue, next, 1, NULL, &global, NULL, n, n ? waits : NULL,
					&event));
	for (size_t i = 0; i < global; i++)
		item->words[first + i]++;
	item_used(item, event);
}

static void step_mix(cl_command_queue queue, struct item *from, struct item *to)
{
	const size_t global = WORDS;
	cl_event waits[3], event;
	if (from == to)
		return;
	const cl_uint n = waits_make(from, to, waits);
	CHECK_OK(clSetKernelArg(mix, 0, sizeof(cl_mem), &from->mem));
	CHECK_OK(clSetKernelArg(mix, 1, sizeof(cl_mem), &to->mem));
	CHECK_OK(clEnqueueNDRangeKernel(queue, mix, 1, NULL, &global, NULL, n, n ? waits : NULL,
					&event));
	for (unsigned i = 0; i < WORDS; i++)
		to->words[i] = to->words[i] * 3 + from->words[i];
	CHECK_OK(clRetainEvent(event));
	item_used(from, event);
	item_used(to, event);
}

static void step_copy(cl_command_queue queue, struct item *from, struct item *to)
{
	const cl_uint count = 1 + dice(WORDS / 2), a = dice(WORDS - count), b = dice(WORDS - count);
	cl_event waits[3], event;
	if (from == to)
		return;
	const cl_uint n = waits_make(from, to, waits);
	CHECK_OK(clEnqueueCopyBuffer(queue, from->mem, to->mem, a * 4, b * 4, count * 4, n,
				     n ? waits : NULL, &event));
	memcpy(to->words + b, from->words + a, count * 4);
	CHECK_OK(clRetainEvent(event));
	item_used(from, event);
	item_used(to, event);
}

/* Host bytes come and go: only when no user event can hold it up. */
static void step_map(cl_command_queue queue, cl_command_queue other, struct item *item, bool keep)
{
	const cl_uint at = dice(WORDS), count = 1 + dice(WORDS - at);
	const cl_map_flags flags =
		keep ? CL_MAP_READ | CL_MAP_WRITE : CL_MAP_WRITE_INVALIDATE_REGION;
	cl_event event;
	cl_int code;
	cl_uint *words = clEnqueueMapBuffer(queue, item->mem, CL_TRUE, flags, at * 4, count * 4,
					    item->last != NULL, item->last ? &item->last : NULL,
					    NULL, &code);
	CHECK_OK(code);
	if (!words)
		return;
	CHECK(!keep || !memcmp(words, item->words + at, count * 4));
	for (cl_uint i = 0; i < count; i++)
		words[i] = item->words[at + i] = dice(1 << 20);
	CHECK_OK(clEnqueueUnmapMemObject(other, item->mem, words, 0, NULL, &event));
	item_used(item, event);
}

static void users_set(void)
{
	cl_int code;
	for (unsigned i = 0; i < USERS; i++) {
		CHECK_OK(clSetUserEventStatus(users[i], CL_COMPLETE));
		CHECK_OK(clReleaseEvent(users[i]));
		users[i] = clCreateUserEvent(context, &code);
		CHECK_OK(code);
	}
}

static void items_check(cl_uint round)
{
	static cl_uint read[WORDS];
	for (unsigned i = 0; i < BUFFERS; i++) {
		cl_event *last = items[i].last ? &items[i].last : NULL;
		CHECK_OK(clEnqueueReadBuffer(queues[dice(QUEUES)], items[i].mem, CL_TRUE, 0,
					     sizeof(read), read, last != NULL, last, NULL));
		if (!CHECK(!memcmp(read, items[i].words, sizeof(read))))
			printf("round %u, buffer %u\n", round, i);
	}
}

static void round_run(cl_uint round)
{
	for (unsigned i = 0; i < BUFFERS; i++)
		item_make(&items[i], i == 1 ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR);
	for (unsigned s = 0; s < STEPS; s++) {
		cl_command_queue queue = queues[dice(QUEUES)], other = queues[dice(QUEUES)];
		struct item *a = &items[dice(BUFFERS)], *b = &items[dice(BUFFERS)];
		switch (dice(8)) {
		case 0: step_fill(queue, a); break;
		case 1: case 2: step_launch(queue, a); break;
		case 3: step_mix(queue, a, b); break;
		case 4: step_copy(queue, a, b); break;
		case 5: users_set(); step_map(queue, other, a, dice(2)); break;
		case 6: users_set(); break;
		default: CHECK_OK(clFlush(queue)); break;
		}
	}
	users_set();
	items_check(round);
	for (unsigned i = 0; i < BUFFERS; i++)
		item_release(&items[i]);
}

int main(int argc, char **argv)
{
	struct api_test test;
	cl_int code;
	/* The software driver shows as many devices as it is asked for. */
	setenv("CULVERT_SOFT_DEVICES", "3", 0);
	if (!api_test_start(&test, "orders"))
		return API_TEST_SKIP;
	seed = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 0) : 1;
	const cl_uint rounds = argc > 2 ? (cl_uint)strtoul(argv[2], NULL, 0) : 40;
	const cl_uint count = test.device_count < MOST_DEVICES ? test.device_count : MOST_DEVICES;
	context = clCreateContext(NULL, count, test.devices, NULL, NULL, &code);
	CHECK_OK(code);
	for (unsigned q = 0; q < QUEUES; q++) {
		/* The order is the events' alone: half of the queues need not keep any. */
		queues[q] = clCreateCommandQueue(
			context, test.devices[q % count],
			q % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &code);
		CHECK_OK(code);
	}
	for (unsigned i = 0; i < USERS; i++)
		users[i] = clCreateUserEvent(context, &code);
	cl_program program = api_test_build(context, test.device, source, "");
	if (program) {
		next = clCreateKernel(program, "next", &code);
		mix = clCreateKernel(program, "mix", &code);
		for (cl_uint round = 0; round < rounds; round++)
			round_run(round);
		CHECK_OK(clReleaseKernel(next));
		CHECK_OK(clReleaseKernel(mix));
		CHECK_OK(clReleaseProgram(program));
	}
	for (unsigned i = 0; i < USERS; i++) {
		CHECK_OK(clSetUserEventStatus(users[i], CL_COMPLETE));
		CHECK_OK(clReleaseEvent(users[i]));
	}
	for (unsigned q = 0; q < QUEUES; q++)
		CHECK_OK(clReleaseCommandQueue(queues[q]));
	CHECK_OK(clReleaseContext(context));
	return api_test_end(&test);
}
