/* What a person is told of a call that failed, through the context's pfn_notify and CULVERT_DEBUG=info:
 * the call, the kernel, the argument, the limit and the value.  (OpenCL 3.0 API, 4.4: pfn_notify is used "to
 * report information on errors ... that occur at runtime in this context".)
 *
 * Thread-safe; for the way of errors alone.  No lock may be held, for the application is called. */
#ifndef CULVERT_ICD_COMPLAINT_H
#define CULVERT_ICD_COMPLAINT_H

#include "icd/program/kernel.h"

/* clSetKernelArg's; returns error.  Nothing of a kernel that only we have: whoever sets its arguments
 * says what the application has called. */
cl_int ocl_complain_argument(cl_kernel kernel, cl_uint index, size_t size_B, cl_int error);
/* Of an argument's value that a call was given. */
void ocl_complain_value(const char *call, cl_kernel kernel, cl_uint index, size_t size_B,
			cl_int error);
/* "argument 2 (float *y)"; names are there where the program was built with them. */
void ocl_complaint_describe(const struct abi_kernel *abi, cl_uint index, char text[160]);
/* A buffer that no device of the context can have. */
void ocl_complain_size(cl_context context, size_t size_B);
/* Bytes of a buffer that it does not have. */
void ocl_complain_range(const char *call, const struct _cl_mem *mem, size_t offset_B,
			size_t size_B);

#endif
