/* Native kernels: functions of the application, run on the host in their turn.
 *
 * A worker thread runs them, once the GPU has done what is ahead.  The buffers that
 * they use are brought to the host's place (residency.h) before, and their newest
 * bytes are there afterwards.
 *
 * Thread-safe: reference-counted and constant, but for the arguments, which are the
 * function's while it runs. */
#ifndef CULVERT_ICD_NATIVE_H
#define CULVERT_ICD_NATIVE_H

#include "icd/memory/mem.h"

struct ocl_native_buffer {
	cl_mem mem;                      /* ref held; NULL: a NULL pointer for the function */
	void *pointer;
	size_t at_B;                     /* of the pointer, in the arguments */
};

struct ocl_native {
	atomic_uint refs;
	void (CL_CALLBACK *function)(void *);
	void *arguments;                 /* owned; NULL: none */
	uint32_t count;
	struct ocl_native_buffer buffers[];
};

/* Copies the arguments, checked by the door, and makes the buffers' host memory.
 * CL_INVALID_VALUE when a location is not within the arguments;
 * CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_native_create(void (CL_CALLBACK *function)(void *), const void *arguments,
			 size_t size_B, uint32_t count, const cl_mem *mems,
			 const void *const *locations, struct ocl_native **native_out);
void ocl_native_unref(struct ocl_native *native);

#endif
