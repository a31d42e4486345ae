/* cl_nv_create_buffer: buffers in pinned memory of the host, which the host has mapped while
 * kernels use it. */
#include "config.h"

#include "tests/api/fixture.h"

typedef cl_mem(CL_API_CALL *create_fn)(cl_context, cl_mem_flags, cl_bitfield, size_t, void *,
				       cl_int *);

enum { LOCATION_HOST = 1 << 0, PINNED = 1 << 1, COUNT = 1000, SIZE_B = COUNT * sizeof(cl_int) };

static struct api_test test;
static create_fn create;
static cl_command_queue queue;
static cl_kernel add;

static void add_to(cl_mem mem, cl_int value)
{
	const size_t global = COUNT;
	CHECK_OK(clSetKernelArg(add, 0, sizeof(mem), &mem));
	CHECK_OK(clSetKernelArg(add, 1, sizeof(value), &value));
	launch_1d(queue, add, global);
	CHECK_OK(clFinish(queue));
}

static bool all_are(const cl_int *values, cl_int first, cl_int step)
{
	for (int i = 0; i < COUNT; i++)
		if (values[i] != first + step * i)
			return false;
	return true;
}

/* The map stays open: what kernels write is there without a command, and what the host writes is
 * there for kernels. */
static void check_both_ways(cl_bitfield where)
{
	cl_int code, host[COUNT];
	for (int i = 0; i < COUNT; i++)
		host[i] = i;
	cl_mem mem = create(test.context, CL_MEM_COPY_HOST_PTR, where, SIZE_B, host, &code);
	if (!CHECK_OK(code))
		return;
	cl_int *values = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
					    SIZE_B, 0, NULL, NULL, &code);
	CHECK_OK(code);
	CHECK(all_are(values, 0, 1));
	add_to(mem, 5);
	CHECK(all_are(values, 5, 1));
	for (int i = 0; i < COUNT; i++)
		values[i] = -i;
	add_to(mem, 7);
	CHECK(all_are(values, 7, -1));
	CHECK_OK(clEnqueueUnmapMemObject(queue, mem, values, 0, NULL, NULL));
	buffer_read(queue, mem, host, SIZE_B);
	CHECK(all_are(host, 7, -1));
	CHECK_OK(clReleaseMemObject(mem));
}

/* The commands of every buffer, and what it says of itself. */
static void check_as_buffer(void)
{
	const cl_buffer_region half = {2048, 1024};
	const cl_int one = 1;
	cl_int code, value = 0;
	cl_mem_flags flags = 0;
	void *pointer = &code;
	cl_mem mem = create(test.context, 0, PINNED, SIZE_B, NULL, &code);
	CHECK_OK(code);
	CHECK_OK(clGetMemObjectInfo(mem, CL_MEM_FLAGS, sizeof(flags), &flags, NULL));
	CHECK(flags == CL_MEM_READ_WRITE);
	CHECK_OK(clGetMemObjectInfo(mem, CL_MEM_HOST_PTR, sizeof(pointer), &pointer, NULL));
	CHECK(!pointer);
	cl_mem sub = sub_buffer_make(mem, 0, &half);
	CHECK_OK(clEnqueueFillBuffer(queue, mem, &one, sizeof(one), 0, SIZE_B, 0, NULL, NULL));
	CHECK_OK(clEnqueueCopyBuffer(queue, mem, sub, 0, 512, 64, 0, NULL, NULL));
	add_to(mem, 2);
	CHECK_OK(clEnqueueReadBuffer(queue, sub, CL_TRUE, 512, sizeof(value), &value, 0, NULL,
				     NULL));
	CHECK(value == 3);
	CHECK_OK(clReleaseMemObject(sub));
	CHECK_OK(clReleaseMemObject(mem));
}

static void check_plain(void)
{
	static cl_int host[COUNT];
	cl_int code;
	cl_mem mem = create(test.context, CL_MEM_USE_HOST_PTR, PINNED, SIZE_B, host, &code);
	CHECK_OK(code);
	void *pointer = NULL;
	CHECK_OK(clGetMemObjectInfo(mem, CL_MEM_HOST_PTR, sizeof(pointer), &pointer, NULL));
	CHECK(pointer == host);
	CHECK_OK(clReleaseMemObject(mem));
	mem = create(test.context, CL_MEM_READ_ONLY, 0, SIZE_B, NULL, &code);
	CHECK_OK(code);
	CHECK_OK(clReleaseMemObject(mem));
}

static void check_errors(void)
{
	cl_int code, host[4];
	CHECK_NO_OBJECT(create((cl_context)queue, 0, PINNED, 64, NULL, &code), code,
			CL_INVALID_CONTEXT);
	CHECK_NO_OBJECT(create(test.context, 0, 4, 64, NULL, &code), code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(create(test.context, (cl_mem_flags)1 << 40, PINNED, 64, NULL, &code), code,
			CL_INVALID_VALUE);
	CHECK_NO_OBJECT(create(test.context, 0, PINNED, 0, NULL, &code), code,
			CL_INVALID_BUFFER_SIZE);
	CHECK_NO_OBJECT(create(test.context, 0, PINNED, 16, host, &code), code,
			CL_INVALID_HOST_PTR);
	CHECK_NO_OBJECT(create(test.context, CL_MEM_COPY_HOST_PTR, PINNED, 16, NULL, &code), code,
			CL_INVALID_HOST_PTR);
}

int main(void)
{
	static const char source[] =
		"kernel void add(global int *a, int b) { a[get_global_id(0)] += b; }";
	if (!api_test_start(&test, "pinned_buffers"))
		return API_TEST_SKIP;
	*(void **)&create = clGetExtensionFunctionAddressForPlatform(test.platform,
								     "clCreateBufferNV");
	if (!CHECK(create))
		return api_test_end(&test);
	queue = queue_make(test.context, test.device, 0);
	cl_program program = api_test_build(test.context, test.device, source, "");
	add = kernel_make(program, "add");
	check_both_ways(PINNED);
	check_both_ways(LOCATION_HOST);
	check_both_ways(PINNED | LOCATION_HOST);
	check_as_buffer();
	check_plain();
	check_errors();
	CHECK_OK(clReleaseKernel(add));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}
