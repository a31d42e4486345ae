/* Group transfer: bytes between host and device, within a device, and fills.
 * cuda_transfer.c is its twin.  Each copy is waited for. */
#include "config.h"

#include "tests/bench/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = "kernel void empty() {}\n";

static cl_command_queue queue;

/* What a sample copies, and how often for one figure. */
struct transfer {
	cl_mem from, to;                /* device memory */
	unsigned char *host;
	size_t size_B, pattern_B;
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
	for (unsigned i = 0; i < t->count; i++)
		CL_OK(clEnqueueWriteBuffer(queue, t->to, CL_TRUE, 0, t->size_B, t->host, 0, NULL,
					   NULL));
	return GBps(t, start_us);
}

static double read_sample(void *context)
{
	const struct transfer *t = context;
	const double start_us = bench_us();
	for (unsigned i = 0; i < t->count; i++)
		CL_OK(clEnqueueReadBuffer(queue, t->from, CL_TRUE, 0, t->size_B, t->host, 0, NULL,
					  NULL));
	return GBps(t, start_us);
}

/* --- host and device ------------------------------------------------------------------- */

static void measure_size(size_t size_B, bool pinned)
{
	struct opencl_host host = opencl_host_make(queue, size_B, pinned);
	cl_mem mem = opencl_buffer(CL_MEM_READ_WRITE, size_B);
	struct transfer transfer = {mem, mem, host.bytes, size_B, 0, repeats(size_B)};
	const char *kind = pinned ? "pinned" : "pageable";
	char name[80];
	snprintf(name, sizeof(name), "%s write %s", kind, bench_size(size_B));
	bench_row("transfer", name, "GB/s", HIGHER, write_sample, &transfer);
	snprintf(name, sizeof(name), "%s read %s", kind, bench_size(size_B));
	bench_row("transfer", name, "GB/s", HIGHER, read_sample, &transfer);
	CL_OK(clReleaseMemObject(mem));
	opencl_host_end(&host);
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

/* --- a rectangle: rows of a quarter of the pitch ----------------------------------------- */

enum { RECT_ROW_B = 4096, RECT_PITCH_B = 4 * RECT_ROW_B };

static double rect_sample(const struct transfer *t, bool to_device)
{
	const size_t origin[3] = {RECT_ROW_B, 0, 0};
	const size_t region[3] = {RECT_ROW_B, t->size_B / RECT_ROW_B, 1};
	const double start_us = bench_us();
	for (unsigned i = 0; i < t->count; i++) {
		if (to_device)
			CL_OK(clEnqueueWriteBufferRect(queue, t->to, CL_TRUE, origin, origin,
						       region, RECT_PITCH_B, 0, RECT_PITCH_B, 0,
						       t->host, 0, NULL, NULL));
		else
			CL_OK(clEnqueueReadBufferRect(queue, t->from, CL_TRUE, origin, origin,
						      region, RECT_PITCH_B, 0, RECT_PITCH_B, 0,
						      t->host, 0, NULL, NULL));
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
	struct opencl_host host = opencl_host_make(queue, all_B, true);
	cl_mem mem = opencl_buffer(CL_MEM_READ_WRITE, all_B);
	struct transfer transfer = {mem, mem, host.bytes, size_B, 0, 2};
	bench_row("transfer", "rectangle, pinned write", "GB/s", HIGHER, rect_write_sample,
		  &transfer);
	bench_row("transfer", "rectangle, pinned read", "GB/s", HIGHER, rect_read_sample,
		  &transfer);
	CL_OK(clReleaseMemObject(mem));
	opencl_host_end(&host);
}

/* --- within the device: copies count what is read and what is written ----------------------- */

static double copy_sample(void *context)
{
	const struct transfer *t = context;
	const double start_us = bench_us();
	for (unsigned i = 0; i < t->count; i++)
		CL_OK(clEnqueueCopyBuffer(queue, t->from, t->to, 0, 0, t->size_B, 0, NULL, NULL));
	CL_OK(clFinish(queue));
	return 2 * GBps(t, start_us);
}

static double fill_sample(void *context)
{
	const struct transfer *t = context;
	const unsigned char pattern[16] = {1, 2, 3, 4, 5, 6, 7, 8};
	const double start_us = bench_us();
	for (unsigned i = 0; i < t->count; i++)
		CL_OK(clEnqueueFillBuffer(queue, t->to, pattern, t->pattern_B, 0, t->size_B, 0,
					  NULL, NULL));
	CL_OK(clFinish(queue));
	return GBps(t, start_us);
}

static void measure_device(void)
{
	const size_t most_B = bench_pick(256 << 20, 256 << 20, 1 << 20);
	cl_mem from = opencl_buffer(CL_MEM_READ_WRITE, most_B);
	cl_mem to = opencl_buffer(CL_MEM_READ_WRITE, most_B);
	struct transfer transfer = {from, to, NULL, most_B, 1, 20};
	bench_row("transfer", "fill 256 MiB, 1 byte", "GB/s", HIGHER, fill_sample, &transfer);
	transfer.pattern_B = 4;
	bench_row("transfer", "fill 256 MiB, 4 bytes", "GB/s", HIGHER, fill_sample, &transfer);
	/* What was never written need not be there to be copied. */
	transfer.to = from;
	(void)fill_sample(&transfer);
	transfer.to = to;
	bench_row("transfer", "copy in the device 256 MiB", "GB/s", HIGHER, copy_sample, &transfer);
	transfer.size_B = most_B >> 8;
	transfer.count = (unsigned)bench_pick(200, 200, 10);
	bench_row("transfer", "copy in the device 1 MiB", "GB/s", HIGHER, copy_sample, &transfer);
	/* Last: there are platforms that end the process here. */
	transfer = (struct transfer){from, to, NULL, most_B, 16, 20};
	bench_row("transfer", "fill 256 MiB, 16 bytes", "GB/s", HIGHER, fill_sample, &transfer);
	CL_OK(clReleaseMemObject(from));
	CL_OK(clReleaseMemObject(to));
}

/* --- maps ---------------------------------------------------------------------------------- */

/* What is mapped for reading is made anew by the device before. */
static double map_sample(const struct transfer *t, cl_map_flags flags)
{
	double spent_us = 0;
	for (unsigned i = 0; i < t->count; i++) {
		cl_int code;
		if (flags == CL_MAP_READ)
			CL_OK(clEnqueueCopyBuffer(queue, t->from, t->to, 0, 0, t->size_B, 0, NULL,
						  NULL));
		CL_OK(clFinish(queue));
		const double start_us = bench_us();
		void *bytes = clEnqueueMapBuffer(queue, t->to, CL_TRUE, flags, 0, t->size_B, 0,
						 NULL, NULL, &code);
		CL_OK(code);
		CL_OK(clEnqueueUnmapMemObject(queue, t->to, bytes, 0, NULL, NULL));
		CL_OK(clFinish(queue));
		spent_us += bench_us() - start_us;
	}
	return (double)t->size_B * t->count / spent_us * 1e-3;
}

static double map_read_sample(void *context)
{
	return map_sample(context, CL_MAP_READ);
}

static double map_write_sample(void *context)
{
	return map_sample(context, CL_MAP_WRITE_INVALIDATE_REGION);
}

static double map_us_sample(void *context)
{
	const struct transfer *t = context;
	return (double)t->size_B * 1e-3 / map_sample(t, CL_MAP_READ | CL_MAP_WRITE);
}

static void measure_map(void)
{
	const size_t size_B = bench_pick(16 << 20, 16 << 20, 64 << 10);
	cl_mem mem = opencl_buffer(CL_MEM_READ_WRITE, size_B);
	cl_mem other = opencl_buffer(CL_MEM_READ_WRITE, size_B);
	struct transfer transfer = {other, other, NULL, size_B, 4, 1};
	/* What was never written need not be there to be copied. */
	(void)fill_sample(&transfer);
	transfer.to = mem;
	transfer.count = 4;
	bench_row("transfer", "map for reading, unmap, 16 MiB", "GB/s", HIGHER, map_read_sample,
		  &transfer);
	bench_row("transfer", "map for writing, unmap, 16 MiB", "GB/s", HIGHER, map_write_sample,
		  &transfer);
	transfer.size_B = 4096;
	transfer.count = bench.tiny ? 2 : 50;
	bench_row("transfer", "map, unmap, finish, 4 KiB", "us", LOWER, map_us_sample, &transfer);
	CL_OK(clReleaseMemObject(mem));
	CL_OK(clReleaseMemObject(other));
}

int main(int argc, char **argv)
{
	bench_start(argc, argv);
	opencl_open("transfer", source, 1);
	queue = opencl_queue(0, 0);
	measure_host();
	measure_rect();
	measure_map();
	measure_device();
	CL_OK(clReleaseCommandQueue(queue));
	return opencl_close();
}
