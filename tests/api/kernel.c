/* Kernels: creation, arguments and their errors, queries, clones. */
#include "config.h"

#include "tests/api/fixture.h"

static const char source[] =
	"typedef struct { float x; int y[3]; } thing;\n"
	"kernel __attribute__((reqd_work_group_size(8, 4, 2)))\n"
	"void all(global const int *restrict in, constant float *table, local int *scratch,\n"
	"         int n, float4 v, thing t, global int *out)\n"
	"{\n"
	"	local int fixed[16];\n"
	"	fixed[get_local_id(0)] = in[0]; scratch[0] = n; barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	out[0] = fixed[7] + scratch[0] + (int)(v.x + t.x + table[0]) + t.y[2];\n"
	"}\n"
	"kernel __attribute__((work_group_size_hint(64, 1, 1))) void other(global int *p)\n"
	"{ p[get_global_id(0)]++; }\n"
	"kernel void none(void) {}\n";

struct thing {
	float x;
	int y[3];
};

static void check_create(const struct api_test *test, cl_program program)
{
	cl_kernel kernels[4] = {NULL};
	cl_uint count = 0;
	cl_int code;
	(void)test;
	CHECK_NO_OBJECT(clCreateKernel(program, NULL, &code), code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(clCreateKernel(program, "missing", &code), code, CL_INVALID_KERNEL_NAME);
	CHECK_OK(clCreateKernelsInProgram(program, 0, NULL, &count));
	CHECK(count == 3);
	CHECK_CODE(clCreateKernelsInProgram(program, 2, kernels, NULL), CL_INVALID_VALUE);
	CHECK_OK(clCreateKernelsInProgram(program, 4, kernels, &count));
	for (cl_uint i = 0; i < 3; i++)
		CHECK_OK(clReleaseKernel(kernels[i]));
	CHECK(!kernels[3]);
}

static void check_info(const struct api_test *test, cl_program program, cl_kernel kernel)
{
	char text[256];
	cl_uint number = 0;
	size_t size = 0;
	cl_context context;
	cl_program held;
	CHECK_OK(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof(text), text, &size));
	CHECK(!strcmp(text, "all") && size == 4);
	CHECK_CODE(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, 3, text, NULL),
		   CL_INVALID_VALUE);
	CHECK_OK(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(number), &number, NULL));
	CHECK(number == 7);
	CHECK_OK(clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof(number), &number, NULL));
	CHECK(number == 1);
	CHECK_OK(clGetKernelInfo(kernel, CL_KERNEL_CONTEXT, sizeof(context), &context, NULL));
	CHECK(context == test->context);
	CHECK_OK(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof(held), &held, NULL));
	CHECK(held == program);
	CHECK_OK(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof(text), text, NULL));
	CHECK(strstr(text, "reqd_work_group_size(8,4,2)") != NULL);
	CHECK_CODE(clGetKernelInfo(kernel, 0, 0, NULL, NULL), CL_INVALID_VALUE);
}

struct row {
	cl_kernel_arg_address_qualifier address;
	cl_kernel_arg_type_qualifier qualifier;
	const char *type, *name;
};

static void check_argument_info(cl_kernel kernel)
{
	static const struct row rows[] = {
		{CL_KERNEL_ARG_ADDRESS_GLOBAL,
		 CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT, "int*", "in"},
		{CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_TYPE_CONST, "float*", "table"},
		{CL_KERNEL_ARG_ADDRESS_LOCAL, 0, "int*", "scratch"},
		{CL_KERNEL_ARG_ADDRESS_PRIVATE, 0, "int", "n"},
		{CL_KERNEL_ARG_ADDRESS_PRIVATE, 0, "float4", "v"},
		{CL_KERNEL_ARG_ADDRESS_PRIVATE, 0, "thing", "t"},
		{CL_KERNEL_ARG_ADDRESS_GLOBAL, 0, "int*", "out"},
	};
	char text[64];
	for (cl_uint i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cl_kernel_arg_address_qualifier address = 0;
		cl_kernel_arg_access_qualifier access = 0;
		cl_kernel_arg_type_qualifier qualifier = 77;
		CHECK_OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
					    sizeof(address), &address, NULL));
		CHECK(address == rows[i].address);
		CHECK_OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ACCESS_QUALIFIER,
					    sizeof(access), &access, NULL));
		CHECK(access == CL_KERNEL_ARG_ACCESS_NONE);
		CHECK_OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_QUALIFIER,
					    sizeof(qualifier), &qualifier, NULL));
		if (!CHECK(qualifier == rows[i].qualifier))
			printf("argument %u: %lu\n", i, (unsigned long)qualifier);
		CHECK_OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof(text), text,
					    NULL));
		if (!CHECK(!strcmp(text, rows[i].type)))
			printf("argument %u: %s\n", i, text);
		CHECK_OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_NAME, sizeof(text), text,
					    NULL));
		CHECK(!strcmp(text, rows[i].name));
	}
	CHECK_CODE(clGetKernelArgInfo(kernel, 7, CL_KERNEL_ARG_NAME, sizeof(text), text, NULL),
		   CL_INVALID_ARG_INDEX);
	CHECK_CODE(clGetKernelArgInfo(kernel, 0, 0, sizeof(text), text, NULL), CL_INVALID_VALUE);
}

static void check_work_group(const struct api_test *test, cl_kernel kernel)
{
	size_t size = 0, required[3] = {0};
	cl_ulong before = 0, after = 0, private_B = 0;
	CHECK_OK(clGetKernelWorkGroupInfo(kernel, test->device, CL_KERNEL_WORK_GROUP_SIZE,
					  sizeof(size), &size, NULL));
	CHECK(size >= 64);
	CHECK_OK(clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
					  sizeof(required), required, NULL));
	CHECK(required[0] == 8 && required[1] == 4 && required[2] == 2);
	CHECK_OK(clGetKernelWorkGroupInfo(kernel, NULL,
					  CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
					  sizeof(size), &size, NULL));
	CHECK(size >= 1);
	CHECK_OK(clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_PRIVATE_MEM_SIZE,
					  sizeof(private_B), &private_B, NULL));
	CHECK_OK(clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_LOCAL_MEM_SIZE, sizeof(before),
					  &before, NULL));
	CHECK(before >= 64);
	/* Local arguments count once they are set. */
	CHECK_OK(clSetKernelArg(kernel, 2, 1024, NULL));
	CHECK_OK(clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_LOCAL_MEM_SIZE, sizeof(after),
					  &after, NULL));
	CHECK(after >= before + 1024);
	CHECK_CODE(clGetKernelWorkGroupInfo(kernel, test->device, CL_KERNEL_GLOBAL_WORK_SIZE,
					    sizeof(required), required, NULL),
		   CL_INVALID_VALUE);
}

static void check_arguments(const struct api_test *test, cl_kernel kernel)
{
	const struct thing thing = {1, {2, 3, 4}};
	const cl_float4 v = {{1, 2, 3, 4}};
	cl_mem none = NULL, wrong = (cl_mem)test->context, buffer;
	const cl_int n = 1;
	buffer = buffer_make(test->context, 0, 256, NULL);
	CHECK_CODE(clSetKernelArg(kernel, 7, 4, &n), CL_INVALID_ARG_INDEX);
	CHECK_CODE(clSetKernelArg(kernel, 3, 4, NULL), CL_INVALID_ARG_VALUE);
	CHECK_CODE(clSetKernelArg(kernel, 3, 8, &n), CL_INVALID_ARG_SIZE);
	CHECK_CODE(clSetKernelArg(kernel, 3, 0, &n), CL_INVALID_ARG_SIZE);
	CHECK_CODE(clSetKernelArg(kernel, 5, sizeof(thing) - 4, &thing), CL_INVALID_ARG_SIZE);
	CHECK_CODE(clSetKernelArg(kernel, 2, 16, &n), CL_INVALID_ARG_VALUE);
	CHECK_CODE(clSetKernelArg(kernel, 0, 4, &buffer), CL_INVALID_ARG_SIZE);
	CHECK_CODE(clSetKernelArg(kernel, 0, sizeof(wrong), &wrong), CL_INVALID_MEM_OBJECT);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(none), NULL));
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(none), &none));
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(buffer), &buffer));
	CHECK_OK(clSetKernelArg(kernel, 2, 64, NULL));
	CHECK_OK(clSetKernelArg(kernel, 3, sizeof(n), &n));
	CHECK_OK(clSetKernelArg(kernel, 4, sizeof(v), &v));
	CHECK_OK(clSetKernelArg(kernel, 5, sizeof(thing), &thing));
	CHECK_OK(clReleaseMemObject(buffer));
}

static cl_int run(const struct api_test *test, cl_kernel kernel, cl_mem out)
{
	const size_t size[3] = {8, 4, 2};
	cl_int code, value = -1;
	cl_command_queue queue = queue_make(test->context, test->device, 0);
	code = clEnqueueNDRangeKernel(queue, kernel, 3, NULL, size, size, 0, NULL, NULL);
	if (code)
		value = code;
	else
		buffer_read(queue, out, &value, sizeof(value));
	CHECK_OK(clReleaseCommandQueue(queue));
	return value;
}

/* A clone starts with the same values and goes its own way. */
static void check_clone(const struct api_test *test, cl_program program)
{
	const struct thing thing = {1, {2, 3, 4}};
	const cl_float4 v = {{1, 2, 3, 4}};
	const cl_int n = 1000, other_n = 2000, in = 50;
	const cl_float table = 10;
	cl_int code;
	cl_kernel kernel = clCreateKernel(program, "all", &code);
	cl_mem in_buffer = clCreateBuffer(test->context, CL_MEM_COPY_HOST_PTR, sizeof(in),
					  (void *)&in, &code);
	cl_mem table_buffer = clCreateBuffer(test->context, CL_MEM_COPY_HOST_PTR, sizeof(table),
					     (void *)&table, &code);
	cl_mem out = buffer_make(test->context, 0, sizeof(cl_int), NULL);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(in_buffer), &in_buffer));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(table_buffer), &table_buffer));
	CHECK_OK(clSetKernelArg(kernel, 2, 4, NULL));
	CHECK_OK(clSetKernelArg(kernel, 3, sizeof(n), &n));
	CHECK_OK(clSetKernelArg(kernel, 4, sizeof(v), &v));
	CHECK_OK(clSetKernelArg(kernel, 5, sizeof(thing), &thing));
	CHECK(run(test, kernel, out) == CL_INVALID_KERNEL_ARGS);
	CHECK_OK(clSetKernelArg(kernel, 6, sizeof(out), &out));
	cl_kernel clone = clCloneKernel(kernel, &code);
	if (CHECK_OK(code)) {
		CHECK_OK(clSetKernelArg(clone, 3, sizeof(other_n), &other_n));
		CHECK(run(test, kernel, out) == 50 + 1000 + 12 + 4);
		CHECK(run(test, clone, out) == 50 + 2000 + 12 + 4);
		CHECK_OK(clReleaseKernel(kernel));
		CHECK(run(test, clone, out) == 50 + 2000 + 12 + 4);
		CHECK_OK(clReleaseKernel(clone));
	}
	CHECK_OK(clReleaseMemObject(in_buffer));
	CHECK_OK(clReleaseMemObject(table_buffer));
	CHECK_OK(clReleaseMemObject(out));
}

int main(void)
{
	struct api_test test;
	cl_int code;
	if (!api_test_start(&test, "kernel"))
		return API_TEST_SKIP;
	cl_program program = api_test_build(test.context, test.device, source,
					    "-cl-kernel-arg-info");
	if (program) {
		check_create(&test, program);
		cl_kernel kernel = clCreateKernel(program, "all", &code);
		if (CHECK_OK(code)) {
			check_info(&test, program, kernel);
			check_argument_info(kernel);
			check_work_group(&test, kernel);
			check_arguments(&test, kernel);
			CHECK_OK(clRetainKernel(kernel));
			CHECK_OK(clReleaseKernel(kernel));
			CHECK_OK(clReleaseKernel(kernel));
		}
		check_clone(&test, program);
		CHECK_OK(clReleaseProgram(program));
	}
	return api_test_end(&test);
}
