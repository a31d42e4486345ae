/* Accesses of the lanes of a warp to a byte each, side by side, which are noted for all of them: a block is narrow then
 * (check/shadow.h). */
#include "config.h"

#include "softcuda/check/whole_lanes.h"

_Static_assert((int)LANES == SHADOW_BLOCK * SHADOW_WORD_B, "a byte of a block for each lane of a warp");

/* What a block has of one kind. */
struct narrow_note {
	uint64_t record;          /* of the first byte; without meaning if there are no bytes */
	uint32_t bytes;           /* that have it, as bits */
};

/* Whether lanes access bytes of which this is noted without an order to it.  now: the record of lane 0. */
static inline bool is_busy(const struct lanes *lanes, const struct narrow_note *note, uint32_t mask, uint64_t now)
{
	return note->bytes & mask && !cells_ordered(note->record, now, &lanes->order);
}

/* Gives bytes this record.  False if others have another one. */
static inline bool replace(struct narrow_note *note, uint32_t mask, uint64_t now)
{
	if (note->bytes & ~mask && note->record != now)
		return false;
	note->record = now;
	note->bytes |= mask;
	return true;
}

static bool note_bytes(const struct lanes *lanes, struct narrow_note *notes, uint32_t mask, uint64_t now)
{
	struct narrow_note *first = &notes[SHADOW_READ], *second = &notes[SHADOW_READ_2];
	if (is_busy(lanes, &notes[SHADOW_WRITE], mask, now))
		return false;
	const bool busy = is_busy(lanes, first, mask, now);
	if (lanes->writes) {
		if (busy || is_busy(lanes, second, mask, now) || !replace(&notes[SHADOW_WRITE], mask, now))
			return false;
		first->bytes &= ~mask;
		second->bytes &= ~mask;
		return true;
	}
	/* Where the first read is of another lane, this one becomes the second, unless that is of another one, too. */
	if (busy && !(mask & ~first->bytes))
		return is_busy(lanes, second, mask, now) ? !(mask & ~second->bytes) : replace(second, mask, now);
	return !busy && replace(first, mask, now);
}

/* Where the record of a kind is. */
static inline uint64_t *record_at(struct page *page, uint32_t block, unsigned kind)
{
	return kind == SHADOW_WRITE ? &page->block_write[block] : &page->block_read[kind - SHADOW_READ][block];
}

bool check_lanes_touch_narrow(const struct lanes *lanes, uint64_t place, uint32_t mask)
{
	struct page *page = shadow_page_of(lanes->shadow, place);
	const uint32_t block = (uint32_t)(place % SHADOW_PAGE_B) / LANES, bit = 1u << block;
	struct narrow_note notes[SHADOW_RECORDS];
	uint32_t partial = 0, any = 0;
	if (place % LANES || !page || page->kept || page->run_count || page->atomic[0] || page->bytes ||
	    (page->apart | page->pairs | page->quads) & bit)
		return false;
	const struct second *second = page->partial & bit ? &page->second[block] : NULL;
	for (unsigned k = 0; k < SHADOW_RECORDS; k++) {
		notes[k].record = *record_at(page, block, k);
		notes[k].bytes = notes[k].record ? second ? second->bytes[k] : MASK_ALL : 0;
		any |= notes[k].bytes;
	}
	if ((any && !(page->narrow & bit)) || !note_bytes(lanes, notes, mask, lanes->record))
		return false;
	for (unsigned k = 0; k < SHADOW_RECORDS; k++)
		partial |= notes[k].bytes && notes[k].bytes != MASK_ALL;
	if (partial && !shadow_want_second(page))
		return false;
	for (unsigned k = 0; k < SHADOW_RECORDS; k++) {
		*record_at(page, block, k) = notes[k].bytes ? notes[k].record : 0;
		if (partial)
			page->second[block].bytes[k] = notes[k].bytes;
	}
	page->narrow |= bit;
	page->partial = (page->partial & ~bit) | partial << block;
	return true;
}
