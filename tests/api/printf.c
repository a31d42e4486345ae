/* printf in kernels: when its output is there, and that every line is whole.
 *
 * stdout goes into a file, which is looked at while the queue runs. */
#include "config.h"

#include "tests/api/fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static const char source[] =
	"kernel void show(int x) { printf(\"show %d\\n\", x); }\n"
	"kernel void fill(global int *to, int x) {"
	"	to[get_global_id(0)] = x; if (!get_global_id(0)) printf(\"fill %d\\n\", x); }\n"
	"kernel void quiet(global int *to) { to[get_global_id(0)]++; }\n"
	"kernel void flood(global int *result) { int i = (int)get_global_id(0);"
	"	result[i] = printf(\"line %d of the flood, %s and %v4hld\\n\", i,"
	"			   \"text\", (int4)(i, 1, 2, 3)); }\n"
	"kernel void twins(int x) { printf(\"%d:%d\\n\", x, (int)get_global_id(0)); }\n";

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_program program;
static int file;              /* what is written to stdout */
static int real_stdout;
static off_t seen;

/* --- stdout ---------------------------------------------------------------------------- */

static bool stdout_catch(void)
{
	char path[] = "/tmp/culvert-printf-XXXXXX";
	fflush(stdout);
	file = mkstemp(path);
	if (file < 0)
		return false;
	unlink(path);
	real_stdout = dup(STDOUT_FILENO);
	return real_stdout >= 0 && dup2(file, STDOUT_FILENO) >= 0;
}

/* Failures are lines of the same file: they are shown at the end. */
static void stdout_restore(void)
{
	char part[4096];
	ssize_t got;
	off_t at = 0;
	fflush(stdout);
	dup2(real_stdout, STDOUT_FILENO);
	while (api_test_failures && (got = pread(file, part, sizeof(part), at)) > 0) {
		fwrite(part, 1, (size_t)got, stdout);
		at += got;
	}
	close(real_stdout);
	close(file);
}

/* What was written since the last call; the caller's to free. */
static char *output(void)
{
	off_t end = lseek(file, 0, SEEK_END);
	size_t size = end > seen ? (size_t)(end - seen) : 0;
	char *text = calloc(1, size + 1);
	if (text && pread(file, text, size, seen) != (ssize_t)size)
		text[0] = '\0';
	seen = end;
	return text;
}

static bool output_is(const char *expected)
{
	char *text = output();
	bool right = text && !strcmp(text, expected);
	if (!right)
		printf("[%s], not [%s]\n", text ? text : "", expected);
	free(text);
	if (!right) {
		fflush(stdout);
		seen = lseek(file, 0, SEEK_END);
	}
	return right;
}

/* --- commands ---------------------------------------------------------------------------- */

static cl_kernel show_make(int x)
{
	cl_kernel kernel = kernel_make(program, "show");
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(x), &x));
	return kernel;
}

static void run(cl_command_queue in, cl_kernel kernel, size_t size, cl_uint count,
		const cl_event *events, cl_event *event_out)
{
	launch_1d_after(in, kernel, size, count, events, event_out);
}

/* --- when the output is there ---------------------------------------------------------------- */

static void test_finish(void)
{
	cl_kernel kernel = show_make(1);
	run(queue, kernel, 1, 0, NULL, NULL);
	CHECK_OK(clFinish(queue));
	CHECK(output_is("show 1\n"));
	CHECK_OK(clFinish(queue));
	CHECK(output_is(""));
	CHECK_OK(clReleaseKernel(kernel));
}

static void test_wait_for_event(void)
{
	cl_event first, second;
	cl_kernel kernel = show_make(2);
	run(queue, kernel, 1, 0, NULL, &first);
	run(queue, kernel, 2, 0, NULL, &second);
	CHECK_OK(clWaitForEvents(1, &second));
	CHECK(output_is("show 2\nshow 2\nshow 2\n"));
	CHECK_OK(clWaitForEvents(1, &first));
	CHECK_OK(clReleaseEvent(first));
	CHECK_OK(clReleaseEvent(second));
	CHECK_OK(clReleaseKernel(kernel));
}

/* The asking thread or one of ours is the first to notice that the kernel is done: both write. */
static void test_polling(void)
{
	cl_kernel kernel = show_make(3);
	for (int round = 0; round < 50; round++) {
		cl_event event;
		cl_int status = CL_QUEUED;
		run(queue, kernel, 1, 0, NULL, &event);
		while (status > CL_COMPLETE)
			CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
						sizeof(status), &status, NULL));
		CHECK(output_is("show 3\n"));
		CHECK_OK(clReleaseEvent(event));
	}
	CHECK_OK(clReleaseKernel(kernel));
}

static void test_blocking_read(void)
{
	int x = 4, got[16] = {0};
	cl_mem mem = buffer_make(context, 0, sizeof(got), NULL);
	cl_kernel kernel = kernel_make(program, "fill");
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(x), &x));
	run(queue, kernel, 16, 0, NULL, NULL);
	buffer_read(queue, mem, got, sizeof(got));
	CHECK(output_is("fill 4\n"));
	CHECK(got[0] == 4 && got[15] == 4);
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseMemObject(mem));
}

/* What the callback found in the file when it was called: 1 the output, 2 not that. */
static atomic_int called;

static void CL_CALLBACK look(cl_event event, cl_int status, void *data)
{
	(void)event;
	(void)status;
	atomic_store(&called, output_is(data) ? 1 : 2);
}

static void test_callback(void)
{
	cl_event event;
	cl_kernel kernel = show_make(5);
	run(queue, kernel, 1, 0, NULL, &event);
	CHECK_OK(clSetEventCallback(event, CL_COMPLETE, look, (void *)(uintptr_t) "show 5\n"));
	for (unsigned i = 0; i < 50000 && !atomic_load(&called); i++)
		usleep(100);
	CHECK(atomic_load(&called) == 1);
	CHECK_OK(clReleaseEvent(event));
	CHECK_OK(clReleaseKernel(kernel));
}

/* Nobody asks: it comes all the same, soon. */
static void test_nobody_waits(void)
{
	cl_kernel kernel = show_make(6);
	off_t before = seen;
	run(queue, kernel, 1, 0, NULL, NULL);
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clFlush(queue));
	for (unsigned i = 0; i < 50000 && lseek(file, 0, SEEK_END) == before; i++)
		usleep(100);
	CHECK(output_is("show 6\n"));
}

static void test_released_queue(void)
{
	cl_event event;
	cl_kernel kernel = show_make(7);
	cl_command_queue own = queue_make(context, device, 0);
	run(own, kernel, 1, 0, NULL, &event);
	CHECK_OK(clReleaseCommandQueue(own));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clWaitForEvents(1, &event));
	CHECK(output_is("show 7\n"));
	CHECK_OK(clReleaseEvent(event));
}

static void test_user_event(void)
{
	cl_int code;
	cl_event gate = clCreateUserEvent(context, &code), event;
	cl_kernel kernel = show_make(8);
	int x = 9;
	CHECK_OK(code);
	run(queue, kernel, 1, 1, &gate, &event);
	/* The argument's value is that of the enqueue. */
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(x), &x));
	run(queue, kernel, 1, 0, NULL, NULL);
	CHECK_OK(clReleaseKernel(kernel));
	usleep(2000);
	CHECK(output_is(""));
	CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	CHECK_OK(clFinish(queue));
	CHECK(output_is("show 8\nshow 9\n"));
	CHECK_OK(clReleaseEvent(event));
	CHECK_OK(clReleaseEvent(gate));
}

static void test_failed_dependency(void)
{
	cl_int code;
	cl_event gate = clCreateUserEvent(context, &code), event;
	cl_kernel kernel = show_make(10);
	CHECK_OK(code);
	run(queue, kernel, 1, 1, &gate, &event);
	CHECK_OK(clSetUserEventStatus(gate, -5));
	CHECK_CODE(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK_OK(clFinish(queue));
	CHECK(output_is(""));
	CHECK_OK(clReleaseEvent(event));
	CHECK_OK(clReleaseEvent(gate));
	CHECK_OK(clReleaseKernel(kernel));
}

static void test_profiling(void)
{
	cl_ulong times[4];
	cl_event event;
	cl_kernel kernel = show_make(11);
	cl_command_queue own = queue_make(context, device, CL_QUEUE_PROFILING_ENABLE);
	run(own, kernel, 1, 0, NULL, &event);
	CHECK_OK(clWaitForEvents(1, &event));
	CHECK(output_is("show 11\n"));
	for (cl_uint i = 0; i < 4; i++)
		CHECK_OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED + i,
						 sizeof(*times), &times[i], NULL));
	CHECK(times[0] <= times[1] && times[1] <= times[2] && times[2] <= times[3]);
	CHECK_OK(clReleaseEvent(event));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseCommandQueue(own));
}

/* --- what it is ------------------------------------------------------------------------------ */

/* The host's own output comes in its place. */
static void test_mixes_with_the_host(void)
{
	cl_kernel kernel = show_make(12);
	printf("before, ");
	run(queue, kernel, 1, 0, NULL, NULL);
	CHECK_OK(clFinish(queue));
	printf("after\n");
	fflush(stdout);
	CHECK(output_is("before, show 12\nafter\n"));
	CHECK_OK(clReleaseKernel(kernel));
}

/* More launches than there are buffers, in order. */
static void test_many_launches(void)
{
	enum { LAUNCHES = 100 };
	char expected[LAUNCHES * 16] = "";
	size_t length = 0;
	cl_kernel kernel = kernel_make(program, "show");
	for (int i = 0; i < LAUNCHES; i++) {
		CHECK_OK(clSetKernelArg(kernel, 0, sizeof(i), &i));
		run(queue, kernel, 1, 0, NULL, NULL);
		length += (size_t)sprintf(expected + length, "show %d\n", i);
	}
	CHECK_OK(clFinish(queue));
	CHECK(output_is(expected));
	CHECK_OK(clReleaseKernel(kernel));
}

static unsigned count_zeroes(const int *values, size_t count)
{
	unsigned zeroes = 0;
	for (size_t i = 0; i < count; i++)
		zeroes += !values[i];
	return zeroes;
}

/* Every line of the flood, whole, for each work-item whose printf returned 0. */
static unsigned count_flood(char *text, const int *results, size_t count)
{
	unsigned lines = 0;
	char expected[128];
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		unsigned i = count;
		if (sscanf(line, "line %u", &i) != 1 || i >= count || results[i])
			return 0;
		sprintf(expected, "line %u of the flood, text and %u,1,2,3", i, i);
		if (strcmp(line, expected))
			return 0;
		lines++;
	}
	return lines;
}

/* size: work-items; full: whether that is more than the buffer holds. */
static void check_flood(size_t size, bool full)
{
	int *results = malloc(size * sizeof(*results));
	cl_mem mem = buffer_make(context, 0, size * sizeof(*results), NULL);
	cl_kernel kernel = kernel_make(program, "flood");
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	run(queue, kernel, size, 0, NULL, NULL);
	buffer_read(queue, mem, results, size * sizeof(*results));
	char *text = output();
	const unsigned printed = count_zeroes(results, size);
	CHECK(full ? printed > size / 8 && printed < size : printed == size);
	CHECK(count_flood(text, results, size) == printed);
	for (size_t i = 0; i < size; i++)
		if (results[i] && !CHECK(results[i] == -1))
			break;
	free(text);
	free(results);
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseMemObject(mem));
}

static void *twin(void *number)
{
	int x = *(int *)number;
	cl_kernel kernel = kernel_make(program, "twins");
	cl_command_queue own = queue_make(context, device, 0);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(x), &x));
	for (unsigned i = 0; i < 10; i++) {
		run(own, kernel, 20, 0, NULL, NULL);
		if (i % 3 == 0)
			CHECK_OK(clFinish(own));
	}
	CHECK_OK(clFinish(own));
	CHECK_OK(clReleaseCommandQueue(own));
	CHECK_OK(clReleaseKernel(kernel));
	return NULL;
}

static void test_threads(void)
{
	int numbers[4] = {1, 2, 3, 4}, seen_of[4][20] = {{0}};
	pthread_t threads[4];
	unsigned right = 0;
	for (unsigned i = 0; i < 4; i++)
		CHECK(!pthread_create(&threads[i], NULL, twin, &numbers[i]));
	for (unsigned i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	char *text = output();
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		unsigned x, i;
		char end;
		if (CHECK(sscanf(line, "%u:%u%c", &x, &i, &end) == 2 && x - 1 < 4 && i < 20))
			seen_of[x - 1][i]++;
	}
	for (unsigned i = 0; i < 80; i++)
		right += seen_of[i / 20][i % 20] == 10;
	CHECK(right == 80);
	free(text);
}

static bool program_build(void)
{
	const char *text = source;
	program = api_test_program(context, text);
	return CHECK_OK(clBuildProgram(program, 1, &device, "-w", NULL, NULL));
}

/* A program from a binary prints the same. */
static void test_binary(void)
{
	size_t size = 0;
	cl_int code;
	unsigned char *binary;
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
	binary = malloc(size + 1);
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
	cl_program loaded = clCreateProgramWithBinary(context, 1, &device, &size,
						      (const unsigned char **)&binary, NULL, &code);
	CHECK_OK(code);
	CHECK_OK(clBuildProgram(loaded, 1, &device, "", NULL, NULL));
	cl_program source_program = program;
	program = loaded;
	cl_kernel kernel = show_make(13);
	run(queue, kernel, 1, 0, NULL, NULL);
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseProgram(loaded));
	program = source_program;
	CHECK_OK(clFinish(queue));
	CHECK(output_is("show 13\n"));
	free(binary);
}

static cl_program compile(const char *text)
{
	cl_program made = api_test_program(context, text);
	CHECK_OK(clCompileProgram(made, 1, &device, "", 0, NULL, NULL, NULL, NULL));
	return made;
}

/* Both parts of a linked program print, each with formats of its own. */
static void test_linked(void)
{
	cl_int code;
	cl_program parts[2] = {
		compile("void tell(int x) { printf(\"part %s %d\\n\", \"one\", x); }"),
		compile("void tell(int x); kernel void show(int x) {"
			"	tell(x); printf(\"part two %d\\n\", x); }"),
	};
	cl_program saved = program;
	program = clLinkProgram(context, 1, &device, "", 2, parts, NULL, NULL, &code);
	CHECK_OK(code);
	cl_kernel kernel = show_make(14);
	run(queue, kernel, 1, 0, NULL, NULL);
	CHECK_OK(clFinish(queue));
	CHECK(output_is("part one 14\npart two 14\n"));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseProgram(parts[0]));
	CHECK_OK(clReleaseProgram(parts[1]));
	program = saved;
}

/* A launch that waits for one of another queue prints after it, whichever thread finds them complete. */
static void test_queues(void)
{
	enum { LAUNCHES = 40 };
	char expected[LAUNCHES * 16] = "";
	cl_command_queue queues[2] = {queue_make(context, device, 0), queue_make(context, device, 0)};
	cl_event last = NULL;
	for (int i = 0; i < LAUNCHES; i++) {
		cl_event before = last;
		cl_kernel kernel = show_make(i);
		run(queues[i % 2], kernel, 1, before != NULL, before ? &before : NULL, &last);
		CHECK_OK(clReleaseKernel(kernel));
		if (before)
			CHECK_OK(clReleaseEvent(before));
		(void)sprintf(expected + strlen(expected), "show %d\n", i);
	}
	CHECK_OK(clWaitForEvents(1, &last));
	CHECK(output_is(expected));
	CHECK_OK(clReleaseEvent(last));
	CHECK_OK(clReleaseCommandQueue(queues[0]));
	CHECK_OK(clReleaseCommandQueue(queues[1]));
}

/* A command that prints nothing, in a queue that has printed nothing, is complete after the output of the launch that
 * it waits for is written. */
static void test_quiet_queue(void)
{
	enum { ROUNDS = 100 };
	cl_kernel kernel = show_make(8);
	for (int round = 0; round < ROUNDS; round++) {
		cl_event printed;
		cl_command_queue quiet = queue_make(context, device, 0);
		run(queue, kernel, 1, 0, NULL, &printed);
		CHECK_OK(clEnqueueMarkerWithWaitList(quiet, 1, &printed, NULL));
		CHECK_OK(clFinish(quiet));
		CHECK(output_is("show 8\n"));
		CHECK_OK(clReleaseEvent(printed));
		CHECK_OK(clReleaseCommandQueue(quiet));
	}
	CHECK_OK(clReleaseKernel(kernel));
}

static void run_tests(void)
{
	size_t buffer_size = 0;
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_PRINTF_BUFFER_SIZE, sizeof(buffer_size),
				 &buffer_size, NULL));
	test_finish();
	test_wait_for_event();
	test_polling();
	test_blocking_read();
	test_callback();
	test_nobody_waits();
	test_released_queue();
	test_user_event();
	test_failed_dependency();
	test_profiling();
	test_mixes_with_the_host();
	test_many_launches();
	test_queues();
	test_quiet_queue();
	check_flood(100, false);
	check_flood(4096, false);
	check_flood(buffer_size / 16, true);
	check_flood(100, false);
	test_threads();
	test_binary();
	test_linked();
}

int main(void)
{
	struct api_test test;
	if (!api_test_start(&test, "printf"))
		return API_TEST_SKIP;
	context = test.context;
	device = test.device;
	queue = queue_make(context, device, 0);
	if (program_build() && CHECK(stdout_catch())) {
		run_tests();
		stdout_restore();
	}
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}
