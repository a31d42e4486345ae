/* Semaphores of other APIs (cl_khr_external_semaphore_opaque_fd), that is, Vulkan's binary semaphores: the CUDA driver
 * signals them and waits for them by operations in a stream.
 *
 * Only with these can a stream wait for something outside of OpenCL: commands after a wait run when the other API has
 * signaled, and never if it does not.  A wait for a signal of this process also has the signal's event in its wait
 * list, so that it is put into a stream only after its signal, and fails if the signal fails.
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_SEMAPHORE_FOREIGN_H
#define CULVERT_ICD_SEMAPHORE_FOREIGN_H

#include "icd/order/command.h"
#include "icd/order/semaphore.h"

/* The semaphores of other APIs that a command signals or waits for. */
struct ocl_foreign_use {
	atomic_uint refs;
	cl_uint count;                   /* of semaphores */
	cl_semaphore_khr semaphores[];   /* refs held */
};

extern const struct ocl_command_kind ocl_command_foreign_signal, ocl_command_foreign_wait;

/* *use_out: those of semaphores that are of other APIs, with a reference; NULL if none is.  CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_foreign_use(cl_uint count, const cl_semaphore_khr *semaphores,
		       struct ocl_foreign_use **use_out);
/* NULL is fine. */
void ocl_foreign_unref(struct ocl_foreign_use *use);

#endif
