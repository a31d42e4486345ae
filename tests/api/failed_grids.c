/* Protects: a launch of several grids that fails at its second grid.  The call returns the error and no event, or the
 * event of a launch that was delayed ends with it; the queue and the kernel can be used as before; all devices see the
 * same memory, with what the first grid has written; memory and printf's buffer are not used again before the first
 * grid has ended. */
#include "config.h"

#include "tests/api/command_buffer_entry.h"
#include "tests/api/fixture.h"
#include "tests/api/soft_fault.h"

#include <pthread.h>

enum { GRID = 65535, GROUPS = 2 * GRID };

static const char source[] =
	"uint spin(uint turns) { uint x = turns; while (turns--) x = (x ^ x >> 13) * 1664525 + turns; return x; }\n"
	"kernel void mark(global uchar *seen) { seen[get_global_id(1)] = 1; }\n"
	"kernel void mark_late(global uchar *seen) {\n"
	"	size_t id = get_global_id(1);\n"
	"	uint x = id % 64 ? 1 : spin(1000) | 1;\n"
	"	seen[id] = x & 1;\n"
	"}\n"
	"kernel void say(uint turns) {\n"
	"	if (get_group_id(1) % 64) return;\n"
	"	uint x = spin(turns) != 77;\n"
	"	if (get_num_groups(1) > 1) printf(\"old %u\\n\", x); else printf(\"new %u\\n\", x);\n"
	"}\n";

static struct api_test test;
static struct soft_fault fault;

static cl_int launch(cl_command_queue queue, cl_kernel kernel, cl_uint count, const cl_event *events, cl_event *event)
{
	static const size_t global[2] = {1, GROUPS}, local[2] = {1, 1};
	return clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, count, events, event);
}

/* The call with this number fails. */
static void fail_at(const char *call, unsigned number)
{
	char rule[128];
	snprintf(rule, sizeof(rule), "%s:%u:LAUNCH_OUT_OF_RESOURCES", call, number);
	CHECK(!fault.set(rule));
}

/* The rule has been used. */
static void fail_no_more(void)
{
	CHECK(fault.fired() == 1);
	CHECK(!fault.set(""));
}

static cl_mem zeros(cl_context context)
{
	static cl_uchar none[GROUPS];
	return buffer_make(context, CL_MEM_COPY_HOST_PTR, sizeof(none), none);
}

/* The number of ones among the bytes of the first grid, or of the second. */
static size_t ones(cl_command_queue queue, cl_mem mem, unsigned grid)
{
	static cl_uchar seen[GROUPS];
	size_t count = 0;
	buffer_read(queue, mem, seen, sizeof(seen));
	for (size_t i = 0; i < GRID; i++)
		count += seen[grid * GRID + i] == 1;
	return count;
}

static void check_times(cl_event event)
{
	static const cl_profiling_info names[] = {
		CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START,
		CL_PROFILING_COMMAND_END,
	};
	cl_ulong before_ns = 0, time_ns;
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++, before_ns = time_ns) {
		time_ns = 0;
		CHECK_OK(clGetEventProfilingInfo(event, names[i], sizeof(time_ns), &time_ns, NULL));
		CHECK(time_ns >= before_ns);
	}
}

static void test_error(cl_context context, cl_kernel kernel, cl_command_queue_properties properties)
{
	cl_command_queue queue = queue_make(context, test.device, properties);
	cl_mem mem = zeros(context);
	cl_event event = NULL;
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	fail_at("cuLaunchKernel*", 2);
	CHECK_CODE(launch(queue, kernel, 0, NULL, &event), CL_OUT_OF_RESOURCES);
	CHECK(!event);
	fail_no_more();
	CHECK_OK(clFinish(queue));
	CHECK(ones(queue, mem, 0) == GRID && !ones(queue, mem, 1));
	CHECK_OK(launch(queue, kernel, 0, NULL, &event));
	CHECK_OK(clWaitForEvents(1, &event));
	CHECK(ones(queue, mem, 0) == GRID && ones(queue, mem, 1) == GRID);
	if (properties & CL_QUEUE_PROFILING_ENABLE)
		check_times(event);
	CHECK_OK(clReleaseEvent(event));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseCommandQueue(queue));
}

static cl_int status_of(cl_event event)
{
	cl_int status = 12345;
	CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
	return status;
}

/* The launch is submitted when the user event is set: it fails by its event. */
static void test_delayed(cl_context context, cl_kernel kernel)
{
	cl_command_queue queue = queue_make(context, test.device, CL_QUEUE_PROFILING_ENABLE);
	cl_mem mem = zeros(context);
	cl_event user = user_event_make(context), launched = NULL, after = NULL;
	cl_ulong time_ns;
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	CHECK_OK(launch(queue, kernel, 1, &user, &launched));
	CHECK_OK(clEnqueueMarkerWithWaitList(queue, 1, &launched, &after));
	fail_at("cuLaunchKernel*", 2);
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
	CHECK_CODE(clWaitForEvents(1, &launched), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	fail_no_more();
	CHECK_CODE(status_of(launched), CL_OUT_OF_RESOURCES);
	CHECK_CODE(clWaitForEvents(1, &after), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK_CODE(status_of(after), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK_CODE(clGetEventProfilingInfo(launched, CL_PROFILING_COMMAND_END, sizeof(time_ns), &time_ns, NULL),
		   CL_PROFILING_INFO_NOT_AVAILABLE);
	CHECK_OK(clFinish(queue));
	CHECK(ones(queue, mem, 0) == GRID && !ones(queue, mem, 1));
	CHECK_OK(clReleaseEvent(user));
	CHECK_OK(clReleaseEvent(launched));
	CHECK_OK(clReleaseEvent(after));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseCommandQueue(queue));
}

static void test_command_buffer(cl_context context, cl_kernel kernel)
{
	static const size_t global[2] = {1, GROUPS}, local[2] = {1, 1};
	cl_command_queue queue = queue_make(context, test.device, 0);
	cl_mem mem = zeros(context);
	struct command_buffer_entry cb;
	cl_int code;
	if (!CHECK(command_buffer_entry_find(test.platform, &cb)))
		return;
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	cl_command_buffer_khr buffer = cb.create(1, &queue, NULL, &code);
	CHECK_OK(code);
	CHECK_OK(cb.launch(buffer, NULL, NULL, kernel, 2, NULL, global, local, 0, NULL, NULL, NULL));
	fail_at("cuGraphAddKernelNode*", 2);
	CHECK_CODE(cb.finalize(buffer), CL_OUT_OF_RESOURCES);
	fail_no_more();
	CHECK_CODE(cb.enqueue(0, NULL, buffer, 0, NULL, NULL), CL_INVALID_OPERATION);
	CHECK_OK(cb.release(buffer));
	CHECK(!ones(queue, mem, 0));
	CHECK_OK(launch(queue, kernel, 0, NULL, NULL));
	CHECK(ones(queue, mem, 0) == GRID && ones(queue, mem, 1) == GRID);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseCommandQueue(queue));
}

/* The first grid has not ended when the memory is released. */
static void test_released(cl_context context, cl_kernel kernel)
{
	enum { OTHERS = 8 };
	static cl_uchar sevens[GROUPS];
	cl_command_queue queue = queue_make(context, test.device, 0), other = queue_make(context, test.device, 0);
	cl_mem mem = zeros(context), others[OTHERS];
	memset(sevens, 7, sizeof(sevens));
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	fail_at("cuLaunchKernel*", 2);
	CHECK_CODE(launch(queue, kernel, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
	fail_no_more();
	CHECK_OK(clReleaseMemObject(mem));
	for (unsigned i = 0; i < OTHERS; i++)
		others[i] = buffer_make(context, CL_MEM_COPY_HOST_PTR, sizeof(sevens), sevens);
	CHECK_OK(clFinish(queue));
	for (unsigned i = 0; i < OTHERS; i++) {
		CHECK(!ones(other, others[i], 0));
		CHECK_OK(clReleaseMemObject(others[i]));
	}
	CHECK_OK(clReleaseCommandQueue(other));
	CHECK_OK(clReleaseCommandQueue(queue));
}

/* Both devices see what the first grid has written, although the launch has failed. */
static void test_two_devices(cl_program program, cl_context context)
{
	cl_command_queue first = queue_make(context, test.devices[0], 0);
	cl_command_queue second = queue_make(context, test.devices[1], 0);
	cl_kernel kernel = kernel_make(program, "mark_late");
	cl_mem mem = zeros(context);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	fail_at("cuLaunchKernel*", 2);
	CHECK_CODE(launch(first, kernel, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
	fail_no_more();
	CHECK(ones(second, mem, 0) == GRID && !ones(second, mem, 1));
	CHECK(ones(first, mem, 0) == GRID && !ones(first, mem, 1));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseCommandQueue(second));
	CHECK_OK(clReleaseCommandQueue(first));
}

static struct {
	pthread_mutex_t lock;
	char text[1 << 16];
	size_t size_B;
} printed = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void CL_CALLBACK take(const char *text, size_t size_B, size_t complete, void *data)
{
	(void)complete;
	(void)data;
	pthread_mutex_lock(&printed.lock);
	if (printed.size_B + size_B < sizeof(printed.text)) {
		memcpy(printed.text + printed.size_B, text, size_B);
		printed.size_B += size_B;
	}
	pthread_mutex_unlock(&printed.lock);
}

/* The first grid goes on writing to its buffer.  In an out-of-order queue, the next launch need not run after it. */
static void test_printf(void)
{
	const cl_context_properties list[] = {CL_PRINTF_CALLBACK_ARM, (cl_context_properties)take, 0};
	const cl_uint few = 2000, many = 1000000;
	const size_t one[2] = {1, 1};
	cl_int code;
	cl_context context = clCreateContext(list, 1, &test.device, NULL, NULL, &code);
	CHECK_OK(code);
	cl_program program = api_test_build(context, test.device, source, "");
	cl_command_queue queue = queue_make(context, test.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_kernel kernel = kernel_make(program, "say");
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(few), &few));
	/* A kernel empties the buffer. */
	fail_at("cuLaunchKernel*", 3);
	CHECK_CODE(launch(queue, kernel, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
	fail_no_more();
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(many), &many));
	CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, one, one, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	if (!CHECK(printed.size_B == 6 && !memcmp(printed.text, "new ", 4)))
		printf("printed: %.*s\n", (int)printed.size_B, printed.text);
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseContext(context));
}

int main(void)
{
	const char *cuda = getenv("CULVERT_CUDA");
	if (!cuda || strcmp(cuda, "soft"))
		return API_TEST_SKIP;
	setenv("CULVERT_SOFT_DEVICES", "2", 1);
	if (!api_test_start(&test, "failed_grids"))
		return API_TEST_SKIP;
	cl_program program = api_test_build(test.context, test.device, source, "");
	if (CHECK(soft_fault_find(&fault)) && CHECK(program)) {
		cl_kernel kernel = kernel_make(program, "mark"), late = kernel_make(program, "mark_late");
		test_error(test.context, kernel, 0);
		test_error(test.context, kernel, CL_QUEUE_PROFILING_ENABLE);
		test_error(test.context, kernel, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
		test_delayed(test.context, kernel);
		test_command_buffer(test.context, kernel);
		test_released(test.context, late);
		test_printf();
		CHECK_OK(clReleaseKernel(kernel));
		CHECK_OK(clReleaseKernel(late));
	}
	CHECK_OK(clReleaseProgram(program));
	cl_context both = context_make(2, test.devices);
	program = api_test_program(both, source);
	CHECK_OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
	test_two_devices(program, both);
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseContext(both));
	return api_test_end(&test);
}
