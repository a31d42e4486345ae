/* For tests of memory that other processes have, too: a context with a kernel and two queues, and the
 * two commands of cl_khr_external_memory. */
#ifndef CULVERT_TESTS_API_SHARED_BENCH_H
#define CULVERT_TESTS_API_SHARED_BENCH_H

#include "tests/api/fixture.h"

static const char shared_source[] =
	"kernel void add(global uint *to, uint value) { to[get_global_id(0)] += value; }\n";

typedef cl_int(CL_API_CALL *external_command)(cl_command_queue, cl_uint, const cl_mem *, cl_uint,
					      const cl_event *, cl_event *);

static struct {
	external_command acquire, release;
} ext;

static inline bool external_commands_find(const struct api_test *test)
{
	*(void **)&ext.acquire = clGetExtensionFunctionAddressForPlatform(
		test->platform, "clEnqueueAcquireExternalMemObjectsKHR");
	*(void **)&ext.release = clGetExtensionFunctionAddressForPlatform(
		test->platform, "clEnqueueReleaseExternalMemObjectsKHR");
	return ext.acquire && ext.release;
}

struct bench {
	cl_context context;
	cl_program program;
	cl_kernel add;
	cl_command_queue queue, other;   /* of the first device; of the last */
};

static inline struct bench bench_make(cl_uint count, const cl_device_id *devices)
{
	struct bench bench = {0};
	bench.context = context_make(count, devices);
	bench.program = api_test_build(bench.context, devices[0], shared_source, NULL);
	bench.add = kernel_make(bench.program, "add");
	bench.queue = queue_make(bench.context, devices[0], 0);
	bench.other = queue_make(bench.context, devices[count - 1], 0);
	return bench;
}

static inline void bench_release(struct bench *bench)
{
	CHECK_OK(clReleaseCommandQueue(bench->queue));
	CHECK_OK(clReleaseCommandQueue(bench->other));
	CHECK_OK(clReleaseKernel(bench->add));
	CHECK_OK(clReleaseProgram(bench->program));
	CHECK_OK(clReleaseContext(bench->context));
}

/* Adds value to all count words of mem, by queue. */
static inline void bench_add(const struct bench *bench, cl_command_queue queue, cl_mem mem,
			     size_t count, cl_uint value)
{
	CHECK_OK(clSetKernelArg(bench->add, 0, sizeof(mem), &mem));
	CHECK_OK(clSetKernelArg(bench->add, 1, sizeof(value), &value));
	launch_1d(queue, bench->add, count);
}

#endif
