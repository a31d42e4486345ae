/* Spans of addresses that do not overlap, or whose first bytes differ, and whose they are:
 * which one an address is in, by binary search.
 *
 * Thread-safety: the caller's. */
#ifndef CULVERT_BASE_SPANS_H
#define CULVERT_BASE_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
	uint64_t start, end;             /* first byte, and the one behind the last */
	void *owner;                     /* the caller's */
};

struct spans {
	struct span *items;              /* by start; owned */
	size_t count, capacity;
};

#define SPANS_INIT {NULL, 0, 0}

void spans_finish(struct spans *spans);
/* false: no memory. */
bool spans_insert(struct spans *spans, uint64_t start, uint64_t end, void *owner);
/* Where one ends and the next begins, the address is the next one's.  NULL: in none.  Valid
 * until the spans change. */
const struct span *spans_find(const struct spans *spans, uint64_t address);
/* All of owner's. */
void spans_remove_owner(struct spans *spans, const void *owner);

#endif
