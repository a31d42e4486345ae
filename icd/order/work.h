/* Submits commands that had to wait in their queues' lines.
 *
 * A thread that settles an event (it sets a user event, submits a command, or a command fails) may make other
 * commands ready, and submitting those makes further ones ready.  The thread keeps a worklist and does not recurse:
 * a hundred thousand commands may wait for one user event.
 *
 * A command whose submission may wait for the GPU is passed to a worker thread once the GPU has completed all that
 * comes before it, so that a thread which settles events never waits.
 *
 * A worklist belongs to one thread.  No lock is held by callers, unless a function says so. */
#ifndef CULVERT_ICD_WORK_H
#define CULVERT_ICD_WORK_H

#include "icd/order/deferred.h"
#include "icd/order/queue.h"

struct ocl_worklist {
	struct list failed;              /* ocl_deferred.work_link: commands that failed; a reference to each */
	struct list queues;              /* _cl_command_queue.work_link: queues to submit from; a reference to each */
};

void ocl_work_init(struct ocl_worklist *work);

/* Puts the queue on the worklist if it has a command to submit and no other thread is draining it.  deferred: a command
 * in its line that may have become ready, or NULL. */
void ocl_work_kick(struct ocl_worklist *work, cl_command_queue queue,
		   struct ocl_deferred *deferred);
/* Adds a waiter of deferred to each of its events that is not settled; if one has failed, deferred will end with an
 * error.  The queue's lock is held. */
void ocl_work_wait_locked(struct ocl_worklist *work, struct ocl_deferred *deferred);
/* Works until the worklist is empty. */
void ocl_work_run(struct ocl_worklist *work);

#endif
