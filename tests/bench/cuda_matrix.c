/* Group matrix as CUDA's driver API does it: bench_matrix.c says what the rows mean. */
#include "config.h"

#include "tests/bench/cuda.h"
#include "tests/bench/matrix_check.h"

#include <string.h>

enum { STREAMS = 4, TILE = 16 };

static size_t n;
static CUstream streams[STREAMS];
static CUevent written;
static float *a, *b, *c;
static CUdeviceptr a_memory, b_memory, c_memory;

/* The rows in blocks, one for each stream. */
struct blocks {
	CUfunction function;
	unsigned count;
};

static void multiply(const struct blocks *blocks, unsigned i)
{
	const size_t offset_B = i * n * n * sizeof(float) / blocks->count;
	CUdeviceptr from = a_memory + offset_B, to = c_memory + offset_B;
	unsigned width = (unsigned)n;
	void *arguments[] = {&from, &b_memory, &to, &width};
	CU_OK(cu.cuLaunchKernel(blocks->function, width / TILE, width / TILE / blocks->count, 1,
				TILE, TILE, 1, 0, streams[i], arguments, NULL));
}

static double kernel_ms(void *context)
{
	const double start_us = bench_us();
	multiply(context, 0);
	CU_OK(cu.cuStreamSynchronize(streams[0]));
	return (bench_us() - start_us) * 1e-3;
}

static double total_ms(void *context)
{
	const struct blocks *blocks = context;
	const size_t size_B = n * n * sizeof(float), block_B = size_B / blocks->count;
	const size_t block = n * n / blocks->count;
	const double start_us = bench_us();
	CU_OK(cu.cuMemcpyHtoDAsync_v2(b_memory, b, size_B, streams[0]));
	CU_OK(cu.cuEventRecord(written, streams[0]));
	for (unsigned i = 0; i < blocks->count; i++) {
		if (i)
			CU_OK(cu.cuStreamWaitEvent(streams[i], written, 0));
		CU_OK(cu.cuMemcpyHtoDAsync_v2(a_memory + i * block_B, a + i * block, block_B,
					      streams[i]));
		multiply(blocks, i);
		CU_OK(cu.cuMemcpyDtoHAsync_v2(c + i * block, c_memory + i * block_B, block_B,
					      streams[i]));
	}
	for (unsigned i = 0; i < blocks->count; i++)
		CU_OK(cu.cuStreamSynchronize(streams[i]));
	return (bench_us() - start_us) * 1e-3;
}

static void measure(const char *kernel, unsigned count, const char *total_name,
		    const char *kernel_name)
{
	struct blocks blocks = {cuda_function(0, kernel), count};
	memset(c, 0xff, n * n * sizeof(float));
	bench_row("matrix", total_name, "ms", LOWER, total_ms, &blocks);
	matrix_check(a, b, c, n);
	if (kernel_name)
		bench_row("matrix", kernel_name, "ms", LOWER, kernel_ms, &blocks);
}

int main(int argc, char **argv)
{
	bench_start(argc, argv);
	cuda_open("matrix", 1);
	n = bench_pick(2048, 2048, 64);
	const size_t size_B = n * n * sizeof(float);
	for (unsigned i = 0; i < STREAMS; i++)
		streams[i] = cuda_stream();
	written = cuda_event();
	a = (float *)cuda_host(size_B, true);
	b = (float *)cuda_host(size_B, true);
	c = (float *)cuda_host(size_B, true);
	a_memory = cuda_memory(size_B);
	b_memory = cuda_memory(size_B);
	c_memory = cuda_memory(size_B);
	matrix_fill(a, n * n, 1);
	matrix_fill(b, n * n, 2);
	measure("naive", 1, "naive, with transfers", "naive, kernel");
	measure("naive", STREAMS, "4 streams, with transfers", NULL);
	measure("tiled", 1, "local memory, with transfers", "local memory, kernel");
	measure("tiled", STREAMS, "4 streams and local memory, with transfers", NULL);
	CU_OK(cu.cuMemFree_v2(a_memory));
	CU_OK(cu.cuMemFree_v2(b_memory));
	CU_OK(cu.cuMemFree_v2(c_memory));
	cuda_host_end((unsigned char *)a, true);
	cuda_host_end((unsigned char *)b, true);
	cuda_host_end((unsigned char *)c, true);
	CU_OK(cu.cuEventDestroy_v2(written));
	for (unsigned i = 0; i < STREAMS; i++)
		CU_OK(cu.cuStreamDestroy_v2(streams[i]));
	return cuda_close();
}
