/* Protects: where a process may map little memory (`ulimit -v`, which batch systems set; ulimit -d), the software
 * device offers what it can give: a buffer of CL_DEVICE_MAX_MEM_ALLOC_SIZE can be made and used.
 *
 * Seen to fail where the device has half of the machine's memory. */
#include "config.h"

#include "tests/api/fixture.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_B ((cl_ulong)1 << 30)

/* The first and the last bytes of the largest buffer. */
static void use_largest(const struct api_test *test, size_t size_B)
{
	enum { PART_B = 4096 };
	static cl_uchar bytes[PART_B];
	const cl_uchar pattern = 0x5a;
	cl_int error;
	cl_mem mem = clCreateBuffer(test->context, 0, size_B, NULL, &error);
	CHECK_OK(error);
	if (!mem)
		return;
	cl_command_queue queue = queue_make(test->context, test->device, 0);
	for (int end = 0; end < 2; end++) {
		const size_t offset_B = end ? size_B - PART_B : 0;
		int wrong = 0;
		CHECK_OK(clEnqueueFillBuffer(queue, mem, &pattern, 1, offset_B, PART_B, 0, NULL, NULL));
		CHECK_OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, offset_B, PART_B, bytes, 0, NULL, NULL));
		for (size_t i = 0; i < PART_B; i++)
			wrong += bytes[i] != pattern;
		CHECK(!wrong);
	}
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK_OK(clReleaseMemObject(mem));
}

static int run_within(int which)
{
	struct rlimit limit = {LIMIT_B, LIMIT_B};
	struct api_test test;
	cl_ulong all_B = 0, largest_B = 0;
	/* qemu-user ignores limits that would be its own. */
	if (setrlimit(which, &limit) || getrlimit(which, &limit) || limit.rlim_cur != LIMIT_B)
		return API_TEST_SKIP;
	if (!api_test_start(&test, which == RLIMIT_AS ? "address space" : "data"))
		return API_TEST_SKIP;
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(all_B), &all_B, NULL));
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(largest_B), &largest_B, NULL));
	CHECK(all_B < LIMIT_B);
	/* OpenCL 3.1, table of device queries: at least a quarter of the memory, up to 1 GiB. */
	CHECK(largest_B <= all_B && largest_B >= all_B / 4);
	use_largest(&test, (size_t)largest_B);
	return api_test_end(&test);
}

int main(void)
{
	static const int limits[] = {RLIMIT_AS, RLIMIT_DATA};
	enum { LIMITS = sizeof(limits) / sizeof(limits[0]) };
	const char *cuda = getenv("CULVERT_CUDA");
	int failed = 0, skipped = 0;
	if (!cuda || strcmp(cuda, "soft"))
		return API_TEST_SKIP;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	puts("skipped: a sanitizer's shadow is larger than any limit");
	return API_TEST_SKIP;
#endif
	unsetenv("CULVERT_SOFT_MEMORY");
	for (int i = 0; i < LIMITS; i++) {
		int status = 0;
		const pid_t child = fork();
		if (!child)
			exit(run_within(limits[i]));
		const bool ended = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status);
		skipped += ended && WEXITSTATUS(status) == API_TEST_SKIP;
		failed += !ended || (WEXITSTATUS(status) && WEXITSTATUS(status) != API_TEST_SKIP);
	}
	return failed ? 1 : skipped == LIMITS ? API_TEST_SKIP : 0;
}
