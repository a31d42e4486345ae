/* Binary semaphores (cl_khr_semaphore): a signal is a command whose event is left with the
 * semaphore; a wait is a command that takes it and comes after it.  So a semaphore orders
 * what events order: queues and devices of a context, on the GPU where that can be.
 *
 * A wait may be enqueued before its signal.  It then comes after a gate, a user event of
 * ours, that is set when the signal has happened.
 *
 * What is shared with other processes is another matter: semaphore_shared.h; and so is what
 * another API has made: semaphore_foreign.h.
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
	cl_device_id device;             /* the only one that uses it; NULL: all of the context */
	cl_semaphore_properties_khr *properties; /* owned, with the final 0 */
	size_t property_count;
	int fd;                          /* owned: shared with others (semaphore_shared.h); or -1 */
	struct gpu_semaphore *foreign;   /* owned: of another API (semaphore_foreign.h); or NULL */
	struct ocl_stream_set streams;   /* those that used foreign */
	bool exportable;
	struct lock lock;                /* guards all below */
	cl_event signal;                 /* ref held: what no wait has taken yet; or NULL */
	cl_event gate;                   /* ref held: of waits that came first; or NULL */
	unsigned gate_waits;
};

/* What the properties say. */
struct ocl_semaphore_wishes {
	cl_device_id device;             /* NULL: none is named */
	bool exportable;                 /* as an opaque file descriptor */
	bool imported;                   /* from fd, which is taken over on success */
	int fd;
};

/* properties: checked, count words with the final 0; wishes: what they say.
 * CL_INVALID_PROPERTY: fd is no semaphore.  CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_semaphore_create(cl_context context, const struct ocl_semaphore_wishes *wishes,
			    const cl_semaphore_properties_khr *properties, size_t count,
			    cl_semaphore_khr *semaphore_out);

/* event is that of a command that signals; of what is shared, it does so itself. */
void ocl_semaphore_signal(cl_semaphore_khr semaphore, cl_event event);
/* What a command that waits comes after, with a reference.  CL_OUT_OF_HOST_MEMORY; where
 * processes share it, CL_OUT_OF_RESOURCES. */
cl_int ocl_semaphore_wait(cl_semaphore_khr semaphore, cl_event *event_out);
/* The command that was to wait for event is not. */
void ocl_semaphore_wait_undo(cl_semaphore_khr semaphore, cl_event event);
/* 1: signaled, and no wait was enqueued since; else 0.  Of one of another API only what was done
 * here is known. */
cl_semaphore_payload_khr ocl_semaphore_payload(cl_semaphore_khr semaphore);

#endif
