/* Native kernels (clEnqueueNativeKernel): functions of the application that run on the host.
 *
 * A worker thread runs the function when the commands before it are complete.  Before that the newest bytes of the
 * buffers that it uses are copied to host memory (residency.h); afterwards the newest bytes are there.
 *
 * Thread-safe: reference-counted and constant, except for the arguments, which the function may change while it
 * runs. */
#ifndef CULVERT_ICD_NATIVE_H
#define CULVERT_ICD_NATIVE_H

#include "icd/memory/mem.h"

struct ocl_native_buffer {
	cl_mem mem;                      /* ref held; NULL: a NULL pointer for the function */
	void *pointer;                   /* its host memory, which the function gets */
	size_t at_B;                     /* offset in the arguments at which the pointer is stored */
};

struct ocl_native {
	atomic_uint refs;
	void (CL_CALLBACK *function)(void *);
	void *arguments;                 /* owned; NULL: none */
	uint32_t count;                  /* of buffers */
	struct ocl_native_buffer buffers[];
};

/* Copies the arguments, which the caller has checked, and allocates the buffers' host memory.  locations: where in
 * arguments the function expects the pointer of each of mems.
 * CL_INVALID_VALUE when a location is not within the arguments;
 * CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_native_create(void (CL_CALLBACK *function)(void *), const void *arguments,
			 size_t size_B, uint32_t count, const cl_mem *mems,
			 const void *const *locations, struct ocl_native **native_out);
void ocl_native_unref(struct ocl_native *native);

#endif
