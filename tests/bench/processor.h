/* The cases of bench_processor: kernels whose time on a processor is compared between platforms.
 *
 * A case has OpenCL C source, makes its buffers and kernels in `start`, enqueues one run in `run`, and
 * `check` compares the results of the last run with values that the host computes by itself: a mistake
 * ends the program.  Sizes are chosen so that a run takes milliseconds on a processor.
 * Used by one thread. */
#ifndef CULVERT_TESTS_BENCH_PROCESSOR_H
#define CULVERT_TESTS_BENCH_PROCESSOR_H

#include "tests/bench/opencl.h"

#include <stdint.h>

enum { PROCESSOR_BUFFERS = 6, PROCESSOR_KERNELS = 6 };

struct processor_case {
	const char *name;
	const char *source;
	void (*start)(void);
	void (*run)(void);
	void (*check)(void);
};

/* A list ends with a case without a name. */
extern const struct processor_case processor_linear[];
extern const struct processor_case processor_memory[];
extern const struct processor_case processor_arithmetic[];
extern const struct processor_case processor_data[];

/* What the case that is running has made; bench_processor.c releases it. */
extern struct processor {
	cl_command_queue queue;
	cl_mem buffers[PROCESSOR_BUFFERS];
	cl_kernel kernels[PROCESSOR_KERNELS];
} processor;

/* Buffer number `index` with a copy of size_B bytes, or without content where bytes is NULL. */
void processor_buffer(unsigned index, size_t size_B, const void *bytes);
/* Kernel number `index`, with buffers as its first arguments: their numbers, a digit each. */
void processor_kernel(unsigned index, const char *name, const char *buffers);
/* The argument behind the buffers, and the like. */
void processor_uint(unsigned index, cl_uint argument, cl_uint value);
void processor_launch(unsigned index, cl_uint dimensions, const size_t *global, const size_t *local);
/* Of one dimension. */
void processor_line(unsigned index, size_t global, size_t local);
/* The content of a buffer, to be freed. */
void *processor_read(unsigned index, size_t size_B);
/* Ends the program where a value is not the expected one within a relative error. */
void processor_expect(const char *what, size_t place, double value, double expected, double error);

/* The same numbers in each run: of 32 bits, and in [0, 1). */
uint32_t processor_random(uint32_t index);
float processor_unit(uint32_t index);
/* An array of `count` floats in [0, 1), to be freed. */
float *processor_units(size_t count, uint32_t first);
void *processor_allocate(size_t size_B);

#endif
