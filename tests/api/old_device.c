/* Devices that libnvvm does not compile for, beside one that it does: CUDA 13's is there for sm_75 and newer, and
 * nothing for what is older than sm_70. */
#include "config.h"

#include "tests/api/fixture.h"

static const char *const source = "kernel void k(global int *a) { *a = 1; }";

/* What the log says about the two older devices. */
static const char *const words[][2] = {{"sm_70", "CULVERT_LIBNVVM"}, {"sm_50", "the oldest architecture"}};

static void check_log(cl_program program, cl_device_id device)
{
	char log[8192] = "";
	cl_uint major = 0;
	build_log(program, device, log, sizeof(log));
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, sizeof(major), &major, NULL));
	CHECK(strstr(log, words[major < 7][0]) && strstr(log, words[major < 7][1]));
	cl_build_status status = 12345;
	CHECK_OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof(status),
				       &status, NULL));
	CHECK(status == CL_BUILD_ERROR);
}

/* The other device is compiled and linked for as always. */
static void check_link(cl_context context, cl_device_id newer, cl_device_id older)
{
	cl_int code;
	cl_program object = api_test_program(context, source);
	CHECK_OK(clCompileProgram(object, 1, &newer, "", 0, NULL, NULL, NULL, NULL));
	CHECK_CODE(clCompileProgram(object, 1, &older, "", 0, NULL, NULL, NULL, NULL),
		   CL_COMPILE_PROGRAM_FAILURE);
	check_log(object, older);
	cl_program linked = clLinkProgram(context, 1, &newer, "", 1, &object, NULL, NULL, &code);
	CHECK_OK(code);
	CHECK_OK(clReleaseProgram(linked));
	CHECK_OK(clReleaseProgram(object));
}

static void check_build(cl_program program, cl_device_id newer, cl_device_id older)
{
	cl_bool compiler = CL_FALSE;
	CHECK_OK(clGetDeviceInfo(older, CL_DEVICE_COMPILER_AVAILABLE, sizeof(compiler), &compiler,
				 NULL));
	/* OpenCL 3.0 API, 5.8.4: CL_COMPILER_NOT_AVAILABLE is for devices that say CL_FALSE, and
	 * of the full profile none may (table 5). */
	CHECK(compiler);
	check_log(program, older);
	CHECK_OK(clBuildProgram(program, 1, &newer, "", NULL, NULL));
}

static void check_device(cl_context context, cl_device_id newer, cl_device_id older, bool may_compile)
{
	cl_program program = api_test_program(context, source);
	const cl_int code = clBuildProgram(program, 1, &older, "", NULL, NULL);
	if (!(may_compile && !code) && CHECK_CODE(code, CL_BUILD_PROGRAM_FAILURE)) {
		check_build(program, newer, older);
		check_link(context, newer, older);
	}
	CHECK_OK(clReleaseProgram(program));
}

int main(void)
{
	const char *cuda = getenv("CULVERT_CUDA");
	struct api_test test;
	if (!cuda || strcmp(cuda, "soft"))
		return API_TEST_SKIP;
	setenv("CULVERT_SOFT_DEVICES", "3", 1);
	setenv("CULVERT_SOFT_SM", "90,70,50", 1);
	if (!api_test_start(&test, "old_device"))
		return API_TEST_SKIP;
	cl_context context = context_make(3, test.devices);
	/* libnvvm of CUDA 12 compiles for sm_70. */
	check_device(context, test.devices[0], test.devices[1], true);
	check_device(context, test.devices[0], test.devices[2], false);
	CHECK_OK(clReleaseContext(context));
	return api_test_end(&test);
}
