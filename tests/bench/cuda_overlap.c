/* Group overlap as CUDA's driver API does it: bench_overlap.c says what the rows mean.  An
 * out-of-order queue's twin is a stream for each chunk. */
#include "config.h"

#include "tests/bench/cuda.h"

#include <stdio.h>

enum { CHUNKS = 12, STREAMS = 4, ROUNDS = 2000 };

static CUstream streams[STREAMS], chunk_streams[CHUNKS];
static CUevent written[CHUNKS], chewed[CHUNKS];
static unsigned char *input, *output;
static CUdeviceptr chunks[CHUNKS];
static CUfunction chew;
static unsigned rounds;
static size_t chunk_B;

static void write_chunk(CUstream stream, unsigned i)
{
	CU_OK(cu.cuMemcpyHtoDAsync_v2(chunks[i], input + i * chunk_B, chunk_B, stream));
}

static void chew_chunk(CUstream stream, unsigned i)
{
	void *arguments[] = {&chunks[i], &rounds};
	cuda_launch(stream, chew, chunk_B / sizeof(float), bench.tiny ? 64 : 256, arguments);
}

static void read_chunk(CUstream stream, unsigned i)
{
	CU_OK(cu.cuMemcpyDtoHAsync_v2(output + i * chunk_B, chunks[i], chunk_B, stream));
}

static void finish(const CUstream *all, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		CU_OK(cu.cuStreamSynchronize(all[i]));
}

/* --- the parts alone, and one after the other --------------------------------------- */

static double part_us(void (*part)(CUstream, unsigned))
{
	const double start_us = bench_us();
	for (unsigned i = 0; i < CHUNKS; i++)
		part(streams[0], i);
	finish(streams, 1);
	return bench_us() - start_us;
}

static double longest_ms(void *context)
{
	void (*const parts[])(CUstream, unsigned) = {write_chunk, chew_chunk, read_chunk};
	double longest_us = 0;
	(void)context;
	for (unsigned i = 0; i < 3; i++) {
		const double spent_us = part_us(parts[i]);
		longest_us = spent_us > longest_us ? spent_us : longest_us;
	}
	return longest_us * 1e-3;
}

/* --- together ----------------------------------------------------------------------- */

static double on_streams_ms(const CUstream *all, unsigned width)
{
	const double start_us = bench_us();
	for (unsigned i = 0; i < CHUNKS; i++) {
		write_chunk(all[i % width], i);
		chew_chunk(all[i % width], i);
		read_chunk(all[i % width], i);
	}
	finish(all, width);
	return (bench_us() - start_us) * 1e-3;
}

static double in_turn_ms(void *context)
{
	return on_streams_ms(streams, *(const unsigned *)context);
}

static double any_order_ms(void *context)
{
	(void)context;
	return on_streams_ms(chunk_streams, CHUNKS);
}

static double by_events_ms(CUstream to, CUstream through, CUstream back)
{
	const double start_us = bench_us();
	for (unsigned i = 0; i < CHUNKS; i++) {
		write_chunk(to, i);
		CU_OK(cu.cuEventRecord(written[i], to));
		CU_OK(cu.cuStreamWaitEvent(through, written[i], 0));
		chew_chunk(through, i);
		CU_OK(cu.cuEventRecord(chewed[i], through));
		CU_OK(cu.cuStreamWaitEvent(back, chewed[i], 0));
		read_chunk(back, i);
	}
	finish(streams, STREAMS);
	return (bench_us() - start_us) * 1e-3;
}

static double by_role_ms(void *context)
{
	(void)context;
	return by_events_ms(streams[0], streams[1], streams[2]);
}

static double two_roles_ms(void *context)
{
	(void)context;
	return by_events_ms(streams[0], streams[1], streams[0]);
}

/* --- the program -------------------------------------------------------------------- */

static void start(void)
{
	rounds = (unsigned)bench_pick(ROUNDS, ROUNDS, 2);
	chunk_B = bench_pick(16 << 20, 16 << 20, 16 << 10);
	chew = cuda_function(0, "chew");
	for (unsigned i = 0; i < STREAMS; i++)
		streams[i] = cuda_stream();
	input = cuda_host(CHUNKS * chunk_B, true);
	output = cuda_host(CHUNKS * chunk_B, true);
	for (unsigned i = 0; i < CHUNKS; i++) {
		chunk_streams[i] = cuda_stream();
		written[i] = cuda_event();
		chewed[i] = cuda_event();
		chunks[i] = cuda_memory(chunk_B);
	}
}

static void end(void)
{
	for (unsigned i = 0; i < CHUNKS; i++) {
		CU_OK(cu.cuMemFree_v2(chunks[i]));
		CU_OK(cu.cuEventDestroy_v2(written[i]));
		CU_OK(cu.cuEventDestroy_v2(chewed[i]));
		CU_OK(cu.cuStreamDestroy_v2(chunk_streams[i]));
	}
	cuda_host_end(input, true);
	cuda_host_end(output, true);
	for (unsigned i = 0; i < STREAMS; i++)
		CU_OK(cu.cuStreamDestroy_v2(streams[i]));
}

int main(int argc, char **argv)
{
	char name[64];
	unsigned width = 1;
	bench_start(argc, argv);
	cuda_open("overlap", 1);
	start();
	bench_row("overlap", "the longest part alone", "ms", LOWER, longest_ms, NULL);
	bench_row("overlap", "one queue in order", "ms", LOWER, in_turn_ms, &width);
	for (width = 2; width <= STREAMS; width++) {
		snprintf(name, sizeof(name), "%u queues in turn", width);
		bench_row("overlap", name, "ms", LOWER, in_turn_ms, &width);
	}
	bench_row("overlap", "2 queues by role: copies, kernels", "ms", LOWER, two_roles_ms, NULL);
	bench_row("overlap", "3 queues by role", "ms", LOWER, by_role_ms, NULL);
	bench_row("overlap", "one out-of-order queue", "ms", LOWER, any_order_ms, NULL);
	end();
	return cuda_close();
}
