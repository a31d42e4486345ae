/* Protects: command buffers of several queues, of one device and of several (cl_khr_command_buffer_multi_device): what
 * is recorded runs on its queue and in its order, with the newest bytes; events, updates, copies for other queues;
 * errors. */
#include "config.h"

#include "tests/api/command_buffer_entry.h"
#include "tests/api/fixture.h"
#include "tests/api/soft_fault.h"

#include "icd/include/khr_command_buffer.h"

enum { COUNT = 256, SIZE_B = COUNT * (int)sizeof(cl_uint), QUEUES = 3, BUFFERS = 5 };

static const char source[] =
	"kernel void add(global uint *to, global const uint *from, uint value)\n"
	"{ size_t i = get_global_id(0); to[i] = from[i] + value; }\n"
	"kernel void mix(global uint *to, global const uint *from, uint value)\n"
	"{ size_t i = get_global_id(0); to[i] = to[i] * 3 + from[i] + value; }\n";

typedef cl_command_buffer_khr(CL_API_CALL *remap_function)(cl_command_buffer_khr, cl_bool, cl_uint,
							    const cl_command_queue *, cl_uint,
							    const cl_mutable_command_khr *,
							    cl_mutable_command_khr *, cl_int *);

static struct command_buffer_entry cb;
static remap_function remap;
static struct api_test test;
static cl_context context;
static cl_kernel add, mix;
/* The devices of the queues: the first, the last, and the first again. */
static cl_device_id devices[QUEUES];
static cl_command_queue in_order[QUEUES], out_of_order[QUEUES];
static cl_mem mems[BUFFERS];

/* --- recording and looking ---------------------------------------------------------------------- */

static cl_command_buffer_khr start(const cl_command_queue *queues, cl_uint count)
{
	static const cl_command_buffer_properties_khr flags[] = {
		CL_COMMAND_BUFFER_FLAGS_KHR,
		CL_COMMAND_BUFFER_MUTABLE_KHR | CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR, 0
	};
	cl_int code;
	cl_command_buffer_khr buffer = cb.create(count, queues, flags, &code);
	CHECK_OK(code);
	return buffer;
}

struct place {
	cl_command_buffer_khr buffer;
	cl_command_queue queue;
	cl_uint count;                   /* of points */
	const cl_sync_point_khr *points;
};

static cl_sync_point_khr record(const struct place *place, cl_kernel kernel, int to, int from, cl_uint value,
				cl_mutable_command_khr *handle)
{
	static const command_properties fields[] = {MUTABLE_FIELDS, MUTABLE_ARGUMENTS, 0};
	const size_t global = COUNT;
	cl_sync_point_khr point = 0;
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &mems[to]));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &mems[from]));
	CHECK_OK(clSetKernelArg(kernel, 2, sizeof(value), &value));
	CHECK_OK(cb.launch(place->buffer, place->queue, fields, kernel, 1, NULL, &global, NULL, place->count,
			   place->points, &point, handle));
	return point;
}

static void fill(cl_command_queue queue, int mem, cl_uint value)
{
	CHECK_OK(clEnqueueFillBuffer(queue, mems[mem], &value, sizeof(value), 0, SIZE_B, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
}

static void expect(cl_command_queue queue, int mem, cl_uint value)
{
	cl_uint values[COUNT] = {0}, wrong = 0;
	buffer_read(queue, mems[mem], values, sizeof(values));
	for (int i = 0; i < COUNT; i++)
		wrong += values[i] != value;
	if (!CHECK(!wrong))
		printf("buffer %d: %u of %d values, such as %u, are not %u\n", mem, wrong, COUNT, values[0], value);
}

static void finish_all(const cl_command_queue *queues)
{
	for (int i = 0; i < QUEUES; i++)
		CHECK_OK(clFinish(queues[i]));
}

/* --- order ---------------------------------------------------------------------------------------- */

/* Each command reads what one of another queue has written: b = a + 1, c = b + 10, d = c + 100. */
static cl_command_buffer_khr chain(const cl_command_queue *queues)
{
	cl_command_buffer_khr buffer = start(queues, QUEUES);
	struct place place = {buffer, queues[0], 0, NULL};
	const cl_sync_point_khr first = record(&place, add, 1, 0, 1, NULL);
	place = (struct place){buffer, queues[1], 1, &first};
	const cl_sync_point_khr second = record(&place, add, 2, 1, 10, NULL);
	place = (struct place){buffer, queues[2], 1, &second};
	(void)record(&place, add, 3, 2, 100, NULL);
	CHECK_OK(cb.finalize(buffer));
	return buffer;
}

static void chains(cl_command_queue *queues, cl_command_queue *others)
{
	cl_command_buffer_khr buffer = chain(queues);
	for (cl_uint value = 1; value < 4; value++) {
		fill(queues[1], 0, value);
		CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
		finish_all(queues);
		expect(queues[0], 3, value + 111);
	}
	/* On other queues of the same devices. */
	fill(others[0], 0, 7);
	CHECK_OK(cb.enqueue(QUEUES, others, buffer, 0, NULL, NULL));
	finish_all(others);
	expect(others[1], 3, 118);
	CHECK_OK(cb.release(buffer));
}

/* A barrier without a list is for the commands of all queues, and what follows it waits for it. */
static void barriers(const cl_command_queue *queues)
{
	cl_command_buffer_khr buffer = start(queues, QUEUES);
	const struct place first = {buffer, queues[0], 0, NULL}, last = {buffer, queues[2], 0, NULL};
	(void)record(&first, add, 1, 0, 1, NULL);
	CHECK_OK(cb.barrier(buffer, queues[1], NULL, 0, NULL, NULL, NULL));
	(void)record(&last, add, 2, 1, 2, NULL);
	CHECK_OK(cb.finalize(buffer));
	for (cl_uint value = 1; value < 4; value++) {
		fill(queues[0], 0, value);
		CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
		finish_all(queues);
		expect(queues[0], 2, value + 3);
	}
	CHECK_OK(cb.release(buffer));
}

/* --- random commands --------------------------------------------------------------------------------- */

static unsigned seed;

static unsigned chance(unsigned below)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % below;
}

enum { COMMANDS = 40 };

/* What the commands before one have used, to record the sync points that order it after them. */
struct uses {
	cl_sync_point_khr wrote[BUFFERS], read[BUFFERS][COMMANDS];
	cl_uint reads[BUFFERS];
};

static cl_uint points_of(const struct uses *uses, int to, int from, cl_sync_point_khr *points)
{
	cl_uint count = 0;
	if (uses->wrote[from])
		points[count++] = uses->wrote[from];
	if (uses->wrote[to] && to != from)
		points[count++] = uses->wrote[to];
	for (cl_uint i = 0; i < uses->reads[to]; i++)
		points[count++] = uses->read[to][i];
	return count;
}

/* Random commands on random queues, each after those that it needs, compared with the same sums on the host. */
static void random_commands(cl_command_queue *queues, unsigned number)
{
	cl_uint values[BUFFERS];
	struct uses uses = {0};
	cl_command_buffer_khr buffer = start(queues, QUEUES);
	seed = number;
	for (int i = 0; i < BUFFERS; i++) {
		values[i] = (cl_uint)i + 1;
		fill(queues[0], i, values[i]);
	}
	for (unsigned i = 0; i < COMMANDS; i++) {
		const int to = (int)chance(BUFFERS), from = (to + 1 + (int)chance(BUFFERS - 1)) % BUFFERS;
		cl_sync_point_khr points[COMMANDS + 2];
		const cl_uint count = points_of(&uses, to, from, points);
		const struct place place = {buffer, queues[chance(QUEUES)], count, count ? points : NULL};
		const cl_sync_point_khr point = record(&place, mix, to, from, i, NULL);
		uses.wrote[to] = point;
		uses.reads[to] = 0;
		uses.read[from][uses.reads[from]++] = point;
		values[to] = values[to] * 3 + values[from] + i;
	}
	CHECK_OK(cb.finalize(buffer));
	CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
	finish_all(queues);
	for (int i = 0; i < BUFFERS; i++)
		expect(queues[chance(QUEUES)], i, values[i]);
	CHECK_OK(cb.release(buffer));
}

/* --- events --------------------------------------------------------------------------------------------- */

static void times_check(cl_event event)
{
	static const cl_profiling_info names[] = {
		CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START,
		CL_PROFILING_COMMAND_END,
	};
	cl_ulong times[4] = {0};
	for (int i = 0; i < 4; i++)
		CHECK_OK(clGetEventProfilingInfo(event, names[i], sizeof(cl_ulong), &times[i], NULL));
	CHECK(times[0] && times[0] <= times[1] && times[1] <= times[2] && times[2] <= times[3]);
}

/* The event is of all queues, and so of none; its times span all commands. */
static void events(const cl_command_queue *queues, bool timed)
{
	cl_command_buffer_khr buffer = chain(queues);
	cl_event gate = user_event_make(context), event = NULL;
	cl_command_queue queue = queues[0];
	cl_command_type type = 0;
	cl_context of = NULL;
	cl_int status = -1;
	cl_ulong time;
	fill(queues[0], 0, 5);
	fill(queues[0], 3, 0);
	CHECK_OK(cb.enqueue(0, NULL, buffer, 1, &gate, &event));
	CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof(queue), &queue, NULL));
	CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
	CHECK_OK(clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof(of), &of, NULL));
	CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
	CHECK(!queue && type == CL_COMMAND_COMMAND_BUFFER_KHR && of == context && status == CL_QUEUED);
	CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	CHECK_OK(clWaitForEvents(1, &event));
	expect(queues[1], 3, 116);
	if (timed)
		times_check(event);
	else
		CHECK_CODE(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(time), &time, NULL),
			   CL_PROFILING_INFO_NOT_AVAILABLE);
	CHECK_OK(clReleaseEvent(event));
	CHECK_OK(clReleaseEvent(gate));
	/* Nothing runs after an event that has failed. */
	gate = user_event_make(context);
	CHECK_OK(cb.enqueue(0, NULL, buffer, 1, &gate, &event));
	CHECK_OK(clSetUserEventStatus(gate, -5));
	CHECK_CODE(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	expect(queues[1], 3, 116);
	CHECK_OK(clReleaseEvent(event));
	CHECK_OK(clReleaseEvent(gate));
	CHECK_OK(cb.release(buffer));
}

/* A buffer without commands has an event, too. */
static void empty(const cl_command_queue *queues)
{
	cl_command_buffer_khr buffer = start(queues, QUEUES);
	cl_event event = NULL;
	CHECK_OK(cb.finalize(buffer));
	CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
	CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, &event));
	CHECK_OK(clWaitForEvents(1, &event));
	CHECK_OK(clReleaseEvent(event));
	CHECK_OK(cb.release(buffer));
}

/* --- updates and copies ------------------------------------------------------------------------------- */

static void value_change(mutable_update update, cl_command_buffer_khr buffer, cl_mutable_command_khr handle,
			 cl_uint value)
{
	const struct mutable_argument argument = {2, sizeof(value), &value};
	const struct mutable_config config = {.command = handle, .num_args = 1, .args = &argument};
	CHECK_OK(mutable_change(update, buffer, &config));
}

static cl_command_queue queue_of(cl_mutable_command_khr handle)
{
	cl_int(CL_API_CALL * info)(cl_mutable_command_khr, cl_uint, size_t, void *, size_t *);
	void *found = clGetExtensionFunctionAddressForPlatform(test.platform, "clGetMutableCommandInfoKHR");
	cl_command_queue queue = NULL;
	memcpy(&info, &found, sizeof(found));
	CHECK_OK(info(handle, CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR, sizeof(queue), &queue, NULL));
	return queue;
}

/* A launch of each of two queues is changed; copies for other queues have launches of their own. */
static void updates_and_copies(const cl_command_queue *queues)
{
	const cl_command_queue swapped[] = {queues[1], queues[0]};
	mutable_update update = mutable_update_find(test.platform);
	cl_mutable_command_khr handles[2], copies[2] = {NULL, NULL};
	cl_command_buffer_khr buffer = start(queues, 2);
	struct place place = {buffer, queues[0], 0, NULL};
	cl_int code;
	const cl_sync_point_khr point = record(&place, add, 1, 0, 1, &handles[0]);
	place = (struct place){buffer, queues[1], 1, &point};
	(void)record(&place, add, 2, 1, 10, &handles[1]);
	CHECK(queue_of(handles[0]) == queues[0] && queue_of(handles[1]) == queues[1]);
	CHECK_OK(cb.finalize(buffer));
	fill(queues[0], 0, 1000);
	value_change(update, buffer, handles[0], 2);
	value_change(update, buffer, handles[1], 20);
	CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
	finish_all(queues);
	expect(queues[0], 2, 1022);
	cl_command_buffer_khr copy = remap(buffer, CL_FALSE, 2, swapped, 2, handles, copies, &code);
	CHECK_OK(code);
	if (!copy)
		return;
	CHECK(queue_of(copies[0]) == queues[1] && queue_of(copies[1]) == queues[0]);
	value_change(update, copy, copies[1], 30);
	CHECK_OK(cb.enqueue(0, NULL, copy, 0, NULL, NULL));
	finish_all(queues);
	expect(queues[0], 2, 1032);
	CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
	finish_all(queues);
	expect(queues[1], 2, 1022);
	CHECK_OK(cb.release(buffer));
	CHECK_OK(cb.enqueue(0, NULL, copy, 0, NULL, NULL));
	finish_all(queues);
	expect(queues[1], 2, 1032);
	CHECK_OK(cb.release(copy));
}

/* A copy of a buffer that is being recorded is being recorded as well; all kinds of commands are copied. */
static void copies_while_recording(const cl_command_queue *queues)
{
	const cl_command_queue only[] = {queues[1]};
	const cl_uint seven = 7;
	cl_command_buffer_khr buffer = start(queues, 1);
	cl_sync_point_khr points[2];
	cl_int code;
	CHECK_OK(cb.fill(buffer, NULL, NULL, mems[0], &seven, 4, 0, SIZE_B, 0, NULL, &points[0], NULL));
	CHECK_OK(cb.copy(buffer, queues[0], NULL, mems[0], mems[1], 0, 0, SIZE_B, 1, points, &points[1], NULL));
	CHECK_OK(cb.barrier(buffer, NULL, NULL, 0, NULL, NULL, NULL));
	cl_command_buffer_khr copy = remap(buffer, CL_FALSE, 1, only, 0, NULL, NULL, &code);
	CHECK_OK(code);
	const struct place place = {copy, NULL, 0, NULL};
	(void)record(&place, add, 2, 1, 3, NULL);
	CHECK_OK(cb.finalize(copy));
	CHECK_OK(cb.release(buffer));
	CHECK_OK(cb.enqueue(0, NULL, copy, 0, NULL, NULL));
	CHECK_OK(clFinish(queues[1]));
	expect(queues[1], 2, 10);
	CHECK_OK(cb.release(copy));
}

static cl_command_buffer_khr started(cl_uint count, const cl_command_queue *queues)
{
	cl_int code;
	cl_command_buffer_khr buffer = cb.create(count, queues, NULL, &code);
	CHECK_OK(code);
	return buffer;
}

/* Fills 0, and then 1 on another queue if there are two, copies the buffer for queues, and records a copy of 0 to 2. */
static void copy_and_go_on(cl_uint count, const cl_command_queue *from, const cl_command_queue *to, cl_uint value)
{
	cl_int code;
	cl_command_buffer_khr buffer = started(count, from);
	CHECK_OK(cb.fill(buffer, from[count - 1], NULL, mems[0], &value, 4, 0, SIZE_B, 0, NULL, NULL, NULL));
	CHECK_OK(cb.fill(buffer, from[0], NULL, mems[1], &value, 4, 0, SIZE_B, 0, NULL, NULL, NULL));
	cl_command_buffer_khr copy = remap(buffer, CL_FALSE, count, to, 0, NULL, NULL, &code);
	CHECK_OK(code);
	CHECK_OK(cb.copy(copy, to[0], NULL, mems[0], mems[2], 0, 0, SIZE_B, 0, NULL, NULL, NULL));
	CHECK_OK(cb.finalize(copy));
	CHECK_OK(cb.enqueue(0, NULL, copy, 0, NULL, NULL));
	CHECK_OK(clFinish(to[0]));
	expect(to[0], 2, value);
	CHECK_OK(cb.release(buffer));
	CHECK_OK(cb.release(copy));
}

/* In an in-order queue all commands of a copy follow each other, whatever queues they were recorded for.  The software
 * driver runs what is not ordered in another order with each seed. */
static void copies_in_order(void)
{
	const cl_command_queue same[] = {in_order[0], in_order[0]}, apart[] = {in_order[0], in_order[2]};
	void *library = dlopen("libculvert-softcuda.so", RTLD_NOW | RTLD_NOLOAD);
	void *found = library ? dlsym(library, "culvert_soft_schedule") : NULL;
	int (*schedule)(const char *);
	memcpy(&schedule, &found, sizeof(found));
	for (cl_uint i = 1; i <= 16; i++) {
		char seed_text[16];
		snprintf(seed_text, sizeof(seed_text), "seed:%u", i);
		if (schedule)
			CHECK(!schedule(seed_text));
		copy_and_go_on(1, out_of_order, in_order, 100 + i);
		copy_and_go_on(2, apart, same, 200 + i);
	}
	if (schedule)
		CHECK(!schedule(""));
}

/* --- queries and errors ---------------------------------------------------------------------------------- */

static void queries(const cl_command_queue *queues)
{
	cl_command_queue got[QUEUES] = {NULL};
	cl_device_id found[8] = {NULL};
	cl_bitfield bits = 0;
	cl_uint count = 0, all = 0;
	size_t size_B = 0;
	cl_command_buffer_khr buffer = start(queues, QUEUES);
	CHECK_OK(cb.info(buffer, CL_COMMAND_BUFFER_NUM_QUEUES_KHR, sizeof(count), &count, NULL));
	CHECK_OK(cb.info(buffer, CL_COMMAND_BUFFER_QUEUES_KHR, sizeof(got), got, &size_B));
	CHECK(count == QUEUES && size_B == sizeof(got) && !memcmp(got, queues, sizeof(got)));
	CHECK_OK(cb.release(buffer));
	CHECK_OK(clGetPlatformInfo(test.platform, CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR, sizeof(bits), &bits,
				   NULL));
	CHECK(bits == (CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR | CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR));
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR, sizeof(bits), &bits, NULL));
	CHECK(bits & CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR);
	CHECK_OK(clGetDeviceIDs(test.platform, CL_DEVICE_TYPE_ALL, 0, NULL, &all));
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR, sizeof(count), &count,
				 NULL));
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR, sizeof(found), found,
				 &size_B));
	CHECK(count == all && size_B == all * sizeof(cl_device_id) && found[0] == test.devices[0]);
}

static void record_errors(cl_command_queue *queues)
{
	cl_context other = context_make(1, devices);
	cl_command_queue foreign = queue_make(other, devices[0], 0);
	cl_command_queue mixed[] = {queues[0], foreign}, turned[] = {queues[1], queues[0]};
	cl_command_buffer_khr buffer = start(queues, 2);
	cl_int code;
	CHECK_NO_OBJECT(cb.create(2, mixed, NULL, &code), code, CL_INVALID_CONTEXT);
	mixed[1] = NULL;
	CHECK_NO_OBJECT(cb.create(2, mixed, NULL, &code), code, CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(cb.barrier(buffer, NULL, NULL, 0, NULL, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(cb.barrier(buffer, queues[2], NULL, 0, NULL, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(cb.barrier(buffer, foreign, NULL, 0, NULL, NULL, NULL), CL_INVALID_CONTEXT);
	CHECK_OK(cb.finalize(buffer));
	CHECK_CODE(cb.enqueue(1, queues, buffer, 0, NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(cb.enqueue(3, queues, buffer, 0, NULL, NULL), CL_INVALID_VALUE);
	if (devices[0] != devices[1])
		CHECK_CODE(cb.enqueue(2, turned, buffer, 0, NULL, NULL), CL_INVALID_DEVICE);
	CHECK_NO_OBJECT(remap(buffer, CL_TRUE, 2, queues, 0, NULL, NULL, &code), code, CL_INVALID_OPERATION);
	CHECK_NO_OBJECT(remap(buffer, CL_FALSE, 1, queues, 0, NULL, NULL, &code), code, CL_INVALID_VALUE);
	CHECK_OK(cb.release(buffer));
	CHECK_OK(clReleaseCommandQueue(foreign));
	CHECK_OK(clReleaseContext(other));
}

/* A graph of the second part that cannot be made leaves the buffer as it was; a launch that fails is reported. */
static void faults(const cl_command_queue *queues)
{
	struct soft_fault fault;
	if (!soft_fault_find(&fault))
		return;
	cl_command_buffer_khr buffer = start(queues, 2);
	struct place place = {buffer, queues[0], 0, NULL};
	const cl_sync_point_khr point = record(&place, add, 1, 0, 1, NULL);
	place = (struct place){buffer, queues[1], 1, &point};
	(void)record(&place, add, 2, 1, 1, NULL);
	CHECK(!fault.set("cuGraphInstantiate*:2:OUT_OF_MEMORY"));
	CHECK(cb.finalize(buffer) != CL_SUCCESS);
	CHECK(fault.fired() == 1);
	CHECK(!fault.set(""));
	CHECK_CODE(cb.enqueue(0, NULL, buffer, 0, NULL, NULL), CL_INVALID_OPERATION);
	CHECK_OK(cb.finalize(buffer));
	fill(queues[0], 0, 1);
	CHECK(!fault.set("cuGraphLaunch:2:OUT_OF_MEMORY"));
	CHECK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL) != CL_SUCCESS);
	CHECK(fault.fired() == 1);
	CHECK(!fault.set(""));
	CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
	finish_all(queues);
	expect(queues[0], 2, 3);
	CHECK_OK(cb.release(buffer));
}

/* --- */

static void objects_make(void)
{
	const cl_device_id last = test.devices[test.device_count - 1];
	const cl_device_id all[] = {test.devices[0], last};
	devices[0] = devices[2] = test.devices[0];
	devices[1] = last;
	context = context_make(last == devices[0] ? 1 : 2, all);
	cl_program program = api_test_build(context, test.device, source, NULL);
	add = kernel_make(program, "add");
	mix = kernel_make(program, "mix");
	CHECK_OK(clReleaseProgram(program));
	for (int i = 0; i < QUEUES; i++) {
		in_order[i] = queue_make(context, devices[i], 0);
		out_of_order[i] = queue_make(context, devices[i], CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE |
									  CL_QUEUE_PROFILING_ENABLE);
	}
	for (int i = 0; i < BUFFERS; i++)
		mems[i] = buffer_make(context, CL_MEM_READ_WRITE, SIZE_B, NULL);
}

static void objects_drop(void)
{
	for (int i = 0; i < BUFFERS; i++)
		CHECK_OK(clReleaseMemObject(mems[i]));
	for (int i = 0; i < QUEUES; i++) {
		CHECK_OK(clReleaseCommandQueue(in_order[i]));
		CHECK_OK(clReleaseCommandQueue(out_of_order[i]));
	}
	CHECK_OK(clReleaseKernel(add));
	CHECK_OK(clReleaseKernel(mix));
	CHECK_OK(clReleaseContext(context));
}

int main(void)
{
	setenv("CULVERT_SOFT_DEVICES", "2", 0);
	if (!api_test_start(&test, "command buffers of several queues"))
		return API_TEST_SKIP;
	void *found = clGetExtensionFunctionAddressForPlatform(test.platform, "clRemapCommandBufferKHR");
	memcpy(&remap, &found, sizeof(found));
	if (!remap || !command_buffer_entry_find(test.platform, &cb))
		return api_test_skip(&test);
	objects_make();
	chains(in_order, out_of_order);
	chains(out_of_order, in_order);
	barriers(in_order);
	barriers(out_of_order);
	for (unsigned i = 0; i < 12; i++)
		random_commands(i & 1 ? in_order : out_of_order, i);
	events(in_order, false);
	events(out_of_order, true);
	empty(in_order);
	empty(out_of_order);
	updates_and_copies(in_order);
	updates_and_copies(out_of_order);
	copies_while_recording(in_order);
	copies_in_order();
	queries(in_order);
	record_errors(in_order);
	faults(out_of_order);
	objects_drop();
	return api_test_end(&test);
}
