/* Transfers that the caller does not wait for: bytes are read and written in their
 * turn, from and to pageable and pinned memory of all sizes, and no call waits for
 * the device (OpenCL 3.0 API, 5.2.2). */
#include "config.h"

#include "tests/api/fixture.h"

static const char source[] =
API_TEST_HOLD
"kernel void next(global uint *c) { c[get_global_id(0)] += 1; }\n";

/* Around the borders between the ways that a transfer can go. */
static const size_t sizes_B[] = {
	4, 4096, 65536, 65540, 1 << 20, (1 << 20) + 4, 4 << 20, (4 << 20) + 4, 9 << 20,
};
enum { SIZES = sizeof(sizes_B) / sizeof(sizes_B[0]), LARGEST_B = 9 << 20 };

static cl_context context;
static cl_device_id device;
static cl_program program;

static void launch_with(cl_command_queue queue, cl_kernel kernel, cl_mem a, cl_mem b, size_t global)
{
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(a), &a));
	if (b)
		CHECK_OK(clSetKernelArg(kernel, 1, sizeof(b), &b));
	launch_1d(queue, kernel, global);
}

static void words_fill(unsigned *words, size_t size_B, unsigned seed)
{
	for (size_t i = 0; i < size_B / 4; i++)
		words[i] = (unsigned)i * 2654435761u + seed;
}

static bool words_are(const unsigned *words, size_t size_B, unsigned seed, unsigned more)
{
	for (size_t i = 0; i < size_B / 4; i++)
		if (words[i] != (unsigned)i * 2654435761u + seed + more)
			return false;
	return true;
}

/* --- nobody waits ---------------------------------------------------------------------------- */

/* A kernel runs until the host, having enqueued transfers behind it, lets it go. */
static void test_calls_return(cl_command_queue queue, bool in_order)
{
	static unsigned from[LARGEST_B / 4], to[SIZES][LARGEST_B / 4];
	cl_kernel hold = kernel_make(program, "hold"), free_it = kernel_make(program, "free_it");
	cl_command_queue other = queue_make(context, device, 0);
	cl_mem flag = buffer_make(context, 0, 4, NULL), seen = buffer_make(context, 0, 4, NULL);
	cl_mem mem = buffer_make(context, 0, LARGEST_B, NULL);
	const cl_int zero = 0;
	cl_int let_go = 0;
	words_fill(from, LARGEST_B, 5);
	/* Once before: a first launch may load the kernel and wait for the device. */
	launch_with(other, free_it, flag, NULL, 1);
	CHECK_OK(clFinish(other));
	CHECK_OK(clEnqueueWriteBuffer(queue, flag, CL_TRUE, 0, 4, &zero, 0, NULL, NULL));
	launch_with(queue, hold, flag, seen, 1);
	for (unsigned i = 0; i < SIZES; i++) {
		if (!in_order)
			CHECK_OK(clEnqueueBarrier(queue));
		CHECK_OK(clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, sizes_B[i], from, 0, NULL,
					      NULL));
		if (!in_order)
			CHECK_OK(clEnqueueBarrier(queue));
		CHECK_OK(clEnqueueReadBuffer(queue, mem, CL_FALSE, 0, sizes_B[i], to[i], 0, NULL,
					     NULL));
	}
	launch_with(other, free_it, flag, NULL, 1);
	CHECK_OK(clFinish(other));
	CHECK_OK(clFinish(queue));
	buffer_read(queue, seen, &let_go, 4);
	CHECK(let_go == 1);
	for (unsigned i = 0; i < SIZES; i++)
		CHECK(words_are(to[i], sizes_B[i], 5, 0));
	CHECK_OK(clReleaseMemObject(flag));
	CHECK_OK(clReleaseMemObject(seen));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(hold));
	CHECK_OK(clReleaseKernel(free_it));
	CHECK_OK(clReleaseCommandQueue(other));
}

/* --- bytes in their turn ------------------------------------------------------------------ */

/* A read puts there what the write behind it takes, through words. */
static void round_trip(cl_command_queue queue, unsigned *words, size_t size_B, unsigned seed)
{
	cl_kernel next = kernel_make(program, "next");
	cl_mem a = buffer_make(context, 0, size_B, NULL), b = buffer_make(context, 0, size_B, NULL);
	unsigned *first = malloc(size_B), *last = calloc(1, size_B);
	words_fill(first, size_B, seed);
	CHECK_OK(clEnqueueWriteBuffer(queue, a, CL_FALSE, 0, size_B, first, 0, NULL, NULL));
	launch_with(queue, next, a, NULL, size_B / 4);
	CHECK_OK(clEnqueueReadBuffer(queue, a, CL_FALSE, 0, size_B, words, 0, NULL, NULL));
	CHECK_OK(clEnqueueWriteBuffer(queue, b, CL_FALSE, 0, size_B, words, 0, NULL, NULL));
	launch_with(queue, next, b, NULL, size_B / 4);
	CHECK_OK(clEnqueueReadBuffer(queue, b, CL_FALSE, 0, size_B, words, 0, NULL, NULL));
	CHECK_OK(clEnqueueWriteBuffer(queue, a, CL_FALSE, 0, size_B, words, 0, NULL, NULL));
	buffer_read(queue, a, last, size_B);
	CHECK(words_are(last, size_B, seed, 2));
	CHECK(words_are(words, size_B, seed, 2));
	free(first);
	free(last);
	CHECK_OK(clReleaseMemObject(a));
	CHECK_OK(clReleaseMemObject(b));
	CHECK_OK(clReleaseKernel(next));
}

static void test_turns(cl_command_queue queue)
{
	unsigned *pageable = malloc(LARGEST_B), *pinned;
	cl_mem mem = buffer_make(context, CL_MEM_ALLOC_HOST_PTR, LARGEST_B, NULL);
	cl_int code;
	pinned = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_WRITE, 0, LARGEST_B, 0, NULL, NULL,
				    &code);
	CHECK_OK(code);
	for (unsigned i = 0; i < SIZES; i++) {
		round_trip(queue, pageable, sizes_B[i], i);
		round_trip(queue, pinned, sizes_B[i], 100 + i);
	}
	CHECK_OK(clEnqueueUnmapMemObject(queue, mem, pinned, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	CHECK_OK(clReleaseMemObject(mem));
	free(pageable);
}

/* The read is ahead of the write by way of a kernel in a third queue. */
static void test_turns_across(cl_command_queue third)
{
	cl_command_queue reads = queue_make(context, device, 0),
			 writes = queue_make(context, device, 0);
	cl_kernel next = kernel_make(program, "next");
	unsigned *words, last[1024];
	cl_mem host = buffer_make(context, CL_MEM_ALLOC_HOST_PTR, sizeof(last), NULL);
	cl_mem a = buffer_make(context, 0, sizeof(last), NULL),
	       b = buffer_make(context, 0, sizeof(last), NULL);
	const size_t global = 1024;
	cl_int code;
	words = clEnqueueMapBuffer(reads, host, CL_TRUE, CL_MAP_WRITE, 0, sizeof(last), 0, NULL,
				   NULL, &code);
	CHECK_OK(code);
	CHECK_OK(clSetKernelArg(next, 0, sizeof(b), &b));
	for (unsigned round = 0; round < 20; round++) {
		cl_event read, ran;
		memset(words, 0, sizeof(last));
		CHECK_OK(clEnqueueFillBuffer(reads, a, &round, 4, 0, sizeof(last), 0, NULL, NULL));
		CHECK_OK(clEnqueueReadBuffer(reads, a, CL_FALSE, 0, sizeof(last), words, 0, NULL,
					     &read));
		launch_1d_after(third, next, global, 1, &read, &ran);
		CHECK_OK(clEnqueueWriteBuffer(writes, b, CL_FALSE, 0, sizeof(last), words, 1, &ran,
					      NULL));
		buffer_read(writes, b, last, sizeof(last));
		CHECK(last[0] == round && last[1023] == round);
		CHECK_OK(clReleaseEvent(read));
		CHECK_OK(clReleaseEvent(ran));
	}
	CHECK_OK(clEnqueueUnmapMemObject(reads, host, words, 0, NULL, NULL));
	CHECK_OK(clFinish(reads));
	CHECK_OK(clReleaseMemObject(host));
	CHECK_OK(clReleaseMemObject(a));
	CHECK_OK(clReleaseMemObject(b));
	CHECK_OK(clReleaseKernel(next));
	CHECK_OK(clReleaseCommandQueue(reads));
	CHECK_OK(clReleaseCommandQueue(writes));
}

/* Memory may be used again as soon as the event says so, and not later. */
static void test_reuse(cl_command_queue queue)
{
	enum { ROUNDS = 40, SIZE_B = 300000 };
	static unsigned words[SIZE_B / 4], back[SIZE_B / 4];
	cl_mem mems[4];
	for (unsigned i = 0; i < 4; i++)
		mems[i] = buffer_make(context, 0, SIZE_B, NULL);
	for (unsigned round = 0; round < ROUNDS; round++) {
		cl_event event;
		words_fill(words, SIZE_B, round);
		CHECK_OK(clEnqueueWriteBuffer(queue, mems[round % 4], CL_FALSE, 0, SIZE_B, words, 0,
					      NULL, &event));
		CHECK_OK(clWaitForEvents(1, &event));
		memset(words, 0xee, sizeof(words));
		CHECK_OK(clEnqueueReadBuffer(queue, mems[round % 4], CL_FALSE, 0, SIZE_B, back, 1,
					     &event, NULL));
		CHECK_OK(clReleaseEvent(event));
		CHECK_OK(clFinish(queue));
		CHECK(words_are(back, SIZE_B, round, 0));
	}
	for (unsigned i = 0; i < 4; i++)
		CHECK_OK(clReleaseMemObject(mems[i]));
}

/* More writes in flight than there is pinned memory for. */
static void test_many_in_flight(cl_command_queue queue)
{
	enum { COUNT = 60, SIZE_B = 200000 };
	static unsigned words[COUNT][SIZE_B / 4], back[SIZE_B / 4];
	cl_mem mems[COUNT];
	for (unsigned i = 0; i < COUNT; i++) {
		mems[i] = buffer_make(context, 0, SIZE_B, NULL);
		words_fill(words[i], SIZE_B, i);
		CHECK_OK(clEnqueueWriteBuffer(queue, mems[i], CL_FALSE, 0, SIZE_B, words[i], 0,
					      NULL, NULL));
	}
	CHECK_OK(clFinish(queue));
	for (unsigned i = 0; i < COUNT; i++) {
		buffer_read(queue, mems[i], back, SIZE_B);
		CHECK(words_are(back, SIZE_B, i, 0));
		CHECK_OK(clReleaseMemObject(mems[i]));
	}
}

int main(void)
{
	struct api_test test;
	if (!api_test_start(&test, "transfers"))
		return API_TEST_SKIP;
	context = test.context;
	device = test.device;
	program = api_test_build(context, device, source, "");
	cl_command_queue in_order = queue_make(context, device, 0);
	cl_command_queue any_order = queue_make(context, device,
						CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	if (program) {
		/* A schedule runs one operation after the other. */
		if (!getenv("CULVERT_SOFT_SCHED")) {
			test_calls_return(in_order, true);
			test_calls_return(any_order, false);
		}
		test_turns(in_order);
		test_turns_across(in_order);
		test_turns_across(any_order);
		test_reuse(in_order);
		test_reuse(any_order);
		test_many_in_flight(in_order);
		test_many_in_flight(any_order);
		CHECK_OK(clReleaseProgram(program));
	}
	CHECK_OK(clReleaseCommandQueue(in_order));
	CHECK_OK(clReleaseCommandQueue(any_order));
	return api_test_end(&test);
}
