#include "config.h"

#include "tests/kernels/facts.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *file;

int facts_open(const char *path)
{
	file = fopen(path, "w");
	return file != NULL;
}

int facts_close(void)
{
	int error = file && (ferror(file) | fclose(file));
	file = NULL;
	return error;
}

/* An answer's bytes; long ones as size and hash. */
static void put(const char *question, cl_int error, const unsigned char *answer, size_t size_B)
{
	uint64_t hash = 0xcbf29ce484222325u;
	fprintf(file, "%s: %d, %zu:", question, error, size_B);
	for (size_t i = 0; i < size_B; i++) {
		hash = (hash ^ answer[i]) * 0x100000001b3u;
		if (i < 32)
			fprintf(file, " %02x", answer[i]);
	}
	fprintf(file, " #%llx\n", (unsigned long long)hash);
}

/* Asks for the size, then for the answer. */
#define ASK(question, call, ...)                                                              \
	do {                                                                                  \
		size_t size_B = 0;                                                            \
		unsigned char *answer = NULL;                                                 \
		cl_int error = call(__VA_ARGS__, question, 0, NULL, &size_B);                 \
		if (!error)                                                                   \
			answer = calloc(1, size_B + 1);                                       \
		if (answer)                                                                   \
			error = call(__VA_ARGS__, question, size_B, answer, NULL);            \
		put(#question, error, answer, answer ? size_B : 0);                           \
		free(answer);                                                                 \
	} while (0)

static cl_int kernel_info(cl_kernel kernel, cl_kernel_info name, size_t size_B, void *value,
			  size_t *size_ret)
{
	return clGetKernelInfo(kernel, name, size_B, value, size_ret);
}

static void write_argument(cl_kernel kernel, cl_uint index)
{
	fprintf(file, "    argument %u\n", index);
	ASK(CL_KERNEL_ARG_ADDRESS_QUALIFIER, clGetKernelArgInfo, kernel, index);
	ASK(CL_KERNEL_ARG_ACCESS_QUALIFIER, clGetKernelArgInfo, kernel, index);
	ASK(CL_KERNEL_ARG_TYPE_NAME, clGetKernelArgInfo, kernel, index);
	ASK(CL_KERNEL_ARG_TYPE_QUALIFIER, clGetKernelArgInfo, kernel, index);
	ASK(CL_KERNEL_ARG_NAME, clGetKernelArgInfo, kernel, index);
}

static void write_kernel(cl_kernel kernel, cl_device_id device)
{
	cl_uint count = 0;
	ASK(CL_KERNEL_FUNCTION_NAME, kernel_info, kernel);
	ASK(CL_KERNEL_NUM_ARGS, kernel_info, kernel);
	ASK(CL_KERNEL_ATTRIBUTES, kernel_info, kernel);
	ASK(CL_KERNEL_WORK_GROUP_SIZE, clGetKernelWorkGroupInfo, kernel, device);
	ASK(CL_KERNEL_COMPILE_WORK_GROUP_SIZE, clGetKernelWorkGroupInfo, kernel, device);
	ASK(CL_KERNEL_LOCAL_MEM_SIZE, clGetKernelWorkGroupInfo, kernel, device);
	ASK(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, clGetKernelWorkGroupInfo, kernel,
	    device);
	ASK(CL_KERNEL_PRIVATE_MEM_SIZE, clGetKernelWorkGroupInfo, kernel, device);
	clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(count), &count, NULL);
	for (cl_uint i = 0; i < count; i++)
		write_argument(kernel, i);
}

static void write_kernels(cl_program program, cl_device_id device)
{
	cl_uint count = 0;
	cl_int error = clCreateKernelsInProgram(program, 0, NULL, &count);
	cl_kernel *kernels = calloc(count ? count : 1, sizeof(*kernels));
	fprintf(file, "  kernels: %d, %u\n", error, count);
	if (!error && kernels && !clCreateKernelsInProgram(program, count, kernels, NULL)) {
		for (cl_uint i = 0; i < count; i++) {
			write_kernel(kernels[i], device);
			clReleaseKernel(kernels[i]);
		}
	}
	free(kernels);
}

static void write_binary(cl_program program)
{
	size_t size_B = 0;
	cl_int error = clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size_B), &size_B,
					NULL);
	unsigned char *binary = calloc(1, size_B + 1);
	if (!error && binary)
		error = clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary,
					 NULL);
	put("CL_PROGRAM_BINARIES", error, binary, binary ? size_B : 0);
	free(binary);
}

void facts_write(const char *name, cl_program program, cl_device_id device)
{
	const char *slash = strrchr(name, '/');
	if (!file)
		return;
	fprintf(file, "== %s\n", slash ? slash + 1 : name);
	ASK(CL_PROGRAM_BUILD_STATUS, clGetProgramBuildInfo, program, device);
	ASK(CL_PROGRAM_BUILD_OPTIONS, clGetProgramBuildInfo, program, device);
	ASK(CL_PROGRAM_BUILD_LOG, clGetProgramBuildInfo, program, device);
	ASK(CL_PROGRAM_BINARY_TYPE, clGetProgramBuildInfo, program, device);
	ASK(CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, clGetProgramBuildInfo, program, device);
	ASK(CL_PROGRAM_SOURCE, clGetProgramInfo, program);
	ASK(CL_PROGRAM_NUM_KERNELS, clGetProgramInfo, program);
	ASK(CL_PROGRAM_KERNEL_NAMES, clGetProgramInfo, program);
	write_binary(program);
	write_kernels(program, device);
}

cl_int facts_go_by_binary(cl_program *program, cl_context context, cl_device_id device,
			  const char *options)
{
	size_t size_B = 0;
	cl_int error = clGetProgramInfo(*program, CL_PROGRAM_BINARY_SIZES, sizeof(size_B), &size_B,
					NULL);
	unsigned char *binary = calloc(1, size_B + 1);
	if (!error)
		error = clGetProgramInfo(*program, CL_PROGRAM_BINARIES, sizeof(binary), &binary,
					 NULL);
	clReleaseProgram(*program);
	*program = NULL;
	if (!error)
		*program = clCreateProgramWithBinary(context, 1, &device, &size_B,
						     (const unsigned char **)&binary, NULL, &error);
	free(binary);
	return error ? error : clBuildProgram(*program, 1, &device, options, NULL, NULL);
}
