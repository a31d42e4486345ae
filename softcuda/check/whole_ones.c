/* Lanes that are taken one by one, instead of as runs: many short ones, and those of atomics. */
#include "config.h"

#include "softcuda/check/whole.h"

/* Whether the lanes that are taken one by one access different words. */
static bool all_differ(const struct check_whole *whole)
{
	/* Twice one after the other, so that each is compared with those behind it, also behind the last. */
	uint32_t word[2 * LANES], equal = 0;
	if (whole->end - whole->start > UINT32_MAX)
		return false;
	for (uint32_t l = 0; l < LANES; l++) {
		const uint32_t at = (uint32_t)((whole->one_place[l] - whole->start) / SHADOW_WORD_B);
		word[l] = word[l + LANES] = l < whole->one_count ? at : UINT32_MAX - l;
	}
	for (uint32_t apart = 1; apart <= LANES / 2; apart++)
		for (uint32_t l = 0; l < LANES; l++)
			equal |= word[l] == word[l + apart];
	return !equal;
}

/* Sets the lanes in mask and their places; those behind the last one have its place, so that a loop can be over all of
 * them.  The number of lanes. */
static inline uint32_t list_ones(struct check_whole *whole, const uint64_t *place)
{
	const bool all = whole->mask == MASK_ALL;
	uint32_t count = all ? LANES : 0;
	for (uint32_t l = 0; l < LANES && all; l++) {
		whole->one_lane[l] = l;
		whole->one_place[l] = place[l];
	}
	for (uint32_t rest = all ? 0 : whole->mask; rest; rest &= rest - 1) {
		whole->one_lane[count] = exec_lowest(rest);
		whole->one_place[count++] = place[exec_lowest(rest)];
	}
	for (uint32_t i = count; i < LANES; i++)
		whole->one_place[i] = whole->one_place[count - 1];
	return count;
}

/* Sets start and end around the accesses.  Bits that any of the places has. */
static inline uint64_t surround_ones(struct check_whole *whole)
{
	uint64_t low = UINT64_MAX, high = 0, all = 0;
	for (uint32_t i = 0; i < LANES; i++) {
		const uint64_t at = whole->one_place[i];
		low = at < low ? at : low;
		high = at > high ? at : high;
		all |= at;
	}
	whole->start = low;
	whole->end = high + whole->size_B;
	return all;
}

bool check_whole_find_ones(struct check_whole *whole, const uint64_t *place, bool ascend)
{
	const uint32_t count = list_ones(whole, place);
	const bool aligned = !(surround_ones(whole) % SHADOW_WORD_B);
	uint64_t up = 0, down = 0;
	for (uint32_t i = 1; i < LANES; i++) {
		up += whole->one_place[i] > whole->one_place[i - 1];
		down += whole->one_place[i] < whole->one_place[i - 1];
	}
	whole->one_count = count;
	/* They differ if each one is behind the one before, or each one before it. */
	if (!aligned || (!ascend && up != count - 1 && down != count - 1 && !all_differ(whole)))
		whole->one_count = 0;
	return whole->one_count;
}

bool check_whole_take_atomic(struct check_whole *whole, const uint64_t *place)
{
	if (whole->size_B != SHADOW_WORD_B && whole->size_B != 2 * SHADOW_WORD_B)
		return false;
	const uint32_t count = list_ones(whole, place);
	whole->one_count = surround_ones(whole) % whole->size_B ? 0 : count;
	whole->one_word = whole->end - whole->start == whole->size_B;
	return whole->one_count;
}
