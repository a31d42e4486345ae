/* The commands of a queue that are not in a stream yet, in the order of their
 * enqueue: they wait for events, for those ahead of them, or for a thread that is
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

#include <stdbool.h>
#include <stdint.h>

struct ocl_command;

struct ocl_line {
	bool in_order;                   /* immutable */
	struct list waiting;             /* ocl_command.link, by ticket */
	struct list barriers;            /* .barrier_link, by ticket: out of order only */
	struct list ready;               /* .ready_link: out of order only */
	uint64_t tickets;                /* given so far */
};

void ocl_line_init(struct ocl_line *line, bool in_order);

/* Whether command, whose events are settled, has to line up all the same. */
bool ocl_line_holds_back(const struct ocl_line *line, const struct ocl_command *command);
static inline bool ocl_line_holds(const struct ocl_line *line, const struct ocl_command *command)
{
	/* Mostly there is nobody. */
	return !list_empty(&line->waiting) && ocl_line_holds_back(line, command);
}

/* Gives command its ticket.  taken: it is being submitted already. */
void ocl_line_enter(struct ocl_line *line, struct ocl_command *command, bool taken);
/* Its events are settled, or one of them has failed; it may have left already. */
void ocl_line_update(struct ocl_line *line, struct ocl_command *command);
bool ocl_line_has_next(const struct ocl_line *line);
/* The next one to be submitted or ended; it stays in line until it leaves.
 * NULL: none. */
struct ocl_command *ocl_line_take(struct ocl_line *line);
/* command was taken and is in its stream, or has ended. */
void ocl_line_leave(struct ocl_line *line, struct ocl_command *command);

/* Whether all that had been given a ticket by then have left. */
bool ocl_line_has_passed(const struct ocl_line *line, uint64_t ticket);

#endif
