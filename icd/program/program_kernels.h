/* The list of a program's kernels: those for which clCreateKernel works, from the executables of all devices.
 *
 * Thread-safe: a list has references to the executables from which it was made. */
#ifndef CULVERT_ICD_PROGRAM_KERNELS_H
#define CULVERT_ICD_PROGRAM_KERNELS_H

#include "icd/program/program.h"

struct ocl_program_kernels {
	struct ocl_code **codes;     /* owned array of references */
	cl_uint code_count;
	const char **names;          /* owned array; the strings are parts of codes */
	uint32_t count;              /* of names */
};

/* Whether two devices' definitions of a kernel have the same number and types of arguments; if not, clCreateKernel
 * returns CL_INVALID_KERNEL_DEFINITION (OpenCL 3.0 API, 5.9.1). */
bool ocl_kernel_definitions_agree(const struct abi_kernel *a, const struct abi_kernel *b);

/* Makes the list; on success the caller calls ocl_program_kernels_finish.  CL_INVALID_PROGRAM_EXECUTABLE if no device
 * has an executable (5.8.9 and 5.9.1); CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_program_kernels_find(cl_program program, struct ocl_program_kernels *kernels);
void ocl_program_kernels_finish(struct ocl_program_kernels *kernels);

#endif
