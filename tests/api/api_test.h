/* What every API test shares: checks that count, and a device to test on.
 *
 * A test is a plain OpenCL program that runs through the loader.  main:
 *
 *	struct api_test test;
 *	if (!api_test_start(&test, "name"))
 *		return API_TEST_SKIP;
 *	...  CHECK(...)  CHECK_CODE(clSomething(...), CL_INVALID_VALUE)  ...
 *	return api_test_end(&test);
 *
 * The exit status is 0 when all checks held, 1 when one did not, 77 when there is
 * no device, or not what a test needs (api_test_skip).  API_TEST_PLATFORM names another platform to try a test's
 * expectations on (a part of its name; "Culvert" by default). */
#ifndef CULVERT_TESTS_API_API_TEST_H
#define CULVERT_TESTS_API_API_TEST_H

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API_TEST_SKIP 77
#define API_TEST_MOST_DEVICES 16

/* Kernels, in OpenCL C: hold runs until free_it sets its flag, for some seconds at most, and tells
 * in seen whether that came. */
#define API_TEST_HOLD                                                                              \
	"kernel void hold(global volatile int *flag, global int *seen) {\n"                        \
	"	int i = 0;\n"                                                                      \
	"	while (i < 20000000 && !atomic_or(flag, 0))\n"                                     \
	"		i++;\n"                                                                    \
	"	*seen = i < 20000000;\n"                                                           \
	"}\n"                                                                                      \
	"kernel void free_it(global int *flag) { atomic_xchg(flag, 1); }\n"

struct api_test {
	const char *name;
	cl_platform_id platform;
	cl_device_id devices[API_TEST_MOST_DEVICES];
	cl_uint device_count;
	cl_device_id device;          /* devices[0] */
	cl_context context;           /* of device alone */
};

/* Callbacks check too, and so do all files of a program, which share these. */
__attribute__((weak)) _Atomic unsigned api_test_checks, api_test_failures;
/* That of api_test_start. */
__attribute__((weak)) cl_platform_id api_test_platform;

static inline bool api_test_check(bool good, const char *text, const char *file, int line)
{
	api_test_checks++;
	if (!good) {
		api_test_failures++;
		printf("%s:%d: FAIL: %s\n", file, line, text);
	}
	return good;
}

static inline bool api_test_check_code(cl_int code, cl_int expected, const char *text,
				       const char *file, int line)
{
	api_test_checks++;
	if (code == expected)
		return true;
	api_test_failures++;
	printf("%s:%d: FAIL: %s: %d, not %d\n", file, line, text, code, expected);
	return false;
}

#define CHECK(condition) api_test_check((condition), #condition, __FILE__, __LINE__)
#define CHECK_CODE(call, expected)                                                                \
	api_test_check_code((call), (expected), #call, __FILE__, __LINE__)
#define CHECK_OK(call) CHECK_CODE(call, CL_SUCCESS)
/* For calls that make an object: the object is checked to be NULL, the code to be as
 * expected.  code is a cl_int whose address the call is given. */
#define CHECK_NO_OBJECT(call, code, expected)                                                     \
	do {                                                                                      \
		(code) = 12345;                                                                   \
		CHECK((call) == NULL);                                                            \
		api_test_check_code((code), (expected), #call, __FILE__, __LINE__);               \
	} while (0)

static inline bool api_test_find_platform(struct api_test *test)
{
	cl_platform_id platforms[32];
	cl_uint count = 0;
	const char *wanted = getenv("API_TEST_PLATFORM");
	if (!wanted || !*wanted)
		wanted = "Culvert";
	if (clGetPlatformIDs(32, platforms, &count))
		return false;
	for (cl_uint i = 0; i < count && i < 32; i++) {
		char name[256] = "";
		clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof(name), name, NULL);
		if (strstr(name, wanted)) {
			test->platform = api_test_platform = platforms[i];
			return true;
		}
	}
	return false;
}

static inline bool api_test_start(struct api_test *test, const char *name)
{
	cl_int code;
	memset(test, 0, sizeof(*test));
	test->name = name;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!api_test_find_platform(test)) {
		printf("%s: SKIP: no such platform\n", name);
		return false;
	}
	if (clGetDeviceIDs(test->platform, CL_DEVICE_TYPE_ALL, API_TEST_MOST_DEVICES,
			   test->devices, &test->device_count)) {
		printf("%s: SKIP: no device\n", name);
		return false;
	}
	if (test->device_count > API_TEST_MOST_DEVICES)
		test->device_count = API_TEST_MOST_DEVICES;
	test->device = test->devices[0];
	test->context = clCreateContext(NULL, 1, &test->device, NULL, NULL, &code);
	if (!CHECK_OK(code)) {
		printf("%s: FAIL: no context\n", name);
		exit(1);
	}
	return true;
}

/* status: of a test of which no check has failed. */
static inline int api_test_close(struct api_test *test, int status)
{
	if (test->context)
		CHECK_OK(clReleaseContext(test->context));
	printf("%s: %s: %u checks, %u failed\n", test->name,
	       api_test_failures ? "FAIL" : status ? "SKIP" : "PASS", api_test_checks, api_test_failures);
	return api_test_failures ? 1 : status;
}

static inline int api_test_end(struct api_test *test)
{
	return api_test_close(test, 0);
}

/* Instead of api_test_end, where the rest cannot be tested here.  A check that did not hold before is a failure. */
static inline int api_test_skip(struct api_test *test)
{
	return api_test_close(test, API_TEST_SKIP);
}

/* Not built yet; NULL where that failed. */
static inline cl_program api_test_program(cl_context context, const char *source)
{
	cl_int code;
	cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
	return CHECK_OK(code) ? program : NULL;
}

/* A buffer of count integers of 32 bits that are 0; NULL where that failed. */
static inline cl_mem api_test_zeros(cl_context context, size_t count)
{
	cl_int code;
	cl_uint *zeros = calloc(count, sizeof(*zeros));
	cl_mem mem = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, count * sizeof(*zeros), zeros,
				    &code);
	CHECK_OK(code);
	free(zeros);
	return mem;
}

/* Builds source for every device of context; prints the log when it fails. */
static inline cl_program api_test_build(cl_context context, cl_device_id device,
					const char *source, const char *options)
{
	cl_program program = api_test_program(context, source);
	if (!program)
		return NULL;
	cl_int code = clBuildProgram(program, 0, NULL, options, NULL, NULL);
	if (!CHECK_OK(code)) {
		static char log[16384];
		log[0] = 0;
		clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
		printf("%s\n", log);
		clReleaseProgram(program);
		return NULL;
	}
	return program;
}

#endif
