/* A kernel that kills its device: what was asked of it ends with an error, nothing
 * hangs, and other devices go on. */
#include "config.h"

#include "tests/api/fixture.h"

#include <stdatomic.h>
#include <unistd.h>

static const char source[] =
"kernel void wild(global uint *c) { c[get_global_id(0)] = 1; }\n"
"kernel void next(global uint *c) { c[get_global_id(0)] += 1; }\n";

static cl_context context;
static atomic_int told, told_status;

static void CL_CALLBACK tell(cl_event event, cl_int status, void *data)
{
	(void)event;
	(void)data;
	atomic_store(&told_status, status);
	atomic_fetch_add(&told, 1);
}

static cl_int status_of(cl_event event)
{
	cl_int status = 12345;
	CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
				NULL));
	return status;
}

static bool is_software(cl_command_queue queue)
{
	cl_device_id device;
	char name[256] = "";
	CHECK_OK(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(device), &device, NULL));
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(name), name, NULL));
	return strstr(name, "softcuda") != NULL;
}

static void test_other_device(cl_command_queue queue, cl_kernel next)
{
	cl_uint words[64] = {5};
	const size_t global = 64;
	cl_mem mem = buffer_make(context, CL_MEM_COPY_HOST_PTR, sizeof(words), words);
	CHECK_OK(clSetKernelArg(next, 0, sizeof(mem), &mem));
	launch_1d(queue, next, global);
	buffer_read(queue, mem, words, sizeof(words));
	CHECK(words[0] == 6 && words[63] == 1);
	CHECK_OK(clReleaseMemObject(mem));
}

/* late is of the lost device, and nobody has asked for it yet: what waits for it on another one
 * fails as its event says, and on the same one the call may. */
static void test_waits_for_lost(cl_command_queue queue, bool same, cl_event late)
{
	cl_int code;
	const cl_uint zero = 0;
	cl_event after = NULL;
	cl_mem mem = clCreateBuffer(context, 0, 1024, NULL, &code);
	if (code) {
		CHECK(same && code == CL_OUT_OF_RESOURCES);
		return;
	}
	code = clEnqueueFillBuffer(queue, mem, &zero, 4, 0, 1024, 1, &late, &after);
	if (!same || code == CL_SUCCESS) {
		CHECK_OK(code);
		CHECK_CODE(status_of(after), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
		CHECK_OK(clReleaseEvent(after));
	} else {
		CHECK_CODE(code, CL_OUT_OF_RESOURCES);
	}
	CHECK_OK(clReleaseMemObject(mem));
}

static void test_lost(cl_command_queue first, cl_command_queue second, cl_program program)
{
	cl_int code;
	cl_mem none = NULL, mem = clCreateBuffer(context, 0, 1024, NULL, &code);
	cl_uint word;
	const size_t global = 64;
	cl_event events[4], late, user = clCreateUserEvent(context, &code);
	cl_kernel wild = kernel_make(program, "wild");
	cl_kernel next = kernel_make(program, "next");
	CHECK_OK(clSetKernelArg(wild, 0, sizeof(none), &none));
	launch_1d_after(first, wild, global, 1, &user, &events[0]);
	CHECK_OK(clEnqueueMarkerWithWaitList(first, 1, &events[0], &events[1]));
	CHECK_OK(clEnqueueFillBuffer(first, mem, &global, 4, 0, 1024, 0, NULL, &events[2]));
	CHECK_OK(clEnqueueFillBuffer(first, mem, &global, 4, 0, 1024, 0, NULL, &late));
	CHECK_OK(clEnqueueMarkerWithWaitList(second, 1, &events[1], &events[3]));
	CHECK_OK(clSetEventCallback(events[2], CL_COMPLETE, tell, NULL));
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
	for (unsigned i = 0; i < 3; i++) {
		CHECK_CODE(clWaitForEvents(1, &events[i]),
			   CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
		CHECK(status_of(events[i]) < 0);
	}
	CHECK(clFinish(first) < 0);
	/* (As below.) */
	if (second == first || is_software(second))
		test_waits_for_lost(second, second == first, late);
	CHECK(clEnqueueReadBuffer(first, mem, CL_TRUE, 0, 4, &word, 0, NULL, NULL) < 0);
	for (unsigned i = 0; i < 50000 && !atomic_load(&told); i++)
		usleep(100);
	CHECK(atomic_load(&told) == 1 && atomic_load(&told_status) < 0);
	/* CUDA's own driver (580) takes all devices of a process along: nothing can be asked
	 * of the second one there but an answer. */
	if (second != first && (clFinish(second) == CL_SUCCESS || is_software(second)))
		test_other_device(second, next);
	for (unsigned i = 0; i < 4; i++)
		CHECK_OK(clReleaseEvent(events[i]));
	CHECK_OK(clReleaseEvent(late));
	CHECK_OK(clReleaseEvent(user));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(wild));
	CHECK_OK(clReleaseKernel(next));
}

/* A build for a lost device fails because of the device, and the log says so. */
static void test_build(cl_device_id device)
{
	char log[1024] = "";
	CHECK_CODE(build_code(context, device, "kernel void other(global uint *c) { *c *= 7; }", "", log, sizeof(log)),
		   CL_OUT_OF_RESOURCES);
	if (!CHECK(strstr(log, " is lost: an earlier command of this process failed")))
		printf("%s\n", log);
}

/* A lost device is in no new context, and the others can be. */
static void test_new_contexts(const struct api_test *test, bool other_lives)
{
	const cl_context_properties properties[] = {
		CL_CONTEXT_PLATFORM, (cl_context_properties)test->platform, 0,
	};
	cl_int code;
	CHECK_NO_OBJECT(clCreateContext(NULL, 1, &test->device, NULL, NULL, &code), code,
			CL_DEVICE_NOT_AVAILABLE);
	/* The first device is the default one. */
	CHECK_NO_OBJECT(clCreateContextFromType(properties, CL_DEVICE_TYPE_DEFAULT, NULL, NULL,
						&code), code, CL_DEVICE_NOT_AVAILABLE);
	if (!other_lives)
		return;
	cl_context others = clCreateContextFromType(properties, CL_DEVICE_TYPE_GPU, NULL, NULL,
						    &code);
	if (CHECK_OK(code))
		CHECK_OK(clReleaseContext(others));
}

int main(void)
{
	struct api_test test;
	cl_int code;
	/* The software driver shows as many devices as it is asked for. */
	setenv("CULVERT_SOFT_DEVICES", "2", 0);
	if (!api_test_start(&test, "lost"))
		return API_TEST_SKIP;
	const cl_uint count = test.device_count > 1 ? 2 : 1;
	context = context_make(count, test.devices);
	cl_command_queue first = queue_make(context, test.devices[0], 0);
	cl_command_queue second = first;
	if (count > 1)
		second = clCreateCommandQueue(context, test.devices[1], 0, &code);
	cl_program program = api_test_build(context, test.device, source, "");
	if (program) {
		test_lost(first, second, program);
		test_build(test.device);
		test_new_contexts(&test, second != first && is_software(second));
		CHECK_OK(clReleaseProgram(program));
	}
	if (second != first)
		CHECK_OK(clReleaseCommandQueue(second));
	CHECK_OK(clReleaseCommandQueue(first));
	CHECK_OK(clReleaseContext(context));
	return api_test_end(&test);
}
