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

bool check_whole_find_ones(struct check_whole *whole, const uint64_t *place, bool ascend)
{
	const bool all = whole->mask == MASK_ALL;
	uint64_t wrong = 0, steps = 0, low = UINT64_MAX, high = 0;
	uint32_t count = all ? LANES : 0;
	for (uint32_t l = 0; l < LANES && all; l++) {
		whole->one_lane[l] = l;
		whole->one_place[l] = place[l];
	}
	for (uint32_t rest = all ? 0 : whole->mask; rest; rest &= rest - 1) {
		whole->one_lane[count] = exec_lowest(rest);
		whole->one_place[count++] = place[exec_lowest(rest)];
	}
	/* The others count as the last one, so that this is done for all of them at a time. */
	for (uint32_t i = count; i < LANES; i++)
		whole->one_place[i] = whole->one_place[count - 1];
	for (uint32_t i = 1; i < LANES; i++)
		steps += whole->one_place[i] > whole->one_place[i - 1];
	for (uint32_t i = 0; i < LANES; i++) {
		const uint64_t at = whole->one_place[i];
		wrong |= at % SHADOW_WORD_B;
		low = at < low ? at : low;
		high = at > high ? at : high;
	}
	whole->one_count = count;
	whole->start = low;
	whole->end = high + SHADOW_WORD_B;
	/* They differ if each one is behind the one before. */
	if (wrong || (!ascend && steps != count - 1 && !all_differ(whole)))
		whole->one_count = 0;
	return whole->one_count;
}

bool check_whole_take_atomic(struct check_whole *whole, const uint64_t *place)
{
	const uint64_t first = place[exec_lowest(whole->mask)];
	uint64_t low = UINT64_MAX, high = 0, all = 0, differ = 0;
	uint32_t count = 0;
	if (whole->size_B != SHADOW_WORD_B && whole->size_B != 2 * SHADOW_WORD_B)
		return false;
	for (uint32_t l = 0; l < LANES && whole->mask == MASK_ALL; l++) {
		whole->one_lane[l] = l;
		whole->one_place[l] = place[l];
	}
	for (uint32_t rest = whole->mask == MASK_ALL ? 0 : whole->mask; rest; rest &= rest - 1) {
		whole->one_lane[count] = exec_lowest(rest);
		whole->one_place[count++] = place[exec_lowest(rest)];
	}
	/* The others count as the first one, so that this is done for all of them at a time. */
	for (uint32_t i = whole->mask == MASK_ALL ? LANES : count; i < LANES; i++)
		whole->one_place[i] = first;
	for (uint32_t i = 0; i < LANES; i++) {
		const uint64_t at = whole->one_place[i];
		low = at < low ? at : low;
		high = at > high ? at : high;
		all |= at;
		differ |= at ^ first;
	}
	whole->start = low;
	whole->end = high + whole->size_B;
	whole->one_count = all & (whole->size_B - 1) ? 0 : (uint32_t)__builtin_popcount(whole->mask);
	whole->one_word = !differ;
	return whole->one_count;
}
