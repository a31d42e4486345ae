/* Protects: what a long wait list costs: of events of one queue the driver is told the last
 * alone, and not each of them.
 *
 *	wait_lists            compares what the driver was told for one event and for many
 *	wait_lists COUNT      one command that waits for so many; softcuda counts its calls
 */
#include "config.h"

#include "tests/api/fixture.h"

#include <sys/wait.h>
#include <unistd.h>

enum { MANY = 100 };

static const char source[] = "kernel void count(global uint *counter) { counter[0] += 1; }\n";

/* The launches are unfinished when the one that waits for them comes: CULVERT_SOFT_SCHED. */
static void wait_for_many(struct api_test *test, cl_uint count)
{
	cl_event events[MANY];
	cl_int code;
	cl_uint counted = 0;
	const size_t one = 1;
	cl_command_queue first = clCreateCommandQueue(test->context, test->device, 0, &code);
	cl_command_queue second = clCreateCommandQueue(test->context, test->device, 0, &code);
	cl_program program = api_test_build(test->context, test->device, source, "");
	cl_kernel kernel = clCreateKernel(program, "count", &code);
	cl_mem mem = buffer_make(test->context, CL_MEM_COPY_HOST_PTR, sizeof(counted), &counted);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	for (cl_uint i = 0; i < count; i++)
		launch_1d_after(first, kernel, one, 0, NULL, &events[i]);
	launch_1d_after(second, kernel, one, count, events, NULL);
	buffer_read(second, mem, &counted, sizeof(counted));
	CHECK(counted == count + 1);
	for (cl_uint i = 0; i < count; i++)
		CHECK_OK(clReleaseEvent(events[i]));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseCommandQueue(first));
	CHECK_OK(clReleaseCommandQueue(second));
}

/* How often a process of its own made the call; -1: it failed, -2: nobody counted. */
static int waits_of(const char *program, const char *count)
{
	char path[64], line[128];
	int status = 0, waits = -2;
	snprintf(path, sizeof(path), "wait-lists.%ld", (long)getpid());
	const pid_t child = fork();
	if (!child) {
		setenv("CULVERT_SOFT_COUNT", path, 1);
		setenv("CULVERT_SOFT_SCHED", "seed:1,idle:100000000", 1);
		execl(program, program, count, (char *)NULL);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		return -1;
	FILE *file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file)) {
		if (waits == -2 && !strncmp(line, "call ", 5))
			waits = 0;
		(void)sscanf(line, "call cuStreamWaitEvent %d", &waits);
	}
	if (file)
		fclose(file);
	(void)unlink(path);
	return waits;
}

int main(int argc, char **argv)
{
	struct api_test test;
	if (!api_test_start(&test, "wait_lists"))
		return API_TEST_SKIP;
	if (argc > 1) {
		wait_for_many(&test, (cl_uint)atoi(argv[1]));
		return api_test_end(&test);
	}
	const int one = waits_of(argv[0], "1"), many = waits_of(argv[0], "100");
	CHECK(one != -1 && many != -1);
	if (one == -2)
		return api_test_skip(&test);
	CHECK(one > 0);
	CHECK(many == one);
	return api_test_end(&test);
}
