/* cl_culvert_matrix: each shape that CL_DEVICE_MATRIX_SHAPES_CULVERT names is built and multiplies; those that it does
 * not name are refused by the build of a kernel that uses them, with a log that says why. */
#include "config.h"

#include "icd/include/cl_culvert.h"
#include "tests/api/fixture.h"

/* Elements are small whole numbers, which all types have.  STRIDE elements lie from row to row of a and c, and from
 * column to column of b. */
static const char source[] =
"#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
"#define STRIDE 16\n"
"ushort as_bfloat16(int x) { return (ushort)(as_uint((float)x) >> 16); }\n"
"#define JOIN_(x, y) x##y\n"
"#define JOIN(x, y) JOIN_(x, y)\n"
"kernel void multiply(global A_TYPE *a, global B_TYPE *b, global C_TYPE *c, global int *wrong) {\n"
"	const uint l = (uint)get_local_id(0);\n"
"	local A_TYPE tile[M * STRIDE] __attribute__((aligned(16)));\n"
"	for (uint i = l; i < M * K; i += 32)\n"
"		tile[i / K * STRIDE + i % K] = A_MAKE((int)(i * 7 % 11));\n"
"	for (uint i = l; i < N * K; i += 32)\n"
"		b[i / K * STRIDE + i % K] = B_MAKE((int)(i * 5 % 13));\n"
"	for (uint i = l; i < M * N; i += 32)\n"
"		c[i / N * STRIDE + i % N] = (C_TYPE)(i % 17);\n"
"	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
"	JOIN(culvert_matrix_c_, C_TYPE) sums = JOIN(culvert_matrix_load_c_, C_TYPE)(c, CULVERT_MATRIX_ROW_MAJOR, "
"STRIDE);\n"
"	sums = culvert_matrix_muladd(JOIN(culvert_matrix_load_a_, A)(tile, CULVERT_MATRIX_ROW_MAJOR, STRIDE),\n"
"		JOIN(culvert_matrix_load_b_, B)(b, CULVERT_MATRIX_COLUMN_MAJOR, STRIDE), sums);\n"
"	barrier(CLK_GLOBAL_MEM_FENCE);\n"
"	culvert_matrix_store(c, sums, CULVERT_MATRIX_ROW_MAJOR, STRIDE);\n"
"	barrier(CLK_GLOBAL_MEM_FENCE);\n"
"	wrong[l] = 0;\n"
"	for (uint i = l; i < M * N; i += 32) {\n"
"		int sum = i % 17;\n"
"		for (uint k = 0; k < K; k++)\n"
"			sum += (int)((i / N * K + k) * 7 % 11) * (int)((i % N * K + k) * 5 % 13);\n"
"		wrong[l] += c[i / N * STRIDE + i % N] != (C_TYPE)sum;\n"
"	}\n"
"}\n";

static const struct { cl_uint type; const char *name, *element, *make; } types[] = {
	{CL_MATRIX_HALF_CULVERT, "half", "half", "(half)"},
	{CL_MATRIX_BFLOAT16_CULVERT, "bfloat16", "ushort", "as_bfloat16"},
	{CL_MATRIX_TF32_CULVERT, "tf32", "float", "(float)"},
	{CL_MATRIX_FLOAT_CULVERT, "float", "float", ""},
	{CL_MATRIX_DOUBLE_CULVERT, "double", "double", "(double)"},
	{CL_MATRIX_CHAR_CULVERT, "char", "char", "(char)"},
	{CL_MATRIX_UCHAR_CULVERT, "uchar", "uchar", "(uchar)"},
	{CL_MATRIX_INT_CULVERT, "int", "int", ""}
};

static struct api_test test;
static cl_command_queue queue;

static unsigned index_of(cl_uint type)
{
	for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].type == type)
			return i;
	CHECK(!"a type that the extension does not have");
	return 0;
}

static cl_int build(const cl_matrix_shape_culvert *shape, char log[4096], cl_program *program_out)
{
	const unsigned a = index_of(shape->a_type), b = index_of(shape->b_type), c = index_of(shape->c_type);
	char options[512];
	snprintf(options, sizeof(options), "-cl-std=CL3.0 -DM=%u -DN=%u -DK=%u -DA=%s -DB=%s -DA_TYPE=%s -DB_TYPE=%s "
		 "-DC_TYPE=%s -DA_MAKE=%s -DB_MAKE=%s", shape->m, shape->n, shape->k, types[a].name, types[b].name,
		 types[a].element, types[b].element, types[c].element, types[a].make, types[b].make);
	*program_out = api_test_program(test.context, source);
	const cl_int error = clBuildProgram(*program_out, 1, &test.device, options, NULL, NULL);
	build_log(*program_out, test.device, log, 4096);
	return error;
}

static void check_shape(const cl_matrix_shape_culvert *shape)
{
	const size_t items = 32;
	char log[4096];
	cl_program program;
	cl_int wrong[32];
	if (!CHECK_OK(build(shape, log, &program)))
		printf("%u x %u x %u, type %u: %s\n", shape->m, shape->n, shape->k, shape->a_type, log);
	cl_kernel kernel = kernel_make(program, "multiply");
	cl_mem mems[4];
	for (cl_uint i = 0; i < 4; i++) {
		mems[i] = buffer_make(test.context, 0, 16 * 16 * 8, NULL);
		CHECK_OK(clSetKernelArg(kernel, i, sizeof(mems[i]), &mems[i]));
	}
	CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
	buffer_read(queue, mems[3], wrong, sizeof(wrong));
	for (size_t i = 0; i < items; i++)
		CHECK(!wrong[i]);
	for (cl_uint i = 0; i < 4; i++)
		CHECK_OK(clReleaseMemObject(mems[i]));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseProgram(program));
}

static bool has_shape(const cl_matrix_shape_culvert *shapes, size_t count, const cl_matrix_shape_culvert *shape)
{
	for (size_t i = 0; i < count; i++)
		if (!memcmp(&shapes[i], shape, sizeof(*shape)))
			return true;
	return false;
}

/* part: what the build log says. */
static void check_refused(const cl_matrix_shape_culvert *shape, const char *part)
{
	char log[4096];
	cl_program program;
	CHECK_CODE(build(shape, log, &program), CL_BUILD_PROGRAM_FAILURE);
	CHECK(strstr(log, part));
	CHECK_OK(clReleaseProgram(program));
}

int main(void)
{
	/* What came with compute capability 7.5, and with 8.0. */
	static const cl_matrix_shape_culvert known[] = {
		{16, 16, 16, CL_MATRIX_HALF_CULVERT, CL_MATRIX_HALF_CULVERT, CL_MATRIX_FLOAT_CULVERT},
		{16, 16, 16, CL_MATRIX_BFLOAT16_CULVERT, CL_MATRIX_BFLOAT16_CULVERT, CL_MATRIX_FLOAT_CULVERT},
	};
	cl_matrix_shape_culvert shapes[32];
	size_t size_B = 0;
	cl_uint major = 0, minor = 0;
	char names[8192] = "";
	if (!api_test_start(&test, "matrix"))
		return API_TEST_SKIP;
	queue = queue_make(test.context, test.device, 0);
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_MATRIX_SHAPES_CULVERT, sizeof(shapes), shapes, &size_B));
	const size_t count = size_B / sizeof(shapes[0]);
	/* All GPUs from Turing on multiply half and bytes. */
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, sizeof(major), &major, NULL));
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV, sizeof(minor), &minor, NULL));
	CHECK(size_B % sizeof(shapes[0]) == 0 && (10 * major + minor < 75 ? !count : count >= 6));
	/* Beginning with 7.5, the device also lists the extension. */
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_EXTENSIONS, sizeof(names), names, NULL));
	CHECK((strstr(names, CL_CULVERT_MATRIX_EXTENSION_NAME) != NULL) == (count != 0));
	for (size_t i = 0; i < count; i++)
		check_shape(&shapes[i]);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!has_shape(shapes, count, &known[i]))
			check_refused(&known[i], count ? "requires .target sm_" : "culvert_matrix");
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}
