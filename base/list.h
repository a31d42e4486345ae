/* An intrusive, circular, doubly linked list.
 *
 * The comment at a link names the list that the link belongs to.  A link that is in no list was initialised by
 * list_init, or by list_remove, so removing a link twice is harmless.  Not thread-safe: the caller has a lock. */
#ifndef CULVERT_BASE_LIST_H
#define CULVERT_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list {
	struct list *next;
	struct list *previous;
};

static inline void list_init(struct list *list)
{
	list->next = list;
	list->previous = list;
}

static inline bool list_empty(const struct list *list)
{
	return list->next == list;
}

/* Inserts link before position: with the head as position, at the end. */
static inline void list_insert_before(struct list *position, struct list *link)
{
	link->previous = position->previous;
	link->next = position;
	position->previous->next = link;
	position->previous = link;
}

static inline void list_append(struct list *head, struct list *link)
{
	list_insert_before(head, link);
}

static inline void list_prepend(struct list *head, struct list *link)
{
	list_insert_before(head->next, link);
}

static inline void list_remove(struct list *link)
{
	link->previous->next = link->next;
	link->next->previous = link->previous;
	list_init(link);
}

/* Moves all links of one list to the end of another. */
static inline void list_move_all(struct list *to, struct list *from)
{
	if (list_empty(from))
		return;
	from->next->previous = to->previous;
	to->previous->next = from->next;
	from->previous->next = to;
	to->previous = from->previous;
	list_init(from);
}

#define list_entry(link, type, member) \
	((type *)(void *)((char *)(link) - offsetof(type, member)))

/* The body of the loop may remove the current entry. */
#define list_for_each(link, temporary, head)                              \
	for ((link) = (head)->next, (temporary) = (link)->next;           \
	     (link) != (head);                                            \
	     (link) = (temporary), (temporary) = (link)->next)

#endif
