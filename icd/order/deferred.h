/* A command that waits in its queue's line: a copy of the caller's command that owns references to all that it
 * needs, its place in the line, and a waiter for each event that it waits for.
 *
 * Thread-safety: the command has one owner at a time, the thread that took it from the line.  The place belongs to
 * the line (line.h).  Threads that settle events change refs, place.pending and place.failed, which are atomic. */
#ifndef CULVERT_ICD_DEFERRED_H
#define CULVERT_ICD_DEFERRED_H

#include "icd/order/command.h"
#include "icd/order/line.h"

struct ocl_deferred {
	struct ocl_command command;
	struct ocl_line_place place;
	struct list work_link;           /* ocl_worklist.failed, of the thread that set place.failed */
	atomic_uint refs;                /* one for the line, for each waiter, and for a worklist */
	struct ocl_waiter waiters[];     /* one for each dependency; what the command points to lies after them */
};

/* Returns it with one reference, the caller's; NULL: out of memory. */
struct ocl_deferred *ocl_deferred_create(const struct ocl_command *command);
void ocl_deferred_ref(struct ocl_deferred *deferred);
void ocl_deferred_unref(struct ocl_deferred *deferred);

#endif
