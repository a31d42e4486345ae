/* What check/whole_few.c, check/whole_lanes.c, check/whole_narrow.c, check/whole_race.c and check/whole_runs.c have in
 * common: how the
 * cells of an access are looked at. */
#ifndef CULVERT_SOFTCUDA_CHECK_WHOLE_LANES_H
#define CULVERT_SOFTCUDA_CHECK_WHOLE_LANES_H

#include "softcuda/check/cells.h"
#include "softcuda/check/whole.h"

/* What the lanes of an access have in common. */
struct lanes {
	const struct check_whole *whole;
	const struct check_clocks *clocks;
	struct shadow *shadow;
	struct cells_order order;
	uint64_t record;          /* of the warp's first lane, but for the epoch unless all lanes have the same */
	bool writes;
	bool begins_runs;         /* a page of global memory that nobody has accessed yet gets runs */
};

/* The page of an address, with the index of its cell there and the size of the cell; NULL if it has no cells that can
 * be accessed all at a time. */
static inline struct page *check_lanes_cell(const struct lanes *lanes, uint64_t address, size_t *index_out,
					    uint32_t *size_B_out)
{
	const uint32_t size_B = lanes->whole->size_B;
	struct page *page = shadow_page(lanes->shadow, address);
	if (!page || page->atomic[0] || (!page->bytes && (address | size_B) % SHADOW_WORD_B))
		return NULL;
	*size_B_out = page->bytes ? 1 : SHADOW_WORD_B;
	*index_out = address % SHADOW_PAGE_B / *size_B_out;
	const uint32_t block = (uint32_t)(*index_out / SHADOW_BLOCK);
	return page->bytes || page->apart >> block & 1 || shadow_part(page, block, block + 1) ? page : NULL;
}

/* What a warp's access to consecutive elements from the beginning of a block on has in common. */
struct check_elements {
	struct shadow *shadow;
	uint64_t place;           /* of lane 0 */
	struct cells_order order;
	uint64_t record;          /* of lane 0 */
	bool writes;
};

/* Notes such an access to whole blocks of a page, each element of which has 1 << shift words; blocks and shift are
 * constants.  False: that is no such page, or there may be a race; nothing is noted then, except that reads may be. */
static inline __attribute__((always_inline)) bool check_elements_touch(const struct check_elements *elements,
								       uint32_t blocks, unsigned shift)
{
	const uint32_t first = (uint32_t)(elements->place % SHADOW_PAGE_B) / SHADOW_WORD_B / SHADOW_BLOCK;
	if (elements->place % (SHADOW_BLOCK * SHADOW_WORD_B) || first > SHADOW_BLOCKS - blocks)
		return false;
	const uint32_t all = ((1u << blocks) - 1) << first;
	const uint32_t pairs = shift == 1 ? all : 0, quads = shift == 2 ? all : 0;
	struct page *page = shadow_page_of(elements->shadow, elements->place);
	if (!page || page->kept || page->run_count || page->narrow || page->atomic[0] || page->bytes ||
	    (page->apart | page->partial) & all)
		return false;
	uint64_t *write = page->block_write + first, *read = page->block_read[0] + first;
	uint64_t *other = page->block_read[1] + first, any = 0;
	for (uint32_t b = 0; b < blocks; b++)
		any |= write[b] | read[b] | other[b];
	if (any && ((page->pairs ^ pairs) | (page->quads ^ quads)) & all)
		return false;
	if (any) {
		const struct cells cells = {
			.write = write, .read = {read, other}, .count = blocks, .record = elements->record,
			.step = SHADOW_BLOCK >> shift
		};
		return elements->writes ? cells_write(&cells, &elements->order) :
					  cells_read(&cells, &elements->order);
	}
	page->pairs = (page->pairs & ~all) | pairs;
	page->quads = (page->quads & ~all) | quads;
	uint64_t *to = elements->writes ? write : read;
	for (uint32_t b = 0; b < blocks; b++)
		to[b] = elements->record + ((uint64_t)b * (SHADOW_BLOCK >> shift) << RECORD_LANE_SHIFT);
	return true;
}

/* The record of an access by a warp's first lane, but for the epoch unless all lanes have the same. */
static inline uint64_t check_lanes_record(const struct check_job *job, const struct check_clocks *clocks,
					  const struct warp *warp, const struct op *op)
{
	return record_of(clocks->dirty ? 0 : clocks->now, check_site(job, warp, op), warp->index * LANES,
			 op->narrow ? RECORD_NARROW : 0u);
}

/* Without anything but barriers of the whole group, all of its lanes have the same epoch and floor. */
static inline struct cells_order check_lanes_order(const struct check_clocks *clocks)
{
	const uint32_t floor = check_clocks_floor(clocks, 0);
	struct cells_order order = {.first = record_of(clocks->first, 0, 0, 0)};
	if (floor)
		order.span = record_of(floor + 1, 0, 0, 0) - order.first;
	return order;
}

/* The functions are for lanes that know of each other only what barriers of the whole group have ordered.  Races whose
 * report is known are counted by them (check_race_is_known). */

/* Notes reads of one place by the lanes of a run, the first of which has this record.  False: that is not decided, or a
 * race has to be reported; nothing is counted then. */
#define check_lanes_read_same EXEC_LEVELED(check_lanes_read_same)
bool check_lanes_read_same(const struct lanes *lanes, const struct check_run *run, uint64_t record);
/* Notes the accesses of lanes that are looked at in turn (check_whole.is_few), and reports races if the access is_last.
 * False: that is not decided, or a fault was noted.  Otherwise there is no one_count if a lane had a race, or if it
 * accesses something else than a word, of a block that is apart. */
#define check_lanes_touch_few EXEC_LEVELED(check_lanes_touch_few)
bool check_lanes_touch_few(const struct lanes *lanes, struct check_whole *whole);
/* Notes the accesses of lanes to a byte each of a block of a page, the first of which lane 0 of a warp would access.
 * False: the block cannot say so, or there may be a race; nothing is noted then. */
#define check_lanes_touch_narrow EXEC_LEVELED(check_lanes_touch_narrow)
bool check_lanes_touch_narrow(const struct lanes *lanes, uint64_t place, uint32_t mask);
/* Notes an access to words [first, end) of a page with runs, or one that nobody has accessed yet.  record: of the lane
 * of the first word; each lane accesses 1 << shift words.  False: the page cannot say so, or there may be a race;
 * nothing is noted then. */
#define check_lanes_touch_page_run EXEC_LEVELED(check_lanes_touch_page_run)
bool check_lanes_touch_page_run(const struct lanes *lanes, struct page *page, uint32_t first, uint32_t end,
				uint64_t record, unsigned shift);
/* Notes the access of a lane as check_race would, and counts its race.  False: that is not decided, or the race has to
 * be reported; nothing is noted then. */
#define check_lanes_touch_one EXEC_LEVELED(check_lanes_touch_one)
bool check_lanes_touch_one(const struct lanes *lanes, uint64_t place, uint64_t record);
/* Reports the race of lane l, which check_lanes_touch_one leaves to its caller.  places, of LANES, and known: what was
 * found out for former lanes of the same access; known is false before the first one.  False: a fault was noted. */
#define check_lanes_race EXEC_LEVELED(check_lanes_race)
bool check_lanes_race(const struct check_whole *whole, uint32_t l, uint64_t *places, bool *known);
/* Notes the accesses of a run one by one, and reports races.  False: a fault was noted. */
#define check_lanes_touch EXEC_LEVELED(check_lanes_touch)
bool check_lanes_touch(const struct lanes *lanes, const struct check_run *run);

#endif
