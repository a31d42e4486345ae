/* C++ for OpenCL (cl_ext_cxx_for_opencl): its version, its objects linked with those of OpenCL C, and
 * that nobody takes one language's program for the other's. */
#include "config.h"

#include "tests/api/fixture.h"

#ifndef CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT
#define CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT 0x4230
#endif

static const char cxx_part[] =
	"extern \"C\" int plus_one(int);\n"
	"template <typename T> struct pair { T a, b; T product() const { return a * b; } };\n"
	"extern \"C\" int product(int a, int b)\n"
	"{ return pair<int>{plus_one(a), plus_one(b)}.product(); }\n"
	"int start(int x) { return x * 1000; }\n"
	"int from = start(7);\n"
	"extern \"C\" int offset() { return from; }\n";
static const char c_part[] =
	"int product(int a, int b);\n"
	"int offset(void);\n"
	"int plus_one(int x) { return x + 1; }\n"
	"kernel void use(global int *out, int a, int b) { *out = product(a, b) + offset(); }\n";
/* A character is an int in C, and none in C++. */
static const char both[] = "kernel void use(global int *out, int a, int b)\n"
			   "{ *out = a + b + sizeof('a'); }\n";

static cl_program compiled(const struct api_test *test, const char *source, const char *options)
{
	cl_program program = api_test_program(test->context, source);
	CHECK_OK(clCompileProgram(program, 0, NULL, options, 0, NULL, NULL, NULL, NULL));
	return program;
}

static cl_program built(const struct api_test *test, const char *source, const char *options)
{
	cl_program program = api_test_program(test->context, source);
	CHECK_OK(clBuildProgram(program, 0, NULL, options, NULL, NULL));
	return program;
}

/* What `use` writes for 4 and 5. */
static cl_int result(const struct api_test *test, cl_program program)
{
	cl_int code, value = -1, a = 4, b = 5;
	cl_kernel kernel = clCreateKernel(program, "use", &code);
	if (!CHECK_OK(code))
		return -1;
	cl_command_queue queue = queue_make(test->context, test->device, 0);
	cl_mem buffer = buffer_make(test->context, CL_MEM_READ_WRITE, sizeof(value), NULL);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(a), &a));
	CHECK_OK(clSetKernelArg(kernel, 2, sizeof(b), &b));
	CHECK_OK(clEnqueueTask(queue, kernel, 0, NULL, NULL));
	buffer_read(queue, buffer, &value, sizeof(value));
	CHECK_OK(clReleaseMemObject(buffer));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseCommandQueue(queue));
	return value;
}

/* cl_ext_cxx_for_opencl: "the value of the __OPENCL_CPP_VERSION__ macro agrees with the version
 * returned by CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT". */
static void check_version(const struct api_test *test)
{
	static const char source[] = "kernel void use(global int *out, int a, int b)\n"
				     "{ *out = __OPENCL_CPP_VERSION__; }\n";
	cl_version version = 0;
	CHECK_OK(clGetDeviceInfo(test->device, CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT,
				 sizeof(version), &version, NULL));
	CHECK(version == CL_MAKE_VERSION(1, 0, 0));
	cl_program program = built(test, source, "-cl-std=CLC++");
	CHECK(result(test, program) == 100);
	CHECK_OK(clReleaseProgram(program));
	program = built(test, source, "-cl-std=CLC++1.0");
	CHECK(result(test, program) == 100);
	CHECK_OK(clReleaseProgram(program));
	program = built(test, source, "-cl-std=CLC++2021");
	CHECK(result(test, program) == 202100);
	CHECK_OK(clReleaseProgram(program));
}

static void check_link(const struct api_test *test)
{
	cl_int code;
	cl_program parts[] = {compiled(test, cxx_part, "-cl-std=CLC++2021"),
			      compiled(test, c_part, "-cl-std=CL3.0")};
	cl_program program = clLinkProgram(test->context, 0, NULL, NULL, 2, parts, NULL, NULL,
					   &code);
	CHECK_OK(code);
	CHECK(result(test, program) == 5 * 6 + 7000);
	CHECK_OK(clReleaseProgram(program));
	/* The same by way of a library, which keeps what has to run before the kernels. */
	cl_program library = clLinkProgram(test->context, 0, NULL, "-create-library", 1, parts,
					   NULL, NULL, &code);
	CHECK_OK(code);
	cl_program with_library[] = {parts[1], library};
	program = clLinkProgram(test->context, 0, NULL, NULL, 2, with_library, NULL, NULL, &code);
	CHECK_OK(code);
	CHECK(result(test, program) == 5 * 6 + 7000);
	size_t count = 0;
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(count), &count, NULL));
	CHECK(count == 1);
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseProgram(library));
	CHECK_OK(clReleaseProgram(parts[0]));
	CHECK_OK(clReleaseProgram(parts[1]));
}

/* The second of each is found where builds are kept. */
static void check_languages(const struct api_test *test)
{
	for (int i = 0; i < 2; i++) {
		cl_program c = built(test, both, "-cl-std=CL3.0");
		cl_program cxx = built(test, both, "-cl-std=CLC++2021");
		CHECK(result(test, c) == 9 + 4);
		CHECK(result(test, cxx) == 9 + 1);
		CHECK_OK(clReleaseProgram(c));
		CHECK_OK(clReleaseProgram(cxx));
	}
}

int main(void)
{
	struct api_test test;
	if (!api_test_start(&test, "cxx"))
		return API_TEST_SKIP;
	check_version(&test);
	check_link(&test);
	check_languages(&test);
	return api_test_end(&test);
}
