/* The line of a queue: its commands that are not in a stream yet, in the order of their
 * enqueue.  They wait for events, for commands ahead of them, or for a thread that is
 * busy submitting them.
 *
 * In an in-order queue only the first may be taken.  In an out-of-order queue
 * each whose events are settled may be, with two exceptions (OpenCL 3.0 API, 5.12):
 * what comes after a barrier waits until that has left, and a marker or barrier
 * without a list waits for all that were there before it.
 *
 * Nothing here is linear in the number of commands: each is looked at when it
 * enters, when its events are settled, and when the barrier ahead of it leaves.
 *
 * Not thread-safe: the queue's lock is held by every caller. */
#ifndef CULVERT_ICD_LINE_H
#define CULVERT_ICD_LINE_H

#include "base/list.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct ocl_line {
	bool in_order;                   /* immutable */
	struct list waiting;             /* ocl_line_place.link, by ticket */
	struct list barriers;            /* .barrier_link, by ticket: out of order only */
	struct list ready;               /* .ready_link: out of order only */
	uint64_t tickets;                /* given so far */
};

/* One command's place in the line; in the memory of who has the command. */
struct ocl_line_place {
	bool joins;                      /* immutable: it waits for all that were there before it */
	bool bars;                       /* immutable: all that come later wait for it */
	atomic_uint pending;             /* its events that are not settled yet */
	atomic_bool failed;              /* one of them ended badly */
	/* Guarded by the queue's lock: */
	struct list link, barrier_link, ready_link;
	uint64_t ticket;
	bool in_line;
	bool taken;                      /* somebody submits or ends it */
};

void ocl_line_init(struct ocl_line *line, bool in_order);
/* pending 0, not in line. */
void ocl_line_place_init(struct ocl_line_place *place, bool joins, bool bars);

/* Whether a command whose events are settled has to line up all the same. */
bool ocl_line_holds_back(const struct ocl_line *line, bool joins);
static inline bool ocl_line_holds(const struct ocl_line *line, bool joins)
{
	/* Mostly there is nobody. */
	return !list_empty(&line->waiting) && ocl_line_holds_back(line, joins);
}

/* Gives the command its ticket.  taken: it is being submitted already. */
void ocl_line_enter(struct ocl_line *line, struct ocl_line_place *place, bool taken);
/* The command's events are settled, or one of them has failed; it may have left already. */
void ocl_line_update(struct ocl_line *line, struct ocl_line_place *place);
bool ocl_line_has_next(const struct ocl_line *line);
/* The next one to be submitted or ended; it stays in line until it leaves.
 * NULL: none. */
struct ocl_line_place *ocl_line_take(struct ocl_line *line);
/* The command was taken and is in its stream, or has ended. */
void ocl_line_leave(struct ocl_line *line, struct ocl_line_place *place);

/* Whether all that had been given a ticket by then have left. */
bool ocl_line_has_passed(const struct ocl_line *line, uint64_t ticket);

#endif
