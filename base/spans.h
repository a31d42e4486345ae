/* A table of address ranges, each with an owner: finds the range that contains an address, by binary search.  The
 * ranges do not overlap, or at least begin at different addresses.
 *
 * Not thread-safe: the caller has a lock. */
#ifndef CULVERT_BASE_SPANS_H
#define CULVERT_BASE_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
	uint64_t start, end;             /* the addresses of the first byte, and of the byte after the last */
	void *owner;                     /* whatever the caller gave to spans_insert */
};

struct spans {
	struct span *items;              /* owned: sorted by start */
	size_t count, capacity;
};

#define SPANS_INIT {NULL, 0, 0}

void spans_finish(struct spans *spans);
/* False without memory: the table stays as it was. */
bool spans_insert(struct spans *spans, uint64_t start, uint64_t end, void *owner);
/* The range that contains address; NULL: none.  An address where one range ends and another begins belongs to the
 * second.  The pointer is valid until the table changes. */
const struct span *spans_find(const struct spans *spans, uint64_t address);
/* Removes all ranges of owner. */
void spans_remove_owner(struct spans *spans, const void *owner);

#endif
