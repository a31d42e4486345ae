/* Group overlap: chunks that go to the device, through a kernel, and back.  How long all of
 * it takes on queues of a role each, on queues in turn, and on one out-of-order queue;
 * beside the longest of the three parts alone.  cuda_overlap.c is its twin. */
#include "config.h"

#include "tests/bench/opencl.h"

#include <stdio.h>

enum { CHUNKS = 12, QUEUES = 4, ROUNDS = 2000 };

static const char source[] =
	"kernel void chew(global float *data, uint rounds)\n"
	"{\n"
	"	float v = data[get_global_id(0)];\n"
	"	for (uint i = 0; i < rounds; i++)\n"
	"		v = fma(v, 0.999f, 0.001f);\n"
	"	data[get_global_id(0)] = v;\n"
	"}\n";

static cl_command_queue queues[QUEUES], any_order;
static struct opencl_host input, output;
static cl_mem chunks[CHUNKS];
static cl_kernel kernels[CHUNKS];
static size_t chunk_B;

static void write_chunk(cl_command_queue queue, unsigned i, cl_event *event)
{
	CL_OK(clEnqueueWriteBuffer(queue, chunks[i], CL_FALSE, 0, chunk_B,
				   input.bytes + i * chunk_B, 0, NULL, event));
}

static void chew_chunk(cl_command_queue queue, unsigned i, const cl_event *after, cl_event *event)
{
	opencl_launch(queue, kernels[i], chunk_B / sizeof(float), bench.tiny ? 64 : 256,
		      after ? 1 : 0, after, event);
}

static void read_chunk(cl_command_queue queue, unsigned i, const cl_event *after)
{
	CL_OK(clEnqueueReadBuffer(queue, chunks[i], CL_FALSE, 0, chunk_B,
				  output.bytes + i * chunk_B, after ? 1 : 0, after, NULL));
}

static void finish_all(void)
{
	for (unsigned i = 0; i < QUEUES; i++)
		CL_OK(clFlush(queues[i]));
	for (unsigned i = 0; i < QUEUES; i++)
		CL_OK(clFinish(queues[i]));
}

/* --- the parts alone, and one after the other --------------------------------------- */

enum part { PART_WRITE, PART_CHEW, PART_READ, PARTS };

static double part_us(enum part part)
{
	const double start_us = bench_us();
	for (unsigned i = 0; i < CHUNKS; i++) {
		if (part == PART_WRITE)
			write_chunk(queues[0], i, NULL);
		else if (part == PART_CHEW)
			chew_chunk(queues[0], i, NULL, NULL);
		else
			read_chunk(queues[0], i, NULL);
	}
	CL_OK(clFinish(queues[0]));
	return bench_us() - start_us;
}

static double longest_ms(void *context)
{
	double longest_us = 0;
	(void)context;
	for (enum part part = 0; part < PARTS; part++) {
		const double spent_us = part_us(part);
		longest_us = spent_us > longest_us ? spent_us : longest_us;
	}
	return longest_us * 1e-3;
}

/* --- together ----------------------------------------------------------------------- */

/* Chunk after chunk on so many queues in turn; on one: nothing overlaps. */
static double in_turn_ms(void *context)
{
	const unsigned width = *(const unsigned *)context;
	const double start_us = bench_us();
	for (unsigned i = 0; i < CHUNKS; i++) {
		write_chunk(queues[i % width], i, NULL);
		chew_chunk(queues[i % width], i, NULL, NULL);
		read_chunk(queues[i % width], i, NULL);
	}
	finish_all();
	return (bench_us() - start_us) * 1e-3;
}

/* A chunk's three commands by events, on the queues given for each part. */
static double by_events_ms(cl_command_queue to, cl_command_queue through, cl_command_queue back)
{
	cl_event written[CHUNKS], chewed[CHUNKS];
	const double start_us = bench_us();
	for (unsigned i = 0; i < CHUNKS; i++) {
		write_chunk(to, i, &written[i]);
		chew_chunk(through, i, &written[i], &chewed[i]);
		read_chunk(back, i, &chewed[i]);
	}
	finish_all();
	if (any_order)
		CL_OK(clFinish(any_order));
	const double spent_us = bench_us() - start_us;
	for (unsigned i = 0; i < CHUNKS; i++) {
		CL_OK(clReleaseEvent(written[i]));
		CL_OK(clReleaseEvent(chewed[i]));
	}
	return spent_us * 1e-3;
}

static double by_role_ms(void *context)
{
	(void)context;
	return by_events_ms(queues[0], queues[1], queues[2]);
}

static double two_roles_ms(void *context)
{
	(void)context;
	return by_events_ms(queues[0], queues[1], queues[0]);
}

static double any_order_ms(void *context)
{
	(void)context;
	return by_events_ms(any_order, any_order, any_order);
}

/* --- the program -------------------------------------------------------------------- */

static void start(void)
{
	const cl_uint rounds = (cl_uint)bench_pick(ROUNDS, ROUNDS, 2);
	chunk_B = bench_pick(16 << 20, 16 << 20, 16 << 10);
	for (unsigned i = 0; i < QUEUES; i++)
		queues[i] = opencl_queue(0, 0);
	any_order = opencl_queue_any_order();
	input = opencl_host_make(queues[0], CHUNKS * chunk_B, true);
	output = opencl_host_make(queues[0], CHUNKS * chunk_B, true);
	for (unsigned i = 0; i < CHUNKS; i++) {
		chunks[i] = opencl_buffer(CL_MEM_READ_WRITE, chunk_B);
		kernels[i] = opencl_kernel("chew", 1, &chunks[i]);
		CL_OK(clSetKernelArg(kernels[i], 1, sizeof(rounds), &rounds));
	}
}

static void end(void)
{
	for (unsigned i = 0; i < CHUNKS; i++) {
		CL_OK(clReleaseKernel(kernels[i]));
		CL_OK(clReleaseMemObject(chunks[i]));
	}
	opencl_host_end(&input);
	opencl_host_end(&output);
	if (any_order)
		CL_OK(clReleaseCommandQueue(any_order));
	for (unsigned i = 0; i < QUEUES; i++)
		CL_OK(clReleaseCommandQueue(queues[i]));
}

int main(int argc, char **argv)
{
	char name[64];
	unsigned width = 1;
	bench_start(argc, argv);
	opencl_open("overlap", source, 1);
	start();
	bench_row("overlap", "the longest part alone", "ms", LOWER, longest_ms, NULL);
	bench_row("overlap", "one queue in order", "ms", LOWER, in_turn_ms, &width);
	for (width = 2; width <= QUEUES; width++) {
		snprintf(name, sizeof(name), "%u queues in turn", width);
		bench_row("overlap", name, "ms", LOWER, in_turn_ms, &width);
	}
	bench_row("overlap", "2 queues by role: copies, kernels", "ms", LOWER, two_roles_ms, NULL);
	bench_row("overlap", "3 queues by role", "ms", LOWER, by_role_ms, NULL);
	if (any_order)
		bench_row("overlap", "one out-of-order queue", "ms", LOWER, any_order_ms, NULL);
	else
		rows_skip("overlap", "one out-of-order queue", "no such queue");
	end();
	return opencl_close();
}
