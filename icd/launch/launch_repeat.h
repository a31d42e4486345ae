/* Launches like the one before.
 *
 * Most programs launch the same kernels with the same sizes, over and over.  What the checks and
 * the choices of such a launch come to is kept with the queue, for a few kernels and sizes, once
 * it has come twice: the next ones look at their arguments, and go.
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_LAUNCH_REPEAT_H
#define CULVERT_ICD_LAUNCH_REPEAT_H

#include "icd/launch/launch.h"
#include "icd/order/queue.h"

/* clEnqueueNDRangeKernel's parameters: the handles are valid, the wait list is checked. */
struct ocl_launch_call {
	cl_command_queue queue;
	cl_kernel kernel;
	cl_command_type type;
	struct ocl_ndrange range;
	cl_uint wait_count;
	const cl_event *waits;
	cl_event *event_out;             /* NULL: nobody asks for one */
};

/* The place where launches of this kernel with these sizes are kept, if the last one that had to
 * do with the place was such a one (or has the same sum by chance), and OCL_LAUNCH_NEW if not:
 * from now on it was.  Takes no lock. */
enum { OCL_LAUNCH_NEW = -1 };
static inline int ocl_launch_place(const struct ocl_launch_call *call)
{
	const struct ocl_ndrange *range = &call->range;
	/* An odd number with bits everywhere (2^64 over the golden ratio), and what a product
	 * with it has on top depends on all that is below. */
	const uint64_t spread = 0x9e3779b97f4a7c15;
	uint64_t sum = call->kernel->id * spread;
	if (range->work_dim < 1 || range->work_dim > 3 || !range->global)
		return OCL_LAUNCH_NEW;
	for (unsigned i = 0; i < range->work_dim; i++) {
		sum = (sum ^ range->global[i]) * spread;
		if (range->local)
			sum = (sum ^ range->local[i]) * spread;
		if (range->offset)
			sum = (sum ^ range->offset[i]) * spread;
	}
	const int place = sum >> 32 & (OCL_QUEUE_REPEATS - 1);
	_Atomic uint64_t *last = &call->queue->launched[place];
	if (atomic_load_explicit(last, memory_order_relaxed) == sum)
		return place;
	atomic_store_explicit(last, sum, memory_order_relaxed);
	return OCL_LAUNCH_NEW;
}

/* Enqueues it as one that was kept: *error_out is what comes of it.  false: there is none, or it
 * is not as simple as that this time, and nothing has happened. */
bool ocl_launch_repeat(const struct ocl_launch_call *call, int place, cl_int *error_out);

/* Keeps a launch that ocl_launch_init has just made of range, if it is of those that can be taken
 * again and there is memory. */
void ocl_launch_remember(int place, const struct ocl_command *command,
			 const struct ocl_ndrange *range);

#endif
