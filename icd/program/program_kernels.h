/* The kernels of a program: those of the executables of all its devices that can be made
 * objects of.
 *
 * Thread-safe: a list is of the executables that there were when it was made, and keeps them. */
#ifndef CULVERT_ICD_PROGRAM_KERNELS_H
#define CULVERT_ICD_PROGRAM_KERNELS_H

#include "icd/program/program.h"

struct ocl_program_kernels {
	struct ocl_code **codes;     /* owned array of references */
	cl_uint code_count;
	const char **names;          /* owned array; the texts are in codes */
	uint32_t count;
};

/* OpenCL 3.0 API, 5.9.1: CL_INVALID_KERNEL_DEFINITION, for clCreateKernel, when the number or
 * the types of the arguments differ between devices. */
bool ocl_kernel_definitions_agree(const struct abi_kernel *a, const struct abi_kernel *b);

/* CL_INVALID_PROGRAM_EXECUTABLE, as 5.8.9 and 5.9.1 say where no device has one;
 * CL_OUT_OF_HOST_MEMORY.  To be finished on success. */
cl_int ocl_program_kernels_find(cl_program program, struct ocl_program_kernels *kernels);
void ocl_program_kernels_finish(struct ocl_program_kernels *kernels);

#endif
