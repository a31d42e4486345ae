/* Semaphores that processes share (cl_khr_external_semaphore_opaque_fd): the payload is the counter of an eventfd,
 * whose descriptor processes pass to each other.
 *
 * A signal is done by the host, which writes 1 to the eventfd when the commands before it are complete, and
 * SHARED_FAILED if they failed.  A wait reads the counter, which sets it to 0: immediately if it is not 0, otherwise
 * when a thread that polls for all pending waits finds that it is not; that thread then sets the wait's gate, a user
 * event.  So nothing in a stream waits for another process.
 *
 * A program that does not use OpenCL signals by write(2) of 1, and waits by poll(2) and read(2).
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_SEMAPHORE_SHARED_H
#define CULVERT_ICD_SEMAPHORE_SHARED_H

#include "icd/order/semaphore.h"

/* The number that a signal writes if the commands before it failed. */
#define SHARED_FAILED ((uint64_t)1 << 32)

/* Makes a counter, which is 0; the caller owns the descriptor.  CL_OUT_OF_RESOURCES. */
cl_int ocl_shared_create(int *fd_out);
/* Makes another descriptor of the same counter, which the caller owns.  CL_OUT_OF_RESOURCES. */
cl_int ocl_shared_copy(int fd, int *fd_out);
/* Whether a descriptor that another process passed is an eventfd that can be used as a counter. */
bool ocl_shared_is_counter(int fd);

/* Enqueues a command that signals those of semaphores that processes share, after events.  Always makes the command's
 * event.  CL_OUT_OF_HOST_MEMORY, and the errors of ocl_queue_enqueue. */
cl_int ocl_shared_signal(cl_command_queue queue, cl_uint count, const cl_semaphore_khr *semaphores,
			 cl_uint event_count, const cl_event *events, cl_event *event_out);

/* ocl_semaphore_wait, _wait_undo and _payload for these semaphores. */
cl_int ocl_shared_wait(cl_semaphore_khr semaphore, cl_event *event_out);
void ocl_shared_wait_undo(cl_semaphore_khr semaphore, cl_event event);
cl_semaphore_payload_khr ocl_shared_payload(cl_semaphore_khr semaphore);

#endif
