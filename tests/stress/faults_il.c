#include "config.h"

#include "tests/stress/faults.h"

#include <stdint.h>
#include <string.h>

/* Kernel "scaled" multiplies each element of a buffer of uint by a specialization constant of 32 bits,
 * SpecId 4, which is 100. */
static const uint32_t module[] = {
	0x07230203, 0x00010000, 0, 18, 0,         /* version 1.0 */
	0x00020011, 4,                            /* OpCapability Addresses */
	0x00020011, 6,                            /* OpCapability Kernel */
	0x00020011, 11,                           /* OpCapability Int64 */
	0x0003000e, 2, 2,                         /* OpMemoryModel Physical64 OpenCL */
	0x0006000f, 6, 1, 0x6c616373, 0x6465, 2,  /* OpEntryPoint Kernel 1 "scaled" 2 */
	0x00040047, 2, 11, 28,                    /* OpDecorate 2 BuiltIn GlobalInvocationId */
	0x00030047, 2, 22,                        /* OpDecorate 2 Constant */
	0x00040047, 3, 1, 4,                      /* OpDecorate 3 SpecId 4 */
	0x00040015, 4, 32, 0,                     /* 4 = OpTypeInt 32 0 */
	0x00040015, 5, 64, 0,                     /* 5 = OpTypeInt 64 0 */
	0x00040017, 6, 5, 3,                      /* 6 = OpTypeVector 5 3 */
	0x00040020, 7, 1, 6,                      /* 7 = OpTypePointer Input 6 */
	0x00020013, 8,                            /* 8 = OpTypeVoid */
	0x00040020, 9, 5, 4,                      /* 9 = OpTypePointer CrossWorkgroup 4 */
	0x00040021, 10, 8, 9,                     /* 10 = OpTypeFunction 8 9 */
	0x00040032, 4, 3, 100,                    /* 3 = OpSpecConstant 4 100 */
	0x0004003b, 7, 2, 1,                      /* 2 = OpVariable 7 Input */
	0x00050036, 8, 1, 0, 10,                  /* 1 = OpFunction 8 None 10 */
	0x00030037, 9, 11,                        /* 11 = OpFunctionParameter 9 */
	0x000200f8, 12,                           /* OpLabel */
	0x0004003d, 6, 13, 2,                     /* 13 = OpLoad 6 2 */
	0x00050051, 5, 14, 13, 0,                 /* 14 = OpCompositeExtract 5 13 0 */
	0x00050046, 9, 15, 11, 14,                /* 15 = OpInBoundsPtrAccessChain 9 11 14 */
	0x0006003d, 4, 16, 15, 2, 4,              /* 16 = OpLoad 4 15 Aligned 4 */
	0x00050084, 4, 17, 16, 3,                 /* 17 = OpIMul 4 16 3 */
	0x0005003e, 15, 17, 2, 4,                 /* OpStore 15 17 Aligned 4 */
	0x000100fd,                               /* OpReturn */
	0x00010038,                               /* OpFunctionEnd */
};

enum { COUNT = 64, CONSTANT = 3 };

static cl_program program_make(struct faults_run *run)
{
	const cl_uint constant = CONSTANT;
	unsigned char told[sizeof(module)];
	cl_int code = 12345;
	cl_program program = clCreateProgramWithIL(run->context, module, sizeof(module), &code);
	NOTE(clCreateProgramWithIL, code);
	WRONG_UNLESS((program != NULL) == (code == CL_SUCCESS));
	if (!program)
		return NULL;
	/* What it was made of can be asked for whatever comes of it. */
	if (!TRY(clGetProgramInfo(program, CL_PROGRAM_IL, sizeof(told), told, NULL)))
		WRONG_UNLESS(!memcmp(told, module, sizeof(told)));
	if (!TRY(clSetProgramSpecializationConstant(program, 4, sizeof(constant), &constant)) &&
	    !TRY(clBuildProgram(program, 0, NULL, "", NULL, NULL)))
		return program;
	TRY(clReleaseProgram(program));
	return NULL;
}

/* In place, on numbers that count up. */
static void work_kernel(struct faults_run *run, cl_command_queue queue, cl_kernel kernel)
{
	const size_t size = COUNT;
	cl_uint numbers[COUNT];
	cl_int code = 12345;
	for (cl_uint i = 0; i < COUNT; i++)
		numbers[i] = i;
	cl_mem mem = clCreateBuffer(run->context, CL_MEM_COPY_HOST_PTR, sizeof(numbers), numbers,
				    &code);
	if (NOTE(clCreateBuffer, code))
		return;
	if (!TRY(clSetKernelArg(kernel, 0, sizeof(mem), &mem)) &&
	    !TRY(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL)) &&
	    !TRY(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(numbers), numbers, 0, NULL,
				     NULL)))
		for (cl_uint i = 0; i < COUNT && !run->errors; i++)
			WRONG_UNLESS(numbers[i] == i * CONSTANT);
	TRY(clReleaseMemObject(mem));
}

void faults_il(struct faults_run *run, cl_command_queue queue)
{
	cl_int code = 12345;
	cl_program program = queue ? program_make(run) : NULL;
	if (!program)
		return;
	cl_kernel kernel = clCreateKernel(program, "scaled", &code);
	if (!NOTE(clCreateKernel, code)) {
		work_kernel(run, queue, kernel);
		TRY(clReleaseKernel(kernel));
	}
	TRY(clReleaseProgram(program));
}
