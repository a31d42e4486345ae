/* Group alloc: what a buffer costs that is made and given back, untouched and used once.
 * cuda_alloc.c is its twin. */
#include "config.h"

#include "tests/bench/opencl.h"

#include <stdio.h>

static const char source[] = "kernel void empty() {}\n";

/* Some platforms take milliseconds for one. */
enum { MOST_US = 20000 };

static cl_command_queue queue;

struct request {
	size_t size_B;
	bool used;
};

static double request_us(void *context)
{
	const struct request *request = context;
	const unsigned most = (unsigned)bench_pick(500, 200, 5);
	unsigned count = 0;
	const cl_uint pattern = 0;
	const double start_us = bench_us();
	for (; count < most && (count % 8 || bench_us() - start_us < MOST_US); count++) {
		cl_mem mem = opencl_buffer(CL_MEM_READ_WRITE, request->size_B);
		if (request->used)
			CL_OK(clEnqueueFillBuffer(queue, mem, &pattern, 4, 0, 4, 0, NULL, NULL));
		CL_OK(clReleaseMemObject(mem));
	}
	if (request->used)
		CL_OK(clFinish(queue));
	return (bench_us() - start_us) / count;
}

int main(int argc, char **argv)
{
	char name[80];
	bench_start(argc, argv);
	opencl_open("alloc", source, 1);
	queue = opencl_queue(0, 0);
	const size_t most_B = bench_pick((size_t)1 << 30, (size_t)1 << 30, 1 << 20);
	for (unsigned used = 0; used < 2; used++) {
		for (size_t size_B = 4 << 10; size_B <= most_B; size_B *= 16) {
			struct request request = {size_B == 256 << 20 ? most_B : size_B, used};
			snprintf(name, sizeof(name), "create, %srelease %s", used ? "fill 4 B, " : "",
				 bench_size(request.size_B));
			bench_row("alloc", name, "us", LOWER, request_us, &request);
		}
	}
	CL_OK(clReleaseCommandQueue(queue));
	return opencl_close();
}
