/* Sub-groups as the host sees them: clGetKernelSubGroupInfo against what kernels count themselves,
 * the device's limits, and cl_intel_required_subgroup_size. */
#include "config.h"

#include "tests/api/fixture.h"

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
"kernel void warp(global uint *out) { out[get_local_id(0)] = get_max_sub_group_size(); }\n";

static const char too_small[] =
"__attribute__((intel_reqd_sub_group_size(16)))\n"
"kernel void half_warp(global uint *out) { out[get_local_id(0)] = 1; }\n";

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

static void test_counts(const struct api_test *test)
{
	static const size_t shapes[][3] = {
		{1, 1, 1}, {32, 1, 1}, {33, 1, 1}, {256, 1, 1}, {7, 5, 1}, {5, 7, 3}, {4, 8, 2},
	};
	cl_kernel kernel = kernel_make(program, "count");
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
		CHECK(found[1] == size);
		CHECK(count == (items + size - 1) / size);
		CHECK(found[3] == items - (count - 1) * size);
	}
	CHECK(query(kernel, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, shapes[6], sizeof(size_t)) ==
	      1);
	CHECK(query(kernel, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, NULL, 0) == 0);
	CHECK(query(kernel, CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, NULL, 0) == 0);
	(void)test;
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
	CHECK_OK(clReleaseKernel(count));
	CHECK_OK(clReleaseKernel(line));
	CHECK_OK(clReleaseKernel(plane));
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
	CHECK(size_B == sizeof(size_t) && sizes[0] == 32);
	CHECK_OK(clGetKernelWorkGroupInfo(kernel, test->device, CL_KERNEL_SPILL_MEM_SIZE_INTEL,
					  sizeof(spilled_B), &spilled_B, NULL));
	CHECK(spilled_B == 0);
	CHECK_OK(clReleaseKernel(kernel));
	const char *text = too_small;
	cl_program wrong = api_test_program(test->context, text);
	CHECK_CODE(clBuildProgram(wrong, 0, NULL, "-cl-std=CL3.0", NULL, NULL),
		   CL_BUILD_PROGRAM_FAILURE);
	build_log(wrong, test->device, log, sizeof(log));
	CHECK(strstr(log, "half_warp") && strstr(log, "intel_reqd_sub_group_size"));
	CHECK_OK(clReleaseProgram(wrong));
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
	CHECK(most == size / 32);
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
		test_counts(&test);
		test_local_sizes();
		test_errors(&test);
		test_required(&test);
		test_extension(&test);
		CHECK_OK(clReleaseProgram(program));
	}
	CHECK_OK(clReleaseMemObject(out));
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}
