/* Protects: launches of more work-groups than a grid of CUDA can have (65535 in dimensions 1 and 2), for which OpenCL
 * has no limit: each work-item runs once and sees the ids and sizes of the whole launch, also with an offset, with
 * work-groups at the edge that are smaller, launched often, and from a command buffer that changes.  PTX of other
 * compilers, which knows one grid, is refused, and so are more than 2^20 grids. */
#include "config.h"

#include "tests/api/command_buffer_entry.h"
#include "tests/api/fixture.h"

#include <stdlib.h>

static const char source[] =
	"kernel void note(global uint *seen, uint d) {\n"
	"	size_t id = get_global_id(d) - get_global_offset(d);\n"
	"	atomic_add(seen + id, (uint)(get_group_id(d) * 3 + get_num_groups(d) + get_global_size(d) +\n"
	"				     get_global_offset(d)));\n"
	"}\n"
	"kernel void note_1(global uint *seen) {\n"
	"	size_t id = get_global_id(1) - get_global_offset(1);\n"
	"	atomic_add(seen + id, (uint)(get_group_id(1) * 3 + get_num_groups(1) + get_global_size(1) +\n"
	"				     get_global_offset(1)));\n"
	"}\n"
	"kernel void add(global uint *sum, uint more) { sum[get_global_id(1)] += more; }\n";

static const char ptx[] = ".version 6.4\n.target sm_70\n.address_size 64\n"
			  ".visible .entry nothing(.param .u32 nothing_param_0)\n{\n	ret;\n}\n";

enum { MOST = 400000 };

static struct api_test test;
static cl_command_queue queue;
static cl_mem seen;
static cl_uint got[MOST];

/* A launch with one work-item in the dimensions other than dim. */
struct range {
	unsigned dim;
	size_t offset, global, local;
};

static void sizes_of(const struct range *range, size_t offset[3], size_t global[3], size_t local[3])
{
	for (unsigned i = 0; i < 3; i++) {
		offset[i] = 0;
		global[i] = local[i] = 1;
	}
	offset[range->dim] = range->offset;
	global[range->dim] = range->global;
	local[range->dim] = range->local;
}

static void clear(void)
{
	const cl_uint zero = 0;
	CHECK_OK(clEnqueueFillBuffer(queue, seen, &zero, sizeof(zero), 0, sizeof(got), 0, NULL, NULL));
}

static void check_seen(const struct range *range)
{
	const size_t groups = (range->global + range->local - 1) / range->local;
	size_t wrong = 0;
	buffer_read(queue, seen, got, sizeof(got));
	for (size_t i = 0; i < MOST; i++) {
		const size_t right = i < range->global ? i / range->local * 3 + groups + range->global +
								 range->offset
						       : 0;
		wrong += got[i] != right;
	}
	CHECK(!wrong);
}

static void set_arguments(cl_kernel kernel, const struct range *range)
{
	const cl_uint dim = range->dim;
	cl_uint count = 0;
	CHECK_OK(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(count), &count, NULL));
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(seen), &seen));
	if (count > 1)
		CHECK_OK(clSetKernelArg(kernel, 1, sizeof(dim), &dim));
}

static void launch(cl_kernel kernel, const struct range *range)
{
	size_t offset[3], global[3], local[3];
	sizes_of(range, offset, global, local);
	set_arguments(kernel, range);
	/* The second launch is that of the queue's memo. */
	for (unsigned again = 0; again < 2; again++) {
		clear();
		CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 3, offset, global, local, 0, NULL, NULL));
		check_seen(range);
	}
}

static void record(cl_kernel kernel, const struct range *range)
{
	struct command_buffer_entry cb;
	size_t offset[3], global[3], local[3];
	cl_int code;
	if (!command_buffer_entry_find(test.platform, &cb))
		return;
	sizes_of(range, offset, global, local);
	set_arguments(kernel, range);
	cl_command_buffer_khr buffer = cb.create(1, &queue, NULL, &code);
	CHECK_OK(code);
	CHECK_OK(cb.launch(buffer, NULL, NULL, kernel, 3, offset, global, local, 0, NULL, NULL, NULL));
	CHECK_OK(cb.finalize(buffer));
	clear();
	CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
	check_seen(range);
	CHECK_OK(cb.release(buffer));
}

/* So often that the launches of a queue go other ways (backend/gpu_repeat.c: 16 until there is a graph, and 24 that are
 * measured); each has the arguments of its own time. */
static void test_often(cl_kernel add)
{
	enum { TIMES = 48, GROUPS = 65537 };
	static const size_t global[2] = {1, GROUPS}, one[2] = {1, 1};
	size_t wrong = 0;
	clear();
	CHECK_OK(clSetKernelArg(add, 0, sizeof(seen), &seen));
	for (cl_uint i = 0; i < TIMES; i++) {
		CHECK_OK(clSetKernelArg(add, 1, sizeof(i), &i));
		CHECK_OK(clEnqueueNDRangeKernel(queue, add, 2, NULL, global, one, 0, NULL, NULL));
		if (i % 4 == 0)
			CHECK_OK(clFinish(queue));
	}
	buffer_read(queue, seen, got, sizeof(got));
	for (size_t i = 0; i < MOST; i++)
		wrong += got[i] != (i < GROUPS ? TIMES * (TIMES - 1) / 2 : 0);
	CHECK(!wrong);
}

/* Changes of a recorded launch, also to other numbers of grids. */
static void test_changes(cl_kernel kernel)
{
	static const struct range ranges[] = {
		{1, 5, 65536, 1}, {1, 9, 65536, 1}, {1, 9, 196606, 1}, {1, 0, 70, 1}, {1, 1000, 131070, 1},
	};
	const command_properties fields[] = {MUTABLE_FIELDS, MUTABLE_OFFSET | MUTABLE_GLOBAL, 0};
	const cl_command_buffer_properties_khr flags[] = {CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR,
							  0};
	const mutable_update update = mutable_update_find(test.platform);
	struct command_buffer_entry cb;
	cl_mutable_command_khr handle = NULL;
	size_t offset[3], global[3], local[3];
	cl_int code;
	if (!update || !command_buffer_entry_find(test.platform, &cb))
		return;
	sizes_of(&ranges[0], offset, global, local);
	set_arguments(kernel, &ranges[0]);
	cl_command_buffer_khr buffer = cb.create(1, &queue, flags, &code);
	CHECK_OK(code);
	CHECK_OK(cb.launch(buffer, NULL, fields, kernel, 3, offset, global, local, 0, NULL, NULL, &handle));
	CHECK_OK(cb.finalize(buffer));
	for (unsigned i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
		const struct mutable_config config = {
			.command = handle, .work_dim = 3, .offset = offset, .global = global};
		sizes_of(&ranges[i], offset, global, local);
		clear();
		if (i)
			CHECK_OK(mutable_change(update, buffer, &config));
		CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
		check_seen(&ranges[i]);
	}
	CHECK_OK(cb.release(buffer));
}

/* The driver chooses the local size; 65537 is a prime number. */
static void test_chosen(cl_kernel kernel)
{
	const struct range range = {1, 0, 65537, 1};
	const size_t global[2] = {1, 65537};
	set_arguments(kernel, &range);
	clear();
	CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
	check_seen(&range);
}

/* More than a million grids are refused before one is launched. */
static void test_most(cl_kernel kernel)
{
	const size_t more[3] = {1, (size_t)65535 * 2048, (size_t)65535 * 2048}, one[3] = {1, 1, 1};
	const struct range range = {1, 0, 0, 1};
	struct command_buffer_entry cb;
	cl_int code;
	set_arguments(kernel, &range);
	clear();
	CHECK_CODE(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, more, one, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
	if (command_buffer_entry_find(test.platform, &cb)) {
		cl_command_buffer_khr buffer = cb.create(1, &queue, NULL, &code);
		CHECK_OK(code);
		CHECK_CODE(cb.launch(buffer, NULL, NULL, kernel, 3, NULL, more, one, 0, NULL, NULL, NULL),
			   CL_OUT_OF_RESOURCES);
		CHECK_OK(cb.release(buffer));
	}
	check_seen(&range);
}

/* often: not where the launches go the same ways as another program's. */
static void test_program(const char *options, bool ragged, bool often)
{
	static const struct range uniform[] = {
		{1, 0, 65536, 1}, {2, 0, 65537, 1}, {1, 1000, 131072, 1}, {2, 7, 262148, 2}, {1, 0, 196611, 1},
	}, edges[] = {{1, 0, 131073, 2}, {2, 5, 399999, 3}, {1, 0, 131071, 2}};
	cl_program program = api_test_build(test.context, test.device, source, options);
	CHECK(program);
	if (!program)
		return;
	cl_kernel any = kernel_make(program, "note"), first = kernel_make(program, "note_1");
	cl_kernel add = kernel_make(program, "add");
	for (unsigned i = 0; i < sizeof(uniform) / sizeof(*uniform); i++) {
		launch(any, &uniform[i]);
		if (uniform[i].dim == 1)
			launch(first, &uniform[i]);
	}
	for (unsigned i = 0; ragged && i < sizeof(edges) / sizeof(*edges); i++)
		launch(any, &edges[i]);
	record(any, ragged ? &edges[1] : &uniform[3]);
	if (often)
		test_often(add);
	test_changes(first);
	/* Work-groups that are not alike leave the driver another choice. */
	if (!ragged)
		test_chosen(first);
	test_most(first);
	CHECK_OK(clReleaseKernel(add));
	CHECK_OK(clReleaseKernel(any));
	CHECK_OK(clReleaseKernel(first));
	CHECK_OK(clReleaseProgram(program));
}

static void test_foreign_ptx(void)
{
	const unsigned char *text = (const unsigned char *)ptx;
	const size_t size_B = sizeof(ptx) - 1, most[2] = {1, 65535}, more[2] = {1, 65536}, one[2] = {1, 1};
	const cl_uint value = 0;
	cl_int code;
	cl_program program = clCreateProgramWithBinary(test.context, 1, &test.device, &size_B, &text, NULL,
						       &code);
	CHECK_OK(code);
	CHECK_OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	cl_kernel kernel = kernel_make(program, "nothing");
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(value), &value));
	CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, most, one, 0, NULL, NULL));
	CHECK_CODE(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, more, one, 0, NULL, NULL),
		   CL_OUT_OF_RESOURCES);
	CHECK_OK(clFinish(queue));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseProgram(program));
}

int main(void)
{
	if (!api_test_start(&test, "many_groups"))
		return API_TEST_SKIP;
	queue = queue_make(test.context, test.device, 0);
	seen = buffer_make(test.context, 0, sizeof(got), NULL);
	/* OpenCL C 1.2: work-groups are alike. */
	test_program("-cl-std=CL3.0", true, true);
	/* The order of the grids is that of the first program's. */
	if (!getenv("CULVERT_SOFT_SCHED")) {
		test_program("", false, true);
		test_program("-cl-std=CL3.0 -cl-opt-disable", true, false);
	}
	test_foreign_ptx();
	CHECK_OK(clReleaseMemObject(seen));
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}
