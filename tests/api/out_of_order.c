/* Out-of-order queues (OpenCL 3.0 API, 5.12 and 5.13): what has to wait waits, and
 * nothing else does. */
#include "config.h"

#include "tests/api/fixture.h"

#include <time.h>

static const char source[] =
"kernel void meet(global volatile int *flags, int mine, int other, global int *met) {\n"
"	atomic_xchg(&flags[mine], 1);\n"
"	int i = 0;\n"
"	while (i < 20000000 && !atomic_or(&flags[other], 0))\n"
"		i++;\n"
"	*met = i < 20000000;\n"
"}\n"
"kernel void next(global int *c) { c[get_global_id(0)] += 1; }\n"
"kernel void work(global int *c, int rounds) {\n"
"	int v = c[0];\n"
"	for (int i = 0; i < rounds; i++)\n"
"		v = v * 3 + 1;\n"
"	c[0] = v;\n"
"}\n"
"kernel void sum(global int *a, global int *b, global int *c, global int *d, global int *e) {\n"
"	*e += *a + *b + *c + *d;\n"
"}\n";

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_program program;

static int int_read(cl_mem mem)
{
	int value = -1;
	buffer_read(queue, mem, &value, sizeof(value));
	return value;
}

static cl_int status_of(cl_event event)
{
	cl_int status = 99;
	CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
				NULL));
	return status;
}

static void run(cl_kernel kernel, cl_uint count, const cl_event *events, cl_event *event)
{
	const size_t one = 1;
	launch_1d_after(queue, kernel, one, count, events, event);
}

/* --- the queue ----------------------------------------------------------------------------- */

static void test_queue(void)
{
	cl_command_queue_properties properties = 0;
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, sizeof(properties),
				 &properties, NULL));
	CHECK(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	CHECK_OK(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof(properties), &properties,
				       NULL));
	CHECK(properties == CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

/* --- what runs together ---------------------------------------------------------------------- */

static void meet(cl_kernel kernel, cl_mem flags, int mine, int other, cl_mem met)
{
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(flags), &flags));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(mine), &mine));
	CHECK_OK(clSetKernelArg(kernel, 2, sizeof(other), &other));
	CHECK_OK(clSetKernelArg(kernel, 3, sizeof(met), &met));
	run(kernel, 0, NULL, NULL);
}

/* Two kernels that wait for each other, and a copy that is done while the first
 * still waits. */
static void test_together(void)
{
	cl_kernel kernel = kernel_make(program, "meet");
	for (unsigned round = 0; round < 3; round++) {
		cl_mem flags = api_test_zeros(context, 2), other = api_test_zeros(context, 1);
		cl_mem a = api_test_zeros(context, 1), b = api_test_zeros(context, 1);
		const int seven = 7;
		meet(kernel, flags, 0, 1, a);
		CHECK_OK(clEnqueueWriteBuffer(queue, other, CL_TRUE, 0, sizeof(seven), &seven, 0,
					      NULL, NULL));
		CHECK(int_read(other) == 7);
		meet(kernel, flags, 1, 0, b);
		CHECK_OK(clFinish(queue));
		CHECK(int_read(a) == 1);
		CHECK(int_read(b) == 1);
		CHECK_OK(clReleaseMemObject(flags));
		CHECK_OK(clReleaseMemObject(a));
		CHECK_OK(clReleaseMemObject(b));
		CHECK_OK(clReleaseMemObject(other));
	}
	CHECK_OK(clReleaseKernel(kernel));
}

/* A command that waits for a user event holds up nothing that does not depend on it:
 * neither a kernel nor an NDRange without work-items. */
static void test_nothing_else_waits(void)
{
	cl_kernel next = kernel_make(program, "next");
	cl_mem a = api_test_zeros(context, 1), b = api_test_zeros(context, 1);
	cl_event user = user_event_make(context), held, free_one, empty;
	const size_t none = 0;
	CHECK_OK(clSetKernelArg(next, 0, sizeof(a), &a));
	run(next, 1, &user, &held);
	CHECK_OK(clSetKernelArg(next, 0, sizeof(b), &b));
	run(next, 0, NULL, &free_one);
	launch_1d_after(queue, next, none, 0, NULL, &empty);
	CHECK_OK(clWaitForEvents(1, &free_one));
	CHECK_OK(clWaitForEvents(1, &empty));
	CHECK(int_read(b) == 1);
	CHECK(status_of(held) >= CL_SUBMITTED);
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
	CHECK_OK(clWaitForEvents(1, &held));
	CHECK(int_read(a) == 1);
	CHECK_OK(clReleaseEvent(user));
	CHECK_OK(clReleaseEvent(held));
	CHECK_OK(clReleaseEvent(free_one));
	CHECK_OK(clReleaseEvent(empty));
	CHECK_OK(clReleaseMemObject(a));
	CHECK_OK(clReleaseMemObject(b));
	CHECK_OK(clReleaseKernel(next));
}

/* --- markers and barriers --------------------------------------------------------------- */

/* 5.12: a marker waits for all before it and holds up nothing; a barrier does both. */
static void test_marker_and_barrier(void)
{
	cl_kernel next = kernel_make(program, "next");
	cl_mem a = api_test_zeros(context, 1), b = api_test_zeros(context, 1);
	cl_event user = user_event_make(context), held, marker, after, barrier, behind;
	CHECK_OK(clSetKernelArg(next, 0, sizeof(a), &a));
	run(next, 1, &user, &held);
	CHECK_OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker));
	CHECK_OK(clSetKernelArg(next, 0, sizeof(b), &b));
	run(next, 0, NULL, &after);
	CHECK_OK(clWaitForEvents(1, &after));
	CHECK(status_of(marker) > CL_COMPLETE);
	CHECK_OK(clEnqueueBarrierWithWaitList(queue, 0, NULL, &barrier));
	run(next, 0, NULL, &behind);
	CHECK(status_of(barrier) >= CL_SUBMITTED);
	CHECK(status_of(behind) >= CL_SUBMITTED);
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
	CHECK_OK(clWaitForEvents(1, &marker));
	CHECK(status_of(held) == CL_COMPLETE);
	CHECK_OK(clWaitForEvents(1, &behind));
	CHECK(status_of(barrier) == CL_COMPLETE);
	CHECK(int_read(a) == 1);
	CHECK(int_read(b) == 2);
	CHECK_OK(clReleaseEvent(user));
	CHECK_OK(clReleaseEvent(held));
	CHECK_OK(clReleaseEvent(marker));
	CHECK_OK(clReleaseEvent(after));
	CHECK_OK(clReleaseEvent(barrier));
	CHECK_OK(clReleaseEvent(behind));
	CHECK_OK(clReleaseMemObject(a));
	CHECK_OK(clReleaseMemObject(b));
	CHECK_OK(clReleaseKernel(next));
}

/* Order by barriers alone; a second one, with a list, does not undo the first. */
static void test_barriers_order(void)
{
	enum { ROUNDS = 30 };
	cl_kernel next = kernel_make(program, "next"), sum = kernel_make(program, "sum"),
		  work = kernel_make(program, "work");
	cl_mem mems[5], busy = api_test_zeros(context, 1);
	const int rounds = 2000;
	int expected = 0;
	for (unsigned i = 0; i < 5; i++) {
		mems[i] = api_test_zeros(context, 1);
		CHECK_OK(clSetKernelArg(sum, i, sizeof(mems[i]), &mems[i]));
	}
	CHECK_OK(clSetKernelArg(work, 0, sizeof(busy), &busy));
	CHECK_OK(clSetKernelArg(work, 1, sizeof(rounds), &rounds));
	for (int round = 1; round <= ROUNDS; round++) {
		cl_event first;
		run(work, 0, NULL, &first);
		for (unsigned i = 0; i < 4; i++) {
			CHECK_OK(clSetKernelArg(next, 0, sizeof(mems[i]), &mems[i]));
			run(next, 0, NULL, NULL);
		}
		CHECK_OK(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
		if (round % 2)
			CHECK_OK(clEnqueueBarrierWithWaitList(queue, 1, &first, NULL));
		run(sum, 0, NULL, NULL);
		CHECK_OK(clEnqueueBarrier(queue));
		CHECK_OK(clReleaseEvent(first));
		expected += 4 * round;
	}
	CHECK(int_read(mems[4]) == expected);
	for (unsigned i = 0; i < 5; i++)
		CHECK_OK(clReleaseMemObject(mems[i]));
	CHECK_OK(clReleaseMemObject(busy));
	CHECK_OK(clReleaseKernel(next));
	CHECK_OK(clReleaseKernel(sum));
	CHECK_OK(clReleaseKernel(work));
}

/* What a failed event ends is a barrier no more: the rest goes on (our choice: 5.11
 * leaves it open). */
static void test_failed_barrier(void)
{
	cl_kernel next = kernel_make(program, "next");
	cl_mem a = api_test_zeros(context, 1);
	cl_event user = user_event_make(context), barrier, behind;
	CHECK_OK(clSetKernelArg(next, 0, sizeof(a), &a));
	CHECK_OK(clEnqueueBarrierWithWaitList(queue, 1, &user, &barrier));
	run(next, 0, NULL, &behind);
	CHECK(status_of(behind) >= CL_SUBMITTED);
	CHECK_OK(clSetUserEventStatus(user, -7));
	CHECK_OK(clWaitForEvents(1, &behind));
	CHECK(status_of(barrier) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK_OK(clFinish(queue));
	CHECK(int_read(a) == 1);
	CHECK_OK(clReleaseEvent(user));
	CHECK_OK(clReleaseEvent(barrier));
	CHECK_OK(clReleaseEvent(behind));
	CHECK_OK(clReleaseMemObject(a));
	CHECK_OK(clReleaseKernel(next));
}

/* --- many ---------------------------------------------------------------------------------- */

/* More independent kernels than there are streams, each behind another of its kind. */
static void test_many_chains(void)
{
	enum { CHAINS = 40, LENGTH = 25 };
	cl_kernel next = kernel_make(program, "next");
	cl_mem mems[CHAINS];
	cl_event last[CHAINS] = {NULL};
	for (unsigned i = 0; i < CHAINS; i++)
		mems[i] = api_test_zeros(context, 1);
	for (unsigned step = 0; step < LENGTH; step++) {
		for (unsigned i = 0; i < CHAINS; i++) {
			cl_event event;
			CHECK_OK(clSetKernelArg(next, 0, sizeof(mems[i]), &mems[i]));
			run(next, step > 0, step ? &last[i] : NULL, &event);
			if (step)
				CHECK_OK(clReleaseEvent(last[i]));
			last[i] = event;
		}
	}
	for (unsigned i = 0; i < CHAINS; i++) {
		CHECK_OK(clWaitForEvents(1, &last[i]));
		CHECK(int_read(mems[i]) == LENGTH);
		CHECK_OK(clReleaseEvent(last[i]));
		CHECK_OK(clReleaseMemObject(mems[i]));
	}
	CHECK_OK(clReleaseKernel(next));
}

/* Every tenth a barrier, every tenth a marker, the rest commands of a chain or alone:
 * all behind one event, and none of it recursive or quadratic. */
static void test_many_behind_one(unsigned count)
{
	cl_mem a = api_test_zeros(context, 2);
	cl_event user = user_event_make(context), previous = NULL, event;
	const int pattern = 5;
	CHECK_OK(clRetainEvent(user));
	previous = user;
	for (unsigned i = 0; i < count; i++) {
		if (i % 10 == 3)
			CHECK_OK(clEnqueueBarrierWithWaitList(queue, i % 20 == 3,
							      i % 20 == 3 ? &user : NULL, NULL));
		else if (i % 10 == 7)
			CHECK_OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL));
		else if (i % 2)
			CHECK_OK(clEnqueueMarkerWithWaitList(queue, 1, &user, NULL));
		else {
			CHECK_OK(clEnqueueFillBuffer(queue, a, &pattern, 4, 0, 4, 1, &previous,
						     &event));
			CHECK_OK(clReleaseEvent(previous));
			previous = event;
		}
	}
	CHECK(status_of(previous) >= CL_SUBMITTED);
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
	CHECK_OK(clFinish(queue));
	CHECK(status_of(previous) == CL_COMPLETE);
	CHECK(int_read(a) == 5);
	CHECK_OK(clReleaseEvent(previous));
	CHECK_OK(clReleaseEvent(user));
	CHECK_OK(clReleaseMemObject(a));
}

/* --- other --------------------------------------------------------------------------------- */

/* The queue goes while commands wait in it; profiling stamps are in order. */
static void test_release_and_stamps(void)
{
	static const cl_profiling_info names[] = {
		CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
		CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END,
	};
	cl_kernel next = kernel_make(program, "next");
	cl_command_queue kept = queue;
	cl_mem a = api_test_zeros(context, 1);
	cl_event user = user_event_make(context), first, second;
	cl_ulong before = 0, time = 0;
	CHECK_OK(clSetKernelArg(next, 0, sizeof(a), &a));
	queue = queue_make(context, device,
			   CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
	run(next, 1, &user, &first);
	run(next, 1, &first, &second);
	CHECK_OK(clReleaseCommandQueue(queue));
	queue = kept;
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
	CHECK_OK(clWaitForEvents(1, &second));
	CHECK(int_read(a) == 2);
	for (unsigned i = 0; i < 4; i++) {
		CHECK_OK(clGetEventProfilingInfo(first, names[i], sizeof(time), &time, NULL));
		CHECK(time >= before);
		before = time;
	}
	CHECK_OK(clGetEventProfilingInfo(second, names[2], sizeof(time), &time, NULL));
	CHECK(time + 1000 >= before);
	CHECK_OK(clReleaseEvent(user));
	CHECK_OK(clReleaseEvent(first));
	CHECK_OK(clReleaseEvent(second));
	CHECK_OK(clReleaseMemObject(a));
	CHECK_OK(clReleaseKernel(next));
}

int main(void)
{
	struct api_test test;
	if (!api_test_start(&test, "out_of_order"))
		return API_TEST_SKIP;
	context = test.context;
	device = test.device;
	queue = queue_make(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	program = api_test_build(context, device, source, "");
	if (program) {
		test_queue();
		/* A schedule runs one operation after the other. */
		if (!getenv("CULVERT_SOFT_SCHED"))
			test_together();
		test_nothing_else_waits();
		test_marker_and_barrier();
		test_barriers_order();
		test_failed_barrier();
		test_many_chains();
		/* What is recursive shows without a schedule. */
		test_many_behind_one(getenv("CULVERT_SOFT_SCHED") ? 10000 : 100000);
		test_release_and_stamps();
		CHECK_OK(clReleaseProgram(program));
	}
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}
