/* The line of a queue: its commands that are not in a stream yet, in the order in which they were enqueued.  They wait
 * for events, for commands before them, or for the thread that is submitting them.
 *
 * In an in-order queue only the first command may be taken.  In an out-of-order queue each command whose events are
 * settled may be taken, with two exceptions (OpenCL 3.0 API, 5.12): commands after a barrier wait until the barrier
 * has left the line, and a marker or barrier without a wait list waits until all commands before it have left.
 *
 * No operation takes time proportional to the number of commands: a command is looked at when it enters, when its
 * events are settled, and when the barrier before it leaves.
 *
 * Not thread-safe: every caller holds the queue's lock. */
#ifndef CULVERT_ICD_LINE_H
#define CULVERT_ICD_LINE_H

#include "base/list.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct ocl_line {
	bool in_order;                   /* constant */
	struct list waiting;             /* ocl_line_place.link: all commands in the line, by ticket */
	/* In out-of-order queues only: */
	struct list barriers;            /* ocl_line_place.barrier_link: the barriers in the line, by ticket */
	struct list ready;               /* ocl_line_place.ready_link: the commands that may be taken */
	uint64_t tickets;                /* number of tickets that were given: a command's position in its queue */
};

/* One command's place in the line.  The owner of the command owns this struct. */
struct ocl_line_place {
	bool joins;                      /* constant: it waits for all commands before it */
	bool bars;                       /* constant: all commands after it wait for it */
	atomic_uint pending;             /* number of events in its wait list that are not settled yet */
	atomic_bool failed;              /* an event in its wait list has failed */
	/* Guarded by the queue's lock: */
	struct list link, barrier_link, ready_link;  /* in the lists of struct ocl_line */
	uint64_t ticket;
	bool in_line;
	bool taken;                      /* a thread submits it or ends it */
};

void ocl_line_init(struct ocl_line *line, bool in_order);
/* A place that is not in the line, with pending 0. */
void ocl_line_place_init(struct ocl_line_place *place, bool joins, bool bars);

/* Whether a new command whose events are settled has to enter the line all the same. */
bool ocl_line_holds_back(const struct ocl_line *line, bool joins);
static inline bool ocl_line_holds(const struct ocl_line *line, bool joins)
{
	/* Mostly the line is empty. */
	return !list_empty(&line->waiting) && ocl_line_holds_back(line, joins);
}

/* Puts a command at the end of the line, with a ticket.  taken: the caller is submitting it already. */
void ocl_line_enter(struct ocl_line *line, struct ocl_line_place *place, bool taken);
/* Called when a command's events are settled, or one of them has failed.  It may have left the line already. */
void ocl_line_update(struct ocl_line *line, struct ocl_line_place *place);
bool ocl_line_has_next(const struct ocl_line *line);
/* Takes the next command to be submitted or ended; it stays in the line until ocl_line_leave.  NULL: there is none. */
struct ocl_line_place *ocl_line_take(struct ocl_line *line);
/* Called when a command that was taken is in its stream, or has ended: it leaves the line. */
void ocl_line_leave(struct ocl_line *line, struct ocl_line_place *place);

/* Whether all commands with this ticket or an earlier one have left the line. */
bool ocl_line_has_passed(const struct ocl_line *line, uint64_t ticket);

#endif
