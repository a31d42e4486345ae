#include "config.h"

#include "icd/order/line.h"

void ocl_line_init(struct ocl_line *line, bool in_order)
{
	line->in_order = in_order;
	line->tickets = 0;
	list_init(&line->waiting);
	list_init(&line->barriers);
	list_init(&line->ready);
}

void ocl_line_place_init(struct ocl_line_place *place, bool joins, bool bars)
{
	place->joins = joins;
	place->bars = bars;
	atomic_init(&place->pending, 0);
	atomic_init(&place->failed, false);
	place->in_line = false;
}

static struct ocl_line_place *first_waiting(const struct ocl_line *line)
{
	return list_entry(line->waiting.next, struct ocl_line_place, link);
}

static bool is_runnable(const struct ocl_line_place *place)
{
	return atomic_load(&place->failed) || !atomic_load(&place->pending);
}

bool ocl_line_holds_back(const struct ocl_line *line, bool joins)
{
	return line->in_order || !list_empty(&line->barriers) || joins;
}

/* Whether a barrier or an earlier command in the line holds back a command that is in the line itself. */
static bool is_held(const struct ocl_line *line, const struct ocl_line_place *place)
{
	if (!list_empty(&line->barriers) &&
	    list_entry(line->barriers.next, struct ocl_line_place, barrier_link)->ticket <
		    place->ticket)
		return true;
	return place->joins && first_waiting(line) != place;
}

void ocl_line_enter(struct ocl_line *line, struct ocl_line_place *place, bool taken)
{
	list_init(&place->barrier_link);
	list_init(&place->ready_link);
	place->ticket = ++line->tickets;
	place->taken = taken;
	place->in_line = true;
	list_append(&line->waiting, &place->link);
	if (place->bars && !line->in_order)
		list_append(&line->barriers, &place->barrier_link);
}

void ocl_line_update(struct ocl_line *line, struct ocl_line_place *place)
{
	if (line->in_order || !place->in_line || place->taken ||
	    !list_empty(&place->ready_link))
		return;
	/* A command with a failed event ends without waiting for others. */
	if (atomic_load(&place->failed) ||
	    (!atomic_load(&place->pending) && !is_held(line, place)))
		list_append(&line->ready, &place->ready_link);
}

bool ocl_line_has_next(const struct ocl_line *line)
{
	if (!line->in_order)
		return !list_empty(&line->ready);
	return !list_empty(&line->waiting) && !first_waiting(line)->taken &&
	       is_runnable(first_waiting(line));
}

struct ocl_line_place *ocl_line_take(struct ocl_line *line)
{
	if (!ocl_line_has_next(line))
		return NULL;
	struct ocl_line_place *place = first_waiting(line);
	if (!line->in_order)
		place = list_entry(line->ready.next, struct ocl_line_place, ready_link);
	list_remove(&place->ready_link);
	place->taken = true;
	return place;
}

/* Updates the commands after a barrier that has left, up to and including the next barrier. */
static void barrier_lift(struct ocl_line *line, struct list *link)
{
	bool last = false;
	for (; link != &line->waiting && !last; link = link->next) {
		struct ocl_line_place *place = list_entry(link, struct ocl_line_place, link);
		last = place->bars;
		ocl_line_update(line, place);
	}
}

void ocl_line_leave(struct ocl_line *line, struct ocl_line_place *place)
{
	struct list *next = place->link.next;
	list_remove(&place->link);
	list_remove(&place->ready_link);
	place->in_line = false;
	if (line->in_order)
		return;
	/* If another barrier is before it, the commands after it are still held back. */
	if (place->bars) {
		list_remove(&place->barrier_link);
		barrier_lift(line, next);
	}
	if (!list_empty(&line->waiting))
		ocl_line_update(line, first_waiting(line));
}

bool ocl_line_has_passed(const struct ocl_line *line, uint64_t ticket)
{
	return list_empty(&line->waiting) || first_waiting(line)->ticket > ticket;
}
