#include "config.h"

#include "icd/order/semaphore.h"

#include "icd/object/properties.h"
#include "icd/order/queue.h"
#include "icd/order/semaphore_shared.h"

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

_Static_assert(offsetof(struct _cl_semaphore_khr, base) == 0, "a handle starts with its object");

/* --- gates ---------------------------------------------------------------------------------- */

/* Sets the status of the gate, and releases the caller's reference. */
static void gate_open(cl_event gate, cl_int status)
{
	(void)ocl_user_event_set(gate, status);
	object_unref(gate);
}

static void CL_CALLBACK gate_fire(cl_event event, cl_int status, void *gate)
{
	(void)event;
	gate_open(gate, status);
}

/* --- birth and death ------------------------------------------------------------------------- */

/* The device of an imported semaphore. */
static struct gpu_device *gpu_of(cl_semaphore_khr semaphore)
{
	return (semaphore->device ? semaphore->device : semaphore->context->devices[0])->gpu;
}

/* Frees the imported semaphore once the streams that use it are done with it. */
static void foreign_release(cl_semaphore_khr semaphore)
{
	struct ocl_witnesses witnesses = OCL_WITNESSES_INIT;
	ocl_stream_set_collect(&semaphore->streams, &witnesses);
	gpu_semaphore_release(gpu_of(semaphore), semaphore->foreign, witnesses.events,
			      witnesses.count);
	ocl_witnesses_finish(&witnesses);
}

static void semaphore_destroy(struct object *object)
{
	struct _cl_semaphore_khr *semaphore = (struct _cl_semaphore_khr *)object;
	/* No signal can come any more. */
	if (semaphore->gate)
		gate_open(semaphore->gate, CL_INVALID_SEMAPHORE_KHR);
	if (semaphore->fd >= 0)
		close(semaphore->fd);
	if (semaphore->foreign)
		foreign_release(semaphore);
	ocl_stream_set_finish(&semaphore->streams);
	object_unref(semaphore->signal);
	object_unref(semaphore->context);
	free(semaphore->properties);
	lock_finish(&semaphore->lock);
	free(semaphore);
}

const struct object_type ocl_semaphore_type = {"semaphore", CL_INVALID_SEMAPHORE_KHR,
					       semaphore_destroy};

/* Sets how the semaphore's state is shared with others.  Only on success does it own an imported file descriptor. */
static cl_int payload_share(cl_semaphore_khr semaphore, const struct ocl_semaphore_wishes *wishes)
{
	cl_int error = CL_SUCCESS;
	semaphore->exportable = wishes->exportable;
	if (wishes->imported && ocl_shared_is_counter(wishes->fd)) {
		semaphore->fd = wishes->fd;
	} else if (wishes->imported) {
		error = gpu_semaphore_import(gpu_of(semaphore), wishes->fd, &semaphore->foreign);
	} else if (wishes->exportable) {
		error = ocl_shared_create(&semaphore->fd);
	}
	return error;
}

cl_int ocl_semaphore_create(cl_context context, const struct ocl_semaphore_wishes *wishes,
			    const cl_semaphore_properties_khr *properties, size_t count,
			    cl_semaphore_khr *semaphore_out)
{
	struct _cl_semaphore_khr *semaphore = calloc(1, sizeof(*semaphore));
	if (!semaphore)
		return CL_OUT_OF_HOST_MEMORY;
	if (lock_init(&semaphore->lock, LOCK_RANK_EVENT)) {
		free(semaphore);
		return CL_OUT_OF_HOST_MEMORY;
	}
	object_init(&semaphore->base, &ocl_semaphore_type);
	object_ref(context);
	semaphore->context = context;
	semaphore->device = wishes->device;
	semaphore->property_count = count;
	semaphore->fd = -1;
	cl_int error = ocl_properties_copy_words(properties, count, &semaphore->properties);
	if (!error)
		error = payload_share(semaphore, wishes);
	if (error)
		object_unref(semaphore);
	else
		*semaphore_out = semaphore;
	return error;
}

/* --- use --------------------------------------------------------------------------------------- */

void ocl_semaphore_signal(cl_semaphore_khr semaphore, cl_event event)
{
	cl_event before = NULL;
	if (semaphore->fd >= 0)
		return;
	lock_take(&semaphore->lock);
	cl_event gate = semaphore->gate;
	semaphore->gate = NULL;
	semaphore->gate_waits = 0;
	if (!gate) {
		before = semaphore->signal;
		object_ref(event);
		semaphore->signal = event;
	}
	lock_drop(&semaphore->lock);
	object_unref(before);
	if (!gate)
		return;
	cl_int error = ocl_event_add_callback(event, CL_COMPLETE, gate_fire, gate);
	if (error)
		gate_open(gate, error);
}

cl_int ocl_semaphore_wait(cl_semaphore_khr semaphore, cl_event *event_out)
{
	cl_event gate, unused = NULL;
	bool open = false;
	if (semaphore->fd >= 0)
		return ocl_shared_wait(semaphore, event_out);
	/* An event cannot be made under the lock, so it is made even if it will not be needed. */
	cl_int error = ocl_event_create_user(semaphore->context, &gate);
	if (error)
		return error;
	lock_take(&semaphore->lock);
	if (semaphore->signal) {
		*event_out = semaphore->signal;
		semaphore->signal = NULL;
		unused = gate;
	} else if (semaphore->foreign) {
		/* An operation in the stream waits for the imported semaphore. */
		*event_out = gate;
		open = true;
	} else {
		/* Several waits for one signal all run after it. */
		if (semaphore->gate)
			unused = gate;
		else
			semaphore->gate = gate;
		semaphore->gate_waits++;
		object_ref(semaphore->gate);
		*event_out = semaphore->gate;
	}
	lock_drop(&semaphore->lock);
	if (open)
		(void)ocl_user_event_set(gate, CL_COMPLETE);
	object_unref(unused);
	return CL_SUCCESS;
}

void ocl_semaphore_wait_undo(cl_semaphore_khr semaphore, cl_event event)
{
	cl_event left = NULL;
	if (semaphore->fd >= 0) {
		ocl_shared_wait_undo(semaphore, event);
		return;
	}
	lock_take(&semaphore->lock);
	if (semaphore->gate == event && !--semaphore->gate_waits) {
		left = semaphore->gate;
		semaphore->gate = NULL;
	}
	/* The signal is left for the next wait, unless there is a newer one. */
	if (event->queue && !semaphore->signal) {
		semaphore->signal = event;
		event = NULL;
	}
	lock_drop(&semaphore->lock);
	object_unref(left);
	object_unref(event);
}

cl_semaphore_payload_khr ocl_semaphore_payload(cl_semaphore_khr semaphore)
{
	if (semaphore->fd >= 0)
		return ocl_shared_payload(semaphore);
	lock_take(&semaphore->lock);
	cl_event signal = semaphore->signal;
	if (signal)
		object_ref(signal);
	lock_drop(&semaphore->lock);
	const bool signaled = signal && ocl_event_status(signal) == CL_COMPLETE;
	object_unref(signal);
	return signaled;
}
