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

struct ocl_launch_repeat;
struct ocl_printf;

/* A work-group size that was chosen for a launch without one, to be used again. */
struct ocl_local_choice {
	const struct gpu_function *function;
	uint32_t dynamic_local_B;
	uint32_t local[3];
	uint64_t global[3];
};
enum { OCL_QUEUE_CHOICES = 8, OCL_QUEUE_REPEATS = 8 };

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
	_Atomic uint64_t launched[OCL_QUEUE_REPEATS]; /* launch_repeat.h: the last launch of each kind */
	struct lock lock;                /* guards all below */
	struct lock_condition settled;   /* a command left the line */
	struct ocl_lanes lanes;
	struct ocl_line line;
	bool draining;
	struct list work_link;           /* ocl_worklist.queues, of who set draining */
	struct ocl_event_pool events;
	struct ocl_stamps stamps;        /* in order, with profiling: of who submits */
	unsigned finishing;              /* threads waiting for settled */
	struct ocl_local_choice choices[OCL_QUEUE_CHOICES];
	unsigned next_choice;
	struct ocl_launch_repeat *repeats[OCL_QUEUE_REPEATS]; /* owned; NULL: none came again */
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

/* The same with the queue's lock held, for a command that does not block, and without a copy of
 * it: false, and nothing has happened, where it would have to wait in line or the submission might
 * take long.  Otherwise the lock is dropped, command is no longer looked at, and *error_out is
 * what ocl_queue_enqueue would have returned. */
bool ocl_queue_enqueue_at_once(struct ocl_command *command, cl_uint count, const cl_event *events,
			       cl_event *event_out, cl_int *error_out);

/* Waits until everything enqueued so far has ended. */
cl_int ocl_queue_finish(cl_command_queue queue);

/* Ends a user event with code and submits all that becomes ready.
 * CL_INVALID_OPERATION: it was set before. */
cl_int ocl_user_event_set(cl_event event, cl_int code);

#endif
