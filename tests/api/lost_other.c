/* Protects: what one device computes from another device's results is an error if the other device was lost before it
 * had them, whatever the application asks first, and however the error arrives: CUDA reports it for the lost device
 * only, and what waited for that goes on.  The queue of the device that is left can be used afterwards, and what failed
 * stays failed. */
#include "config.h"

#include "tests/api/fixture.h"
#include "tests/api/soft_fault.h"

static const char source[] =
	"kernel void wild(global uint *c, global uint *none, uint turns) {\n"
	"	uint x = turns;\n"
	"	for (uint i = 0; i < turns; i++) x = x * 1664525 + i;\n"
	"	none[get_global_id(0)] = x;\n"
	"	c[get_global_id(0)] = 1;\n"
	"}\n"
	"kernel void next(global uint *c) { c[get_global_id(0)] += 1; }\n";

enum { N = 64, TURNS = 1000 };

static struct api_test test;
static cl_context context;
static cl_program program;

/* Later commands of the queue are right. */
static void test_use(cl_command_queue queue)
{
	static const size_t global = N;
	cl_uint words[N] = {5};
	cl_mem mem = buffer_make(context, CL_MEM_COPY_HOST_PTR, sizeof(words), words);
	cl_kernel next = kernel_make(program, "next");
	CHECK_OK(clSetKernelArg(next, 0, sizeof(mem), &mem));
	launch_1d(queue, next, global);
	buffer_read(queue, mem, words, sizeof(words));
	CHECK(words[0] == 6 && words[N - 1] == 1);
	CHECK_OK(clReleaseKernel(next));
	CHECK_OK(clReleaseMemObject(mem));
}

/* What the application asks of the queue of the device that is left, after a launch on the other one that fails.
 * Returns an error that it gets. */
typedef cl_int asks(cl_command_queue queue, cl_mem mem, cl_event failing);

static cl_int asks_for_event(cl_command_queue queue, cl_mem mem, cl_event failing)
{
	cl_event after = NULL;
	cl_int status = CL_COMPLETE;
	(void)mem;
	const cl_int code = clEnqueueMarkerWithWaitList(queue, 1, &failing, &after);
	if (code)
		return code;
	const cl_int waited = clWaitForEvents(1, &after);
	CHECK_OK(clGetEventInfo(after, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
	CHECK(status < 0);
	CHECK_OK(clReleaseEvent(after));
	return waited;
}

static cl_int asks_for_status(cl_command_queue queue, cl_mem mem, cl_event failing)
{
	cl_event after = NULL;
	cl_int status = CL_QUEUED;
	(void)mem;
	const cl_int code = clEnqueueMarkerWithWaitList(queue, 1, &failing, &after);
	if (code)
		return code;
	CHECK_OK(clFlush(queue));
	while (status > CL_COMPLETE)
		CHECK_OK(clGetEventInfo(after, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
	CHECK_OK(clReleaseEvent(after));
	return status;
}

static cl_int asks_for_bytes(cl_command_queue queue, cl_mem mem, cl_event failing)
{
	cl_uint words[N];
	return clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(words), words, 1, &failing, NULL);
}

/* Two commands of the same queue follow, and only the second one is waited for. */
static cl_int asks_for_end(cl_command_queue queue, cl_mem mem, cl_event failing)
{
	static const size_t global = N;
	cl_kernel next = kernel_make(program, "next");
	CHECK_OK(clSetKernelArg(next, 0, sizeof(mem), &mem));
	cl_int code = clEnqueueNDRangeKernel(queue, next, 1, NULL, &global, NULL, 1, &failing, NULL);
	if (!code)
		code = clEnqueueNDRangeKernel(queue, next, 1, NULL, &global, NULL, 0, NULL, NULL);
	CHECK_OK(clReleaseKernel(next));
	const cl_int finished = clFinish(queue);
	return code ? code : finished;
}

/* Two markers: the second one is waited for first, and the queue is used before the first one is waited for.  A command
 * that waits for the first one fails. */
static cl_int asks_later(cl_command_queue queue, cl_mem mem, cl_event failing)
{
	cl_event events[2] = {NULL, NULL}, after = NULL;
	(void)mem;
	for (unsigned i = 0; i < 2; i++) {
		const cl_int code = clEnqueueMarkerWithWaitList(queue, 1, &failing, &events[i]);
		if (code)
			return code;
	}
	CHECK(clWaitForEvents(1, &events[1]) < 0);
	test_use(queue);
	CHECK_OK(clEnqueueMarkerWithWaitList(queue, 1, &events[0], &after));
	CHECK(clWaitForEvents(1, &after) < 0);
	const cl_int waited = clWaitForEvents(1, &events[0]);
	for (unsigned i = 0; i < 2; i++)
		CHECK_OK(clReleaseEvent(events[i]));
	CHECK_OK(clReleaseEvent(after));
	return waited;
}

/* The event of another queue of the same device, which waits for the first queue's marker. */
static cl_int asks_another_queue(cl_command_queue queue, cl_mem mem, cl_event failing)
{
	cl_event between = NULL;
	cl_command_queue second = queue_make(context, test.devices[0], 0);
	cl_int code = clEnqueueMarkerWithWaitList(queue, 1, &failing, &between);
	if (!code) {
		code = asks_for_event(second, mem, between);
		CHECK_OK(clReleaseEvent(between));
	}
	CHECK_OK(clReleaseCommandQueue(second));
	return code;
}

/* other: the number of the device that is lost. */
static void test_lost(unsigned other, asks *ask, const char *what)
{
	static const cl_uint turns = TURNS;
	static const size_t global = N;
	cl_uint words[N] = {0};
	cl_event failing = NULL;
	cl_mem none = NULL, mem = buffer_make(context, CL_MEM_COPY_HOST_PTR, sizeof(words), words);
	cl_command_queue queue = queue_make(context, test.devices[0], 0);
	cl_command_queue losing = queue_make(context, test.devices[other], 0);
	cl_kernel wild = kernel_make(program, "wild");
	/* The bytes are on the first device. */
	buffer_read(queue, mem, words, sizeof(words));
	CHECK_OK(clSetKernelArg(wild, 0, sizeof(mem), &mem));
	CHECK_OK(clSetKernelArg(wild, 1, sizeof(none), &none));
	CHECK_OK(clSetKernelArg(wild, 2, sizeof(turns), &turns));
	launch_1d_after(losing, wild, global, 0, NULL, &failing);
	CHECK_OK(clFlush(losing));
	if (!CHECK(ask(queue, mem, failing) < 0))
		printf("  %s\n", what);
	CHECK(clFinish(losing) < 0);
	CHECK_OK(clReleaseEvent(failing));
	CHECK_OK(clReleaseKernel(wild));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseCommandQueue(losing));
	test_use(queue);
	CHECK_OK(clReleaseCommandQueue(queue));
}

static const struct {
	asks *ask;
	const char *what;
} cases[] = {
	{asks_for_event, "the event of a marker"},      {asks_for_status, "the status of a marker"},
	{asks_for_bytes, "a blocking read"},            {asks_for_end, "clFinish"},
	{asks_another_queue, "a marker of a second queue"}, {asks_later, "an event that others are asked for before"},
};

enum { CASES = sizeof(cases) / sizeof(cases[0]) };

int main(void)
{
	struct soft_fault fault;
	/* One that is left, and one that is lost in each case.  A fault of one GPU takes the others along. */
	setenv("CULVERT_SOFT_DEVICES", "7", 1);
	/* The launch fails when somebody waits for it, and not before. */
	setenv("CULVERT_SOFT_SCHED", "hold:wild,idle:60000", 1);
	if (!api_test_start(&test, "lost_other"))
		return API_TEST_SKIP;
	if (test.device_count <= CASES || !soft_fault_find(&fault)) {
		printf("softcuda with %d devices is required\n", CASES + 1);
		return API_TEST_SKIP;
	}
	context = context_make(CASES + 1, test.devices);
	program = api_test_build(context, test.device, source, "");
	for (unsigned i = 0; program && i < CASES; i++)
		test_lost(i + 1, cases[i].ask, cases[i].what);
	if (program)
		CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseContext(context));
	return api_test_end(&test);
}
