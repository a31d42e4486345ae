/* Vector clocks: for each slot (a stream) the number of its latest known operation. */
#ifndef CULVERT_SOFTCUDA_ORACLE_CLOCK_H
#define CULVERT_SOFTCUDA_ORACLE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct clock {
	uint64_t *at;                        /* owned */
	uint32_t count;                      /* the numbers beyond it are 0 */
};

static inline uint64_t clock_get(const struct clock *clock, uint32_t slot)
{
	return slot < clock->count ? clock->at[slot] : 0;
}

/* False when out of memory. */
static inline bool clock_raise(struct clock *clock, uint32_t slot, uint64_t number)
{
	if (slot >= clock->count) {
		uint64_t *at = realloc(clock->at, (slot + 1u) * sizeof(*at));
		if (!at)
			return false;
		for (uint32_t i = clock->count; i <= slot; i++)
			at[i] = 0;
		clock->at = at;
		clock->count = slot + 1;
	}
	if (clock->at[slot] < number)
		clock->at[slot] = number;
	return true;
}

static inline bool clock_join(struct clock *clock, const struct clock *other)
{
	for (uint32_t i = other->count; i-- > 0;)
		if (!clock_raise(clock, i, other->at[i]))
			return false;
	return true;
}

static inline void clock_finish(struct clock *clock)
{
	free(clock->at);
	*clock = (struct clock){0};
}

#endif
