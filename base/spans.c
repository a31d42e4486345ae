#include "config.h"

#include "base/spans.h"

#include <stdlib.h>
#include <string.h>

void spans_finish(struct spans *spans)
{
	free(spans->items);
	*spans = (struct spans)SPANS_INIT;
}

/* The number of spans that start at or below address. */
static size_t rank(const struct spans *spans, uint64_t address)
{
	size_t low = 0, high = spans->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (spans->items[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool spans_insert(struct spans *spans, uint64_t start, uint64_t end, void *owner)
{
	if (spans->count == spans->capacity) {
		const size_t capacity = spans->capacity ? 2 * spans->capacity : 16;
		struct span *items = realloc(spans->items, capacity * sizeof(*items));
		if (!items)
			return false;
		spans->items = items;
		spans->capacity = capacity;
	}
	const size_t at = rank(spans, start);
	memmove(spans->items + at + 1, spans->items + at, (spans->count - at) * sizeof(*spans->items));
	spans->items[at] = (struct span){start, end, owner};
	spans->count++;
	return true;
}

const struct span *spans_find(const struct spans *spans, uint64_t address)
{
	const size_t at = rank(spans, address);
	return at && address < spans->items[at - 1].end ? &spans->items[at - 1] : NULL;
}

void spans_remove_owner(struct spans *spans, const void *owner)
{
	size_t kept = 0;
	for (size_t i = 0; i < spans->count; i++)
		if (spans->items[i].owner != owner)
			spans->items[kept++] = spans->items[i];
	spans->count = kept;
}
