/* Semaphores that processes share (cl_khr_external_semaphore_opaque_fd): the payload is the
 * counter of an eventfd, which processes hand to each other.
 *
 * A signal is work of the host, which writes 1 when its turn has come; SHARED_FAILED is written
 * when its command has failed.  A wait takes the whole counter: at once if there is one, else when
 * the thread that watches for pending waits sees it, which then opens the wait's gate.  So
 * nothing in a stream waits for another process.
 *
 * Who is no OpenCL program signals by write(2) of 1 and waits by poll(2) and read(2).
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_SEMAPHORE_SHARED_H
#define CULVERT_ICD_SEMAPHORE_SHARED_H

#include "icd/order/semaphore.h"

/* The counter of a signal whose command has failed. */
#define SHARED_FAILED ((uint64_t)1 << 32)

/* A new counter, at 0; the descriptor is the caller's.  CL_OUT_OF_RESOURCES. */
cl_int ocl_shared_create(int *fd_out);
/* Another descriptor of the same counter, the caller's.  CL_OUT_OF_RESOURCES. */
cl_int ocl_shared_copy(int fd, int *fd_out);
/* Whether a descriptor that came from elsewhere is such a counter, and may be used as one. */
bool ocl_shared_is_counter(int fd);

/* Enqueues a command that signals those of semaphores that are shared, after the events.  The
 * command's event is made in any case.  CL_OUT_OF_HOST_MEMORY, and as ocl_queue_enqueue. */
cl_int ocl_shared_signal(cl_command_queue queue, cl_uint count, const cl_semaphore_khr *semaphores,
			 cl_uint event_count, const cl_event *events, cl_event *event_out);

/* What ocl_semaphore_wait, _wait_undo and _payload do for these. */
cl_int ocl_shared_wait(cl_semaphore_khr semaphore, cl_event *event_out);
void ocl_shared_wait_undo(cl_semaphore_khr semaphore, cl_event event);
cl_semaphore_payload_khr ocl_shared_payload(cl_semaphore_khr semaphore);

#endif
