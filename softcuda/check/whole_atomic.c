/* Atomics of all lanes of a warp on words, in any order, some of them the same one: those that read and write, and
 * volatile loads and stores.
 *
 * Atomics do not race with each other in a work-group.  So those of shared memory are put off: they are noted only if
 * somebody accesses the same chunk in another way before the next barrier. */
#include "config.h"

#include "softcuda/check/cells.h"
#include "softcuda/check/whole.h"

/* --- what is put off ---------- */

static uint64_t shared_start(const struct check_whole *whole)
{
	return (uint64_t)(uintptr_t)whole->group->group->shared;
}

/* Whether an atomic may order accesses of lanes. */
static bool may_order(const struct check_whole *whole, const struct shadow *shadow)
{
	bool may = whole->op->mode != ORDER_RELAXED || shadow->syncs.count;
	for (unsigned m = 0; m < CHECK_MEMORIES; m++)
		may |= whole->group->clocks[m].dirty;
	return may;
}

bool check_whole_may_keep_atomic(const struct check_whole *whole)
{
	const struct warp *warp = whole->warp;
	return !may_order(whole, &whole->group->shared) && whole->one_count && warp->frame == warp->base &&
	       !check_is_part(warp->base->code, whole->op) &&
	       whole->end - shared_start(whole) <= (uint64_t)SHADOW_WORD_B << 16;
}

void check_whole_keep_atomic(const struct check_whole *whole)
{
	struct check_group *group = whole->group;
	struct check_put_off *put_off = &group->put_off;
	const struct warp *warp = whole->warp;
	const uint64_t shared = shared_start(whole);
	struct check_atomic *kept = &put_off->atomics[put_off->atomic_count++];
	kept->op = (uint32_t)(whole->op - warp->base->code->ops);
	kept->warp = warp->index;
	kept->lanes = whole->mask;
	kept->size_B = (uint16_t)whole->size_B;
	kept->reads = whole->reads;
	for (uint32_t i = 0; i < LANES; i++)
		kept->word[i] = (uint16_t)((whole->one_place[i] - shared) / SHADOW_WORD_B);
	put_off->latest_atomic = check_put_off_writes(group, whole->start - shared, whole->end - shared);
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
	struct cells_order order;
	uint64_t record;          /* of the warp's first lane */
	bool reads;               /* they only read */
};

/* A word in its page. */
struct word {
	struct page *page;
	size_t cell;
};

/* Whether an atomic of another work-group is not one for this one, or the other way round. */
static inline bool is_narrow(const struct updates *updates, uint64_t record, uint64_t now)
{
	return record && record < updates->order.first && (record | now) & RECORD_NARROW;
}

/* Finds the cell of an address, near one that was found before.  False: it has none for a word by itself. */
static inline bool find_word(const struct updates *updates, uint64_t address, uint64_t before, struct word *word)
{
	const bool writes = !updates->reads;
	if (!word->page || address / SHADOW_PAGE_B != before / SHADOW_PAGE_B) {
		word->page = shadow_page(updates->shadow, address);
		if (!word->page || word->page->bytes || (writes && !shadow_want_atomic(word->page)))
			return false;
	}
	word->cell = address % SHADOW_PAGE_B / SHADOW_WORD_B;
	const uint32_t block = (uint32_t)(word->cell / SHADOW_BLOCK);
	return word->page->apart >> block & 1 || shadow_part(word->page, block, block + 1);
}

/* Whether an access that was noted as a write or a read is ordered before the lane's, or cannot race with it. */
static inline bool is_free(const struct updates *updates, uint64_t record, uint64_t now)
{
	return cells_ordered(record, now, &updates->order) ||
	       (record & RECORD_ATOMIC && !is_narrow(updates, record, now));
}

/* Whether an atomic read of a word, or an atomic one of any kind, cannot race. */
static inline bool may_read(const struct updates *updates, const struct word *word, uint64_t now)
{
	const struct page *page = word->page;
	const size_t i = word->cell;
	return is_free(updates, page->write[i], now) &&
	       (!page->atomic[0] || (!is_narrow(updates, page->atomic[0][i], now) &&
				     !is_narrow(updates, page->atomic[1][i], now)));
}

static inline bool may_write(const struct updates *updates, const struct word *word, uint64_t now)
{
	const struct page *page = word->page;
	const size_t i = word->cell;
	return may_read(updates, word, now) && is_free(updates, page->read[0][i], now) &&
	       is_free(updates, page->read[1][i], now);
}

/* Notes a lane's atomic access, as check_race would. */
static inline void note_write(const struct updates *updates, const struct word *word, uint64_t now)
{
	uint64_t *latest = &word->page->atomic[0][word->cell], *other = &word->page->atomic[1][word->cell];
	if (!cells_ordered(*latest, now, &updates->order))
		*other = *latest;
	else if (cells_ordered(*other, now, &updates->order))
		*other = 0;
	*latest = now;
}

static inline void note_read(const struct updates *updates, const struct word *word, uint64_t now)
{
	for (unsigned k = 0; k < 2; k++) {
		uint64_t *read = &word->page->read[k][word->cell];
		if (!cells_ordered(*read, now, &updates->order))
			continue;
		*read = now;
		return;
	}
}

static uint64_t record_of_one(const struct check_whole *whole, const struct updates *updates, uint32_t i)
{
	return updates->record + ((uint64_t)whole->one_lane[i] << RECORD_LANE_SHIFT);
}

static struct updates updates_of(const struct check_whole *whole)
{
	const bool shared = whole->space == PLACE_SHARED;
	struct check_group *group = whole->group;
	const struct check_clocks *clocks = &group->clocks[shared ? CHECK_LOCAL_MEMORY : CHECK_GLOBAL_MEMORY];
	struct updates updates = {
		.shadow = shared ? &group->shared : &group->job->global,
		.order.first = record_of(clocks->first, 0, 0, 0),
		.record = record_of(clocks->now, check_site(group->job, whole->warp, whole->op),
				    whole->warp->index * LANES,
				    RECORD_ATOMIC | (whole->op->narrow ? RECORD_NARROW : 0u)),
		.reads = whole->reads
	};
	if (clocks->floor)
		updates.order.span = record_of(clocks->floor + 1, 0, 0, 0) - updates.order.first;
	return updates;
}

/* Notes a word that all lanes write, whose records the cell has one after the other: what matters are the last two
 * writes. */
static bool touch_same(const struct check_whole *whole, const struct updates *updates, uint64_t address)
{
	const uint32_t last = whole->one_count - 1;
	struct word word = {NULL, 0};
	if (!find_word(updates, address, 0, &word))
		return false;
	/* An access of one of the lanes itself is that of another one to the next. */
	for (uint32_t i = 0; i <= last; i++)
		if (!may_write(updates, &word, record_of_one(whole, updates, i)))
			return false;
	for (uint32_t i = last ? last - 1 : 0; i <= last; i++)
		note_write(updates, &word, record_of_one(whole, updates, i));
	return true;
}

bool check_whole_touch_atomic(const struct check_whole *whole)
{
	const struct updates updates = updates_of(whole);
	struct word word = {NULL, 0};
	uint64_t before = 0;
	if (may_order(whole, updates.shadow) || !whole->decided || !whole->one_count)
		return false;
	for (uint32_t k = 0; k < whole->size_B / SHADOW_WORD_B; k++) {
		if (whole->one_word && !whole->reads) {
			if (!touch_same(whole, &updates, whole->one_place[0] + (uint64_t)k * SHADOW_WORD_B))
				return false;
			continue;
		}
		for (uint32_t i = 0; i < whole->one_count; i++) {
			const uint64_t address = whole->one_place[i] + (uint64_t)k * SHADOW_WORD_B;
			const uint64_t now = record_of_one(whole, &updates, i);
			if (!find_word(&updates, address, before, &word) ||
			    !(whole->reads ? may_read(&updates, &word, now) : may_write(&updates, &word, now)))
				return false;
			if (whole->reads)
				note_read(&updates, &word, now);
			else
				note_write(&updates, &word, now);
			before = address;
		}
	}
	return true;
}

bool check_whole_may_touch_atomic(const struct check_whole *whole)
{
	const struct updates updates = updates_of(whole);
	struct word word = {NULL, 0};
	uint64_t before = 0;
	if (may_order(whole, updates.shadow) || !whole->one_count)
		return false;
	for (uint32_t k = 0; k < whole->size_B / SHADOW_WORD_B; k++)
		for (uint32_t i = 0; i < whole->one_count; i++) {
			const uint64_t address = whole->one_place[i] + (uint64_t)k * SHADOW_WORD_B;
			if (!find_word(&updates, address, before, &word) ||
			    !may_write(&updates, &word, record_of_one(whole, &updates, i)))
				return false;
			before = address;
		}
	return true;
}
