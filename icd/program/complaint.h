/* Messages about a call that failed, through the context's pfn_notify and CULVERT_DEBUG=info: the call, the kernel, the
 * argument, the limit and the value.  (OpenCL 3.0 API, 4.4: pfn_notify is used "to report information on errors ...
 * that occur at runtime in this context".)
 *
 * Thread-safe; called only when a call fails.  No lock may be held, because the application is called. */
#ifndef CULVERT_ICD_COMPLAINT_H
#define CULVERT_ICD_COMPLAINT_H

#include "icd/program/kernel.h"

/* Explains an error of clSetKernelArg, and returns it.  Says nothing about internal kernels, which the application has
 * no handle of: the function that sets their arguments explains the call that the application made. */
cl_int ocl_complain_argument(cl_kernel kernel, cl_uint index, size_t size_B, cl_int error);
/* Explains an error in the value of a kernel argument that was given to call. */
void ocl_complain_value(const char *call, cl_kernel kernel, cl_uint index, size_t size_B,
			cl_int error);
/* Writes text such as "argument 2 (float *y)"; the name is there if the program was built with -cl-kernel-arg-info. */
void ocl_complaint_describe(const struct abi_kernel *abi, cl_uint index, char text[160]);
/* Explains that a buffer is larger than every device of the context allows. */
void ocl_complain_size(cl_context context, size_t size_B);
/* Explains that a range is not within a buffer. */
void ocl_complain_range(const char *call, const struct _cl_mem *mem, size_t offset_B,
			size_t size_B);

#endif
