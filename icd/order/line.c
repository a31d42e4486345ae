#include "config.h"

#include "icd/order/line.h"

#include "icd/order/command.h"

void ocl_line_init(struct ocl_line *line, bool in_order)
{
	line->in_order = in_order;
	line->tickets = 0;
	list_init(&line->waiting);
	list_init(&line->barriers);
	list_init(&line->ready);
}

static struct ocl_command *first_waiting(const struct ocl_line *line)
{
	return list_entry(line->waiting.next, struct ocl_command, link);
}

static bool is_runnable(const struct ocl_command *command)
{
	return atomic_load(&command->failed) || !atomic_load(&command->pending);
}

bool ocl_line_holds_back(const struct ocl_line *line, const struct ocl_command *command)
{
	return line->in_order || !list_empty(&line->barriers) || command->joins;
}

/* Whether something in line is ahead of a command that is in line itself. */
static bool is_held(const struct ocl_line *line, const struct ocl_command *command)
{
	if (!list_empty(&line->barriers) &&
	    list_entry(line->barriers.next, struct ocl_command, barrier_link)->ticket <
		    command->ticket)
		return true;
	return command->joins && first_waiting(line) != command;
}

void ocl_line_enter(struct ocl_line *line, struct ocl_command *command, bool taken)
{
	list_init(&command->barrier_link);
	list_init(&command->ready_link);
	command->ticket = ++line->tickets;
	command->taken = taken;
	command->in_line = true;
	list_append(&line->waiting, &command->link);
	if (command->bars && !line->in_order)
		list_append(&line->barriers, &command->barrier_link);
}

void ocl_line_update(struct ocl_line *line, struct ocl_command *command)
{
	if (line->in_order || !command->in_line || command->taken ||
	    !list_empty(&command->ready_link))
		return;
	/* A failed one waits for nobody. */
	if (atomic_load(&command->failed) ||
	    (!atomic_load(&command->pending) && !is_held(line, command)))
		list_append(&line->ready, &command->ready_link);
}

bool ocl_line_has_next(const struct ocl_line *line)
{
	if (!line->in_order)
		return !list_empty(&line->ready);
	return !list_empty(&line->waiting) && !first_waiting(line)->taken &&
	       is_runnable(first_waiting(line));
}

struct ocl_command *ocl_line_take(struct ocl_line *line)
{
	if (!ocl_line_has_next(line))
		return NULL;
	struct ocl_command *command = first_waiting(line);
	if (!line->in_order)
		command = list_entry(line->ready.next, struct ocl_command, ready_link);
	list_remove(&command->ready_link);
	command->taken = true;
	return command;
}

/* What stood behind a barrier, up to the next one, which may go itself. */
static void barrier_lift(struct ocl_line *line, struct list *link)
{
	bool last = false;
	for (; link != &line->waiting && !last; link = link->next) {
		struct ocl_command *command = list_entry(link, struct ocl_command, link);
		last = command->bars;
		ocl_line_update(line, command);
	}
}

void ocl_line_leave(struct ocl_line *line, struct ocl_command *command)
{
	struct list *next = command->link.next;
	list_remove(&command->link);
	list_remove(&command->ready_link);
	command->in_line = false;
	if (line->in_order)
		return;
	/* When others stand before it, what is behind it is still held by them. */
	if (command->bars) {
		list_remove(&command->barrier_link);
		barrier_lift(line, next);
	}
	if (!list_empty(&line->waiting))
		ocl_line_update(line, first_waiting(line));
}

bool ocl_line_has_passed(const struct ocl_line *line, uint64_t ticket)
{
	return list_empty(&line->waiting) || first_waiting(line)->ticket > ticket;
}
