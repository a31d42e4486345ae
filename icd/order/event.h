/* Events: a command's public face, or the application's own (user events).
 *
 * Status goes one way, QUEUED > SUBMITTED > RUNNING > COMPLETE or a negative
 * code, by atomic steps.  A command's event is *settled* once the command was
 * put into a stream or ended; then its witnesses never change, and others can
 * order themselves after it on the GPU.  A user event is settled when it is set.
 * Until then those who wait leave a waiter and are told by whoever settles it.
 *
 * Asking for the status asks the GPU: no thread is needed for progress.
 * Thread-safe. */
#ifndef CULVERT_ICD_EVENT_H
#define CULVERT_ICD_EVENT_H

#include "base/lock.h"
#include "icd/memory/context.h"
#include "icd/order/event_pool.h"
#include "icd/thread/complete.h"

#include <stdatomic.h>

extern const struct object_type ocl_event_type;

struct ocl_deferred;
struct ocl_callback;

/* In the waiting command's memory, until the event is settled. */
struct ocl_waiter {
	struct ocl_waiter *next;
	struct ocl_deferred *deferred;
};

/* What every command's event comes by is in its first two cache lines. */
enum { OCL_EVENT_ALIGN_B = 64, OCL_EVENT_NEAR_B = 128 };

struct _cl_event {
	struct object base;
	cl_context context;              /* ref held by a user event, else by the queue */
	cl_command_queue queue;          /* ref held; NULL: a user event */
	cl_command_type type;
	atomic_int status;
	/* Set before SUBMITTED is stored, constant then. */
	struct gpu_event *done;
	uint64_t before_sequence;        /* of the stream, just ahead of the operation */
	struct gpu_event *spare_done;    /* of its life before, for the submission, or NULL */
	cl_event next_free;              /* in the queue's pool */
	struct ocl_waiter *waiters;      /* guarded by the lock, as are the next two */
	struct ocl_callback *callbacks;
	bool watched;
	bool profiling;
	/* For profiling only; as done, and as spare_done. */
	struct gpu_event *start, *spare_start;
	uint64_t queued_ns, submit_ns;
	uint64_t arrived_ns;             /* 0, or when the command was there, which may be
					    after start */
	struct lock lock;                /* guards also the step to settled */
	struct lock_condition changed;
	struct ocl_watch watch;
};

/* What submission of a command gives; the events become the receiver's. */
struct ocl_submission {
	struct gpu_event *start, *done;
	uint64_t before_sequence;
	uint64_t arrived_ns;
	bool start_is_shared;            /* with the end of the command before */
};

/* A user event, SUBMITTED. CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_event_create_user(cl_context context, cl_event *event_out);
/* A command's, QUEUED; the queue's lock is held. CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_event_create_locked(cl_command_queue queue, cl_command_type type, bool profiling,
			       cl_event *event_out);
/* Of a queue that ends: frees what its pool holds. */
void ocl_events_free(struct ocl_event_pool *pool);

bool ocl_event_is_settled(const struct _cl_event *event);
/* Without asking the GPU. */
bool ocl_event_has_failed(const struct _cl_event *event);
/* The status now; asks the GPU when that may have changed it. */
cl_int ocl_event_status(cl_event event);

/* Leaves waiter with event; false when it is settled already. */
bool ocl_event_add_waiter(cl_event event, struct ocl_waiter *waiter);

/* The command is in its stream; takes the submission's events.
 * The caller tells the waiters, who are all it gets. No event lock may be held. */
struct ocl_waiter *ocl_event_submitted(cl_event event, const struct ocl_submission *submission);
/* The same for an event that nobody has but the caller. */
void ocl_event_submitted_alone(cl_event event, const struct ocl_submission *submission);
/* The command ended without running, or a user event was set. code <= CL_COMPLETE.
 * Does nothing when it had ended before: *first_out. */
struct ocl_waiter *ocl_event_end(cl_event event, cl_int code, bool *first_out);

/* Later work in stream runs after event, which is settled.
 * CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST when it ended badly. */
cl_int ocl_event_order(cl_event event, struct gpu_stream *stream);

/* Waits for the end; returns the final status. No lock may be held. */
cl_int ocl_event_wait(cl_event event);

/* A callback that nothing can keep from being added later.  CL_OUT_OF_HOST_MEMORY,
 * CL_OUT_OF_RESOURCES. */
cl_int ocl_callback_create(cl_int type, void (CL_CALLBACK *notify)(cl_event, cl_int, void *),
			   void *data, struct ocl_callback **callback_out);
/* One that was never added. */
void ocl_callback_free(struct ocl_callback *callback);
/* The callback becomes the event's. */
void ocl_event_take_callback(cl_event event, struct ocl_callback *callback);
/* Both at once. */
cl_int ocl_event_add_callback(cl_event event, cl_int type,
			      void (CL_CALLBACK *notify)(cl_event, cl_int, void *), void *data);

/* CL_PROFILING_INFO_NOT_AVAILABLE until it is complete. */
cl_int ocl_event_profiling_ns(cl_event event, cl_profiling_info name, cl_ulong *time_ns_out);

/* The checks that every wait list has (OpenCL 3.0 API, 5.11 and each enqueue). */
cl_int ocl_wait_list_check(const struct _cl_context *context, cl_uint count,
			   const cl_event *events);

#endif
