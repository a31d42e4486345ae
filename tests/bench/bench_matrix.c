/* Group matrix: a 2048 x 2048 product of floats, naive and in tiles of local memory, on one
 * queue and in blocks of rows on four, alone and with its transfers from and to pinned memory.
 * cuda_matrix.c is its twin. */
#include "config.h"

#include "tests/bench/matrix_check.h"
#include "tests/bench/opencl.h"

#include <string.h>

enum { QUEUES = 4, TILE = 16 };

static const char source[] =
	"#define T 16\n"
	"kernel __attribute__((reqd_work_group_size(T, T, 1)))\n"
	"void naive(global const float *a, global const float *b, global float *c, uint n)\n"
	"{\n"
	"	const uint x = get_global_id(0), y = get_global_id(1);\n"
	"	float sum = 0.0f;\n"
	"	for (uint k = 0; k < n; k++)\n"
	"		sum += a[y * n + k] * b[k * n + x];\n"
	"	c[y * n + x] = sum;\n"
	"}\n"
	"kernel __attribute__((reqd_work_group_size(T, T, 1)))\n"
	"void tiled(global const float *a, global const float *b, global float *c, uint n)\n"
	"{\n"
	"	local float ta[T][T], tb[T][T];\n"
	"	const uint x = get_local_id(0), y = get_local_id(1);\n"
	"	const uint column = get_global_id(0), row = get_global_id(1);\n"
	"	float sum = 0.0f;\n"
	"	for (uint t = 0; t < n; t += T) {\n"
	"		ta[y][x] = a[row * n + t + x];\n"
	"		tb[y][x] = b[(t + y) * n + column];\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		for (uint k = 0; k < T; k++)\n"
	"			sum += ta[y][k] * tb[k][x];\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	}\n"
	"	c[row * n + column] = sum;\n"
	"}\n";

static size_t n;
static cl_command_queue queues[QUEUES];
static struct opencl_host a, b, c;
static cl_mem b_mem;

/* The rows in blocks, one for each queue. */
struct blocks {
	unsigned count;
	cl_mem a[QUEUES], c[QUEUES];
	cl_kernel kernels[QUEUES];
};

static struct blocks make_blocks(const char *kernel, unsigned count)
{
	struct blocks blocks = {.count = count};
	const cl_uint width = (cl_uint)n;
	for (unsigned i = 0; i < count; i++) {
		blocks.a[i] = opencl_buffer(CL_MEM_READ_WRITE, n * n * sizeof(float) / count);
		blocks.c[i] = opencl_buffer(CL_MEM_READ_WRITE, n * n * sizeof(float) / count);
		const cl_mem buffers[] = {blocks.a[i], b_mem, blocks.c[i]};
		blocks.kernels[i] = opencl_kernel(kernel, 3, buffers);
		CL_OK(clSetKernelArg(blocks.kernels[i], 3, sizeof(width), &width));
	}
	return blocks;
}

static void end_blocks(struct blocks *blocks)
{
	for (unsigned i = 0; i < blocks->count; i++) {
		CL_OK(clReleaseKernel(blocks->kernels[i]));
		CL_OK(clReleaseMemObject(blocks->a[i]));
		CL_OK(clReleaseMemObject(blocks->c[i]));
	}
}

static void multiply(const struct blocks *blocks, unsigned i)
{
	const size_t global[2] = {n, n / blocks->count}, local[2] = {TILE, TILE};
	CL_OK(clEnqueueNDRangeKernel(queues[i], blocks->kernels[i], 2, NULL, global, local, 0,
				     NULL, NULL));
}

static double kernel_ms(void *context)
{
	const double start_us = bench_us();
	multiply(context, 0);
	CL_OK(clFinish(queues[0]));
	return (bench_us() - start_us) * 1e-3;
}

static double total_ms(void *context)
{
	const struct blocks *blocks = context;
	const size_t size_B = n * n * sizeof(float), block_B = size_B / blocks->count;
	cl_event written;
	const double start_us = bench_us();
	CL_OK(clEnqueueWriteBuffer(queues[0], b_mem, CL_FALSE, 0, size_B, b.bytes, 0, NULL,
				   &written));
	for (unsigned i = 0; i < blocks->count; i++) {
		CL_OK(clEnqueueWriteBuffer(queues[i], blocks->a[i], CL_FALSE, 0, block_B,
					   a.bytes + i * block_B, i ? 1 : 0, i ? &written : NULL,
					   NULL));
		multiply(blocks, i);
		CL_OK(clEnqueueReadBuffer(queues[i], blocks->c[i], CL_FALSE, 0, block_B,
					  c.bytes + i * block_B, 0, NULL, NULL));
		CL_OK(clFlush(queues[i]));
	}
	for (unsigned i = 0; i < blocks->count; i++)
		CL_OK(clFinish(queues[i]));
	const double spent_us = bench_us() - start_us;
	CL_OK(clReleaseEvent(written));
	return spent_us * 1e-3;
}

static void measure(const char *kernel, unsigned count, const char *total_name,
		    const char *kernel_name)
{
	struct blocks blocks = make_blocks(kernel, count);
	memset(c.bytes, 0xff, n * n * sizeof(float));
	bench_row("matrix", total_name, "ms", LOWER, total_ms, &blocks);
	matrix_check((float *)a.bytes, (float *)b.bytes, (float *)c.bytes, n);
	if (kernel_name)
		bench_row("matrix", kernel_name, "ms", LOWER, kernel_ms, &blocks);
	end_blocks(&blocks);
}

int main(int argc, char **argv)
{
	bench_start(argc, argv);
	opencl_open("matrix", source, 1);
	n = bench_pick(2048, 2048, 64);
	for (unsigned i = 0; i < QUEUES; i++)
		queues[i] = opencl_queue(0, 0);
	a = opencl_host_make(queues[0], n * n * sizeof(float), true);
	b = opencl_host_make(queues[0], n * n * sizeof(float), true);
	c = opencl_host_make(queues[0], n * n * sizeof(float), true);
	b_mem = opencl_buffer(CL_MEM_READ_WRITE, n * n * sizeof(float));
	matrix_fill((float *)a.bytes, n * n, 1);
	matrix_fill((float *)b.bytes, n * n, 2);
	measure("naive", 1, "naive, with transfers", "naive, kernel");
	measure("naive", QUEUES, "4 streams, with transfers", NULL);
	measure("tiled", 1, "local memory, with transfers", "local memory, kernel");
	measure("tiled", QUEUES, "4 streams and local memory, with transfers", NULL);
	CL_OK(clReleaseMemObject(b_mem));
	opencl_host_end(&a);
	opencl_host_end(&b);
	opencl_host_end(&c);
	for (unsigned i = 0; i < QUEUES; i++)
		CL_OK(clReleaseCommandQueue(queues[i]));
	return opencl_close();
}
