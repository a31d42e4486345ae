/* A program's life with the cache of built programs, for cache.sh to look at.
 *
 *	cache run FILE [OPTIONS]             builds FILE, runs its kernel k, prints p[0]
 *	cache threads N FILE [OPTIONS]       the same on N threads at once, each with a program
 *	cache headers TEXT                   clCompileProgram with an embedded header of TEXT
 *	cache again N FILE [OPTIONS]         builds N times, prints the us of the quickest
 *	cache forget N FILE [OPTIONS]        builds and runs N times, unloads the compiler after each
 *	cache fails FILE HEADER [OPTIONS]    builds 8 times what fails, writes "#define NOTHING 1"
 *	                                     to HEADER, and builds what succeeds */
#include "config.h"

#include <CL/cl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS_MAX = 64 };

static cl_device_id device;
static cl_context context;
static const char *options = "";
static char *source;

static int failed(const char *what, cl_int error)
{
	if (error)
		fprintf(stderr, "%s: %d\n", what, error);
	return error != CL_SUCCESS;
}

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	char *text = calloc(1, 1 << 20);
	if (!file || !text || !fread(text, 1, (1 << 20) - 1, file))
		return NULL;
	fclose(file);
	return text;
}

static int setup(void)
{
	cl_platform_id platform;
	cl_int error = clGetPlatformIDs(1, &platform, NULL);
	if (!error)
		error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
	if (!error)
		context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	return failed("setup", error);
}

/* What the kernel k of a built program writes to p[0]. */
static int run(cl_program program, int *value_out)
{
	cl_int error;
	const size_t one = 1;
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
	cl_kernel kernel = error ? NULL : clCreateKernel(program, "k", &error);
	cl_mem buffer = error ? NULL : clCreateBuffer(context, 0, sizeof(int), NULL, &error);
	if (!error)
		error = clSetKernelArg(kernel, 0, sizeof(buffer), &buffer);
	if (!error)
		error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
	if (!error)
		error = clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(int), value_out, 0,
					    NULL, NULL);
	if (buffer)
		clReleaseMemObject(buffer);
	if (kernel)
		clReleaseKernel(kernel);
	if (queue)
		clReleaseCommandQueue(queue);
	return failed("run", error);
}

static cl_program build(void)
{
	cl_int error;
	const char *text = source;
	cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
	if (!error)
		error = clBuildProgram(program, 1, &device, options, NULL, NULL);
	return failed("build", error) ? NULL : program;
}

static void *build_and_run(void *value)
{
	cl_program program = build();
	int bad = !program || run(program, value);
	if (program)
		clReleaseProgram(program);
	return bad ? value : NULL;
}

static int run_threads(unsigned count)
{
	pthread_t threads[THREADS_MAX];
	int values[THREADS_MAX], bad = 0;
	for (unsigned i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, build_and_run, &values[i]))
			return 1;
	for (unsigned i = 0; i < count; i++) {
		void *result;
		pthread_join(threads[i], &result);
		bad |= result || values[i] != values[0];
	}
	printf("%d\n", values[0]);
	return bad;
}

static int run_headers(const char *text)
{
	cl_int error;
	int value;
	const char *name = "h.h";
	const char *main_text = "#include \"h.h\"\nkernel void k(global int *p) { p[0] = H; }\n";
	cl_program header = clCreateProgramWithSource(context, 1, &text, NULL, &error);
	cl_program program = clCreateProgramWithSource(context, 1, &main_text, NULL, &error);
	error = clCompileProgram(program, 1, &device, "", 1, &header, &name, NULL, NULL);
	if (failed("compile", error))
		return 1;
	cl_program linked = clLinkProgram(context, 1, &device, "", 1, &program, NULL, NULL,
					  &error);
	if (failed("link", error) || run(linked, &value))
		return 1;
	printf("%d\n", value);
	clReleaseProgram(linked);
	clReleaseProgram(program);
	clReleaseProgram(header);
	return 0;
}

static int run_again(unsigned count)
{
	double best_us = 1e30;
	for (unsigned i = 0; i < count; i++) {
		struct timespec start, end;
		clock_gettime(CLOCK_MONOTONIC, &start);
		cl_program program = build();
		clock_gettime(CLOCK_MONOTONIC, &end);
		if (!program)
			return 1;
		double us = (double)(end.tv_sec - start.tv_sec) * 1e6 +
			    (double)(end.tv_nsec - start.tv_nsec) * 1e-3;
		best_us = us < best_us ? us : best_us;
		clReleaseProgram(program);
	}
	printf("%.0f\n", best_us);
	return 0;
}

/* Each build after the one before is released, and after compilers were let go. */
static int run_forget(unsigned count)
{
	cl_platform_id platform;
	if (failed("platform", clGetPlatformIDs(1, &platform, NULL)))
		return 1;
	for (unsigned i = 0; i < count; i++) {
		int value;
		cl_program program = build();
		if (!program || run(program, &value))
			return 1;
		printf("%d", value);
		clReleaseProgram(program);
		if (failed("unload", clUnloadPlatformCompiler(platform)))
			return 1;
	}
	putchar('\n');
	return 0;
}

/* The error and the log of one more build. */
static cl_int fail_once(char log[4096])
{
	cl_int error;
	const char *text = source;
	cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
	if (failed("create", error))
		return error;
	error = clBuildProgram(program, 1, &device, options, NULL, NULL);
	log[0] = '\0';
	clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 4096, log, NULL);
	clReleaseProgram(program);
	return error;
}

static int run_fails(const char *header)
{
	static char first[4096], log[4096];
	for (unsigned i = 0; i < 8; i++) {
		cl_int error = fail_once(log);
		if (!i)
			memcpy(first, log, sizeof(first));
		if (error != CL_BUILD_PROGRAM_FAILURE || !strstr(log, "NOTHING") ||
		    strcmp(log, first)) {
			printf("build %u: %d\n%s\n", i, error, log);
			return 1;
		}
	}
	FILE *file = fopen(header, "w");
	if (!file || fputs("#define NOTHING 1\n", file) < 0 || fclose(file))
		return 1;
	return failed("the header is there", fail_once(log));
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	const char *mode = argv[1];
	const bool fails = !strcmp(mode, "fails");
	int file = strcmp(mode, "run") && !fails ? 3 : 2;
	if (setup())
		return 1;
	if (!strcmp(mode, "headers"))
		return run_headers(argv[2]);
	source = file < argc ? read_file(argv[file]) : NULL;
	if (!source)
		return 2;
	if (file + 1 + fails < argc)
		options = argv[file + 1 + fails];
	if (fails)
		return argc > 3 ? run_fails(argv[3]) : 2;
	unsigned count = (unsigned)strtoul(argv[2], NULL, 10);
	if (!strcmp(mode, "again"))
		return run_again(count);
	if (!strcmp(mode, "forget"))
		return run_forget(count);
	return run_threads(!strcmp(mode, "threads") && count <= THREADS_MAX ? count : 1);
}
