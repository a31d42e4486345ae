/* clBuildProgram: source, options, logs, errors, queries, threads. */
#include "config.h"

#include "tests/api/fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const char good[] =
	"kernel void first(global int *p) { p[get_global_id(0)] = VALUE; }\n"
	"kernel void second(global float *p, float x) { p[get_global_id(0)] += x; }\n";

static cl_build_status status_of(cl_program program, cl_device_id device)
{
	cl_build_status status = 77;
	CHECK_OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof(status),
				       &status, NULL));
	return status;
}

static const char *log_of(cl_program program, cl_device_id device)
{
	static char log[65536];
	build_log(program, device, log, sizeof(log));
	return log;
}

static void check_create(const struct api_test *test)
{
	const char *strings[3] = {"kernel void f(", "global int *p)XXXX", " { *p = 1; }"};
	const size_t lengths[3] = {0, 14, 0};
	const char *holes[2] = {"", NULL};
	char source[256];
	size_t size = 0;
	cl_int code;
	CHECK_NO_OBJECT(clCreateProgramWithSource(test->context, 0, strings, NULL, &code), code,
			CL_INVALID_VALUE);
	CHECK_NO_OBJECT(clCreateProgramWithSource(test->context, 1, NULL, NULL, &code), code,
			CL_INVALID_VALUE);
	CHECK_NO_OBJECT(clCreateProgramWithSource(test->context, 2, holes, NULL, &code), code,
			CL_INVALID_VALUE);
	cl_program program = clCreateProgramWithSource(test->context, 3, strings, lengths, &code);
	if (!CHECK_OK(code))
		return;
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof(source), source, &size));
	CHECK(!strcmp(source, "kernel void f(global int *p) { *p = 1; }"));
	CHECK(size == strlen(source) + 1);
	CHECK(status_of(program, test->device) == CL_BUILD_NONE);
	/* Not built yet: no kernels, no binary. */
	CHECK_CODE(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(size), &size, NULL),
		   CL_INVALID_PROGRAM_EXECUTABLE);
	CHECK_NO_OBJECT(clCreateKernel(program, "f", &code), code, CL_INVALID_PROGRAM_EXECUTABLE);
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
	CHECK(size == 0);
	CHECK_OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	CHECK_OK(clReleaseProgram(program));
}

static void check_info(const struct api_test *test)
{
	const char options[] = "-DVALUE=7 -cl-mad-enable";
	char text[256];
	cl_uint number = 0;
	size_t size = 0;
	cl_program_binary_type type = 0;
	cl_context context;
	cl_device_id device;
	cl_program program = api_test_program(test->context, good);
	CHECK_OK(clBuildProgram(program, 1, &test->device, options, NULL, NULL));
	CHECK(status_of(program, test->device) == CL_BUILD_SUCCESS);
	CHECK_OK(clGetProgramBuildInfo(program, test->device, CL_PROGRAM_BUILD_OPTIONS,
				       sizeof(text), text, &size));
	CHECK(!strcmp(text, options) && size == sizeof(options));
	CHECK_CODE(clGetProgramBuildInfo(program, test->device, CL_PROGRAM_BUILD_OPTIONS, 3, text,
					 NULL),
		   CL_INVALID_VALUE);
	CHECK_OK(clGetProgramBuildInfo(program, test->device, CL_PROGRAM_BINARY_TYPE,
				       sizeof(type), &type, NULL));
	CHECK(type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
	CHECK_OK(clGetProgramBuildInfo(program, test->device,
				       CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof(size),
				       &size, NULL));
	CHECK_CODE(clGetProgramBuildInfo(program, test->device, 0, 0, NULL, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(clGetProgramBuildInfo(program, NULL, CL_PROGRAM_BUILD_STATUS, 0, NULL, NULL),
		   CL_INVALID_DEVICE);
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof(text), text, NULL));
	CHECK(!strcmp(text, "first;second"));
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(size), &size, NULL));
	CHECK(size == 2);
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_CONTEXT, sizeof(context), &context, NULL));
	CHECK(context == test->context);
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof(number), &number, NULL));
	CHECK(number == 1);
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof(device), &device, NULL));
	CHECK(device == test->device);
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof(number), &number,
				  NULL));
	CHECK(number == 1);
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_IL, 0, NULL, &size));
	CHECK(size == 0);
	CHECK_CODE(clGetProgramInfo(program, 0, 0, NULL, NULL), CL_INVALID_VALUE);
	/* OpenCL 3.0 API, 5.8.3: for programs "created from an intermediate language". */
	CHECK_CODE(clSetProgramSpecializationConstant(program, 0, 4, &number), CL_INVALID_PROGRAM);
	CHECK_OK(clReleaseProgram(program));
}

static void check_failures(const struct api_test *test)
{
	cl_program program = api_test_program(test->context, good);
	int data;
	CHECK_CODE(clBuildProgram(program, 0, NULL, "-cl-no-such-option", NULL, NULL),
		   CL_INVALID_BUILD_OPTIONS);
	CHECK(strstr(log_of(program, test->device), "-cl-no-such-option") != NULL);
	CHECK(status_of(program, test->device) == CL_BUILD_ERROR);
	/* VALUE is not defined: the log names it, with its line. */
	CHECK_CODE(clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
	CHECK(strstr(log_of(program, test->device), "VALUE") != NULL);
	CHECK(strstr(log_of(program, test->device), ":1:") != NULL);
	CHECK(strchr(log_of(program, test->device), '^') != NULL);
	CHECK(status_of(program, test->device) == CL_BUILD_ERROR);
	CHECK_OK(clBuildProgram(program, 0, NULL, "-DVALUE=1", NULL, NULL));
	CHECK(status_of(program, test->device) == CL_BUILD_SUCCESS);
	CHECK_CODE(clBuildProgram(program, 1, NULL, "", NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clBuildProgram(program, 0, &test->device, "", NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clBuildProgram(program, 0, NULL, "", NULL, &data), CL_INVALID_VALUE);
	cl_device_id none = NULL;
	CHECK_CODE(clBuildProgram(program, 1, &none, "", NULL, NULL), CL_INVALID_DEVICE);
	CHECK_OK(clReleaseProgram(program));
}

/* OpenCL 3.0 API, 5.8.4: no build while kernels are attached. */
static void check_attached(const struct api_test *test)
{
	cl_int code;
	cl_program program = api_test_program(test->context, good);
	CHECK_OK(clBuildProgram(program, 0, NULL, "-DVALUE=1", NULL, NULL));
	cl_kernel kernel = clCreateKernel(program, "first", &code);
	if (CHECK_OK(code)) {
		CHECK_CODE(clBuildProgram(program, 0, NULL, "-DVALUE=2", NULL, NULL),
			   CL_INVALID_OPERATION);
		CHECK_CODE(clCompileProgram(program, 0, NULL, "-DVALUE=2", 0, NULL, NULL, NULL,
					    NULL),
			   CL_INVALID_OPERATION);
		CHECK_OK(clReleaseKernel(kernel));
	}
	CHECK_OK(clBuildProgram(program, 0, NULL, "-DVALUE=2", NULL, NULL));
	/* A kernel keeps its program alive. */
	kernel = kernel_make(program, "second");
	CHECK_OK(clReleaseProgram(program));
	cl_program held = NULL;
	CHECK_OK(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof(held), &held, NULL));
	CHECK(held == program);
	CHECK_OK(clReleaseKernel(kernel));
}

/* Whom callbacks told. */
struct told {
	pthread_mutex_t lock;
	pthread_cond_t condition;
	cl_program program;
	unsigned count;
};

static void CL_CALLBACK built(cl_program program, void *user_data)
{
	struct told *told = user_data;
	pthread_mutex_lock(&told->lock);
	told->program = program;
	told->count++;
	pthread_cond_signal(&told->condition);
	pthread_mutex_unlock(&told->lock);
}

/* Returns whom the next callback tells. */
static cl_program told_wait(struct told *told)
{
	pthread_mutex_lock(&told->lock);
	while (!told->count)
		pthread_cond_wait(&told->condition, &told->lock);
	told->count--;
	cl_program program = told->program;
	pthread_mutex_unlock(&told->lock);
	return program;
}

static void check_callback(const struct api_test *test)
{
	struct told told = {.lock = PTHREAD_MUTEX_INITIALIZER, .condition = PTHREAD_COND_INITIALIZER};
	cl_program program = api_test_program(test->context, good);
	/* Who is never told ends, and so fails. */
	alarm(60);
	CHECK_OK(clBuildProgram(program, 0, NULL, "-DVALUE=1", built, &told));
	CHECK(told_wait(&told) == program);
	CHECK(status_of(program, test->device) == CL_BUILD_SUCCESS);
	/* It could begin, so that it failed is not the call's to say. */
	CHECK_OK(clBuildProgram(program, 0, NULL, "", built, &told));
	CHECK(told_wait(&told) == program);
	CHECK(status_of(program, test->device) == CL_BUILD_ERROR);
	CHECK(strstr(log_of(program, test->device), "VALUE") != NULL);
	/* This one could not. */
	CHECK_CODE(clBuildProgram(program, 0, NULL, "-cl-no-such-option", built, &told),
		   CL_INVALID_BUILD_OPTIONS);
	CHECK_OK(clCompileProgram(program, 0, NULL, "-DVALUE=2", 0, NULL, NULL, built, &told));
	CHECK(told_wait(&told) == program);
	CHECK_OK(clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, built, &told));
	CHECK(told_wait(&told) == program);
	CHECK(status_of(program, test->device) == CL_BUILD_ERROR);
	CHECK_OK(clCompileProgram(program, 0, NULL, "-DVALUE=2", 0, NULL, NULL, built, &told));
	CHECK(told_wait(&told) == program);
	cl_int code;
	cl_program linked = clLinkProgram(test->context, 0, NULL, "", 1, &program, built, &told,
					  &code);
	CHECK_OK(code);
	CHECK(told_wait(&told) == linked);
	CHECK(status_of(linked, test->device) == CL_BUILD_SUCCESS);
	CHECK_OK(clReleaseProgram(linked));
	/* The program may go before it is built. */
	CHECK_OK(clBuildProgram(program, 0, NULL, "-DVALUE=3", built, &told));
	CHECK_OK(clReleaseProgram(program));
	CHECK(told_wait(&told) == program);
	CHECK(!told.count);
}

/* The compiler takes some tenths of a second for a constant, and nobody waits for the compiler.  No other build has the
 * same options, so that it is not found in a cache. */
static void check_callback_at_once(const struct api_test *test)
{
	char options[64];
	struct timespec now;
	struct told told = {.lock = PTHREAD_MUTEX_INITIALIZER, .condition = PTHREAD_COND_INITIALIZER};
	cl_program program = api_test_program(
		test->context,
		"constexpr long sum(long n) { long s = 0; for (long i = 0; i < n; i++) s += i;"
		" return s; }\n"
		"constant long value = sum(150000);\n"
		"kernel void first(global long *p) { *p = value; }\n");
	CHECK(!clock_gettime(CLOCK_REALTIME, &now));
	snprintf(options, sizeof(options), "-cl-std=CLC++2021 -DNOW=%lld%09ldL", (long long)now.tv_sec, now.tv_nsec);
	alarm(60);
	CHECK_OK(clBuildProgram(program, 0, NULL, options, built, &told));
	CHECK(status_of(program, test->device) == CL_BUILD_IN_PROGRESS);
	CHECK_CODE(clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_INVALID_OPERATION);
	CHECK(told_wait(&told) == program);
	alarm(0);
	CHECK(status_of(program, test->device) == CL_BUILD_SUCCESS);
	CHECK_OK(clReleaseProgram(program));
}

/* Programs that do not wait for the callback before they ask for kernels. */
static void check_kernels_at_once(const struct api_test *test)
{
	struct told told = {.lock = PTHREAD_MUTEX_INITIALIZER, .condition = PTHREAD_COND_INITIALIZER};
	cl_program program = api_test_program(test->context, good);
	cl_kernel kernel = NULL;
	size_t number = 0;
	cl_uint made = 0;
	cl_int code;
	alarm(60);
	CHECK_OK(clBuildProgram(program, 0, NULL, "-DVALUE=41", built, &told));
	kernel = clCreateKernel(program, "first", &code);
	CHECK_OK(code);
	CHECK_OK(clReleaseKernel(kernel));
	CHECK(told_wait(&told) == program);
	CHECK_OK(clBuildProgram(program, 0, NULL, "-DVALUE=42", built, &told));
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(number), &number, NULL));
	CHECK(number == 2);
	CHECK(told_wait(&told) == program);
	CHECK_OK(clBuildProgram(program, 0, NULL, "-DVALUE=43", built, &told));
	CHECK_OK(clCreateKernelsInProgram(program, 0, NULL, &made));
	CHECK(made == 2);
	CHECK(told_wait(&told) == program);
	/* Of a build that fails there are none. */
	CHECK_OK(clBuildProgram(program, 0, NULL, "", built, &told));
	CHECK(!clCreateKernel(program, "first", &code));
	CHECK_CODE(code, CL_INVALID_PROGRAM_EXECUTABLE);
	CHECK(told_wait(&told) == program);
	alarm(0);
	CHECK_OK(clReleaseProgram(program));
}

struct builder {
	const struct api_test *test;
	int number;
	bool good;
};

static void *build_some(void *argument)
{
	struct builder *builder = argument;
	const char *source = good;
	char options[32];
	cl_int code;
	builder->good = true;
	for (int i = 0; i < 3; i++) {
		snprintf(options, sizeof(options), "-DVALUE=%d", builder->number * 10 + i);
		cl_program program = clCreateProgramWithSource(builder->test->context, 1, &source,
							       NULL, &code);
		builder->good &= !code &&
				 !clBuildProgram(program, 0, NULL, options, NULL, NULL);
		cl_kernel kernel = clCreateKernel(program, "first", &code);
		builder->good &= !code && !clReleaseKernel(kernel);
		builder->good &= !clReleaseProgram(program);
	}
	return NULL;
}

static void check_threads(const struct api_test *test)
{
	enum { THREADS = 4 };
	pthread_t threads[THREADS];
	struct builder builders[THREADS];
	for (int i = 0; i < THREADS; i++) {
		builders[i] = (struct builder){test, i, false};
		CHECK(!pthread_create(&threads[i], NULL, build_some, &builders[i]));
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		CHECK(builders[i].good);
	}
}

struct rival {
	cl_program program;
	cl_int codes[8];
};

static void *build_again(void *argument)
{
	struct rival *rival = argument;
	for (int i = 0; i < 8; i++)
		rival->codes[i] = clBuildProgram(rival->program, 0, NULL, "-DVALUE=1", NULL, NULL);
	return NULL;
}

/* OpenCL 3.0 API, 5.8.4: of two builds of one program at once, one is
 * CL_INVALID_OPERATION; neither harms the other. */
static void check_rivals(const struct api_test *test)
{
	struct rival rivals[2] = {{.program = api_test_program(test->context, good)}};
	pthread_t thread;
	rivals[1].program = rivals[0].program;
	CHECK(!pthread_create(&thread, NULL, build_again, &rivals[1]));
	build_again(&rivals[0]);
	pthread_join(thread, NULL);
	for (int i = 0; i < 8; i++) {
		CHECK(!rivals[0].codes[i] || rivals[0].codes[i] == CL_INVALID_OPERATION);
		CHECK(!rivals[1].codes[i] || rivals[1].codes[i] == CL_INVALID_OPERATION);
	}
	CHECK(status_of(rivals[0].program, test->device) == CL_BUILD_SUCCESS);
	CHECK_OK(clReleaseProgram(rivals[0].program));
}

/* One build serves every device of a context; each has its own answers. */
static void check_devices(const struct api_test *test)
{
	const char *source = good;
	cl_int code;
	if (test->device_count < 2)
		return;
	cl_context context = clCreateContext(NULL, test->device_count, test->devices, NULL, NULL,
					     &code);
	if (!CHECK_OK(code))
		return;
	cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
	CHECK_OK(clBuildProgram(program, 0, NULL, "-DVALUE=3", NULL, NULL));
	cl_kernel kernel = kernel_make(program, "first");
	size_t size;
	for (cl_uint i = 0; i < test->device_count; i++) {
		CHECK(status_of(program, test->devices[i]) == CL_BUILD_SUCCESS);
		CHECK_OK(clGetKernelWorkGroupInfo(kernel, test->devices[i],
						  CL_KERNEL_WORK_GROUP_SIZE, sizeof(size), &size,
						  NULL));
	}
	CHECK_CODE(clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof(size),
					    &size, NULL),
		   CL_INVALID_DEVICE);
	CHECK_OK(clReleaseKernel(kernel));
	/* A build for one device leaves the other as it was. */
	CHECK_CODE(clBuildProgram(program, 1, &test->devices[1], "", NULL, NULL),
		   CL_BUILD_PROGRAM_FAILURE);
	CHECK(status_of(program, test->devices[0]) == CL_BUILD_SUCCESS);
	CHECK(status_of(program, test->devices[1]) == CL_BUILD_ERROR);
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseContext(context));
}

int main(void)
{
	struct api_test test;
	if (!api_test_start(&test, "program"))
		return API_TEST_SKIP;
	check_create(&test);
	check_info(&test);
	check_failures(&test);
	check_attached(&test);
	check_callback(&test);
	check_callback_at_once(&test);
	check_kernels_at_once(&test);
	check_threads(&test);
	check_rivals(&test);
	check_devices(&test);
	return api_test_end(&test);
}
