/* A command queue (cl_command_queue): the order of commands, mapped onto CUDA streams.
 *
 * The thread that enqueues a command submits it at once if possible: when all events that it waits for are settled,
 * and no command that it has to follow waits in the line.  Otherwise it stays in the queue's line (line.h), and is
 * submitted by the thread that settles the last thing that it waits for (work.h).  Nothing in a stream ever waits for
 * the host.
 *
 * An in-order queue has one stream, an out-of-order queue several (lanes.h).
 *
 * Only one thread at a time takes commands out of the line, and it submits them without holding the lock.  It sets
 * draining before and clears it afterwards, both with the lock held; in between the queue is on its worklist, or the
 * thread is working on it.
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_QUEUE_H
#define CULVERT_ICD_QUEUE_H

#include "icd/order/command.h"
#include "icd/order/lanes.h"
#include "icd/order/line.h"
#include "icd/order/stamps.h"

extern const struct object_type ocl_queue_type;

struct ocl_launch_kept;
struct ocl_printf;

/* The memory of repeated launches; launch_memo.h explains it. */
enum { OCL_LAUNCH_PLACES = 32 };
struct ocl_launch_memo {
	_Atomic uint64_t sums[OCL_LAUNCH_PLACES];       /* a hash of the launch in each place; 0: none */
	unsigned turn;                                  /* odd or even: which of a launch's two places is replaced next;
							 * guarded by the queue's lock */
	struct ocl_launch_kept *kept[OCL_LAUNCH_PLACES]; /* owned, NULL at first; guarded by the queue's lock */
};

struct _cl_command_queue {
	struct object base;
	cl_context context;              /* ref held */
	cl_device_id device;
	uint32_t device_index;           /* of the device's GPU, in the context's gpus */
	cl_command_queue_properties properties;
	bool sync;                       /* CULVERT_DEBUG=sync: each command is waited for */
	cl_queue_properties *property_list; /* owned, with the final 0; NULL if none were given */
	size_t property_count;           /* with the final 0 */
	struct ocl_printf *_Atomic printing; /* owned; NULL until a kernel prints */
	struct ocl_launch_memo launches;
	struct lock lock;                /* guards all below */
	struct lock_condition settled;   /* signalled when a command left the line, if finishing is not 0 */
	struct ocl_lanes lanes;
	struct ocl_line line;
	bool draining;                   /* a thread takes commands out of the line */
	struct list work_link;           /* ocl_worklist.queues, of the thread that set draining */
	struct ocl_event_pool events;
	struct ocl_stamps stamps;        /* of an in-order queue with profiling: used by the thread that submits */
	unsigned finishing;              /* number of threads that wait for settled */
};

/* priority: gpu_stream_acquire's.  property_list: as given to
 * clCreateCommandQueueWithProperties, checked; or NULL. */
cl_int ocl_queue_create(cl_context context, cl_device_id device,
			cl_command_queue_properties properties, int priority,
			const cl_queue_properties *property_list, cl_command_queue *queue_out);

/* Submits command, or defers a copy of it; command is the caller's memory and has no event yet.  count, events: its
 * wait list, checked.  blocking: returns when the command has ended.  An event is made if event_out is not NULL. */
cl_int ocl_queue_enqueue(struct ocl_command *command, bool blocking, cl_uint count,
			 const cl_event *events, cl_event *event_out);
/* As ocl_queue_enqueue, called with the queue's lock held, which it drops.  Unless the queue has sync, command is not
 * used after the lock is dropped, so that other threads may then use it. */
cl_int ocl_queue_enqueue_locked(struct ocl_command *command, bool blocking, cl_uint count,
				const cl_event *events, cl_event *event_out);

/* As ocl_queue_enqueue, for a command that has to be submitted by the calling thread: waits until all that it waits for
 * is settled.  While the context has user events whose status is not set, that might take forever: then the command may
 * be deferred, and is submitted by the thread that settles the last thing that it waits for. */
cl_int ocl_queue_enqueue_here(struct ocl_command *command, cl_uint count, const cl_event *events,
			      cl_event *event_out);

/* Waits until everything enqueued so far has ended. */
cl_int ocl_queue_finish(cl_command_queue queue);

/* Ends a user event with code and submits all that becomes ready.
 * CL_INVALID_OPERATION: it was set before. */
cl_int ocl_user_event_set(cl_event event, cl_int code);

#endif
