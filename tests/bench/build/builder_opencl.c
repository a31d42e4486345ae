#include "config.h"

#include "tests/bench/build/builder.h"
#include "tests/bench/build/clblast.h"
#include "tests/bench/opencl.h"

#include <stdio.h>

enum { KERNELS = 64 };

const struct builder_facts builder_facts = {
	.program = "#define KERNEL __kernel void\n"
		   "#define GLOBAL __global\n"
		   "#define ID get_global_id(0)\n",
	.ending = ".cl",
	.salt_type = "__constant int",
	.keeps = true,
	.clblast_ms = clblast_ms,
};

/* Some platforms open the device with the context and some when it is first used, which is
 * no part of a build. */
void builder_open(void)
{
	opencl_choose(1);
	cl_command_queue queue = opencl_queue(0, 0);
	const cl_mem mem = opencl_buffer(CL_MEM_READ_WRITE, sizeof(cl_int));
	const cl_int zero = 0;
	CL_OK(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, sizeof(zero), &zero, 0, NULL, NULL));
	CL_OK(clReleaseMemObject(mem));
	CL_OK(clReleaseCommandQueue(queue));
}

void builder_close(void)
{
	CL_OK(clReleaseContext(opencl.context));
}

const char *builder_missing(void)
{
	return NULL;
}

void builder_rows_begin(const char *bench_name)
{
	opencl_rows_begin(bench_name);
}

static void print_log(cl_program program, cl_int code)
{
	char log[4096] = "";
	clGetProgramBuildInfo(program, opencl.devices[0], CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log, NULL);
	fprintf(stderr, "build: %d: %s\n", code, log);
}

double builder_ms(const char *source, bool newest)
{
	const char *options = newest ? opencl_newest_language() : "";
	cl_kernel kernels[KERNELS];
	cl_uint count = 0;
	cl_int code;
	const double start_us = bench_us();
	cl_program program = clCreateProgramWithSource(opencl.context, 1, &source, NULL,
						       &code);
	if (!code)
		code = clBuildProgram(program, 1, opencl.devices, options, NULL, NULL);
	if (!code)
		code = clCreateKernelsInProgram(program, KERNELS, kernels, &count);
	const double took_ms = (bench_us() - start_us) / 1e3;
	if (code)
		print_log(program, code);
	for (cl_uint i = 0; i < count; i++)
		clReleaseKernel(kernels[i]);
	if (program)
		clReleaseProgram(program);
	return code ? -1 : took_ms;
}
