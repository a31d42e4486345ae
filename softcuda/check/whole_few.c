/* Accesses of global memory by few lanes, or to less than a word each, whose places are apart: the lanes are looked at
 * in turn, which takes less time than to find out what they have in common. */
#include "config.h"

#include "softcuda/check/whole_lanes.h"

void check_whole_find_few(struct check_whole *whole, const uint64_t *place)
{
	uint32_t count = 0;
	uint64_t low = UINT64_MAX, high = 0, apart = 0;
	const uint64_t first = exec_lowest(whole->mask), row = place[first] - first * whole->size_B;
	for (uint32_t rest = whole->mask; rest; rest &= rest - 1) {
		const uint32_t l = exec_lowest(rest);
		low = place[l] < low ? place[l] : low;
		high = place[l] > high ? place[l] : high;
		apart |= place[l] - row - (uint64_t)l * whole->size_B;
		whole->one_lane[count] = l;
		whole->one_place[count++] = place[l];
	}
	whole->one_count = count;
	whole->row_place = apart ? 0 : row;
	whole->start = low;
	whole->end = high + whole->size_B;
}

/* Notes the access of a lane as check_lanes_touch_one would, if it accesses one cell and there is no race.  False: that
 * is not decided quickly. */
static inline bool touch_cell(const struct lanes *lanes, struct page *page, uint64_t place, uint64_t record)
{
	const uint32_t size_B = lanes->whole->size_B;
	/* What is kept of words has been noted. */
	if (!page || page->run_count || (page->kept && size_B != SHADOW_WORD_B) || page->narrow || page->atomic[0])
		return false;
	if (size_B < SHADOW_WORD_B && !page->bytes && !shadow_split(page))
		return false;
	if (page->bytes ? size_B != 1 : size_B != SHADOW_WORD_B || place % SHADOW_WORD_B)
		return false;
	const size_t i = place % SHADOW_PAGE_B / (page->bytes ? 1 : SHADOW_WORD_B);
	const uint32_t block = (uint32_t)(i / SHADOW_BLOCK);
	if (!page->bytes && !(page->apart >> block & 1) && !shadow_part(page, block, block + 1))
		return false;
	uint64_t *first = &page->read[0][i], *second = &page->read[1][i];
	const uint64_t before[2] = {*first, *second};
	const bool over[2] = {cells_ordered(before[0], record, &lanes->order),
			      cells_ordered(before[1], record, &lanes->order)};
	if (!cells_ordered(page->write[i], record, &lanes->order) || (lanes->writes && !(over[0] & over[1])))
		return false;
	if (!lanes->writes) {
		if (over[0] || over[1])
			*(over[0] ? first : second) = record;
		return true;
	}
	page->write[i] = record;
	/* Most words have no reads: their lines of the cache stay as they are. */
	if (before[0] | before[1])
		*first = *second = 0;
	return true;
}

/* Finds the pages of the lanes' places, and has the processor read their cells: they are mostly far apart. */
static inline void find_pages(const struct lanes *lanes, struct page **pages)
{
	const struct check_whole *whole = lanes->whole;
	for (uint32_t i = 0; i < whole->one_count; i++) {
		const uint64_t place = whole->one_place[i];
		const struct page *page = pages[i] = shadow_page_of(lanes->shadow, place);
		if (!page || !page->write)
			continue;
		const size_t at = place % SHADOW_PAGE_B / (page->bytes ? 1 : SHADOW_WORD_B);
		__builtin_prefetch(&page->write[at], 1);
		__builtin_prefetch(&page->read[0][at], 1);
		__builtin_prefetch(&page->read[1][at], 1);
	}
}

/* soon_out: whether each lane has accessed a word of a block that is apart, and had no race. */
static bool touch_each(const struct lanes *lanes, bool *soon_out)
{
	const struct check_whole *whole = lanes->whole;
	uint64_t places[LANES];
	struct page *pages[LANES];
	bool known = false;
	*soon_out = whole->size_B == SHADOW_WORD_B;
	find_pages(lanes, pages);
	for (uint32_t i = 0; i < whole->one_count; i++) {
		const uint32_t l = whole->one_lane[i];
		const uint64_t record = lanes->record + ((uint64_t)l << RECORD_LANE_SHIFT);
		if (touch_cell(lanes, pages[i], whole->one_place[i], record))
			continue;
		*soon_out = false;
		if (!whole->is_last)
			return false;
		if (check_lanes_touch_one(lanes, whole->one_place[i], record))
			continue;
		if (!check_lanes_race(whole, l, places, &known))
			return false;
	}
	return true;
}

bool check_lanes_touch_few(const struct lanes *lanes, struct check_whole *whole)
{
	bool soon;
	if (whole->size_B == 1 && whole->row_place && check_lanes_touch_narrow(lanes, whole->row_place, whole->mask)) {
		whole->one_count = 0;
		return true;
	}
	if (whole->size_B == SHADOW_WORD_B && check_whole_keeps(whole, lanes->record))
		return true;
	if (!touch_each(lanes, &soon))
		return false;
	/* Others cannot be kept as accesses that repeat: of writes, only those to different words have no race. */
	if (!soon || whole->one_count == 1)
		whole->one_count = 0;
	return true;
}
