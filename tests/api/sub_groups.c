/* Sub-groups as the host sees them: clGetKernelSubGroupInfo against what kernels count themselves,
 * the device's limits, and cl_intel_required_subgroup_size. */
#include "config.h"

#include "tests/api/fixture.h"
#include "tests/api/il_builder.h"

static const char source[] =
"kernel void count(global uint *out) {\n"
"	if (!get_local_linear_id()) {\n"
"		out[0] = get_num_sub_groups();\n"
"		out[1] = get_max_sub_group_size();\n"
"		out[2] = get_enqueued_num_sub_groups();\n"
"	}\n"
"	if (get_local_linear_id() == get_local_size(0) * get_local_size(1) *\n"
"	    get_local_size(2) - 1)\n"
"		out[3] = get_sub_group_size();\n"
"}\n"
"__attribute__((reqd_work_group_size(96, 1, 1)))\n"
"kernel void line(global uint *out) { out[get_local_id(0)] = 1; }\n"
"__attribute__((reqd_work_group_size(8, 9, 1)))\n"
"kernel void plane(global uint *out) { out[get_local_id(0)] = 1; }\n"
"__attribute__((intel_reqd_sub_group_size(32)))\n"
"kernel void warp(global uint *out) { out[get_local_id(0)] = get_max_sub_group_size(); }\n"
"__attribute__((intel_reqd_sub_group_size(8)))\n"
"kernel void count_8(global uint *out) { count(out); }\n"
"__attribute__((intel_reqd_sub_group_size(16)))\n"
"kernel void count_16(global uint *out) { count(out); }\n"
"__attribute__((intel_reqd_sub_group_size(16), reqd_work_group_size(10, 9, 1)))\n"
"kernel void plane_16(global uint *out) { out[get_local_id(0)] = 1; }\n";

static const char too_large[] =
"__attribute__((intel_reqd_sub_group_size(64)))\n"
"kernel void two_warps(global uint *out) { out[get_local_id(0)] = 1; }\n";

static cl_program program;
static cl_command_queue queue;
static cl_mem out;

static size_t query(cl_kernel kernel, cl_kernel_sub_group_info name, const void *input,
		    size_t input_B)
{
	size_t value = 12345, size_B = 0;
	CHECK_OK(clGetKernelSubGroupInfo(kernel, NULL, name, input_B, input, sizeof(value), &value,
					 &size_B));
	CHECK(size_B == sizeof(value));
	return value;
}

/* The numbers that a kernel counts, and those of the queries. */
static void check_counts(const char *name, size_t sub_group)
{
	static const size_t shapes[][3] = {
		{1, 1, 1}, {32, 1, 1}, {33, 1, 1}, {256, 1, 1}, {7, 5, 1}, {5, 7, 3}, {4, 8, 2},
	};
	cl_kernel kernel = kernel_make(program, name);
	cl_uint found[4];
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(out), &out));
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		const size_t *shape = shapes[i];
		size_t items = shape[0] * shape[1] * shape[2];
		size_t size = query(kernel, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, shape,
				    3 * sizeof(*shape));
		size_t count = query(kernel, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, shape,
				     3 * sizeof(*shape));
		CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, shape, shape, 0, NULL,
						NULL));
		buffer_read(queue, out, found, sizeof(found));
		CHECK(found[0] == count && found[2] == count);
		CHECK(found[1] == size && size == sub_group);
		CHECK(count == (items + size - 1) / size);
		CHECK(found[3] == items - (count - 1) * size);
	}
	CHECK(query(kernel, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, shapes[6], sizeof(size_t)) ==
	      1);
	CHECK(query(kernel, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, NULL, 0) == 0);
	CHECK(query(kernel, CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, NULL, 0) == (sub_group < 32 ? sub_group : 0));
	CHECK_OK(clReleaseKernel(kernel));
}

/* The local size for a number of sub-groups: exact, one-dimensional, or zeros. */
static void check_local_size(cl_kernel kernel, size_t count, size_t expected)
{
	size_t sizes[4] = {9, 9, 9, 9}, size_B = 0;
	for (size_t dimensions = 1; dimensions <= 3; dimensions++) {
		CHECK_OK(clGetKernelSubGroupInfo(kernel, NULL,
						 CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT,
						 sizeof(count), &count, dimensions * sizeof(size_t),
						 sizes, &size_B));
		CHECK(size_B == dimensions * sizeof(size_t));
		CHECK(sizes[0] == expected);
		for (size_t d = 1; d < 4; d++)
			CHECK(sizes[d] == (d >= dimensions ? 9 : expected != 0));
	}
}

static void test_local_sizes(void)
{
	cl_kernel count = kernel_make(program, "count"), line = kernel_make(program, "line");
	cl_kernel plane = kernel_make(program, "plane");
	cl_kernel count_8 = kernel_make(program, "count_8"), plane_16 = kernel_make(program, "plane_16");
	size_t most = query(count, CL_KERNEL_MAX_NUM_SUB_GROUPS, NULL, 0);
	CHECK(most >= 1);
	check_local_size(count, 1, 32);
	check_local_size(count, most, most * 32);
	check_local_size(count, most + 1, 0);
	check_local_size(count, 0, 0);
	check_local_size(count, (size_t)-1, 0);
	check_local_size(count, (size_t)1 << 59, 0);
	check_local_size(line, 3, 96);
	check_local_size(line, 2, 0);
	check_local_size(plane, 3, 0);
	CHECK(query(line, CL_KERNEL_MAX_NUM_SUB_GROUPS, NULL, 0) == 3);
	CHECK(query(plane, CL_KERNEL_MAX_NUM_SUB_GROUPS, NULL, 0) == 3);
	most = query(count_8, CL_KERNEL_MAX_NUM_SUB_GROUPS, NULL, 0);
	CHECK(most >= 4);
	check_local_size(count_8, 1, 8);
	check_local_size(count_8, most, most * 8);
	check_local_size(count_8, most + 1, 0);
	CHECK(query(plane_16, CL_KERNEL_MAX_NUM_SUB_GROUPS, NULL, 0) == 6);
	CHECK_OK(clReleaseKernel(count));
	CHECK_OK(clReleaseKernel(line));
	CHECK_OK(clReleaseKernel(plane));
	CHECK_OK(clReleaseKernel(count_8));
	CHECK_OK(clReleaseKernel(plane_16));
}

static void test_errors(const struct api_test *test)
{
	cl_kernel kernel = kernel_make(program, "count");
	const size_t shape[4] = {8, 8, 1, 1};
	size_t value;
	static const cl_kernel_sub_group_info names[] = {
		CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE,
		CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT,
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		CHECK_CODE(clGetKernelSubGroupInfo(kernel, test->device, names[i], 0, shape,
						   sizeof(value), &value, NULL), CL_INVALID_VALUE);
		CHECK_CODE(clGetKernelSubGroupInfo(kernel, test->device, names[i], 12, shape,
						   sizeof(value), &value, NULL), CL_INVALID_VALUE);
		CHECK_CODE(clGetKernelSubGroupInfo(kernel, test->device, names[i], sizeof(shape),
						   shape, sizeof(value), &value, NULL),
			   CL_INVALID_VALUE);
		CHECK_CODE(clGetKernelSubGroupInfo(kernel, test->device, names[i], 8, NULL,
						   sizeof(value), &value, NULL), CL_INVALID_VALUE);
		CHECK_CODE(clGetKernelSubGroupInfo(kernel, test->device, names[i], 8, shape,
						   sizeof(value) - 1, &value, NULL),
			   CL_INVALID_VALUE);
	}
	CHECK_CODE(clGetKernelSubGroupInfo(kernel, test->device, 0x1234, 8, shape, sizeof(value),
					   &value, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clGetKernelSubGroupInfo(NULL, test->device, names[0], 8, shape, sizeof(value),
					   &value, NULL), CL_INVALID_KERNEL);
	CHECK_CODE(clGetKernelSubGroupInfo(kernel, (cl_device_id)kernel, names[0], 8, shape,
					   sizeof(value), &value, NULL), CL_INVALID_DEVICE);
	CHECK_OK(clReleaseKernel(kernel));
}

/* cl_khr_subgroups: the query by its older name. */
static void test_extension(const struct api_test *test)
{
	cl_kernel kernel = kernel_make(program, "count");
	const size_t shape[2] = {40, 2};
	size_t value = 0;
	clGetKernelSubGroupInfoKHR_fn query_KHR = (clGetKernelSubGroupInfoKHR_fn)
		clGetExtensionFunctionAddressForPlatform(test->platform,
							 "clGetKernelSubGroupInfoKHR");
	if (CHECK(query_KHR != NULL))
		CHECK_OK(query_KHR(kernel, test->device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE_KHR,
				   sizeof(shape), shape, sizeof(value), &value, NULL));
	CHECK(value == 3);
	CHECK_OK(clReleaseKernel(kernel));
}

static void test_required(const struct api_test *test)
{
	cl_kernel kernel = kernel_make(program, "warp");
	size_t sizes[8] = {0}, size_B = 0;
	cl_ulong spilled_B = 12345;
	char attributes[256] = "", log[4096] = "";
	CHECK(query(kernel, CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, NULL, 0) == 32);
	CHECK_OK(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof(attributes), attributes,
				 NULL));
	CHECK(!strcmp(attributes, "intel_reqd_sub_group_size(32)"));
	CHECK_OK(clGetDeviceInfo(test->device, CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof(sizes),
				 sizes, &size_B));
	CHECK(size_B == 3 * sizeof(size_t) && sizes[0] == 8 && sizes[1] == 16 && sizes[2] == 32);
	CHECK_OK(clGetKernelWorkGroupInfo(kernel, test->device, CL_KERNEL_SPILL_MEM_SIZE_INTEL,
					  sizeof(spilled_B), &spilled_B, NULL));
	CHECK(spilled_B == 0);
	CHECK_OK(clReleaseKernel(kernel));
	const char *text = too_large;
	cl_program wrong = api_test_program(test->context, text);
	CHECK_CODE(clBuildProgram(wrong, 0, NULL, "-cl-std=CL3.0", NULL, NULL),
		   CL_BUILD_PROGRAM_FAILURE);
	build_log(wrong, test->device, log, sizeof(log));
	CHECK(strstr(log, "two_warps") && strstr(log, "intel_reqd_sub_group_size"));
	CHECK_OK(clReleaseProgram(wrong));
}

static cl_program compiled(const struct api_test *test, const char *text)
{
	cl_program object = api_test_program(test->context, text);
	CHECK_OK(clCompileProgram(object, 0, NULL, "-cl-std=CL3.0", 0, NULL, NULL, NULL, NULL));
	return object;
}

/* The program from its binary, which is an object's or an executable's. */
static cl_program loaded(const struct api_test *test, cl_program linked)
{
	size_t size_B = 0;
	cl_int status = 1, code = 1;
	CHECK_OK(clGetProgramInfo(linked, CL_PROGRAM_BINARY_SIZES, sizeof(size_B), &size_B, NULL));
	unsigned char *binary = malloc(size_B);
	CHECK_OK(clGetProgramInfo(linked, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
	cl_program made = clCreateProgramWithBinary(test->context, 1, &test->device, &size_B,
						    (const unsigned char **)&binary, &status, &code);
	free(binary);
	CHECK_OK(code);
	CHECK_OK(status);
	return made;
}

static cl_program from_binary(const struct api_test *test, cl_program linked)
{
	cl_program made = loaded(test, linked);
	CHECK_OK(clBuildProgram(made, 0, NULL, "", NULL, NULL));
	return made;
}

static void check_linked(cl_program linked)
{
	static const struct {
		const char *name;
		size_t required, size;
	} rows[] = {{"eights", 8, 8}, {"any", 0, 32}, {"sixteens", 16, 16}};
	const size_t local = 64;
	cl_uint found[64];
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		cl_kernel kernel = kernel_make(linked, rows[i].name);
		CHECK(query(kernel, CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, NULL, 0) == rows[i].required);
		CHECK(query(kernel, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, &local, sizeof(local)) ==
		      local / rows[i].size);
		CHECK_OK(clSetKernelArg(kernel, 0, sizeof(out), &out));
		CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &local, &local, 0, NULL, NULL));
		buffer_read(queue, out, found, sizeof(found));
		for (size_t n = 0; n < local; n++)
			CHECK(found[n] == 1000 * rows[i].size + rows[i].size);
		CHECK_OK(clReleaseKernel(kernel));
	}
}

/* A function in one object that kernels of several sizes call in another one, and the program's binary. */
static void test_linked(const struct api_test *test)
{
	cl_program parts[] = {
		compiled(test, "uint width(void) { return get_max_sub_group_size() + 1000 * "
			       "sub_group_reduce_add(1u); }"),
		compiled(test, "uint width(void);\n"
			       "__attribute__((intel_reqd_sub_group_size(8)))\n"
			       "kernel void eights(global uint *out) { out[get_global_id(0)] = width(); }\n"
			       "kernel void any(global uint *out) { out[get_global_id(0)] = width(); }\n"
			       "__attribute__((intel_reqd_sub_group_size(16)))\n"
			       "kernel void sixteens(global uint *out) { out[get_global_id(0)] = width(); }\n"),
	};
	cl_int code = 1;
	cl_program linked = clLinkProgram(test->context, 0, NULL, NULL, 2, parts, NULL, NULL, &code);
	if (CHECK_OK(code)) {
		check_linked(linked);
		cl_program again = from_binary(test, linked);
		check_linked(again);
		CHECK_OK(clReleaseProgram(again));
		CHECK_OK(clReleaseProgram(linked));
	}
	CHECK_OK(clReleaseProgram(parts[0]));
	CHECK_OK(clReleaseProgram(parts[1]));
}

/* -- shuffles of SPIR-V, in an object ---------------------------------------------------------- */

/* SPIR-V 1.6, 3.49; SPV_INTEL_subgroups: uint down(uint current, uint next, uint delta), uint up(uint previous,
 * uint current, uint delta). */
enum { IL_EXTENSION = 10, SHUFFLE_CAPABILITY = 5568, SHUFFLE_DOWN = 5572, SHUFFLE_UP = 5573 };

static void il_shift(struct il *il, uint32_t type, uint32_t function, uint32_t opcode)
{
	const uint32_t x = il_id(il), y = il_id(il), delta = il_id(il), moved = il_id(il);
	il_op(il, IL_FUNCTION, 4, il->uint, function, 0, type);
	il_op(il, IL_FUNCTION_PARAMETER, 2, il->uint, x);
	il_op(il, IL_FUNCTION_PARAMETER, 2, il->uint, y);
	il_op(il, IL_FUNCTION_PARAMETER, 2, il->uint, delta);
	il_op(il, IL_LABEL, 1, il_id(il));
	il_op(il, (enum il_opcode)opcode, 5, il->uint, moved, x, y, delta);
	il_op(il, IL_RETURN_VALUE, 1, moved);
	il_op(il, IL_FUNCTION_END, 0);
}

static cl_program shuffles_compiled(const struct api_test *test)
{
	static const uint32_t header[] = {0x07230203, 0x00010000, 0, 0, 0};
	static const uint32_t capabilities[] = {4, 5, 6, SHUFFLE_CAPABILITY};   /* Addresses, Linkage, Kernel */
	struct il il = {.bound = 1};
	cl_int code = 1;
	for (size_t i = 0; i < 5; i++)
		il_word(&il, header[i]);
	for (size_t i = 0; i < 4; i++)
		il_op(&il, IL_CAPABILITY, 1, capabilities[i]);
	il_word(&il, 6 << 16 | IL_EXTENSION);
	il_string(&il, "SPV_INTEL_subgroups");
	il_op(&il, IL_MEMORY_MODEL, 2, 2, 2);
	const uint32_t type = il_id(&il), down = il_id(&il), up = il_id(&il);
	il_link(&il, down, "down", IL_EXPORT);
	il_link(&il, up, "up", IL_EXPORT);
	il.uint = il_id(&il);
	il_op(&il, IL_TYPE_INT, 3, il.uint, 32, 0);
	il_op(&il, IL_TYPE_FUNCTION, 5, type, il.uint, il.uint, il.uint, il.uint);
	il_shift(&il, type, down, SHUFFLE_DOWN);
	il_shift(&il, type, up, SHUFFLE_UP);
	il_finish(&il);
	cl_program object = clCreateProgramWithIL(test->context, il.words, il.count * sizeof(*il.words), &code);
	CHECK_OK(code);
	CHECK_OK(clCompileProgram(object, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
	il_free(&il);
	return object;
}

static void check_shuffles(cl_program linked, const char *name, cl_uint size)
{
	enum { COUNT = 64, DELTA = 5 };
	const size_t local = COUNT;
	cl_uint found[2 * COUNT], wrong = 0;
	cl_kernel kernel = kernel_make(linked, name);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(out), &out));
	CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &local, &local, 0, NULL, NULL));
	buffer_read(queue, out, found, sizeof(found));
	for (cl_uint i = 0; i < COUNT; i++) {
		wrong += found[i] != (i % size + DELTA < size ? i + DELTA : 1000 + i + DELTA - size);
		wrong += found[COUNT + i] != (i % size >= DELTA ? 1000 + i - DELTA : i - DELTA + size);
	}
	CHECK(!wrong);
	CHECK_OK(clReleaseKernel(kernel));
}

/* The object, from its binary, does not know for which sizes it will be linked. */
static void test_linked_shuffles(const struct api_test *test)
{
	static const char text[] =
		"uint down(uint x, uint y, uint delta); uint up(uint x, uint y, uint delta);\n"
		"void move(global uint *out) {\n"
		"	uint i = get_global_id(0);\n"
		"	out[i] = down(i, i + 1000, 5);\n"
		"	out[i + 64] = up(i, i + 1000, 5);\n"
		"}\n"
		"__attribute__((intel_reqd_sub_group_size(8))) kernel void eights(global uint *out) { move(out); }\n"
		"__attribute__((intel_reqd_sub_group_size(16))) kernel void sixteens(global uint *out) { move(out); }\n"
		"kernel void any(global uint *out) { move(out); }\n";
	cl_program object = shuffles_compiled(test), parts[] = {compiled(test, text), loaded(test, object)};
	cl_int code = 1;
	cl_program linked = clLinkProgram(test->context, 0, NULL, NULL, 2, parts, NULL, NULL, &code);
	if (CHECK_OK(code)) {
		check_shuffles(linked, "eights", 8);
		check_shuffles(linked, "sixteens", 16);
		check_shuffles(linked, "any", 32);
		CHECK_OK(clReleaseProgram(linked));
	}
	CHECK_OK(clReleaseProgram(parts[0]));
	CHECK_OK(clReleaseProgram(parts[1]));
	CHECK_OK(clReleaseProgram(object));
}

static void test_device(const struct api_test *test)
{
	cl_uint most = 0, major = 0;
	cl_bool independent = CL_FALSE, collective = CL_FALSE;
	size_t size = 0;
	cl_device_integer_dot_product_acceleration_properties_khr dot;
	CHECK_OK(clGetDeviceInfo(test->device, CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof(most), &most,
				 NULL));
	CHECK_OK(clGetDeviceInfo(test->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size), &size,
				 NULL));
	CHECK(most == size / 8);
	/* OpenCL 3.0 API, table 5: "must return CL_TRUE for devices that support the
	 * cl_khr_subgroups extension." */
	CHECK_OK(clGetDeviceInfo(test->device, CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS,
				 sizeof(independent), &independent, NULL));
	CHECK(independent == CL_TRUE);
	CHECK_OK(clGetDeviceInfo(test->device,
				 CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT,
				 sizeof(collective), &collective, NULL));
	CHECK(collective == CL_TRUE);
	CHECK_OK(clGetDeviceInfo(test->device,
				 CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR,
				 sizeof(dot), &dot, NULL));
	CHECK(dot.signed_accelerated && dot.unsigned_accelerated &&
	      dot.mixed_signedness_accelerated);
	/* From compute capability 12.0 on a program's own add_sat(dot()) is as short. */
	CHECK_OK(clGetDeviceInfo(test->device, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV,
				 sizeof(major), &major, NULL));
	CHECK(dot.accumulating_saturating_unsigned_accelerated &&
	      dot.accumulating_saturating_signed_accelerated == (major < 12) &&
	      dot.accumulating_saturating_mixed_signedness_accelerated == (major < 12));
}

int main(void)
{
	struct api_test test;
	if (!api_test_start(&test, "sub_groups"))
		return API_TEST_SKIP;
	queue = queue_make(test.context, test.device, 0);
	out = buffer_make(test.context, 0, 4096, NULL);
	program = api_test_build(test.context, test.device, source, "-cl-std=CL3.0");
	if (program) {
		test_device(&test);
		check_counts("count", 32);
		check_counts("count_8", 8);
		check_counts("count_16", 16);
		test_local_sizes();
		test_errors(&test);
		test_required(&test);
		test_linked(&test);
		test_linked_shuffles(&test);
		test_extension(&test);
		CHECK_OK(clReleaseProgram(program));
	}
	CHECK_OK(clReleaseMemObject(out));
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}
