/* A command that waits in its queue's line: a copy of the caller's command that owns references to all that it
 * needs, its place in the line, and what tells it of the events that it waits for.
 *
 * Thread-safety: the command has one owner at a time, who took it from the line.  The place is the line's
 * (line.h), and through refs, place.pending and place.failed the events speak to it. */
#ifndef CULVERT_ICD_DEFERRED_H
#define CULVERT_ICD_DEFERRED_H

#include "icd/order/command.h"
#include "icd/order/line.h"

struct ocl_deferred {
	struct ocl_command command;
	struct ocl_line_place place;
	struct list work_link;           /* ocl_worklist.failed, of who set place.failed */
	atomic_uint refs;                /* of the line, each waiter, a worklist */
	struct ocl_waiter waiters[];     /* one for each dependency; behind them what the command points to */
};

/* refs 1; NULL: out of memory. */
struct ocl_deferred *ocl_deferred_create(const struct ocl_command *command);
void ocl_deferred_ref(struct ocl_deferred *deferred);
void ocl_deferred_unref(struct ocl_deferred *deferred);

#endif
