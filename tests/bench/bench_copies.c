/* Group copies: kernels that bring tiles to local memory by async_work_group_copy, beside the same kernels with loads
 * and stores of their own.
 *
 *	tests/run-with-culvert tests/bench/bench_copies
 *
 * Overlapped: a tile is brought while the work-items compute with the one before.  In turn: it is waited for at
 * once.  Tiny: 128 bytes for a work-group that computes nothing. */
#include "config.h"

#include "tests/bench/opencl.h"

#include <stdio.h>
#include <stdlib.h>

enum { GROUP = 256, TILE = 1024, TINY = 32 };

/* BRING(to, from, n) starts a copy, and ARRIVED() waits for it; the tile's compute is LOOPS additions for each
 * element. */
static const char source[] =
	"#define KERNELS(NAME) \\\n"
	"kernel __attribute__((reqd_work_group_size(256, 1, 1))) \\\n"
	"void overlapped_##NAME(global const float *a, global float *c, uint tiles, uint loops) \\\n"
	"{ \\\n"
	"	local float tile[2][1024]; \\\n"
	"	const uint l = get_local_id(0); \\\n"
	"	float sum = 0; \\\n"
	"	event_t e = 0; \\\n"
	"	a += get_group_id(0) * tiles * 1024; \\\n"
	"	BRING_##NAME(tile[0], a, 1024); \\\n"
	"	for (uint t = 0; t < tiles; t++) { \\\n"
	"		ARRIVED_##NAME(); \\\n"
	"		if (t + 1 < tiles) \\\n"
	"			BRING_##NAME(tile[(t + 1) & 1], a + (t + 1) * 1024, 1024); \\\n"
	"		for (uint n = 0; n < loops; n++) \\\n"
	"			for (uint i = 0; i < 4; i++) \\\n"
	"				sum += tile[t & 1][(l + i * 256 + n) & 1023]; \\\n"
	"	} \\\n"
	"	c[get_global_id(0)] = sum; \\\n"
	"} \\\n"
	"kernel __attribute__((reqd_work_group_size(256, 1, 1))) \\\n"
	"void in_turn_##NAME(global const float *a, global float *c, uint tiles, uint loops) \\\n"
	"{ \\\n"
	"	local float tile[1024]; \\\n"
	"	const uint l = get_local_id(0); \\\n"
	"	float sum = 0; \\\n"
	"	event_t e = 0; \\\n"
	"	a += get_group_id(0) * tiles * 1024; \\\n"
	"	for (uint t = 0; t < tiles; t++) { \\\n"
	"		BRING_##NAME(tile, a + t * 1024, 1024); \\\n"
	"		ARRIVED_##NAME(); \\\n"
	"		for (uint n = 0; n < loops; n++) \\\n"
	"			for (uint i = 0; i < 4; i++) \\\n"
	"				sum += tile[(l + i * 256 + n) & 1023]; \\\n"
	"		barrier(CLK_LOCAL_MEM_FENCE); \\\n"
	"	} \\\n"
	"	c[get_global_id(0)] = sum; \\\n"
	"} \\\n"
	"kernel void tiny_##NAME(global const float *a, global float *c, uint tiles, uint loops) \\\n"
	"{ \\\n"
	"	local float tile[32]; \\\n"
	"	const uint l = get_local_id(0); \\\n"
	"	event_t e = 0; \\\n"
	"	BRING_##NAME(tile, a + get_group_id(0) * 32, 32); \\\n"
	"	ARRIVED_##NAME(); \\\n"
	"	c[get_global_id(0)] = tile[31 - l]; \\\n"
	"}\n"
	"#define BRING_copy(to, from, n) e = async_work_group_copy(to, from, n, 0)\n"
	"#define ARRIVED_copy() wait_group_events(1, &e)\n"
	"#define BRING_loads(to, from, n) \\\n"
	"	for (uint k = l; k < n; k += get_local_size(0)) (to)[k] = (from)[k]\n"
	"#define ARRIVED_loads() barrier(CLK_LOCAL_MEM_FENCE)\n"
	"KERNELS(copy)\n"
	"KERNELS(loads)\n";

static cl_command_queue queue;
static cl_mem a, c;
static float *results;

struct form {
	const char *kernel;
	size_t groups, local;
	cl_uint tiles, loops;
};

/* What work-item `item` of the form has to find: a[i] is i % 16, and all sums are exact. */
static float expected(const struct form *form, size_t item)
{
	const size_t group = item / form->local, l = item % form->local;
	double sum = 0;
	if (form->local == TINY)
		return (float)((group * TINY + TINY - 1 - l) % 16);
	for (cl_uint n = 0; n < form->loops; n++)
		for (unsigned i = 0; i < 4; i++)
			sum += (double)((l + i * GROUP + n) % TILE % 16);
	return (float)(sum * form->tiles);
}

static double launch_us(void *context)
{
	const struct form *form = context;
	const cl_mem buffers[] = {a, c};
	const size_t count = form->groups * form->local;
	cl_kernel kernel = opencl_kernel(form->kernel, 2, buffers);
	CL_OK(clSetKernelArg(kernel, 2, sizeof(form->tiles), &form->tiles));
	CL_OK(clSetKernelArg(kernel, 3, sizeof(form->loops), &form->loops));
	CL_OK(clFinish(queue));
	const double start_us = bench_us();
	opencl_launch(queue, kernel, count, form->local, 0, NULL, NULL);
	CL_OK(clFinish(queue));
	const double spent_us = bench_us() - start_us;
	CL_OK(clEnqueueReadBuffer(queue, c, CL_TRUE, 0, count * sizeof(float), results, 0, NULL, NULL));
	for (size_t i = 0; i < count; i++) {
		if (results[i] == expected(form, i))
			continue;
		fprintf(stderr, "%s: work-item %zu has %g, not %g\n", form->kernel, i, results[i], expected(form, i));
		exit(1);
	}
	CL_OK(clReleaseKernel(kernel));
	return spent_us;
}

static void measure(const char *what, const char *name, size_t groups, size_t local, cl_uint tiles, cl_uint loops)
{
	static const char *const ways[] = {"copy", "loads"};
	for (unsigned i = 0; i < 2; i++) {
		char kernel[64], row[128];
		snprintf(kernel, sizeof(kernel), "%s_%s", name, ways[i]);
		snprintf(row, sizeof(row), "%s, %s", what, i ? "loads and stores" : "async_work_group_copy");
		struct form form = {kernel, groups, local, tiles, loops};
		bench_row("copies", row, "us", LOWER, launch_us, &form);
	}
}

int main(int argc, char **argv)
{
	bench_start(argc, argv);
	opencl_open("copies", source, 1);
	const size_t groups = bench_pick(2048, 2048, 4);
	const cl_uint tiles = (cl_uint)bench_pick(64, 64, 3);
	const size_t count = groups * tiles * TILE;
	float *values = malloc(count * sizeof(*values));
	results = malloc(groups * GROUP * sizeof(*results));
	if (!values || !results)
		bench_fail(__FILE__, __LINE__, "malloc", 0);
	for (size_t i = 0; i < count; i++)
		values[i] = (float)(i % 16);
	queue = opencl_queue(0, 0);
	a = opencl_buffer(CL_MEM_READ_ONLY, count * sizeof(float));
	c = opencl_buffer(CL_MEM_WRITE_ONLY, groups * GROUP * sizeof(float));
	CL_OK(clEnqueueWriteBuffer(queue, a, CL_TRUE, 0, count * sizeof(float), values, 0, NULL, NULL));
	measure("tiles of 4 KiB, overlapped, little to compute", "overlapped", groups, GROUP, tiles, 1);
	measure("tiles of 4 KiB, overlapped, much to compute", "overlapped", groups, GROUP, tiles, 16);
	measure("tiles of 4 KiB, in turn, little to compute", "in_turn", groups, GROUP, tiles, 1);
	measure("tiles of 4 KiB, in turn, much to compute", "in_turn", groups, GROUP, tiles, 16);
	measure("128 bytes for each work-group", "tiny", groups * GROUP / TINY, TINY, 1, 1);
	CL_OK(clReleaseMemObject(a));
	CL_OK(clReleaseMemObject(c));
	CL_OK(clReleaseCommandQueue(queue));
	free(values);
	free(results);
	return opencl_close();
}
