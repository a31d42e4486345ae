/* Accesses of global memory that repeat (check/again.h). */
#include "config.h"

#include "softcuda/check/whole.h"

#include "softcuda/check/again.h"

#include <stdlib.h>

/* Whether lanes in mask have the same places. */
static inline bool are_same(uint32_t mask, const uint64_t *one, const uint64_t *other)
{
	uint64_t differ = 0;
	for (uint32_t l = 0; l < LANES; l++)
		differ |= mask >> l & 1 ? one[l] ^ other[l] : 0;
	return !differ;
}

static void keep(struct again_set *set, uint64_t record, bool writes)
{
	if (writes)
		set->write = record;
	set->read = writes ? 0 : record;
}

/* Whether the work-group's lanes know of each other only what barriers of the whole group have ordered, and nothing
 * is on its way that has not been written. */
static bool is_usual(const struct check_group *group, uint32_t warp)
{
	const struct check_clocks *clocks = &group->clocks[CHECK_GLOBAL_MEMORY];
	return !clocks->dirty && !group->copies.count && !group->locals[warp].copied_count &&
	       !group->job->epochs.exhausted && epochs_alone(&group->job->epochs, clocks->first);
}

bool check_whole_again(struct warp *warp, const struct op *op, uint32_t mask, const uint64_t *place)
{
	const struct check_group *group = check_of(warp->group);
	struct again *again = group->job->global.again;
	const struct again_op *last = again_op_of(again, op, warp->index);
	struct again_set *set = last->set;
	if (last->op != op || last->warp != warp->index || last->group != group->number || !set ||
	    set->serial != last->serial || set->mask != mask || !are_same(mask, set->place, place) ||
	    !is_usual(group, warp->index))
		return false;
	const uint64_t epoch = group->clocks[CHECK_GLOBAL_MEMORY].now;
	keep(set, last->record | epoch << RECORD_EPOCH_SHIFT, !check_is_load(op));
	return true;
}

/* The set of a warp's lanes and their words; NULL: there is none. */
static struct again_set *find_set(const struct check_whole *whole, struct again *again)
{
	for (uint32_t i = 0; i < AGAIN_SETS; i++) {
		struct again_set *set = &again->sets[i];
		if (set->mask == whole->mask && set->warp == whole->warp->index &&
		    set->group == whole->group->number && are_same(whole->mask, set->place, whole->place))
			return set;
	}
	return NULL;
}

bool check_whole_keeps(struct check_whole *whole, uint64_t record)
{
	struct shadow *shadow = &whole->group->job->global;
	uint32_t kept = 0;
	if (whole->space == PLACE_SHARED || !again_keeps(shadow))
		return false;
	for (uint32_t i = 0; i < whole->one_count; i++) {
		const struct page *page = shadow_page_of(shadow, whole->one_place[i]);
		kept |= page ? page->kept : 0;
	}
	if (!kept)
		return false;
	whole->again = whole->place ? find_set(whole, shadow->again) : NULL;
	if (whole->again) {
		keep(whole->again, record, !check_is_load(whole->op));
		return true;
	}
	for (uint32_t i = 0; i < whole->one_count; i++) {
		const struct page *page = shadow_page_of(shadow, whole->one_place[i]);
		if (page && page->kept)
			again_close_word(shadow, page, whole->one_place[i] % SHADOW_PAGE_B / SHADOW_WORD_B);
	}
	return false;
}

void check_whole_keep_again(const struct check_whole *whole)
{
	const struct warp *warp = whole->warp;
	struct check_group *group = whole->group;
	struct shadow *shadow = &group->job->global;
	if (whole->space != PLACE_GLOBAL || check_is_atomic(whole->op) || check_is_part(warp->frame->code, whole->op) ||
	    !(group->job->options & CHECK_RACE) || !is_usual(group, warp->index))
		return;
	if (!shadow->again)
		shadow->again = calloc(1, sizeof(*shadow->again));
	if (!shadow->again)
		return;
	struct again_op *last = again_op_of(shadow->again, whole->op, warp->index);
	const uint64_t first = whole->one_place[0], end = whole->one_place[whole->one_count - 1];
	const bool same = last->op == whole->op && last->warp == warp->index && last->group == group->number &&
			  last->mask == whole->mask && last->first == first && last->last == end;
	struct again_set *set = whole->again;
	if (same && !set && check_is_store(whole->op)) {
		set = again_open(shadow, whole->mask, whole->place);
		if (set) {
			set->group = group->number;
			set->warp = warp->index;
		}
	}
	const uint64_t record = record_of(0, check_site(group->job, warp, whole->op), warp->index * LANES,
					  whole->op->narrow ? RECORD_NARROW : 0u);
	*last = (struct again_op){whole->op, group->number, warp->index, whole->mask, first, end, record, set,
				  set ? set->serial : 0};
}
