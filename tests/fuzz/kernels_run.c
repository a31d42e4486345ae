#include "config.h"

#include "tests/fuzz/kernels_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORIES = 9 };
/* Where loads of vectors end that begin near the last of the inputs. */
enum { INPUTS_ROOM = KERNELS_INPUTS + 32 };

bool kernels_platform_open(struct kernels_platform *platform, const char *name)
{
	cl_platform_id ids[16];
	cl_uint count = 0;
	*platform = (struct kernels_platform){NULL, NULL, NULL};
	if (clGetPlatformIDs(16, ids, &count))
		return false;
	for (cl_uint p = 0; p < count && p < 16; p++) {
		char its[256] = "";
		clGetPlatformInfo(ids[p], CL_PLATFORM_NAME, sizeof(its) - 1, its, NULL);
		if (strstr(its, name) &&
		    !clGetDeviceIDs(ids[p], CL_DEVICE_TYPE_ALL, 1, &platform->device, NULL))
			break;
	}
	if (!platform->device)
		return false;
	platform->context = clCreateContext(NULL, 1, &platform->device, NULL, NULL, NULL);
	if (platform->context)
		platform->queue = clCreateCommandQueueWithProperties(platform->context,
								     platform->device, NULL, NULL);
	return platform->queue;
}

void kernels_platform_close(struct kernels_platform *platform)
{
	if (platform->queue)
		clReleaseCommandQueue(platform->queue);
	if (platform->context)
		clReleaseContext(platform->context);
}

/* --- inputs, the same for all kernels --------------------------------------------------------- */

static void fill_integers(uint64_t inputs[INPUTS_ROOM], struct fuzz *fuzz)
{
	for (unsigned i = 0; i < INPUTS_ROOM; i++) {
		unsigned char *bytes = (unsigned char *)&inputs[i];
		for (unsigned b = 0; b < 8; b++)
			bytes[b] = (unsigned char)fuzz_number(fuzz, 256);
		if (i % 4 == 1)
			inputs[i] = UINT64_C(0x8000000080008080);
		else if (i % 4 == 2)
			inputs[i] = fuzz_number(fuzz, 2) ? UINT64_MAX : fuzz_number(fuzz, 300);
	}
}

static double some_real(struct fuzz *fuzz, unsigned i)
{
	static const double edges[] = {
		0,    -0.0,	    1,	   -1.5,     0.5,      2147483648.0, -1e30, 65504, 1e-40,
		3e38, 4294967296.5, 254.5, -32768.5, INFINITY, -INFINITY,    1e-7};
	if (i % 3 == 0)
		return edges[fuzz_number(fuzz, 16)];
	return ldexp((double)fuzz_number(fuzz, 1u << 30) - (1 << 29),
		     (int)fuzz_number(fuzz, 60) - 45);
}

/* --- one run ---------------------------------------------------------------------------------- */

struct launch {
	const struct kernels_platform *platform;
	cl_program program;
	cl_kernel kernel;
	cl_mem memories[MEMORIES];
	cl_int error; /* the first */
};

static void note(struct launch *launch, cl_int error)
{
	if (!launch->error)
		launch->error = error;
}

static cl_mem memory(struct launch *launch, unsigned number, const void *data, size_t size_B)
{
	cl_int error;
	launch->memories[number] = clCreateBuffer(launch->platform->context, CL_MEM_COPY_HOST_PTR,
						  size_B, (void *)data, &error);
	note(launch, error);
	return launch->memories[number];
}

static void argument(struct launch *launch, cl_uint *index, size_t size_B, const void *value)
{
	if (!launch->error)
		note(launch, clSetKernelArg(launch->kernel, (*index)++, size_B, value));
}

static void set_inputs(struct launch *launch, cl_uint *index)
{
	struct fuzz fuzz = {.state = 1};
	uint64_t integers[INPUTS_ROOM];
	uint16_t halves[INPUTS_ROOM];
	float floats[INPUTS_ROOM];
	double doubles[INPUTS_ROOM];
	fill_integers(integers, &fuzz);
	for (unsigned i = 0; i < INPUTS_ROOM; i++) {
		halves[i] = (uint16_t)fuzz_number(&fuzz, 1 << 16);
		floats[i] = (float)some_real(&fuzz, i);
		doubles[i] = some_real(&fuzz, i);
	}
	cl_mem half = memory(launch, 4, halves, sizeof(halves));
	cl_mem integer = memory(launch, 5, integers, sizeof(integers));
	cl_mem real = memory(launch, 6, floats, sizeof(floats));
	cl_mem wide = memory(launch, 7, doubles, sizeof(doubles));
	argument(launch, index, sizeof(half), &half);
	for (unsigned e = 0; e < 8; e++)
		argument(launch, index, sizeof(integer), &integer);
	argument(launch, index, sizeof(real), &real);
	argument(launch, index, sizeof(wide), &wide);
}

static void set_values(struct launch *launch, cl_uint *index, size_t structure_B)
{
	static const cl_int n = 13;
	static const cl_uint3 x = {{3, 0x80000000u, 77777, 0}};
	static const cl_char16 y = {
		{1, -1, 127, -128, 5, 60, -7, 8, 90, -10, 11, 0, 13, -14, 15, 16}};
	static const cl_float2 z = {{1.25f, -3e9f}};
	unsigned char structure[1024];
	/* No real among the fields is a NaN: exponents stay low. */
	for (unsigned b = 0; b < sizeof(structure); b++)
		structure[b] = (b * 37 + b / 16) & 0x3f;
	argument(launch, index, sizeof(n), &n);
	argument(launch, index, sizeof(x), &x);
	argument(launch, index, sizeof(y), &y);
	argument(launch, index, sizeof(z), &z);
	argument(launch, index, structure_B, structure);
}

static void set_arguments(struct launch *launch, const struct kernels_source *source,
			  struct kernels_result *result)
{
	cl_uint index = 0;
	memset(result, 0, sizeof(*result));
	/* What is anded, and what is to become the least. */
	for (unsigned i = 24; i < 40; i++)
		result->counters[i] = UINT32_MAX;
	cl_mem sums = memory(launch, 0, result->sums, sizeof(result->sums));
	cl_mem counters = memory(launch, 1, result->counters, sizeof(result->counters));
	cl_mem own = memory(launch, 2, result->own, sizeof(result->own));
	cl_mem own_half = memory(launch, 3, result->own_half, sizeof(result->own_half));
	cl_mem shared = memory(launch, 8, result->shared, sizeof(result->shared));
	argument(launch, &index, sizeof(sums), &sums);
	argument(launch, &index, sizeof(counters), &counters);
	argument(launch, &index, sizeof(own), &own);
	argument(launch, &index, sizeof(own_half), &own_half);
	argument(launch, &index, sizeof(shared), &shared);
	set_inputs(launch, &index);
	set_values(launch, &index, source->argument_B);
}

static void read_back(struct launch *launch, unsigned number, void *to, size_t size_B)
{
	if (!launch->error)
		note(launch, clEnqueueReadBuffer(launch->platform->queue, launch->memories[number],
						 CL_TRUE, 0, size_B, to, 0, NULL, NULL));
}

static void print_log(const struct launch *launch)
{
	size_t size = 0;
	clGetProgramBuildInfo(launch->program, launch->platform->device, CL_PROGRAM_BUILD_LOG, 0,
			      NULL, &size);
	char *log = calloc(1, size + 1);
	if (log)
		clGetProgramBuildInfo(launch->program, launch->platform->device,
				      CL_PROGRAM_BUILD_LOG, size, log, NULL);
	printf("the build failed with %d: %s\n", launch->error, log ? log : "");
	free(log);
}

static void build(struct launch *launch, const struct bytes *prelude,
		  const struct kernels_source *source, const char *options)
{
	const char *texts[] = {bytes_string(prelude), bytes_string(&source->text)};
	char all[256];
	cl_int error;
	snprintf(all, sizeof(all),
		 "-cl-std=CL3.0 -cl-fp32-correctly-rounded-divide-sqrt -DLOCAL=%u %s",
		 source->local, options);
	launch->program = clCreateProgramWithSource(launch->platform->context, 2, texts, NULL,
						    &error);
	note(launch, error);
	if (launch->error)
		return;
	note(launch,
	     clBuildProgram(launch->program, 1, &launch->platform->device, all, NULL, NULL));
	if (launch->error) {
		print_log(launch);
		return;
	}
	launch->kernel = clCreateKernel(launch->program, "k", &error);
	note(launch, error);
}

bool kernels_run(const struct kernels_platform *platform, const struct bytes *prelude,
		 const struct kernels_source *source, const char *options,
		 struct kernels_result *result)
{
	struct launch launch = {.platform = platform};
	size_t global = KERNELS_ITEMS, local = source->local;
	build(&launch, prelude, source, options);
	if (!launch.error)
		set_arguments(&launch, source, result);
	if (!launch.error)
		note(&launch, clEnqueueNDRangeKernel(platform->queue, launch.kernel, 1, NULL,
						     &global, &local, 0, NULL, NULL));
	read_back(&launch, 0, result->sums, sizeof(result->sums));
	read_back(&launch, 1, result->counters, sizeof(result->counters));
	read_back(&launch, 2, result->own, sizeof(result->own));
	read_back(&launch, 3, result->own_half, sizeof(result->own_half));
	read_back(&launch, 8, result->shared, sizeof(result->shared));
	for (unsigned m = 0; m < MEMORIES; m++)
		if (launch.memories[m])
			clReleaseMemObject(launch.memories[m]);
	if (launch.kernel)
		clReleaseKernel(launch.kernel);
	if (launch.program)
		clReleaseProgram(launch.program);
	if (launch.error)
		printf("number %llu: error %d\n", (unsigned long long)source->number, launch.error);
	return !launch.error;
}
