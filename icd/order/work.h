/* Submitting what had to wait.
 *
 * A thread that settles something (a user event, a command's submission, a failure)
 * may make others ready, and those others again.  What it has to do is a list and
 * no recursion: a hundred thousand commands may hang on one user event.
 *
 * Commands that may wait for the host's memory are handed to a worker thread once
 * the GPU is done with all that comes before them; who settles events never waits.
 *
 * A worklist is one thread's; no lock is held by its callers but where it says
 * so. */
#ifndef CULVERT_ICD_WORK_H
#define CULVERT_ICD_WORK_H

#include "icd/order/deferred.h"
#include "icd/order/queue.h"

struct ocl_worklist {
	struct list failed;              /* ocl_deferred.work_link; a ref each */
	struct list queues;              /* _cl_command_queue.work_link; a ref each */
};

void ocl_work_init(struct ocl_worklist *work);

/* deferred, or NULL, is in the queue's line and may have become runnable: puts the
 * queue on the list if it has something to submit and nobody is at it. */
void ocl_work_kick(struct ocl_worklist *work, cl_command_queue queue,
		   struct ocl_deferred *deferred);
/* Leaves waiters with all that deferred waits for and is not settled; what has
 * failed meanwhile ends it.  The queue's lock is held. */
void ocl_work_wait_locked(struct ocl_worklist *work, struct ocl_deferred *deferred);
/* Does all there is. */
void ocl_work_run(struct ocl_worklist *work);

#endif
