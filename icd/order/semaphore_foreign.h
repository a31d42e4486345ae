/* Semaphores of other APIs (cl_khr_external_semaphore_opaque_fd): binary ones of Vulkan's, which
 * the driver signals and waits for itself, by operations in the stream of a command.
 *
 * These are the one thing that lets a stream wait for what is outside of OpenCL: commands behind a
 * wait run when the other API has signaled, and never if it does not.  A wait for what was
 * signaled here comes after that signal's event, too, so that it is in no stream before its signal
 * is, and not at all if that fails.
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_SEMAPHORE_FOREIGN_H
#define CULVERT_ICD_SEMAPHORE_FOREIGN_H

#include "icd/order/command.h"
#include "icd/order/semaphore.h"

/* Those of a command's semaphores that are foreign. */
struct ocl_foreign_use {
	atomic_uint refs;
	cl_uint count;
	cl_semaphore_khr semaphores[];   /* refs held */
};

extern const struct ocl_command_kind ocl_command_foreign_signal, ocl_command_foreign_wait;

/* *use_out: the payload of such a command, a reference; NULL: none of them is foreign.
 * CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_foreign_use(cl_uint count, const cl_semaphore_khr *semaphores,
		       struct ocl_foreign_use **use_out);
/* NULL is fine. */
void ocl_foreign_unref(struct ocl_foreign_use *use);

#endif
