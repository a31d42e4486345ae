/* The work-item functions (OpenCL C 3.0, 6.15.1) in one, two and three dimensions with offsets. */
#include "config.h"

#include "tests/builtins/family.h"

#include <stdio.h>
#include <stdlib.h>

/* Per dimension, then once for the work-item; dimension 3 does not exist. */
enum { PER_DIMENSION = 8, DIMENSIONS = 4, OUT = PER_DIMENSION * DIMENSIONS + 3 };

static const char source[] =
	"kernel void where(global ulong *o)\n{\n"
	"	size_t place = ((get_global_id(2) - get_global_offset(2)) * get_global_size(1) +\n"
	"		get_global_id(1) - get_global_offset(1)) * get_global_size(0) +\n"
	"		get_global_id(0) - get_global_offset(0);\n"
	"	o += place * 35;\n"
	"	for (uint d = 0; d < 4; d++) {\n"
	"		o[d * 8 + 0] = get_global_size(d);\n"
	"		o[d * 8 + 1] = get_global_id(d);\n"
	"		o[d * 8 + 2] = get_local_size(d);\n"
	"		o[d * 8 + 3] = get_enqueued_local_size(d);\n"
	"		o[d * 8 + 4] = get_local_id(d);\n"
	"		o[d * 8 + 5] = get_num_groups(d);\n"
	"		o[d * 8 + 6] = get_group_id(d);\n"
	"		o[d * 8 + 7] = get_global_offset(d);\n"
	"	}\n"
	"	o[32] = get_work_dim();\n"
	"	o[33] = get_global_linear_id();\n"
	"	o[34] = get_local_linear_id();\n"
	"}\n";
static const char *const names[PER_DIMENSION] = {
	"get_global_size", "get_global_id", "get_local_size", "get_enqueued_local_size",
	"get_local_id", "get_num_groups", "get_group_id", "get_global_offset"
};

struct launch {
	cl_uint dimensions;
	size_t global[3], local[3], offset[3];
};

static const struct launch launches[] = {
	{1, {96, 1, 1}, {32, 1, 1}, {0, 0, 0}},
	{1, {60, 1, 1}, {12, 1, 1}, {7, 0, 0}},
	{2, {12, 10, 1}, {4, 5, 1}, {0, 0, 0}},
	{2, {8, 6, 1}, {8, 2, 1}, {100, 3, 0}},
	{3, {6, 4, 10}, {3, 2, 5}, {0, 0, 0}},
	{3, {4, 6, 4}, {1, 3, 2}, {5, 1000000, 2}},
};

static void expect(const struct launch *launch, size_t place, const char *name, int dimension,
		   cl_ulong got, size_t expected)
{
	if (got == expected)
		return;
	family_fail("%s(%d) in launch %d, work-item %zu: got %llu, expected %zu", name, dimension,
		    (int)(launch - launches), place, (unsigned long long)got, expected);
}

static void check_item(const struct launch *launch, const size_t at[3], size_t place,
		       const cl_ulong *got)
{
	size_t local_linear = 0, global_linear = 0;
	for (int d = 2; d >= 0; d--) {
		global_linear = global_linear * launch->global[d] + at[d];
		local_linear = local_linear * launch->local[d] + at[d] % launch->local[d];
	}
	for (int d = 0; d < DIMENSIONS; d++) {
		size_t expected[PER_DIMENSION] = {1, 0, 1, 1, 0, 1, 0, 0};
		if (d < 3) {
			expected[0] = launch->global[d];
			expected[1] = at[d] + launch->offset[d];
			expected[2] = expected[3] = launch->local[d];
			expected[4] = at[d] % launch->local[d];
			expected[5] = launch->global[d] / launch->local[d];
			expected[6] = at[d] / launch->local[d];
			expected[7] = launch->offset[d];
		}
		for (int i = 0; i < PER_DIMENSION; i++)
			expect(launch, place, names[i], d, got[d * PER_DIMENSION + i], expected[i]);
	}
	expect(launch, place, "get_work_dim", 0, got[32], launch->dimensions);
	expect(launch, place, "get_global_linear_id", 0, got[33], global_linear);
	expect(launch, place, "get_local_linear_id", 0, got[34], local_linear);
}

static void check_launch(const struct launch *launch, const cl_ulong *got)
{
	size_t place = 0, at[3];
	for (at[2] = 0; at[2] < launch->global[2]; at[2]++)
		for (at[1] = 0; at[1] < launch->global[1]; at[1]++)
			for (at[0] = 0; at[0] < launch->global[0]; at[0]++, place++)
				check_item(launch, at, place, got + place * OUT);
	family_count(0, place * OUT);
}

static void test_launch(struct device *device, cl_kernel kernel, const struct launch *launch)
{
	size_t items = launch->global[0] * launch->global[1] * launch->global[2];
	size_t size_B = items * OUT * sizeof(cl_ulong);
	cl_ulong *got = malloc(size_B);
	cl_mem buffer = device_buffer(device, size_B, NULL);
	cl_int error = clSetKernelArg(kernel, 0, sizeof(buffer), &buffer);
	if (got && buffer && !error)
		error = clEnqueueNDRangeKernel(device->queue, kernel, launch->dimensions,
					       launch->offset, launch->global, launch->local, 0,
					       NULL, NULL);
	if (error)
		family_fail("launch %d: %d", (int)(launch - launches), error);
	else if (got && buffer && device_read(device, buffer, size_B, got))
		check_launch(launch, got);
	if (buffer)
		clReleaseMemObject(buffer);
	free(got);
}

void workitem_family(struct device *device, const struct depth *depth)
{
	cl_int error;
	(void)depth;
	cl_program program = device_build(device, source, true);
	cl_kernel kernel = program ? clCreateKernel(program, "where", &error) : NULL;
	if (kernel) {
		family_count(PER_DIMENSION + 3, 0);
		for (size_t i = 0; i < sizeof(launches) / sizeof(launches[0]); i++)
			test_launch(device, kernel, &launches[i]);
		clReleaseKernel(kernel);
	} else if (program) {
		family_fail("no kernel: %d", error);
	}
	if (program)
		clReleaseProgram(program);
}
