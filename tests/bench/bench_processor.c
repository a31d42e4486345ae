/* Kernels as programs on processors have them, for the time that a platform needs on a processor: matrix
 * products, bodies, streams, stencils, hashes, transforms, sorts, and others.
 *
 * Group "processor" is processor time of the whole process for one run of a case, on all threads of the
 * platform together, so that a busy machine gives the same figures; "elapsed" is the time that passed, "memory" the
 * resident set of the process after a case has run. */
#include "config.h"

#include "tests/bench/processor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAMPLES = 31 };

struct processor processor;

void *processor_allocate(size_t size_B)
{
	void *bytes = malloc(size_B);
	if (!bytes)
		bench_fail(__FILE__, __LINE__, "malloc", 0);
	return bytes;
}

void processor_buffer(unsigned index, size_t size_B, const void *bytes)
{
	processor.buffers[index] = opencl_buffer(CL_MEM_READ_WRITE, size_B);
	if (bytes)
		CL_OK(clEnqueueWriteBuffer(processor.queue, processor.buffers[index], CL_TRUE, 0,
					   size_B, bytes, 0, NULL, NULL));
}

void processor_kernel(unsigned index, const char *name, const char *buffers)
{
	cl_int code;
	processor.kernels[index] = clCreateKernel(opencl.program, name, &code);
	CL_OK(code);
	for (cl_uint i = 0; buffers[i]; i++)
		CL_OK(clSetKernelArg(processor.kernels[index], i, sizeof(cl_mem),
				     &processor.buffers[buffers[i] - '0']));
}

void processor_uint(unsigned index, cl_uint argument, cl_uint value)
{
	CL_OK(clSetKernelArg(processor.kernels[index], argument, sizeof(value), &value));
}

void processor_launch(unsigned index, cl_uint dimensions, const size_t *global, const size_t *local)
{
	CL_OK(clEnqueueNDRangeKernel(processor.queue, processor.kernels[index], dimensions, NULL,
				     global, local, 0, NULL, NULL));
}

void processor_line(unsigned index, size_t global, size_t local)
{
	processor_launch(index, 1, &global, &local);
}

void *processor_read(unsigned index, size_t size_B)
{
	void *bytes = processor_allocate(size_B);
	CL_OK(clEnqueueReadBuffer(processor.queue, processor.buffers[index], CL_TRUE, 0, size_B,
				  bytes, 0, NULL, NULL));
	return bytes;
}

void processor_expect(const char *what, size_t place, double value, double expected, double error)
{
	if (fabs(value - expected) <= error * (fabs(expected) > 1 ? fabs(expected) : 1))
		return;
	fprintf(stderr, "%s: element %zu is %.9g, not %.9g\n", what, place, value, expected);
	bench_fail(__FILE__, __LINE__, what, 0);
}

uint32_t processor_random(uint32_t index)
{
	uint32_t x = index * 2654435769u + 12345;
	x ^= x >> 16;
	x *= 0x85ebca6bu;
	x ^= x >> 13;
	x *= 0xc2b2ae35u;
	return x ^ x >> 16;
}

float processor_unit(uint32_t index)
{
	return (float)(processor_random(index) >> 8) * 0x1p-24f;
}

float *processor_units(size_t count, uint32_t first)
{
	float *values = processor_allocate(count * sizeof(*values));
	for (size_t i = 0; i < count; i++)
		values[i] = processor_unit(first + (uint32_t)i);
	return values;
}

/* Runs a case for a while before it is measured: a platform may compile kernels in the background. */
static void warm_up(const struct processor_case *the_case)
{
	const double until_us = bench_us() + (double)bench_pick(1500000, 500000, 0);
	while (bench_us() < until_us) {
		the_case->run();
		CL_OK(clFinish(processor.queue));
	}
}

static void measure(const struct processor_case *the_case)
{
	const double limit_us = (double)bench_pick(1000000, 300000, 0);
	const unsigned least = (unsigned)bench_pick(5, 3, 1);
	double core[SAMPLES], elapsed[SAMPLES];
	unsigned count = 0;
	const double begin_us = bench_us();
	while (count < SAMPLES && (count < least || bench_us() - begin_us < limit_us)) {
		const double core_us = bench_core_us(), start_us = bench_us();
		the_case->run();
		CL_OK(clFinish(processor.queue));
		core[count] = (bench_core_us() - core_us) * 1e-3;
		elapsed[count++] = (bench_us() - start_us) * 1e-3;
	}
	rows_add("processor", the_case->name, "ms", LOWER, core, count);
	rows_add("elapsed", the_case->name, "ms", LOWER, elapsed, count);
}

/* Reports the memory of the process: its resident set, in which are the buffers of the case that is running. */
static void report_memory(const struct processor_case *the_case)
{
	unsigned long pages[2] = {0, 0};
	FILE *file = fopen("/proc/self/statm", "r");
	const bool read = file && fscanf(file, "%lu %lu", &pages[0], &pages[1]) == 2;
	if (file)
		fclose(file);
	double size = (double)pages[1] * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
	if (read)
		rows_add("memory", the_case->name, "MiB", LOWER, &size, 1);
	else
		rows_skip("memory", the_case->name, "/proc/self/statm cannot be read");
}

static void run_case(const struct processor_case *the_case)
{
	/* A platform's log says on stderr what follows this. */
	fprintf(stderr, "bench_processor: %s\n", the_case->name);
	opencl_build(the_case->source, NULL);
	the_case->start();
	the_case->run();
	CL_OK(clFinish(processor.queue));
	the_case->check();
	warm_up(the_case);
	measure(the_case);
	report_memory(the_case);
	the_case->check();
	for (unsigned i = 0; i < PROCESSOR_KERNELS; i++)
		if (processor.kernels[i])
			CL_OK(clReleaseKernel(processor.kernels[i]));
	for (unsigned i = 0; i < PROCESSOR_BUFFERS; i++)
		if (processor.buffers[i])
			CL_OK(clReleaseMemObject(processor.buffers[i]));
	memset(processor.kernels, 0, sizeof(processor.kernels));
	memset(processor.buffers, 0, sizeof(processor.buffers));
	CL_OK(clReleaseProgram(opencl.program));
	opencl.program = NULL;
}

int main(int argc, char **argv)
{
	static const struct processor_case *const lists[] = {
		processor_linear, processor_memory, processor_arithmetic, processor_data
	};
	bench_start(argc, argv);
	opencl_choose(1);
	opencl_rows_begin("processor");
	processor.queue = opencl_queue(0, 0);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (const struct processor_case *c = lists[i]; c->name; c++)
			if (!bench.only || strstr(c->name, bench.only))
				run_case(c);
	CL_OK(clReleaseCommandQueue(processor.queue));
	return opencl_close();
}
