/* Group transfer as CUDA's driver API does it: bench_transfer.c says what the rows mean.
 * Pageable memory goes by cuMemcpyHtoD and cuMemcpyDtoH; a map is the copy that it cannot
 * do without, to or from pinned memory. */
#include "config.h"

#include "tests/bench/cuda.h"

#include <stdio.h>

static CUstream stream;

struct transfer {
	CUdeviceptr from, to;
	unsigned char *host;
	size_t size_B;
	bool pinned;
	unsigned count;
};

static unsigned repeats(size_t size_B)
{
	return bench.tiny ? 1 : size_B >= 64 << 20 ? 1 : size_B >= 1 << 20 ? 8 : 100;
}

static double GBps(const struct transfer *transfer, double start_us)
{
	return (double)transfer->size_B * transfer->count / (bench_us() - start_us) * 1e-3;
}

static double write_sample(void *context)
{
	const struct transfer *t = context;
	const double start_us = bench_us();
	for (unsigned i = 0; i < t->count; i++) {
		if (!t->pinned) {
			CU_OK(cu.cuMemcpyHtoD_v2(t->to, t->host, t->size_B));
			continue;
		}
		CU_OK(cu.cuMemcpyHtoDAsync_v2(t->to, t->host, t->size_B, stream));
		CU_OK(cu.cuStreamSynchronize(stream));
	}
	return GBps(t, start_us);
}

static double read_sample(void *context)
{
	const struct transfer *t = context;
	const double start_us = bench_us();
	for (unsigned i = 0; i < t->count; i++) {
		if (!t->pinned) {
			CU_OK(cu.cuMemcpyDtoH_v2(t->host, t->from, t->size_B));
			continue;
		}
		CU_OK(cu.cuMemcpyDtoHAsync_v2(t->host, t->from, t->size_B, stream));
		CU_OK(cu.cuStreamSynchronize(stream));
	}
	return GBps(t, start_us);
}

/* --- host and device ------------------------------------------------------------------- */

static void measure_size(size_t size_B, bool pinned)
{
	unsigned char *host = cuda_host(size_B, pinned);
	CUdeviceptr memory = cuda_memory(size_B);
	struct transfer transfer = {memory, memory, host, size_B, pinned, repeats(size_B)};
	const char *kind = pinned ? "pinned" : "pageable";
	char name[80];
	snprintf(name, sizeof(name), "%s write %s", kind, bench_size(size_B));
	bench_row("transfer", name, "GB/s", HIGHER, write_sample, &transfer);
	snprintf(name, sizeof(name), "%s read %s", kind, bench_size(size_B));
	bench_row("transfer", name, "GB/s", HIGHER, read_sample, &transfer);
	CU_OK(cu.cuMemFree_v2(memory));
	cuda_host_end(host, pinned);
}

static void measure_host(void)
{
	const size_t most_B = bench_pick((size_t)1 << 30, 256 << 20, 1 << 20);
	for (size_t size_B = 4 << 10; size_B <= most_B; size_B *= 16)
		for (unsigned pinned = 0; pinned < 2; pinned++)
			measure_size(size_B, pinned);
	for (unsigned pinned = 0; pinned < 2 && most_B > 256 << 20; pinned++)
		measure_size(most_B, pinned);
}

/* --- a rectangle ------------------------------------------------------------------------- */

enum { RECT_ROW_B = 4096, RECT_PITCH_B = 4 * RECT_ROW_B };

static double rect_sample(const struct transfer *t, bool to_device)
{
	const CUDA_MEMCPY3D copy = {
		.srcXInBytes = RECT_ROW_B,
		.srcMemoryType = to_device ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE,
		.srcHost = t->host, .srcDevice = t->from, .srcPitch = RECT_PITCH_B,
		.dstXInBytes = RECT_ROW_B,
		.dstMemoryType = to_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST,
		.dstHost = t->host, .dstDevice = t->to, .dstPitch = RECT_PITCH_B,
		.WidthInBytes = RECT_ROW_B, .Height = t->size_B / RECT_ROW_B, .Depth = 1,
	};
	const double start_us = bench_us();
	for (unsigned i = 0; i < t->count; i++) {
		CU_OK(cu.cuMemcpy3DAsync_v2(&copy, stream));
		CU_OK(cu.cuStreamSynchronize(stream));
	}
	return GBps(t, start_us);
}

static double rect_write_sample(void *context)
{
	return rect_sample(context, true);
}

static double rect_read_sample(void *context)
{
	return rect_sample(context, false);
}

static void measure_rect(void)
{
	const size_t size_B = bench_pick(16 << 20, 16 << 20, 64 << 10), all_B = 4 * size_B;
	unsigned char *host = cuda_host(all_B, true);
	CUdeviceptr memory = cuda_memory(all_B);
	struct transfer transfer = {memory, memory, host, size_B, true, 2};
	bench_row("transfer", "rectangle, pinned write", "GB/s", HIGHER, rect_write_sample,
		  &transfer);
	bench_row("transfer", "rectangle, pinned read", "GB/s", HIGHER, rect_read_sample,
		  &transfer);
	CU_OK(cu.cuMemFree_v2(memory));
	cuda_host_end(host, true);
}

/* --- maps ---------------------------------------------------------------------------------- */

static double there_and_back_us(void *context)
{
	const struct transfer *t = context;
	const double start_us = bench_us();
	for (unsigned i = 0; i < t->count; i++) {
		CU_OK(cu.cuMemcpyDtoHAsync_v2(t->host, t->from, t->size_B, stream));
		CU_OK(cu.cuStreamSynchronize(stream));
		CU_OK(cu.cuMemcpyHtoDAsync_v2(t->to, t->host, t->size_B, stream));
		CU_OK(cu.cuStreamSynchronize(stream));
	}
	return (bench_us() - start_us) / t->count;
}

static void measure_map(void)
{
	const size_t size_B = bench_pick(16 << 20, 16 << 20, 64 << 10);
	unsigned char *host = cuda_host(size_B, true);
	CUdeviceptr memory = cuda_memory(size_B);
	struct transfer transfer = {memory, memory, host, size_B, true, 4};
	bench_row("transfer", "map for reading, unmap, 16 MiB", "GB/s", HIGHER, read_sample,
		  &transfer);
	bench_row("transfer", "map for writing, unmap, 16 MiB", "GB/s", HIGHER, write_sample,
		  &transfer);
	transfer.size_B = 4096;
	transfer.count = bench.tiny ? 2 : 50;
	bench_row("transfer", "map, unmap, finish, 4 KiB", "us", LOWER, there_and_back_us,
		  &transfer);
	CU_OK(cu.cuMemFree_v2(memory));
	cuda_host_end(host, true);
}

/* --- within the device ----------------------------------------------------------------------- */

static double copy_sample(void *context)
{
	const struct transfer *t = context;
	const double start_us = bench_us();
	for (unsigned i = 0; i < t->count; i++)
		CU_OK(cu.cuMemcpyDtoDAsync_v2(t->to, t->from, t->size_B, stream));
	CU_OK(cu.cuStreamSynchronize(stream));
	return 2 * GBps(t, start_us);
}

static double fill_8_sample(void *context)
{
	const struct transfer *t = context;
	const double start_us = bench_us();
	for (unsigned i = 0; i < t->count; i++)
		CU_OK(cu.cuMemsetD8Async(t->to, 1, t->size_B, stream));
	CU_OK(cu.cuStreamSynchronize(stream));
	return GBps(t, start_us);
}

static double fill_32_sample(void *context)
{
	const struct transfer *t = context;
	const double start_us = bench_us();
	for (unsigned i = 0; i < t->count; i++)
		CU_OK(cu.cuMemsetD32Async(t->to, 0x04030201, t->size_B / 4, stream));
	CU_OK(cu.cuStreamSynchronize(stream));
	return GBps(t, start_us);
}

static void measure_device(void)
{
	const size_t most_B = bench_pick(256 << 20, 256 << 20, 1 << 20);
	CUdeviceptr from = cuda_memory(most_B), to = cuda_memory(most_B);
	struct transfer transfer = {from, to, NULL, most_B, true, 20};
	bench_row("transfer", "fill 256 MiB, 1 byte", "GB/s", HIGHER, fill_8_sample, &transfer);
	bench_row("transfer", "fill 256 MiB, 4 bytes", "GB/s", HIGHER, fill_32_sample, &transfer);
	rows_skip("transfer", "fill 256 MiB, 16 bytes", "CUDA fills with 4 bytes at most");
	bench_row("transfer", "copy in the device 256 MiB", "GB/s", HIGHER, copy_sample, &transfer);
	transfer.size_B = most_B >> 8;
	transfer.count = (unsigned)bench_pick(200, 200, 10);
	bench_row("transfer", "copy in the device 1 MiB", "GB/s", HIGHER, copy_sample, &transfer);
	CU_OK(cu.cuMemFree_v2(from));
	CU_OK(cu.cuMemFree_v2(to));
}

int main(int argc, char **argv)
{
	bench_start(argc, argv);
	cuda_open("transfer", 1);
	stream = cuda_stream();
	measure_host();
	measure_rect();
	measure_map();
	measure_device();
	CU_OK(cu.cuStreamDestroy_v2(stream));
	return cuda_close();
}
