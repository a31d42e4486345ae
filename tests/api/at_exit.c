/* Protects: programs that call OpenCL while they end: in destructors, in functions registered with atexit before and
 * after OpenCL was used first, beside threads that are still at work.  Each call returns, and the program ends with the
 * status that it chose.
 *
 * The CUDA driver ends in a function that its first cuInit registers with atexit. What runs after that function cannot
 * use a device: commands fail with CL_OUT_OF_RESOURCES, and objects can still be released.
 *
 *	at_exit          each way, in a process of its own
 *	at_exit WAY      one of them */
#include "config.h"

#include "tests/api/api_test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OUTCOME = 5, PATIENCE_S = 60, WAYS = 7 };

/* When, and whether objects that are in use were made before. */
static const char *const ways[WAYS] = {"early", "late", "destructor", "first", "threads", "no-release", "last"};
static const char *way = "";
static struct api_test test;
static cl_command_queue queue;
static cl_kernel kernel;
static cl_mem mem;
static bool live, good;

static const char source[] = "kernel void add(global int *p) { *p += 1; }";

static bool is(const char *name)
{
	return !strcmp(way, name);
}

static void objects_make(void)
{
	cl_int code;
	if (!api_test_start(&test, way))
		_exit(API_TEST_SKIP);
	queue = clCreateCommandQueueWithProperties(test.context, test.device, NULL, &code);
	CHECK_OK(code);
	cl_program program = api_test_build(test.context, test.device, source, "");
	kernel = clCreateKernel(program, "add", &code);
	CHECK_OK(code);
	CHECK_OK(clReleaseProgram(program));
	mem = api_test_zeros(test.context, 1);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	live = true;
}

static void CL_CALLBACK on_complete(cl_event event, cl_int status, void *data)
{
	(void)event;
	(void)status;
	(void)data;
}

/* Whether the CUDA driver has ended by the time that the objects are used. */
static bool driver_ended(void)
{
	return is("early") || is("destructor");
}

static void release_all(void)
{
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK_OK(clReleaseContext(test.context));
}

/* A launch and its result, an event with a callback, and a build. */
static void work(void)
{
	const size_t one = 1;
	cl_event event = NULL;
	cl_int value = 0;
	CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, &event));
	CHECK_OK(clSetEventCallback(event, CL_COMPLETE, on_complete, NULL));
	CHECK_OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(value), &value, 0, NULL, NULL));
	CHECK(value == 1);
	CHECK_OK(clWaitForEvents(1, &event));
	CHECK_OK(clFinish(queue));
	CHECK_OK(clReleaseEvent(event));
	cl_program program = api_test_build(test.context, test.device,
					    "kernel void late(global int *p) { *p = 7; }", "");
	CHECK_OK(clReleaseProgram(program));
}

/* OpenCL 3.0, 5.8: CL_OUT_OF_RESOURCES "if there is a failure to allocate resources required by the OpenCL
 * implementation on the device".  What a new program's build says is up to what it still needs of the driver. */
static void fail(void)
{
	const size_t one = 1;
	const char *text = "kernel void late(global int *p) { *p = 7; }";
	cl_int value = 0, code;
	CHECK_CODE(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
	CHECK_CODE(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(value), &value, 0, NULL, NULL),
		   CL_OUT_OF_RESOURCES);
	CHECK_OK(clFinish(queue));
	cl_program program = clCreateProgramWithSource(test.context, 1, &text, NULL, &code);
	CHECK_OK(code);
	(void)clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
	CHECK_OK(clReleaseProgram(program));
}

/* exit(3): a function registered with atexit may not call exit. */
static void at_the_end(void)
{
	if (!live)
		objects_make();
	(driver_ended() ? fail : work)();
	release_all();
	good = !api_test_failures;
	if (!good)
		_exit(1);
}

__attribute__((destructor)) static void at_the_very_end(void)
{
	if (is("destructor") || is("first"))
		at_the_end();
	if (*way && !good)
		_exit(1);
}

/* Goes on while the process ends. */
static void *busy(void *unused)
{
	(void)unused;
	for (;;) {
		cl_event event;
		cl_int code;
		if (clEnqueueMarkerWithWaitList(queue, 0, NULL, &event))
			continue;
		(void)clSetEventCallback(event, CL_COMPLETE, on_complete, NULL);
		(void)clWaitForEvents(1, &event);
		(void)clReleaseEvent(event);
		cl_mem more = clCreateBuffer(test.context, 0, 64, NULL, &code);
		if (!code)
			(void)clReleaseMemObject(more);
	}
	return NULL;
}

static int child_main(void)
{
	pthread_t thread;
	if (is("early"))
		(void)atexit(at_the_end);
	if (!is("first"))
		objects_make();
	if (is("late"))
		(void)atexit(at_the_end);
	if (is("threads")) {
		for (int i = 0; i < 3; i++)
			CHECK(!pthread_create(&thread, NULL, busy, NULL));
		usleep(20000);
	}
	if (is("last")) {
		const size_t one = 1;
		CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
		CHECK_OK(clFinish(queue));
	}
	if (is("threads") || is("no-release") || is("last"))
		good = !api_test_failures;
	exit(OUTCOME);
}

/* In a process of its own; the status it ended with, or -1. */
static int status_of(const char *program, const char *name)
{
	int status = -1;
	fflush(stdout);
	const pid_t child = fork();
	if (!child) {
		alarm(PATIENCE_S);
		execl(program, program, name, NULL);
		_exit(99);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return -1;
	if (!WIFEXITED(status))
		printf("%s: ended by signal %d\n", name, WTERMSIG(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int argc, char **argv)
{
	struct api_test all = {.name = "at_exit"};
	if (argc > 1) {
		way = argv[1];
		return child_main();
	}
	for (int i = 0; i < WAYS; i++) {
		const int status = status_of(argv[0], ways[i]);
		if (status == API_TEST_SKIP)
			return API_TEST_SKIP;
		CHECK_CODE(status, OUTCOME);
	}
	return api_test_end(&all);
}
