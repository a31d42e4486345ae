/* Events (cl_event): the status of a command, or of the application's own work (user events).
 *
 * The status only goes from QUEUED to SUBMITTED, RUNNING, and COMPLETE or a negative error code; each step is atomic.
 * A command's event is *settled* once the command was put into a stream, or has ended without that.  From then on
 * its GPU events are constant, and other commands can be ordered after them on the GPU.  A user event is settled when
 * its status is set.  A command that waits for an event that is not settled leaves a waiter with it, which the thread
 * that settles the event receives.
 *
 * The status is found by asking the GPU when it is asked for: progress needs no thread.
 * Thread-safe. */
#ifndef CULVERT_ICD_EVENT_H
#define CULVERT_ICD_EVENT_H

#include "base/cache_line.h"
#include "base/lock.h"
#include "icd/memory/context.h"
#include "icd/order/event_pool.h"
#include "icd/thread/complete.h"

#include <stdatomic.h>

extern const struct object_type ocl_event_type;

struct ocl_deferred;
struct ocl_callback;
struct opengl_fence;

/* A command that waits for an event to be settled.  The struct is part of the waiting command. */
struct ocl_waiter {
	struct ocl_waiter *next;         /* of the same event */
	struct ocl_deferred *deferred;   /* the command */
};

/* The fields that are used for every command's event are in its first two cache lines. */
enum { OCL_EVENT_ALIGN_B = CACHE_LINE_B, OCL_EVENT_NEAR_B = 2 * CACHE_LINE_B };

struct _cl_event {
	struct object base;
	cl_context context;              /* a user event holds a reference; for others the queue does */
	cl_command_queue queue;          /* ref held; NULL: a user event, or one with a fence */
	cl_command_type type;
	atomic_int status;               /* the status that was found last, see ocl_event_status */
	/* done and before_sequence are set before SUBMITTED is stored, and constant from then on. */
	struct gpu_event *done;          /* recorded after the command; NULL: it ended in no stream */
	uint64_t before_sequence;        /* the stream's sequence just before the command */
	struct gpu_event *spare_done;    /* a GPU event of an earlier use of this struct, for done; or NULL */
	cl_event next_free;              /* the next one in the queue's pool, while it is there */
	struct ocl_waiter *waiters;      /* guarded by the lock, as are callbacks and watched */
	struct ocl_callback *callbacks;  /* owned: those that have not been called */
	bool watched;                    /* watch was added (complete.h) */
	bool profiling;                  /* constant: the queue has CL_QUEUE_PROFILING_ENABLE */
	bool several;                    /* constant: of a command buffer of several queues */
	/* With profiling: recorded before the command, and a GPU event to be used for that. */
	struct gpu_event *start, *spare_start;
	uint64_t queued_ns, submit_ns;   /* the host's times of CL_PROFILING_COMMAND_QUEUED and _SUBMIT */
	uint64_t arrived_ns;             /* when the command was in its stream, if start may have happened before
					    that; otherwise 0 */
	struct lock lock;                /* also guards the step of the status to settled */
	struct lock_condition changed;   /* signalled when the event is settled or ends */
	union {
		struct ocl_watch watch;        /* for callbacks and printf: fires when done has happened */
		struct ocl_delivery poll;      /* for callbacks of an event with a fence */
	};
	struct opengl_fence *fence;      /* owned; NULL: the event is not linked to a sync object that is pending */
	cl_event begun;                  /* ref held; only if several: ended before the first command; or NULL */
};

/* The result of submitting a command.  The receiver owns the references to start and done. */
struct ocl_submission {
	struct gpu_event *start, *done;  /* as in struct _cl_event */
	uint64_t before_sequence;
	uint64_t arrived_ns;
	bool start_is_shared;            /* start is the done of the command before */
};

/* A user event, whose status is CL_SUBMITTED.  CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_event_create_user(cl_context context, cl_event *event_out);
/* An event that is linked to a sync object of OpenGL or EGL: it is complete when fence, which it owns from then on, has
 * passed; NULL: now.  Its status is found by polling the fence.  It counts as settled, but only commands that use
 * OpenGL in the thread that submits them may wait for it (ocl_wait_list_check).  CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_event_create_linked(cl_context context, cl_command_type type, struct opengl_fence *fence,
			       cl_event *event_out);
/* The event of a command, whose status is CL_QUEUED; the queue's lock is held.  CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_event_create_locked(cl_command_queue queue, cl_command_type type, bool profiling,
			       cl_event *event_out);
/* Frees the events in the pool of a queue that ends. */
void ocl_events_free(struct ocl_event_pool *pool);

/* Makes the event that of an enqueue to several queues: it reports no queue (OpenCL 3.1 API, table of clGetEventInfo),
 * and its times begin with those of begun, an event with profiling that ends before the first of the commands; NULL:
 * there is no profiling.  The event, which no other thread knows yet, takes a reference to begun. */
void ocl_event_set_several(cl_event event, cl_event begun);

bool ocl_event_is_settled(const struct _cl_event *event);
/* Whether the event is known to have failed; the GPU is not asked. */
bool ocl_event_has_failed(const struct _cl_event *event);
/* The status now; asks the GPU if the command may have made progress. */
cl_int ocl_event_status(cl_event event);

/* Adds waiter to the event's waiters; false when the event is settled already. */
bool ocl_event_add_waiter(cl_event event, struct ocl_waiter *waiter);

/* Settles the event of a command that was put into a stream, and takes the submission's references.  Returns the
 * event's waiters, which the caller has to serve (work.h).  No event lock may be held. */
struct ocl_waiter *ocl_event_submitted(cl_event event, const struct ocl_submission *submission);
/* As ocl_event_submitted, for an event that no other thread knows yet and that therefore has no waiters. */
void ocl_event_submitted_alone(cl_event event, const struct ocl_submission *submission);
/* Ends an event with code, which is CL_COMPLETE or negative: the command failed without running, or a user event was
 * set.  Returns its waiters, as ocl_event_submitted does.  *first_out: false if the event had ended before; then
 * nothing is done. */
struct ocl_waiter *ocl_event_end(cl_event event, cl_int code, bool *first_out);

/* Whether the event is linked to a sync object, which may have passed. */
bool ocl_event_is_linked(const struct _cl_event *event);

/* Makes later work in stream run after event, which is settled.  For a fence of another OpenGL context than the
 * current one it waits, and no lock may be held.  CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST when the
 * event has failed. */
cl_int ocl_event_order(cl_event event, struct gpu_stream *stream);

/* Waits until the event is settled.  No lock may be held. */
void ocl_event_wait_settled(cl_event event);
/* Waits for the end of the command, or until the user event is set; returns the final status.  No lock may be held. */
cl_int ocl_event_wait(cl_event event);

/* Makes a callback and starts the threads that it needs, so that adding it later cannot fail.  CL_OUT_OF_HOST_MEMORY,
 * CL_OUT_OF_RESOURCES. */
cl_int ocl_callback_create(cl_int type, void (CL_CALLBACK *notify)(cl_event, cl_int, void *),
			   void *data, struct ocl_callback **callback_out);
/* Frees a callback that was never added to an event. */
void ocl_callback_free(struct ocl_callback *callback);
/* Adds the callback to the event, which owns it from then on. */
void ocl_event_take_callback(cl_event event, struct ocl_callback *callback);
/* ocl_callback_create and ocl_event_take_callback. */
cl_int ocl_event_add_callback(cl_event event, cl_int type,
			      void (CL_CALLBACK *notify)(cl_event, cl_int, void *), void *data);

/* CL_PROFILING_INFO_NOT_AVAILABLE until the command is complete. */
cl_int ocl_event_profiling_ns(cl_event event, cl_profiling_info name, cl_ulong *time_ns_out);

/* Checks a wait list, as the specification demands for each function that takes one (OpenCL 3.0 API, 5.11).  role:
 * which events that are linked to sync objects it may have. */
enum ocl_wait_role {
	OCL_WAIT_PLAIN,                  /* none */
	OCL_WAIT_RELEASE,                /* those of EGL */
	OCL_WAIT_ACQUIRE                 /* those of OpenGL and EGL */
};
cl_int ocl_wait_list_check(const struct _cl_context *context, enum ocl_wait_role role, cl_uint count,
			   const cl_event *events);

#endif
