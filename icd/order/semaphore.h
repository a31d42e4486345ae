/* Binary semaphores (cl_khr_semaphore).  A signal is a command whose event is stored in the semaphore; a wait is a
 * command that takes the event from it and has it in its wait list.  A semaphore thus orders commands of all queues
 * and devices of a context as events do, on the GPU where possible.
 *
 * A wait may be enqueued before its signal.  It then waits for the semaphore's gate, an internal user event that is
 * set when the signal has happened.
 *
 * Semaphores that other processes share work differently (semaphore_shared.h), and so do semaphores of other APIs
 * (semaphore_foreign.h).
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_SEMAPHORE_H
#define CULVERT_ICD_SEMAPHORE_H

#include "icd/include/khr_semaphore.h"
#include "icd/memory/stream_set.h"
#include "icd/order/event.h"

extern const struct object_type ocl_semaphore_type;

struct _cl_semaphore_khr {
	struct object base;
	cl_context context;              /* ref held */
	cl_device_id device;             /* the only device that may use it; NULL: all devices of the context */
	cl_semaphore_properties_khr *properties; /* owned, with the final 0 */
	size_t property_count;           /* with the final 0 */
	int fd;                          /* owned: its counter, if processes share it (semaphore_shared.h); or -1 */
	struct gpu_semaphore *foreign;   /* owned: a semaphore of another API (semaphore_foreign.h); or NULL */
	struct ocl_stream_set streams;   /* those that used foreign */
	bool exportable;                 /* clGetSemaphoreHandleForTypeKHR may be called for it */
	struct lock lock;                /* guards all below */
	cl_event signal;                 /* ref held: of the last signal, which no wait has taken yet; or NULL */
	cl_event gate;                   /* ref held: a user event for waits that came before their signal; or NULL */
	unsigned gate_waits;             /* waits for gate */
};

/* The meaning of the properties given to clCreateSemaphoreWithPropertiesKHR. */
struct ocl_semaphore_wishes {
	cl_device_id device;             /* NULL: none is named */
	bool exportable;                 /* as an opaque file descriptor */
	bool imported;                   /* from fd, which the semaphore owns on success */
	int fd;
};

/* properties: count words with the final 0, checked by the caller; wishes: their meaning.
 * CL_INVALID_PROPERTY: fd is no semaphore.  CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_semaphore_create(cl_context context, const struct ocl_semaphore_wishes *wishes,
			    const cl_semaphore_properties_khr *properties, size_t count,
			    cl_semaphore_khr *semaphore_out);

/* Stores the event of a command that signals the semaphore.  For a semaphore that processes share it does nothing:
 * the command itself signals it. */
void ocl_semaphore_signal(cl_semaphore_khr semaphore, cl_event event);
/* Gives the event that a command which waits for the semaphore has to wait for, with a reference.
 * CL_OUT_OF_HOST_MEMORY; for semaphores that processes share also CL_OUT_OF_RESOURCES. */
cl_int ocl_semaphore_wait(cl_semaphore_khr semaphore, cl_event *event_out);
/* Undoes ocl_semaphore_wait, because the command could not be enqueued. */
void ocl_semaphore_wait_undo(cl_semaphore_khr semaphore, cl_event event);
/* 1 if the semaphore was signaled and no wait was enqueued since; otherwise 0.  For a semaphore of another API only
 * this process's signals and waits are counted. */
cl_semaphore_payload_khr ocl_semaphore_payload(cl_semaphore_khr semaphore);

#endif
