#include "config.h"

#include "softcuda/check/again.h"

#include "softcuda/exec/warp.h"

#include <stdlib.h>
#include <string.h>

static size_t word_of(uint64_t place)
{
	return place % SHADOW_PAGE_B / SHADOW_WORD_B;
}

/* The set's page of a place; NULL: it has none. */
static struct again_page *page_of(struct again_set *set, uint64_t place)
{
	for (uint32_t k = 0; k < set->page_count; k++)
		if (set->pages[k].number == place / SHADOW_PAGE_B)
			return &set->pages[k];
	return NULL;
}

static void close_set(struct again *again, struct again_set *set)
{
	if (!set->mask)
		return;
	for (uint32_t rest = set->mask; rest; rest &= rest - 1) {
		const uint32_t l = exec_lowest(rest);
		const uint64_t of_lane = (uint64_t)l << RECORD_LANE_SHIFT;
		const struct page *page = page_of(set, set->place[l])->page;
		const size_t i = word_of(set->place[l]);
		if (set->write) {
			page->write[i] = set->write + of_lane;
			page->read[0][i] = page->read[1][i] = 0;
		}
		if (set->read)
			page->read[0][i] = set->read + of_lane;
	}
	for (uint32_t k = 0; k < set->page_count; k++)
		set->pages[k].page->kept--;
	set->mask = 0;
	again->count--;
}

static const struct again_page *find_page(const struct again_set *set, const struct page *page)
{
	for (uint32_t k = 0; set->mask && k < set->page_count; k++)
		if (set->pages[k].page == page)
			return &set->pages[k];
	return NULL;
}

void again_close_word(struct shadow *shadow, const struct page *page, size_t word)
{
	for (uint32_t i = 0; i < AGAIN_SETS && page->kept; i++) {
		const struct again_page *found = find_page(&shadow->again->sets[i], page);
		if (found && found->words[word / 64] >> word % 64 & 1)
			close_set(shadow->again, &shadow->again->sets[i]);
	}
}

struct page *shadow_close(struct shadow *shadow, struct page *page)
{
	for (uint32_t i = 0; i < AGAIN_SETS && page->kept; i++)
		if (find_page(&shadow->again->sets[i], page))
			close_set(shadow->again, &shadow->again->sets[i]);
	if (page->run_count && !shadow_end_runs(page))
		return NULL;
	return page->narrow && !shadow_split(page) ? NULL : page;
}

struct again_set *again_open(struct shadow *shadow, uint32_t mask, const uint64_t *place)
{
	struct again *again = shadow->again;
	struct again_set *set = &again->sets[again->next];
	close_set(again, set);
	set->page_count = 0;
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		const uint64_t at = place[exec_lowest(rest)];
		struct again_page *page = page_of(set, at);
		if (!page && set->page_count == AGAIN_PAGES)
			return NULL;
		if (!page) {
			page = &set->pages[set->page_count++];
			*page = (struct again_page){shadow_page_of(shadow, at), at / SHADOW_PAGE_B, {0}};
		}
		page->words[word_of(at) / 64] |= UINT64_C(1) << word_of(at) % 64;
	}
	again->next = (again->next + 1) % AGAIN_SETS;
	for (uint32_t k = 0; k < set->page_count; k++)
		set->pages[k].page->kept++;
	memcpy(set->place, place, sizeof(set->place));
	set->mask = mask;
	again->count++;
	set->write = set->read = 0;
	set->serial = ++again->serial;
	return set;
}
