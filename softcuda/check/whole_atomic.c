/* Atomics of all lanes of a warp that read and write words, in any order, some of them the same one.
 *
 * Atomics do not race with each other in a work-group.  So those of shared memory are put off: they are noted only if
 * somebody accesses the same chunk in another way before the next barrier. */
#include "config.h"

#include "softcuda/check/whole.h"

#include <string.h>

/* --- where the lanes are ---------- */

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
	whole->one_count = all % whole->size_B ? 0 : (uint32_t)__builtin_popcount(whole->mask);
	whole->one_word = !differ;
	return whole->one_count;
}

/* --- what is put off ---------- */

static uint64_t shared_start(const struct check_whole *whole)
{
	return (uint64_t)(uintptr_t)whole->group->group->shared;
}

/* Whether an atomic that writes may order accesses of lanes. */
static bool may_order(const struct check_whole *whole, const struct shadow *shadow)
{
	bool may = whole->op->mode != ORDER_RELAXED || shadow->syncs.count;
	for (unsigned m = 0; m < CHECK_MEMORIES; m++)
		may |= whole->group->clocks[m].dirty;
	return may;
}

bool check_whole_keep_atomic(const struct check_whole *whole)
{
	struct check_group *group = whole->group;
	struct check_put_off *put_off = &group->put_off;
	const struct warp *warp = whole->warp;
	const uint64_t shared = shared_start(whole);
	if (may_order(whole, &group->shared) || whole->op->compares || !whole->one_count ||
	    warp->frame != warp->base || check_is_part(warp->base->code, whole->op) ||
	    whole->end - shared > (uint64_t)SHADOW_WORD_B << 16)
		return false;
	struct check_atomic *kept = &put_off->atomics[put_off->atomic_count++];
	kept->op = (uint32_t)(whole->op - warp->base->code->ops);
	kept->warp = warp->index;
	kept->lanes = whole->mask;
	kept->size_B = whole->size_B;
	for (uint32_t i = 0; i < LANES; i++)
		kept->word[i] = (uint16_t)((whole->one_place[i] - shared) / SHADOW_WORD_B);
	put_off->latest_atomic = check_put_off_writes(group, whole->start - shared, whole->end - shared);
	return true;
}

void check_whole_mark_atomics(struct check_group *group)
{
	struct check_put_off *put_off = &group->put_off;
	const uint32_t now = group->clocks[CHECK_LOCAL_MEMORY].now;
	for (; put_off->atomic_marked < put_off->atomic_count; put_off->atomic_marked++) {
		const struct check_atomic *kept = &put_off->atomics[put_off->atomic_marked];
		/* A word of 64 bits is in one chunk. */
		for (uint32_t i = 0; i < LANES; i++)
			put_off->atomic[kept->word[i] / (CHECK_CHUNK_B / SHADOW_WORD_B)] = now;
	}
}

void check_whole_take_kept(struct check_whole *whole, const struct check_atomic *kept)
{
	uint64_t place[LANES];
	const uint64_t shared = shared_start(whole);
	uint32_t i = 0;
	for (uint32_t rest = kept->lanes; rest; rest &= rest - 1)
		place[exec_lowest(rest)] = shared + (uint64_t)kept->word[i++] * SHADOW_WORD_B;
	(void)check_whole_take_atomic(whole, place);
}

/* --- cells ---------- */

/* What the lanes of an atomic have in common. */
struct updates {
	struct shadow *shadow;
	uint64_t first, span;     /* as of struct cells_order */
	uint64_t record;          /* of the warp's first lane */
};

/* A word in its page. */
struct word {
	struct page *page;
	size_t cell;
};

static inline bool is_over(const struct updates *updates, uint64_t record)
{
	return !record || record - updates->first < updates->span;
}

static inline bool is_own(const struct updates *updates, uint64_t record, uint64_t now)
{
	return record >= updates->first && !((record ^ now) & RECORD_LANE_MASK);
}

/* Whether an atomic of another work-group is not one for this one, or the other way round. */
static inline bool is_narrow(const struct updates *updates, uint64_t record, uint64_t now)
{
	return record && record < updates->first && (record | now) & RECORD_NARROW;
}

/* Finds the cell of an address, near one that was found before.  False: it has none for a word by itself. */
static inline bool find_word(const struct updates *updates, uint64_t address, uint64_t before, struct word *word)
{
	if (!word->page || address / SHADOW_PAGE_B != before / SHADOW_PAGE_B) {
		word->page = shadow_page(updates->shadow, address);
		if (!word->page || word->page->bytes || !shadow_want_atomic(word->page))
			return false;
	}
	word->cell = address % SHADOW_PAGE_B / SHADOW_WORD_B;
	const uint32_t block = (uint32_t)(word->cell / SHADOW_BLOCK);
	return word->page->apart >> block & 1 || shadow_part(word->page, block, block + 1);
}

/* Notes a lane's atomic write of a word, as check_race would.  False if that is not decided quickly. */
static inline bool touch(const struct updates *updates, const struct word *word, uint64_t now)
{
	const struct page *page = word->page;
	const size_t i = word->cell;
	const uint64_t write = page->write[i], read = page->read[0][i], read_2 = page->read[1][i];
	uint64_t *latest = &page->atomic[0][i], *other = &page->atomic[1][i];
	if (!(is_over(updates, write) || is_own(updates, write, now)) ||
	    !(is_over(updates, read) || is_own(updates, read, now)) ||
	    !(is_over(updates, read_2) || is_own(updates, read_2, now)) || is_narrow(updates, *latest, now) ||
	    is_narrow(updates, *other, now))
		return false;
	if (!is_over(updates, *latest) && !is_own(updates, *latest, now))
		*other = *latest;
	else if (is_over(updates, *other) || is_own(updates, *other, now))
		*other = 0;
	*latest = now;
	return true;
}

/* The same for several lanes one after the other. */
static inline bool touch_same(const struct updates *updates, const struct word *word, uint64_t last, uint64_t second)
{
	const struct page *page = word->page;
	const size_t i = word->cell;
	if (!is_over(updates, page->write[i]) || !is_over(updates, page->read[0][i]) ||
	    !is_over(updates, page->read[1][i]) || is_narrow(updates, page->atomic[0][i], last) ||
	    is_narrow(updates, page->atomic[1][i], last))
		return false;
	page->atomic[0][i] = last;
	page->atomic[1][i] = second;
	return true;
}

static uint64_t record_of_one(const struct check_whole *whole, const struct updates *updates, uint32_t i)
{
	return updates->record + ((uint64_t)whole->one_lane[i] << RECORD_LANE_SHIFT);
}

bool check_whole_touch_atomic(const struct check_whole *whole)
{
	const bool shared = whole->space == PLACE_SHARED;
	struct check_group *group = whole->group;
	const struct check_clocks *clocks = &group->clocks[shared ? CHECK_LOCAL_MEMORY : CHECK_GLOBAL_MEMORY];
	struct updates updates = {
		.shadow = shared ? &group->shared : &group->job->global, .first = record_of(clocks->first, 0, 0, 0),
		.record = record_of(clocks->now, check_site(group->job, whole->warp, whole->op),
				    whole->warp->index * LANES,
				    RECORD_ATOMIC | (whole->op->narrow ? RECORD_NARROW : 0u))
	};
	if (may_order(whole, updates.shadow) || whole->op->compares || !whole->one_count)
		return false;
	if (clocks->floor)
		updates.span = record_of(clocks->floor + 1, 0, 0, 0) - updates.first;
	const uint32_t count = whole->one_count, words = whole->size_B / SHADOW_WORD_B;
	struct word word = {NULL, 0};
	uint64_t before = 0;
	for (uint32_t k = 0; k < words; k++) {
		for (uint32_t i = whole->one_word ? count - 1 : 0; i < count; i++) {
			const uint64_t address = whole->one_place[i] + (uint64_t)k * SHADOW_WORD_B;
			const uint64_t now = record_of_one(whole, &updates, i);
			if (!find_word(&updates, address, before, &word))
				return false;
			if (!(whole->one_word && i ? touch_same(&updates, &word, now,
								record_of_one(whole, &updates, i - 1)) :
						     touch(&updates, &word, now)))
				return false;
			before = address;
		}
	}
	return true;
}
