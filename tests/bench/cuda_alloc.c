/* Group alloc as CUDA's driver API does it, from the device's pool in the order of a
 * stream, its fastest way: bench_alloc.c says what the rows mean. */
#include "config.h"

#include "tests/bench/cuda.h"

#include <stdio.h>

enum { MOST_US = 20000 };

static CUstream stream;

struct request {
	size_t size_B;
	bool used;
};

static double request_us(void *context)
{
	const struct request *request = context;
	const unsigned most = (unsigned)bench_pick(500, 200, 5);
	unsigned count = 0;
	const double start_us = bench_us();
	for (; count < most && (count % 8 || bench_us() - start_us < MOST_US); count++) {
		CUdeviceptr memory;
		CU_OK(cu.cuMemAllocAsync(&memory, request->size_B, stream));
		if (request->used)
			CU_OK(cu.cuMemsetD32Async(memory, 0, 1, stream));
		CU_OK(cu.cuMemFreeAsync(memory, stream));
	}
	if (request->used)
		CU_OK(cu.cuStreamSynchronize(stream));
	return (bench_us() - start_us) / count;
}

int main(int argc, char **argv)
{
	char name[80];
	bench_start(argc, argv);
	cuda_open("alloc", 1);
	stream = cuda_stream();
	const size_t most_B = bench_pick((size_t)1 << 30, (size_t)1 << 30, 1 << 20);
	for (unsigned used = 0; used < 2; used++) {
		for (size_t size_B = 4 << 10; size_B <= most_B; size_B *= 16) {
			struct request request = {size_B == 256 << 20 ? most_B : size_B, used};
			snprintf(name, sizeof(name), "create, %srelease %s", used ? "fill 4 B, " : "",
				 bench_size(request.size_B));
			bench_row("alloc", name, "us", LOWER, request_us, &request);
		}
	}
	CU_OK(cu.cuStreamSynchronize(stream));
	CU_OK(cu.cuStreamDestroy_v2(stream));
	return cuda_close();
}
