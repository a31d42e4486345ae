/* cl_arm_printf: the output of kernels goes to the context's callback, whole lines in pieces whose last is marked, and
 * not to stdout; other contexts print as ever.  CL_PRINTF_BUFFERSIZE_ARM is accepted. */
#include "config.h"

#include "tests/api/fixture.h"

#include <pthread.h>
#include <unistd.h>

enum { LINES = 20000, LINE_B = 16, TEXT_MAX_B = 1 << 20 };

static const char source[] =
	"kernel void line(uint x) { printf(\"%5u is a line\\n\", x + (uint)get_global_id(0)); }\n"
	"kernel void quiet(global int *to) { to[get_global_id(0)] = 1; }\n";

static struct {
	pthread_mutex_t lock;
	char text[TEXT_MAX_B];
	size_t size_B;
	unsigned pieces, complete;       /* calls, and those that were the last of a launch */
} got = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void CL_CALLBACK take(const char *text, size_t size_B, size_t complete, void *data)
{
	pthread_mutex_lock(&got.lock);
	CHECK(data == &got && got.size_B + size_B <= TEXT_MAX_B);
	/* Whole lines. */
	CHECK(!size_B || text[size_B - 1] == '\n');
	memcpy(got.text + got.size_B, text, size_B);
	got.size_B += size_B;
	got.pieces++;
	got.complete += complete != 0;
	pthread_mutex_unlock(&got.lock);
}

static void CL_CALLBACK complain(const char *text, const void *more, size_t size_B, void *data)
{
	(void)text;
	(void)more;
	(void)size_B;
	(void)data;
}

/* Each number from first on came once. */
static void check_lines(cl_uint first, cl_uint count)
{
	unsigned char *seen = calloc(count, 1);
	CHECK(got.size_B == (size_t)count * LINE_B);
	for (size_t at = 0; at < got.size_B; at += LINE_B) {
		const cl_uint number = (cl_uint)strtoul(got.text + at, NULL, 10) - first;
		CHECK(number < count && !seen[number]++);
		CHECK(!memcmp(got.text + at + 5, " is a line\n", LINE_B - 5));
	}
	free(seen);
	got.size_B = 0;
}

/* The callback may ask about events, also about the one whose output it is given, which is not complete before. */
static struct {
	cl_event event;
	cl_int status;
} asked;

static void CL_CALLBACK take_and_ask(const char *text, size_t size_B, size_t complete, void *data)
{
	take(text, size_B, complete, data);
	CHECK_OK(clGetEventInfo(asked.event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(asked.status), &asked.status,
				NULL));
}

static void test_asking(cl_device_id device)
{
	cl_int code;
	const cl_uint first = 1;
	const cl_context_properties list[] = {CL_PRINTF_CALLBACK_ARM, (cl_context_properties)take_and_ask, 0};
	cl_context context = clCreateContext(list, 1, &device, complain, &got, &code);
	CHECK_OK(code);
	cl_program program = api_test_build(context, device, source, NULL);
	cl_command_queue queue = queue_make(context, device, 0);
	cl_kernel kernel = kernel_make(program, "line");
	cl_event go = clCreateUserEvent(context, &code);
	CHECK_OK(code);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(first), &first));
	launch_1d_after(queue, kernel, 3, 1, &go, &asked.event);
	CHECK_OK(clSetUserEventStatus(go, CL_COMPLETE));
	CHECK_OK(clFinish(queue));
	CHECK(asked.status > CL_COMPLETE);
	check_lines(first, 3);
	CHECK_OK(clReleaseEvent(asked.event));
	CHECK_OK(clReleaseEvent(go));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseContext(context));
}

int main(void)
{
	struct api_test test;
	cl_int code;
	cl_uint first = 7;
	if (!api_test_start(&test, "printf_callback"))
		return API_TEST_SKIP;
	const cl_context_properties list[] = {
		CL_PRINTF_CALLBACK_ARM, (cl_context_properties)take,
		CL_PRINTF_BUFFERSIZE_ARM, 1 << 21, 0,
	};
	const cl_context_properties twice[] = {
		CL_PRINTF_CALLBACK_ARM, (cl_context_properties)take,
		CL_PRINTF_CALLBACK_ARM, (cl_context_properties)take, 0,
	};
	CHECK_NO_OBJECT(clCreateContext(twice, 1, &test.device, NULL, NULL, &code), code,
			CL_INVALID_PROPERTY);
	cl_context context = clCreateContext(list, 1, &test.device, complain, &got, &code);
	CHECK_OK(code);
	cl_program program = api_test_build(context, test.device, source, NULL);
	cl_command_queue queue = queue_make(context, test.device, 0);
	cl_kernel kernel = kernel_make(program, "line"), quiet = kernel_make(program, "quiet");
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(first), &first));
	launch_1d(queue, kernel, 3);
	CHECK_OK(clFinish(queue));
	check_lines(first, 3);
	CHECK(got.pieces == 1 && got.complete == 1);
	/* More than a piece. */
	launch_1d(queue, kernel, LINES);
	CHECK_OK(clFinish(queue));
	check_lines(first, LINES);
	CHECK(got.pieces > 2 && got.complete == 2);
	/* A kernel that prints nothing has no call. */
	const unsigned before = got.pieces;
	cl_mem mem = api_test_zeros(context, 4);
	CHECK_OK(clSetKernelArg(quiet, 0, sizeof(mem), &mem));
	launch_1d(queue, quiet, 4);
	CHECK_OK(clFinish(queue));
	CHECK(got.pieces == before);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(quiet));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseContext(context));
	test_asking(test.device);
	return api_test_end(&test);
}
