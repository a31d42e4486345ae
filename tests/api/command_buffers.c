/* Protects: command buffers (cl_khr_command_buffer): what is recorded runs, in its
 * order and with the values of its recording; where the bytes are; errors. */
#include "config.h"

#include "tests/api/command_buffer_entry.h"
#include "tests/api/fixture.h"

enum { COUNT = 1000, SIZE_B = COUNT * (int)sizeof(cl_uint) };

static const char source[] =
	"kernel void add(global uint *to, global const uint *from, uint value)\n"
	"{ size_t i = get_global_id(0); to[i] = from[i] + value; }\n"
	"kernel void twice(global uint *to) { to[get_global_id(0)] *= 2; }\n"
	"kernel void ids(global uint *to, local uint *own)\n"
	"{ own[get_local_id(0)] = get_local_size(0); barrier(CLK_LOCAL_MEM_FENCE);\n"
	"  to[get_global_id(0) - get_global_offset(0)] =\n"
	"  own[get_local_id(0)] * 1000 + get_group_id(0); }\n";

static struct command_buffer_entry cb;
static struct api_test test;
static cl_program program;

struct bench {                           /* a context with queues and buffers */
	cl_context context;
	cl_command_queue in_order, out_of_order;
	cl_kernel add, twice;
	cl_mem a, b, c;
};

static struct bench bench_make(cl_context context, cl_device_id device)
{
	struct bench bench = {.context = context};
	bench.in_order = queue_make(context, device, 0);
	bench.out_of_order = queue_make(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE |
								 CL_QUEUE_PROFILING_ENABLE);
	bench.add = kernel_make(program, "add");
	bench.twice = kernel_make(program, "twice");
	bench.a = buffer_make(context, CL_MEM_READ_WRITE, SIZE_B, NULL);
	bench.b = buffer_make(context, CL_MEM_READ_WRITE, SIZE_B, NULL);
	bench.c = buffer_make(context, CL_MEM_READ_WRITE, SIZE_B, NULL);
	return bench;
}

static void bench_release(struct bench *bench)
{
	CHECK_OK(clReleaseMemObject(bench->a));
	CHECK_OK(clReleaseMemObject(bench->b));
	CHECK_OK(clReleaseMemObject(bench->c));
	CHECK_OK(clReleaseKernel(bench->add));
	CHECK_OK(clReleaseKernel(bench->twice));
	CHECK_OK(clReleaseCommandQueue(bench->in_order));
	CHECK_OK(clReleaseCommandQueue(bench->out_of_order));
}

static cl_command_buffer_khr start(cl_command_queue queue)
{
	cl_int code;
	cl_command_buffer_khr buffer = cb.create(1, &queue, NULL, &code);
	CHECK_OK(code);
	return buffer;
}

static void record_fill(cl_command_buffer_khr buffer, cl_mem mem, cl_uint value, cl_uint count,
			const cl_sync_point_khr *list, cl_sync_point_khr *point)
{
	CHECK_OK(cb.fill(buffer, NULL, NULL, mem, &value, sizeof(value), 0, SIZE_B, count, list,
			 point, NULL));
}

static void record_add(const struct bench *bench, cl_command_buffer_khr buffer, cl_mem to,
		       cl_mem from, cl_uint value, cl_uint count, const cl_sync_point_khr *list,
		       cl_sync_point_khr *point)
{
	const size_t global = COUNT;
	CHECK_OK(clSetKernelArg(bench->add, 0, sizeof(to), &to));
	CHECK_OK(clSetKernelArg(bench->add, 1, sizeof(from), &from));
	CHECK_OK(clSetKernelArg(bench->add, 2, sizeof(value), &value));
	CHECK_OK(cb.launch(buffer, NULL, NULL, bench->add, 1, NULL, &global, NULL, count, list,
			   point, NULL));
}

static void expect(cl_command_queue queue, cl_mem mem, cl_uint value)
{
	cl_uint out[COUNT] = {0};
	buffer_read(queue, mem, out, SIZE_B);
	CHECK(out[0] == value);
	CHECK(out[COUNT / 2] == value);
	CHECK(out[COUNT - 1] == value);
	if (out[0] != value)
		printf("  %u, not %u\n", out[0], value);
}

static cl_uint state_of(cl_command_buffer_khr buffer)
{
	cl_command_buffer_state_khr state = 99;
	CHECK_OK(cb.info(buffer, CL_COMMAND_BUFFER_STATE_KHR, sizeof(state), &state, NULL));
	return state;
}

/* Each after the one before; the arguments are those of the recording. */
static void in_order(struct bench *bench)
{
	cl_command_buffer_khr buffer = start(bench->in_order);
	const size_t global = COUNT;
	record_fill(buffer, bench->a, 5, 0, NULL, NULL);
	record_add(bench, buffer, bench->b, bench->a, 2, 0, NULL, NULL);
	record_add(bench, buffer, bench->c, bench->b, 100, 0, NULL, NULL);
	CHECK_OK(clSetKernelArg(bench->twice, 0, sizeof(cl_mem), &bench->c));
	CHECK_OK(cb.launch(buffer, NULL, NULL, bench->twice, 1, NULL, &global, NULL, 0, NULL, NULL,
			   NULL));
	CHECK_OK(cb.copy(buffer, NULL, NULL, bench->c, bench->a, 0, 0, SIZE_B, 0, NULL, NULL,
			 NULL));
	CHECK(state_of(buffer) == CL_COMMAND_BUFFER_STATE_RECORDING_KHR);
	CHECK_OK(cb.finalize(buffer));
	CHECK(state_of(buffer) == CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
	for (int turn = 0; turn < 3; turn++)
		CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
	expect(bench->in_order, bench->a, 214);
	/* In another queue than it was recorded for. */
	CHECK_OK(clEnqueueCopyBuffer(bench->in_order, bench->b, bench->a, 0, 0, SIZE_B, 0, NULL,
				     NULL));
	CHECK_OK(clFinish(bench->in_order));
	CHECK_OK(cb.enqueue(1, &bench->out_of_order, buffer, 0, NULL, NULL));
	CHECK_OK(clFinish(bench->out_of_order));
	expect(bench->in_order, bench->a, 214);
	CHECK_OK(cb.release(buffer));
}

/* The order is that of the sync points and barriers alone. */
static void out_of_order(struct bench *bench)
{
	cl_command_buffer_khr buffer = start(bench->out_of_order);
	cl_sync_point_khr points[4];
	record_fill(buffer, bench->a, 1, 0, NULL, &points[0]);
	record_fill(buffer, bench->b, 10, 0, NULL, &points[1]);
	record_add(bench, buffer, bench->c, bench->a, 2, 1, &points[0], &points[2]);
	CHECK_OK(cb.copy(buffer, NULL, NULL, bench->c, bench->b, 0, 0, SIZE_B / 2, 2,
			 (const cl_sync_point_khr[]){points[1], points[2]}, &points[3], NULL));
	CHECK_OK(cb.barrier(buffer, NULL, NULL, 0, NULL, NULL, NULL));
	record_add(bench, buffer, bench->a, bench->b, 1000, 0, NULL, &points[0]);
	CHECK_OK(cb.barrier(buffer, NULL, NULL, 1, points, NULL, NULL));
	record_add(bench, buffer, bench->c, bench->a, 1, 0, NULL, NULL);
	CHECK_OK(cb.finalize(buffer));
	cl_uint out[COUNT];
	cl_event events[2];
	CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, &events[0]));
	CHECK_OK(cb.enqueue(0, NULL, buffer, 1, &events[0], &events[1]));
	CHECK_OK(clEnqueueReadBuffer(bench->out_of_order, bench->c, CL_TRUE, 0, SIZE_B, out, 1,
				     &events[1], NULL));
	CHECK(out[0] == 1004 && out[COUNT - 1] == 1011);
	cl_command_type type = 0;
	cl_ulong times[2] = {0};
	CHECK_OK(clGetEventInfo(events[0], CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
	CHECK(type == CL_COMMAND_COMMAND_BUFFER_KHR);
	CHECK_OK(clGetEventProfilingInfo(events[0], CL_PROFILING_COMMAND_START, sizeof(cl_ulong),
					 &times[0], NULL));
	CHECK_OK(clGetEventProfilingInfo(events[0], CL_PROFILING_COMMAND_END, sizeof(cl_ulong),
					 &times[1], NULL));
	CHECK(times[0] && times[0] < times[1]);
	CHECK_OK(clReleaseEvent(events[0]));
	CHECK_OK(clReleaseEvent(events[1]));
	CHECK_OK(cb.release(buffer));
}

/* Boxes, long patterns, work-groups at the edges, local memory, offsets. */
static void shapes(struct bench *bench)
{
	static const size_t from_origin[3] = {0, 0, 0}, to_origin[3] = {4, 1, 0};
	static const size_t region[3] = {8, 3, 1};
	static const cl_uint pattern[4] = {1, 2, 3, 4};
	const size_t offset = 7, global = 100, local = 32;
	cl_command_buffer_khr buffer = start(bench->in_order);
	cl_kernel ids = kernel_make(program, "ids");
	cl_uint out[COUNT] = {0};
	record_fill(buffer, bench->b, 0, 0, NULL, NULL);
	CHECK_OK(cb.fill(buffer, NULL, NULL, bench->a, pattern, sizeof(pattern), 0, SIZE_B, 0, NULL,
			 NULL, NULL));
	CHECK_OK(cb.copy_rect(buffer, NULL, NULL, bench->a, bench->b, from_origin, to_origin,
			      region, 16, 0, 32, 0, 0, NULL, NULL, NULL));
	CHECK_OK(clSetKernelArg(ids, 0, sizeof(cl_mem), &bench->c));
	CHECK_OK(clSetKernelArg(ids, 1, 32 * sizeof(cl_uint), NULL));
	CHECK_OK(cb.launch(buffer, NULL, NULL, ids, 1, &offset, &global, &local, 0, NULL, NULL,
			   NULL));
	/* What the recorded launch needs it keeps. */
	CHECK_OK(clReleaseKernel(ids));
	CHECK_OK(cb.finalize(buffer));
	CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
	buffer_read(bench->in_order, bench->b, out, SIZE_B);
	CHECK(out[8] == 0 && out[9] == 1 && out[10] == 2 && out[11] == 0);
	CHECK(out[17] == 1 && out[25] == 1 && out[26] == 2 && out[33] == 0);
	buffer_read(bench->in_order, bench->c, out, SIZE_B);
	CHECK(out[0] == 32000 && out[95] == 32002 && out[96] == 4003 && out[99] == 4003);
	CHECK_OK(cb.release(buffer));
}

/* Enqueued behind a user event, twice, and released at once with all it needs. */
static void deferred(cl_context context, cl_device_id device)
{
	struct bench bench = bench_make(context, device);
	cl_command_buffer_khr buffer = start(bench.in_order);
	cl_command_queue queue = queue_make(context, device, 0);
	cl_int code;
	cl_event gate = clCreateUserEvent(context, &code);
	cl_mem mem = bench.a;
	CHECK_OK(code);
	CHECK_OK(clRetainMemObject(mem));
	record_add(&bench, buffer, bench.a, bench.a, 1, 0, NULL, NULL);
	CHECK_OK(cb.finalize(buffer));
	const cl_uint zero = 0;
	CHECK_OK(clEnqueueFillBuffer(queue, mem, &zero, 4, 0, SIZE_B, 1, &gate, NULL));
	CHECK_OK(cb.enqueue(1, &queue, buffer, 0, NULL, NULL));
	CHECK_OK(cb.enqueue(1, &queue, buffer, 0, NULL, NULL));
	CHECK_OK(cb.release(buffer));
	bench_release(&bench);
	CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	expect(queue, mem, 2);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseEvent(gate));
	CHECK_OK(clReleaseCommandQueue(queue));
}

/* The newest bytes are on another device, or on the host, before each enqueue. */
static void residency(void)
{
	cl_int code;
	if (test.device_count < 2)
		return;
	cl_context context = context_make(2, test.devices);
	cl_program before = program;
	program = api_test_build(context, test.device, source, "-cl-std=CL3.0");
	struct bench bench = bench_make(context, test.devices[0]);
	cl_command_queue other = queue_make(context, test.devices[1], 0);
	cl_command_buffer_khr buffer = start(bench.in_order);
	record_add(&bench, buffer, bench.b, bench.a, 1, 0, NULL, NULL);
	CHECK_OK(cb.finalize(buffer));
	for (cl_uint value = 10; value < 13; value++) {
		CHECK_OK(clEnqueueFillBuffer(other, bench.a, &value, 4, 0, SIZE_B, 0, NULL, NULL));
		CHECK_OK(clFinish(other));
		CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
		CHECK_OK(clFinish(bench.in_order));
		expect(other, bench.b, value + 1);
	}
	cl_uint *mapped = clEnqueueMapBuffer(other, bench.a, CL_TRUE, CL_MAP_WRITE, 0, SIZE_B, 0,
					     NULL, NULL, &code);
	CHECK_OK(code);
	for (int i = 0; i < COUNT; i++)
		mapped[i] = 77;
	CHECK_OK(clEnqueueUnmapMemObject(other, bench.a, mapped, 0, NULL, NULL));
	CHECK_OK(clFinish(other));
	CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
	expect(bench.in_order, bench.b, 78);
	CHECK_CODE(cb.enqueue(1, &other, buffer, 0, NULL, NULL), CL_INVALID_DEVICE);
	CHECK_OK(cb.release(buffer));
	bench_release(&bench);
	CHECK_OK(clReleaseCommandQueue(other));
	CHECK_OK(clReleaseProgram(program));
	program = before;
	CHECK_OK(clReleaseContext(context));
}

/* --- errors --------------------------------------------------------------------------------- */

static void creation_errors(struct bench *bench)
{
	static const cl_command_buffer_properties_khr unknown[] = {1, 0, 0},
		flag[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 1 << 30, 0},
		twice[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 0, CL_COMMAND_BUFFER_FLAGS_KHR, 0, 0};
	const cl_command_queue two[2] = {bench->in_order, bench->in_order};
	cl_command_queue none = NULL;
	cl_int code;
	CHECK_NO_OBJECT(cb.create(0, two, NULL, &code), code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(cb.create(1, NULL, NULL, &code), code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(cb.create(1, &none, NULL, &code), code, CL_INVALID_COMMAND_QUEUE);
	CHECK_NO_OBJECT(cb.create(1, two, unknown, &code), code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(cb.create(1, two, flag, &code), code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(cb.create(1, two, twice, &code), code, CL_INVALID_VALUE);
	CHECK_CODE(cb.retain(NULL), CL_INVALID_COMMAND_BUFFER_KHR);
	CHECK_CODE(cb.release(NULL), CL_INVALID_COMMAND_BUFFER_KHR);
	CHECK_CODE(cb.finalize(NULL), CL_INVALID_COMMAND_BUFFER_KHR);
	CHECK_CODE(cb.enqueue(0, NULL, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_BUFFER_KHR);
	CHECK_CODE(cb.info(NULL, CL_COMMAND_BUFFER_STATE_KHR, 0, NULL, NULL),
		   CL_INVALID_COMMAND_BUFFER_KHR);
}

static void recording_errors(struct bench *bench)
{
	static const command_properties unknown[] = {1, 0, 0};
	cl_command_buffer_khr buffer = start(bench->out_of_order);
	cl_sync_point_khr point = 0, stranger = 55;
	cl_mutable_command_khr handle;
	const size_t global = COUNT, large = 1 << 20;
	cl_kernel unset = kernel_make(program, "twice");
	CHECK_CODE(cb.barrier(NULL, NULL, NULL, 0, NULL, NULL, NULL),
		   CL_INVALID_COMMAND_BUFFER_KHR);
	CHECK_CODE(cb.barrier(buffer, bench->in_order, NULL, 0, NULL, NULL, NULL),
		   CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(cb.barrier(buffer, NULL, unknown, 0, NULL, NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(cb.barrier(buffer, NULL, NULL, 0, NULL, NULL, &handle), CL_INVALID_VALUE);
	CHECK_CODE(cb.barrier(buffer, NULL, NULL, 1, NULL, NULL, NULL),
		   CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
	CHECK_CODE(cb.barrier(buffer, NULL, NULL, 0, &point, NULL, NULL),
		   CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
	CHECK_CODE(cb.barrier(buffer, NULL, NULL, 1, &stranger, NULL, NULL),
		   CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
	CHECK_CODE(cb.copy(buffer, NULL, NULL, NULL, bench->b, 0, 0, 4, 0, NULL, NULL, NULL),
		   CL_INVALID_MEM_OBJECT);
	CHECK_CODE(cb.copy(buffer, NULL, NULL, bench->a, bench->b, 0, 1, SIZE_B, 0, NULL, NULL,
			   NULL), CL_INVALID_VALUE);
	CHECK_CODE(cb.copy(buffer, NULL, NULL, bench->a, bench->a, 0, 4, 8, 0, NULL, NULL, NULL),
		   CL_MEM_COPY_OVERLAP);
	CHECK_CODE(cb.fill(buffer, NULL, NULL, bench->a, &point, 3, 0, 3, 0, NULL, NULL, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(cb.launch(buffer, NULL, NULL, NULL, 1, NULL, &global, NULL, 0, NULL, NULL,
			     NULL), CL_INVALID_KERNEL);
	CHECK_CODE(cb.launch(buffer, NULL, NULL, unset, 1, NULL, &global, NULL, 0, NULL, NULL,
			     NULL), CL_INVALID_KERNEL_ARGS);
	CHECK_OK(clSetKernelArg(unset, 0, sizeof(cl_mem), &bench->a));
	CHECK_CODE(cb.launch(buffer, NULL, NULL, unset, 4, NULL, &global, NULL, 0, NULL, NULL,
			     NULL), CL_INVALID_WORK_DIMENSION);
	CHECK_CODE(cb.launch(buffer, NULL, NULL, unset, 1, NULL, &large, &large, 0, NULL, NULL,
			     NULL), CL_INVALID_WORK_ITEM_SIZE);
	/* Nothing of it was recorded. */
	CHECK_CODE(cb.enqueue(0, NULL, buffer, 0, NULL, NULL), CL_INVALID_OPERATION);
	CHECK_OK(cb.finalize(buffer));
	CHECK_CODE(cb.finalize(buffer), CL_INVALID_OPERATION);
	CHECK_CODE(cb.barrier(buffer, NULL, NULL, 0, NULL, NULL, NULL), CL_INVALID_OPERATION);
	CHECK_CODE(cb.enqueue(1, NULL, buffer, 0, NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(cb.enqueue(0, &bench->in_order, buffer, 0, NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(cb.enqueue(0, NULL, buffer, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
	cl_event event;
	CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, &event));
	CHECK_OK(clWaitForEvents(1, &event));
	CHECK_OK(clReleaseEvent(event));
	CHECK_OK(clReleaseKernel(unset));
	CHECK_OK(cb.release(buffer));
}

static void queries(struct bench *bench)
{
	static const cl_command_buffer_properties_khr list[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 0, 0};
	cl_command_buffer_properties_khr got[3] = {9, 9, 9};
	cl_command_queue queue = NULL;
	cl_uint number = 0;
	size_t size = 99;
	cl_int code;
	cl_command_buffer_khr buffer = cb.create(1, &bench->in_order, list, &code);
	CHECK_OK(code);
	CHECK_OK(cb.info(buffer, CL_COMMAND_BUFFER_NUM_QUEUES_KHR, 4, &number, NULL));
	CHECK(number == 1);
	CHECK_OK(cb.info(buffer, CL_COMMAND_BUFFER_QUEUES_KHR, sizeof(queue), &queue, &size));
	CHECK(queue == bench->in_order && size == sizeof(queue));
	CHECK_OK(cb.retain(buffer));
	CHECK_OK(cb.info(buffer, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR, 4, &number, NULL));
	CHECK(number == 2);
	CHECK_OK(cb.release(buffer));
	CHECK_OK(cb.info(buffer, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, sizeof(got), got, &size));
	CHECK(size == sizeof(list) && !memcmp(got, list, size));
	CHECK_CODE(cb.info(buffer, CL_COMMAND_BUFFER_STATE_KHR, 1, &number, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(cb.info(buffer, 1, 4, &number, NULL), CL_INVALID_VALUE);
	CHECK_OK(cb.release(buffer));
}

int main(void)
{
	if (!api_test_start(&test, "command_buffers"))
		return API_TEST_SKIP;
	if (!command_buffer_entry_find(test.platform, &cb))
		return api_test_skip(&test);
	program = api_test_build(test.context, test.device, source, "-cl-std=CL3.0");
	if (!program)
		return api_test_end(&test);
	struct bench bench = bench_make(test.context, test.device);
	in_order(&bench);
	out_of_order(&bench);
	shapes(&bench);
	deferred(test.context, test.device);
	residency();
	creation_errors(&bench);
	recording_errors(&bench);
	queries(&bench);
	bench_release(&bench);
	CHECK_OK(clReleaseProgram(program));
	return api_test_end(&test);
}
