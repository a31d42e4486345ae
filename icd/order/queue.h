/* A command queue: the order of commands, mapped onto streams.
 *
 * Commands are submitted at once by the enqueueing thread as long as they can:
 * when everything they depend on is settled, and nothing they have to follow waits
 * ahead of them.  Otherwise they stay in the queue's line (line.h), and are
 * submitted by the thread that settles the last thing they wait for (work.h).
 * Nothing in a stream ever waits for the host.
 *
 * An in-order queue has one stream, an out-of-order queue several (lanes.h).
 *
 * draining: one thread takes commands out of the line without holding the lock.
 * Who sets it has the queue on its worklist or in its hands, and alone may take,
 * until it clears it with the lock held.
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

/* The launches that came last; see launch_memo.h. */
enum { OCL_LAUNCH_PLACES = 32 };
struct ocl_launch_memo {
	_Atomic uint64_t sums[OCL_LAUNCH_PLACES];       /* of what is kept in each place; 0: nothing */
	atomic_uint turn;                               /* of two places that are taken, which is given up */
	struct ocl_launch_kept *kept[OCL_LAUNCH_PLACES]; /* owned, NULL at first; guarded by the queue's lock */
};

struct _cl_command_queue {
	struct object base;
	cl_context context;              /* ref held */
	cl_device_id device;
	uint32_t device_index;           /* in the context */
	cl_command_queue_properties properties;
	bool sync;                       /* CULVERT_DEBUG: each command is waited for */
	cl_queue_properties *property_list; /* owned, with the final 0; NULL if none were given */
	size_t property_count;
	struct ocl_printf *_Atomic printing; /* owned; NULL until a kernel prints */
	struct ocl_launch_memo launches;
	struct lock lock;                /* guards all below */
	struct lock_condition settled;   /* a command left the line */
	struct ocl_lanes lanes;
	struct ocl_line line;
	bool draining;
	struct list work_link;           /* ocl_worklist.queues, of who set draining */
	struct ocl_event_pool events;
	struct ocl_stamps stamps;        /* in order, with profiling: of who submits */
	unsigned finishing;              /* threads waiting for settled */
};

/* priority: gpu_stream_acquire's.  property_list: as given to
 * clCreateCommandQueueWithProperties, checked; or NULL. */
cl_int ocl_queue_create(cl_context context, cl_device_id device,
			cl_command_queue_properties properties, int priority,
			const cl_queue_properties *property_list, cl_command_queue *queue_out);

/* Submits or defers command, which is the caller's memory and has no event yet.
 * count, events: its wait list, checked.  blocking: returns when it has ended.
 * An event is made if event_out is given. */
cl_int ocl_queue_enqueue(struct ocl_command *command, bool blocking, cl_uint count,
			 const cl_event *events, cl_event *event_out);
/* The same with the queue's lock held, which is dropped.  command may be used by others as soon as the lock
 * is dropped, but for one of a queue with sync. */
cl_int ocl_queue_enqueue_locked(struct ocl_command *command, bool blocking, cl_uint count,
				const cl_event *events, cl_event *event_out);

/* Waits until everything enqueued so far has ended. */
cl_int ocl_queue_finish(cl_command_queue queue);

/* Ends a user event with code and submits all that becomes ready.
 * CL_INVALID_OPERATION: it was set before. */
cl_int ocl_user_event_set(cl_event event, cl_int code);

#endif
