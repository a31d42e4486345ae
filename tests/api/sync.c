/* Protects: CULVERT_DEBUG=sync.  Commands have ended when the call that enqueued them returns, or
 * the one that set them free; a fault is told with the command's number, kernel and sizes. */
#include "config.h"

#include "tests/api/fixture.h"

static const char source[] =
	"kernel void tame(global uint *c) { c[get_global_id(0)] += 1; }\n"
	"kernel void wild(global uint *c) { c[get_global_id(0)] = 1; }\n";

static char said[4096];

static void CL_CALLBACK hear(const char *text, const void *more, size_t more_B, void *data)
{
	(void)more;
	(void)more_B;
	(void)data;
	snprintf(said, sizeof(said), "%s", text);
}

/* Without asking: info alone would not wait. */
static cl_int status_of(cl_event event)
{
	cl_int status = 12345;
	CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
				NULL));
	return status;
}

static void test_tame(cl_command_queue queue, cl_kernel tame, cl_mem mem)
{
	const size_t global = 64;
	cl_event event;
	CHECK_OK(clSetKernelArg(tame, 0, sizeof(mem), &mem));
	for (unsigned i = 0; i < 20; i++) {
		launch_1d_after(queue, tame, global, 0, NULL, &event);
		CHECK(status_of(event) == CL_COMPLETE);
		CHECK_OK(clReleaseEvent(event));
	}
	CHECK(!*said);
}

static void test_wild(cl_context context, cl_command_queue queue, cl_kernel wild)
{
	const size_t global[2] = {96, 2}, local[2] = {32, 1};
	cl_mem none = NULL;
	cl_event event, user = user_event_make(context);
	CHECK_OK(clSetKernelArg(wild, 0, sizeof(none), &none));
	CHECK_OK(clEnqueueNDRangeKernel(queue, wild, 2, NULL, global, local, 1, &user, &event));
	CHECK(!*said);
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
	CHECK(strstr(said, "command 21 of the process"));
	CHECK(strstr(said, "kernel 'wild', global 96x2x1, local 32x1x1"));
	CHECK(status_of(event) < 0);
	CHECK_OK(clReleaseEvent(event));
	CHECK_OK(clReleaseEvent(user));
}

int main(void)
{
	struct api_test test;
	cl_int code;
	setenv("CULVERT_DEBUG", "sync", 1);
	if (!api_test_start(&test, "sync"))
		return API_TEST_SKIP;
	cl_context context = clCreateContext(NULL, 1, &test.device, hear, NULL, &code);
	CHECK_OK(code);
	cl_command_queue queue = queue_make(context, test.device,
					    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_mem mem = buffer_make(context, 0, 256, NULL);
	cl_program program = api_test_build(context, test.device, source, "");
	if (program) {
		cl_kernel tame = kernel_make(program, "tame");
		cl_kernel wild = kernel_make(program, "wild");
		test_tame(queue, tame, mem);
		test_wild(context, queue, wild);
		CHECK_OK(clReleaseKernel(tame));
		CHECK_OK(clReleaseKernel(wild));
		CHECK_OK(clReleaseProgram(program));
	}
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK_OK(clReleaseContext(context));
	return api_test_end(&test);
}
