/* Native kernels (OpenCL 3.0 API, 5.10): run once, in their turn, with a copy of the
 * arguments and the buffers' bytes where the pointers say. */
#include "config.h"

#include "tests/api/fixture.h"

static const char source[] =
"kernel void next(global int *c) { c[get_global_id(0)] += 1; }\n";

enum { COUNT = 4096 };

struct work {
	int *words;                      /* the buffer's handle, when enqueued */
	int *nothing;
	int step;
	int *runs;
};

static cl_context context;

static void CL_CALLBACK add(void *data)
{
	const struct work *work = data;
	CHECK(!work->nothing);
	for (unsigned i = 0; i < COUNT; i++)
		work->words[i] = work->words[i] * 2 + work->step;
	if (work->runs)
		++*work->runs;
}

static void CL_CALLBACK set(void *data)
{
	**(int **)data = 5;
}

static cl_int add_enqueue(cl_command_queue queue, cl_mem mem, int step, int *runs,
			  cl_uint count, const cl_event *waits, cl_event *event)
{
	struct work work = {.words = (int *)mem, .nothing = (int *)1, .step = step, .runs = runs};
	const cl_mem mems[] = {mem, NULL};
	const void *places[] = {&work.words, &work.nothing};
	const cl_int code = clEnqueueNativeKernel(queue, add, &work, sizeof(work), 2, mems, places,
						  count, waits, event);
	memset(&work, 0xee, sizeof(work));
	return code;
}

/* Kernels and native kernels take turns; half of a buffer is native's, too. */
static void test_turns(cl_command_queue queue, cl_kernel next, cl_mem_flags flags, bool in_order)
{
	static int words[COUNT], given[COUNT];
	const size_t global = COUNT;
	int expected = 0, runs = 0;
	memset(given, 0, sizeof(given));
	cl_mem mem = buffer_make(context, flags, sizeof(given), given);
	CHECK_OK(clSetKernelArg(next, 0, sizeof(mem), &mem));
	for (int i = 0; i < 8; i++) {
		cl_event first, second;
		launch_1d_after(queue, next, global, 0, NULL, &first);
		CHECK_OK(add_enqueue(queue, mem, i, &runs, !in_order, in_order ? NULL : &first,
				     &second));
		if (!in_order)
			CHECK_OK(clEnqueueBarrier(queue));
		expected = (expected + 1) * 2 + i;
		CHECK_OK(clReleaseEvent(first));
		CHECK_OK(clReleaseEvent(second));
	}
	buffer_read(queue, mem, words, sizeof(words));
	CHECK(runs == 8);
	CHECK(words[0] == expected && words[COUNT - 1] == expected);
	CHECK_OK(clReleaseMemObject(mem));
}

/* It waits for a user event, without the caller; and does not run after a failed one. */
static void test_events(cl_command_queue queue)
{
	int runs = 0;
	cl_int code, status = 0;
	cl_command_type type = 0;
	cl_mem mem = buffer_make(context, 0, COUNT * sizeof(int), NULL);
	for (int failed = 0; failed < 2; failed++) {
		cl_event user = clCreateUserEvent(context, &code), event;
		CHECK_OK(add_enqueue(queue, mem, 1, &runs, 1, &user, &event));
		CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
		CHECK(type == CL_COMMAND_NATIVE_KERNEL);
		CHECK(!runs);
		CHECK_OK(clSetUserEventStatus(user, failed ? CL_COMPLETE : -9));
		CHECK_CODE(clWaitForEvents(1, &event), failed ? CL_SUCCESS :
			   CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
		CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
					&status, NULL));
		CHECK(status == (failed ? CL_COMPLETE :
				 CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST));
		CHECK(runs == failed);
		CHECK_OK(clReleaseEvent(user));
		CHECK_OK(clReleaseEvent(event));
	}
	CHECK_OK(clReleaseMemObject(mem));
}

static void test_doors(cl_command_queue queue)
{
	int value = 0, *pointer = &value;
	const void *place = &pointer, *outside = &value;
	cl_mem none = NULL, bad = (cl_mem)queue;
	CHECK_CODE(clEnqueueNativeKernel(NULL, set, &pointer, sizeof(pointer), 0, NULL, NULL, 0,
					 NULL, NULL), CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(clEnqueueNativeKernel(queue, NULL, &pointer, sizeof(pointer), 0, NULL, NULL, 0,
					 NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueNativeKernel(queue, set, NULL, sizeof(pointer), 0, NULL, NULL, 0, NULL,
					 NULL), CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueNativeKernel(queue, set, NULL, 0, 1, &none, &place, 0, NULL, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueNativeKernel(queue, set, &pointer, 0, 0, NULL, NULL, 0, NULL, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueNativeKernel(queue, set, &pointer, sizeof(pointer), 1, NULL, &place, 0,
					 NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueNativeKernel(queue, set, &pointer, sizeof(pointer), 1, &none, NULL, 0,
					 NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueNativeKernel(queue, set, &pointer, sizeof(pointer), 0, &none, NULL, 0,
					 NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueNativeKernel(queue, set, &pointer, sizeof(pointer), 1, &bad, &place, 0,
					 NULL, NULL), CL_INVALID_MEM_OBJECT);
	CHECK_CODE(clEnqueueNativeKernel(queue, set, &pointer, sizeof(pointer), 1, &none, &outside,
					 0, NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueNativeKernel(queue, set, &pointer, sizeof(pointer), 0, NULL, NULL, 1,
					 NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
	CHECK_OK(clEnqueueNativeKernel(queue, set, &pointer, sizeof(pointer), 0, NULL, NULL, 0,
				       NULL, NULL));
	CHECK_OK(clFinish(queue));
	CHECK(value == 5);
}

int main(void)
{
	struct api_test test;
	cl_device_exec_capabilities can = 0;
	cl_int code;
	if (!api_test_start(&test, "native"))
		return API_TEST_SKIP;
	context = test.context;
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof(can), &can,
				 NULL));
	CHECK(can == (CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL));
	cl_command_queue in_order = queue_make(context, test.device, CL_QUEUE_PROFILING_ENABLE);
	cl_command_queue any_order = queue_make(context, test.device,
						CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_program program = api_test_build(context, test.device, source, "");
	cl_kernel next = clCreateKernel(program, "next", &code);
	if (CHECK_OK(code)) {
		test_turns(in_order, next, CL_MEM_COPY_HOST_PTR, true);
		test_turns(any_order, next, CL_MEM_COPY_HOST_PTR, false);
		test_turns(in_order, next, CL_MEM_USE_HOST_PTR, true);
		test_turns(any_order, next, CL_MEM_USE_HOST_PTR, false);
		test_events(in_order);
		test_events(any_order);
		test_doors(in_order);
		CHECK_OK(clReleaseKernel(next));
	}
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseCommandQueue(in_order));
	CHECK_OK(clReleaseCommandQueue(any_order));
	return api_test_end(&test);
}
