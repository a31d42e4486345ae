/* Protects: offsets and sizes beyond 32 bits: writes, fills, copies, rects, maps, sub-buffers and
 * kernels on both sides of 4 GiB in one buffer; fills and copies of more than 4 GiB, where that is
 * quick (a GPU; LARGE_MEMORY=1 elsewhere); one allocation of 95 % of what is free. */
#include "config.h"

#include "tests/api/fixture.h"

#include <cuda.h>
#include <dlfcn.h>
#include <stdint.h>

enum { WINDOW_B = 1 << 20, WORD_B = 4 };
static const size_t edge_B = (size_t)1 << 32;

static const char source[] =
	"kernel void add(global uint *p, ulong from, uint k) { p[from + get_global_id(0)] += k; }\n"
	"kernel void count(global const uint *p, uint word, global uint *others) {\n"
	"	if (p[get_global_id(0)] != word) atomic_inc(others);\n"
	"}\n";

static struct api_test test;
static cl_command_queue queue;
static cl_program program;
static cl_kernel add, count;

static void fill(cl_mem mem, cl_uint word, size_t offset_B, size_t size_B)
{
	CHECK_OK(clEnqueueFillBuffer(queue, mem, &word, sizeof(word), offset_B, size_B, 0, NULL,
				     NULL));
}

static cl_uint word_at(cl_mem mem, size_t offset_B)
{
	cl_uint word = 0xdead;
	CHECK_OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, offset_B, sizeof(word), &word, 0, NULL,
				     NULL));
	return word;
}

static void add_at(cl_mem mem, cl_ulong word, size_t items, cl_uint k)
{
	CHECK_OK(clSetKernelArg(add, 0, sizeof(mem), &mem));
	CHECK_OK(clSetKernelArg(add, 1, sizeof(word), &word));
	CHECK_OK(clSetKernelArg(add, 2, sizeof(k), &k));
	launch_1d(queue, add, items);
}

/* --- around 4 GiB ---------------------------------------------------------------------------------- */

static void by_the_host(cl_mem mem)
{
	cl_uint *bytes = malloc(WINDOW_B), *out = calloc(1, WINDOW_B);
	cl_int code;
	for (cl_uint i = 0; i < WINDOW_B / WORD_B; i++)
		bytes[i] = i;
	/* What a 32-bit offset would hit instead. */
	fill(mem, 9, 0, WINDOW_B);
	CHECK_OK(clEnqueueWriteBuffer(queue, mem, CL_FALSE, edge_B - WINDOW_B / 2, WINDOW_B, bytes, 0,
				      NULL, NULL));
	CHECK_OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, edge_B - WINDOW_B / 2, WINDOW_B, out, 0,
				     NULL, NULL));
	CHECK(!memcmp(bytes, out, WINDOW_B));
	CHECK(word_at(mem, 0) == 9 && word_at(mem, WINDOW_B / 2) == 9);
	cl_uint *mapped = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
					     edge_B + 4096, 4096, 0, NULL, NULL, &code);
	CHECK_OK(code);
	CHECK(mapped && mapped[1] == (WINDOW_B / 2 + 4096) / WORD_B + 1);
	if (mapped) {
		mapped[1] = 5;
		CHECK_OK(clEnqueueUnmapMemObject(queue, mem, mapped, 0, NULL, NULL));
	}
	CHECK(word_at(mem, edge_B + 4100) == 5 && word_at(mem, 4100) == 9);
	free(bytes);
	free(out);
}

/* From the low end to both sides of the edge, with rows that are as long as half of it. */
static void by_copies(cl_mem mem)
{
	const size_t from[3] = {0, 0, 0}, to[3] = {16, 2, 0}, region[3] = {4096, 1, 1};
	const size_t row_B = edge_B / 2;
	fill(mem, 11, 0, 8192);
	fill(mem, 22, edge_B - 8192, 16384);
	CHECK_OK(clEnqueueCopyBuffer(queue, mem, mem, 0, edge_B - 2048, 4096, 0, NULL, NULL));
	CHECK(word_at(mem, edge_B - 2052) == 22 && word_at(mem, edge_B - 2048) == 11);
	CHECK(word_at(mem, edge_B + 2044) == 11 && word_at(mem, edge_B + 2048) == 22);
	CHECK_OK(clEnqueueCopyBufferRect(queue, mem, mem, from, to, region, row_B, 0, row_B, 0, 0,
					 NULL, NULL));
	CHECK(word_at(mem, edge_B + 12) == 11 && word_at(mem, edge_B + 4108) == 11);
	CHECK(word_at(mem, edge_B + 4112) == 22);
	CHECK_OK(clEnqueueCopyBuffer(queue, mem, mem, edge_B + 4112, 4, 4, 0, NULL, NULL));
	CHECK(word_at(mem, 4) == 22 && word_at(mem, 8) == 11);
}

static void by_kernels(cl_mem mem)
{
	const cl_buffer_region beyond = {edge_B, 65536};
	fill(mem, 100, edge_B - 4096, 8192);
	fill(mem, 200, 0, 8192);
	add_at(mem, edge_B / WORD_B - 512, 1024, 7);
	CHECK(word_at(mem, edge_B - 2052) == 100 && word_at(mem, edge_B - 2048) == 107);
	CHECK(word_at(mem, edge_B) == 107 && word_at(mem, edge_B + 2048) == 100);
	CHECK(word_at(mem, 0) == 200);
	cl_mem sub = sub_buffer_make(mem, CL_MEM_READ_WRITE, &beyond);
	add_at(sub, 0, 4, 1);
	CHECK(word_at(mem, edge_B) == 108 && word_at(mem, edge_B + 16) == 107);
	CHECK(word_at(sub, 0) == 108 && word_at(mem, 0) == 200);
	CHECK_OK(clReleaseMemObject(sub));
}

static void around_the_edge(void)
{
	cl_mem mem = buffer_make(test.context, CL_MEM_READ_WRITE, edge_B + WINDOW_B, NULL);
	by_the_host(mem);
	by_copies(mem);
	by_kernels(mem);
	CHECK_OK(clReleaseMemObject(mem));
}

/* --- more than 4 GiB at once ------------------------------------------------------------------------ */

/* How many words of mem are others than word. */
static cl_uint others(cl_mem mem, size_t size_B, cl_uint word)
{
	const size_t items = size_B / WORD_B;
	cl_mem out = buffer_make(test.context, CL_MEM_READ_WRITE, sizeof(cl_uint), NULL);
	fill(out, 0, 0, sizeof(cl_uint));
	CHECK_OK(clSetKernelArg(count, 0, sizeof(mem), &mem));
	CHECK_OK(clSetKernelArg(count, 1, sizeof(word), &word));
	CHECK_OK(clSetKernelArg(count, 2, sizeof(out), &out));
	launch_1d(queue, count, items);
	const cl_uint found = word_at(out, 0);
	CHECK_OK(clReleaseMemObject(out));
	return found;
}

static void whole(void)
{
	const size_t size_B = edge_B + 3 * 4096;
	cl_mem a = buffer_make(test.context, CL_MEM_READ_WRITE, size_B, NULL),
	       b = buffer_make(test.context, CL_MEM_READ_WRITE, size_B, NULL);
	fill(a, 0x01020304, 0, size_B);
	fill(b, 0, 0, size_B);
	CHECK(others(a, size_B, 0x01020304) == 0);
	add_at(a, size_B / WORD_B - 1, 1, 1);
	CHECK_OK(clEnqueueCopyBuffer(queue, a, b, 0, 0, size_B, 0, NULL, NULL));
	CHECK(others(b, size_B, 0x01020304) == 1);
	CHECK(word_at(b, size_B - WORD_B) == 0x01020305);
	CHECK_OK(clReleaseMemObject(a));
	CHECK_OK(clReleaseMemObject(b));
}

/* --- nearly all --------------------------------------------------------------------------------------- */

#define CALLS(CALL)                                                                               \
	CALL(cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice))                                   \
	CALL(cuDevicePrimaryCtxRelease_v2, (CUdevice))                                            \
	CALL(cuCtxPushCurrent_v2, (CUcontext))                                                    \
	CALL(cuCtxPopCurrent_v2, (CUcontext *))                                                   \
	CALL(cuMemGetInfo_v2, (size_t *, size_t *))

static bool is_software;

/* As CUDA says; 0: it does not. */
static size_t free_now_B(void)
{
	size_t free_B = 0, total_B = 0;
	CUcontext context;
	void *library = dlopen("libculvert-softcuda.so", RTLD_NOW | RTLD_NOLOAD);
	is_software = library;
	if (!library)
		library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
#define CALL(name, parameters)                                                                    \
	CUresult(*name) parameters;                                                               \
	*(void **)&name = library ? dlsym(library, #name) : NULL;                                 \
	if (!name)                                                                                \
		return 0;
	CALLS(CALL)
#undef CALL
	if (cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS)
		return 0;
	CHECK(cuCtxPushCurrent_v2(context) == CUDA_SUCCESS);
	CHECK(cuMemGetInfo_v2(&free_B, &total_B) == CUDA_SUCCESS);
	CHECK(cuCtxPopCurrent_v2(&context) == CUDA_SUCCESS);
	CHECK(cuDevicePrimaryCtxRelease_v2(0) == CUDA_SUCCESS);
	return free_B;
}

static void nearly_all(size_t free_B)
{
	const size_t size_B = free_B / 100 * 95 / 4096 * 4096;
	cl_ulong most_B = 0;
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(most_B), &most_B,
				 NULL));
	CHECK(most_B >= size_B);
	cl_mem mem = buffer_make(test.context, CL_MEM_READ_WRITE, size_B, NULL);
	if (!mem)
		return;
	fill(mem, 1, 0, 4096);
	fill(mem, 2, size_B - 4096, 4096);
	add_at(mem, size_B / WORD_B - 1024, 1024, 40);
	CHECK(word_at(mem, 0) == 1 && word_at(mem, size_B - WORD_B) == 42);
	CHECK_OK(clReleaseMemObject(mem));
}

int main(void)
{
	if (!api_test_start(&test, "large memory"))
		return API_TEST_SKIP;
	const size_t free_B = free_now_B();
	if (free_B < 2 * edge_B - edge_B / 4) {
		printf("no room for buffers of more than 4 GiB\n");
		return api_test_skip(&test);
	}
	queue = queue_make(test.context, test.device, 0);
	program = api_test_build(test.context, test.device, source, NULL);
	add = kernel_make(program, "add");
	count = kernel_make(program, "count");
	nearly_all(free_B);
	around_the_edge();
	if ((!is_software || getenv("LARGE_MEMORY")) && free_B > 2 * edge_B + WINDOW_B)
		whole();
	CHECK_OK(clReleaseKernel(add));
	CHECK_OK(clReleaseKernel(count));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}
