/* Races of accesses that all lanes of a warp make, for the usual cases, in which there is nothing to report: notes of
 * consecutive lanes are compared and written as vectors (check/cells.h). */
#include "config.h"

#include "softcuda/check/whole.h"

#include "softcuda/check/cells.h"

#include <stdlib.h>

/* What the lanes of an access have in common. */
struct lanes {
	const struct check_whole *whole;
	const struct check_clocks *clocks;
	struct shadow *shadow;
	struct cells_order order;
	uint64_t record;          /* of the warp's first lane, but for the epoch unless all lanes have the same */
	bool writes;
};

/* The lane that is looked at now. */
struct lane {
	const struct lane_clock *clock;
	uint32_t floor;
	uint64_t record;
};

/* Whether there is no earlier access, or one that is ordered before the lane's: as `ordered`, for the cases that are
 * decided quickly. */
static inline bool soon_ordered(const struct lanes *lanes, const struct lane *lane, uint64_t before)
{
	return !before || (before >= lanes->order.first && (!((before ^ lane->record) & RECORD_LANE_MASK) ||
							    record_epoch(before) <= lane->floor));
}

/* Whether an earlier access is certainly without an order to the lane's. */
static inline bool soon_apart(const struct lanes *lanes, const struct lane *lane, uint64_t before)
{
	const struct lane_clock *mine = lane->clock;
	const uint32_t epoch = record_epoch(before), other = record_lane(before), own = record_lane(lane->record);
	if (before < lanes->order.first)
		return !mine->foreign.count;
	return !mine->others && epoch > lane->floor && other != own &&
	       (other / LANES != own / LANES || epoch > mine->row[other % LANES]);
}

/* Notes the lane's access to a cell without atomic writes if there is nothing to report.  False if that is not decided
 * quickly. */
static bool touch_soon(const struct lanes *lanes, const struct lane *lane, const struct page *page, size_t i)
{
	uint64_t *read[2] = {&page->read[0][i], &page->read[1][i]};
	if (!soon_ordered(lanes, lane, page->write[i]))
		return false;
	for (unsigned k = 0; k < 2 && !lanes->writes; k++) {
		if (soon_ordered(lanes, lane, *read[k])) {
			*read[k] = lane->record;
			return true;
		}
		if (!soon_apart(lanes, lane, *read[k]))
			return false;
	}
	if (!lanes->writes)
		return true;
	if (!soon_ordered(lanes, lane, *read[0]) || !soon_ordered(lanes, lane, *read[1]))
		return false;
	*read[0] = *read[1] = 0;
	page->write[i] = lane->record;
	return true;
}

/* The page of an address, with the index of its cell there and the size of the cell; NULL if it has no cells that can
 * be accessed all at a time. */
static struct page *find_cell(const struct lanes *lanes, uint64_t address, size_t *index_out, uint32_t *size_B_out)
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

/* As touch_run, for lanes that may know different things of others. */
static bool touch_one_by_one(const struct lanes *lanes, const struct check_run *run)
{
	const uint32_t first = lanes->whole->warp->index * LANES + run->lane, size_B = lanes->whole->size_B;
	for (uint32_t i = 0; i < run->count; i++) {
		const uint64_t start = run->place + (uint64_t)i * run->step_B;
		struct lane lane = {
			.clock = &lanes->clocks->lanes[first + i],
			.floor = check_clocks_floor(lanes->clocks, first + i)
		};
		uint32_t cell_B;
		size_t index;
		lane.record = lanes->record + ((uint64_t)(run->lane + i) << RECORD_LANE_SHIFT);
		lane.record |= (uint64_t)check_clocks_epoch(lanes->clocks, first + i) << RECORD_EPOCH_SHIFT;
		for (uint64_t at = start; at < start + size_B; at += cell_B) {
			const struct page *page = find_cell(lanes, at, &index, &cell_B);
			if (!page || !touch_soon(lanes, &lane, page, index))
				return false;
		}
	}
	return true;
}

static inline bool is_over(const struct lanes *lanes, uint64_t before)
{
	return !before || before - lanes->order.first < lanes->order.span;
}

/* Notes reads of a cell by lanes one after the other, the first of which has this record, as touch_soon would for each:
 * once both of the cell's reads are of this warp's present epoch or of other work-groups, only the same lanes replace
 * them. */
static bool read_same(const struct lanes *lanes, const struct page *page, size_t i, uint64_t record, uint32_t count)
{
	const uint32_t lane = record_lane(record);
	uint64_t *read[2] = {&page->read[0][i], &page->read[1][i]};
	uint32_t next = 0;
	if (!is_over(lanes, page->write[i]))
		return false;
	for (; next < count && (is_over(lanes, *read[0]) || is_over(lanes, *read[1])); next++) {
		const bool own = *read[0] >= lanes->order.first && record_lane(*read[0]) == lane + next;
		*read[own || is_over(lanes, *read[0]) ? 0 : 1] = record + ((uint64_t)next << RECORD_LANE_SHIFT);
	}
	for (unsigned k = 0; k < 2; k++) {
		const uint32_t other = record_lane(*read[k]) - lane;
		if (*read[k] >= lanes->order.first && other >= next && other < count &&
		    !(k && ((*read[0] ^ *read[1]) & RECORD_LANE_MASK) == 0))
			*read[k] = record + ((uint64_t)other << RECORD_LANE_SHIFT);
	}
	return true;
}

static bool touch_same(const struct lanes *lanes, const struct check_run *run, uint64_t record)
{
	uint32_t cell_B;
	size_t index;
	if (lanes->writes)
		return false;
	for (uint64_t at = run->place; at < run->place + lanes->whole->size_B; at += cell_B) {
		const struct page *page = find_cell(lanes, at, &index, &cell_B);
		if (!page || !read_same(lanes, page, index, record, run->count))
			return false;
	}
	return true;
}

/* Consecutive lanes, each of which accesses 1 << shift cells of a page. */
struct row {
	struct page *page;
	uint32_t first, end;      /* the cells */
	uint64_t record;          /* of the lane that accesses the first one */
	unsigned shift;
};

static uint64_t record_of_cell(const struct row *row, uint32_t cell)
{
	return row->record + ((uint64_t)((cell - row->first) >> row->shift) << RECORD_LANE_SHIFT);
}

static bool touch(const struct lanes *lanes, const struct cells *cells)
{
	return lanes->writes ? cells_write(cells, &lanes->order) : cells_read(cells, &lanes->order);
}

/* Notes accesses to cells [first, end) of a row, all of which are in one block. */
static bool touch_part(const struct lanes *lanes, const struct row *row, uint32_t first, uint32_t end)
{
	const struct page *page = row->page;
	const uint32_t from = first % SHADOW_BLOCK, start = first - from;
	const struct cells cells = {
		.write = page->write + start, .read = {page->read[0] + start, page->read[1] + start},
		.record = record_of_cell(row, first) - ((uint64_t)(from >> row->shift) << RECORD_LANE_SHIFT),
		.shift = row->shift
	};
	return lanes->writes ? cells_write_part(&cells, &lanes->order, from, end - start) :
			       cells_read_part(&cells, &lanes->order, from, end - start);
}

/* Notes accesses to cells [first, end) of a row, one by one. */
static bool touch_cells(const struct lanes *lanes, const struct row *row, uint32_t first, uint32_t end)
{
	struct page *page = row->page;
	if (first == end)
		return true;
	if (!page->bytes && !shadow_part(page, first / SHADOW_BLOCK, (end - 1) / SHADOW_BLOCK + 1))
		return false;
	for (uint32_t next; first < end; first = next) {
		const uint32_t whole = first % SHADOW_BLOCK ? 0 : (end - first) / SHADOW_BLOCK * SHADOW_BLOCK;
		const uint32_t block_end = (first / SHADOW_BLOCK + 1) * SHADOW_BLOCK;
		next = whole ? first + whole : block_end < end ? block_end : end;
		const struct cells cells = {
			.write = page->write + first, .read = {page->read[0] + first, page->read[1] + first},
			.count = whole, .record = record_of_cell(row, first), .shift = row->shift, .step = 1
		};
		if (!(whole ? touch(lanes, &cells) : touch_part(lanes, row, first, next)))
			return false;
	}
	return true;
}

/* The same of whole blocks that are not apart, and of which each lane has as many words as in the row. */
static bool touch_blocks(const struct lanes *lanes, const struct row *row, uint32_t first, uint32_t end)
{
	struct page *page = row->page;
	return touch(lanes, &(struct cells){
		.write = page->block_write + first, .read = {page->block_read[0] + first, page->block_read[1] + first},
		.count = end - first, .record = record_of_cell(row, first * SHADOW_BLOCK),
		.step = SHADOW_BLOCK >> row->shift
	});
}

/* The bits of blocks [first, end). */
static uint32_t block_bits(uint32_t first, uint32_t end)
{
	return (uint32_t)((UINT64_C(1) << end) - (UINT64_C(1) << first));
}

/* Has blocks, as bits, say how many words each lane has there. */
static void set_shift(struct page *page, uint32_t blocks, unsigned shift)
{
	page->apart &= ~blocks;
	page->pairs = shift == 1 ? page->pairs | blocks : page->pairs & ~blocks;
	page->quads = shift == 2 ? page->quads | blocks : page->quads & ~blocks;
}

/* Notes accesses to a block that is apart, or of which each lane has another number of words. */
static bool touch_other(const struct lanes *lanes, const struct row *row, uint32_t block)
{
	struct page *page = row->page;
	const uint32_t first = block * SHADOW_BLOCK;
	if (!(page->apart >> block & 1) && !page->block_write[block] && !page->block_read[0][block] &&
	    !page->block_read[1][block]) {
		set_shift(page, 1u << block, row->shift);
		return touch_blocks(lanes, row, block, block + 1);
	}
	if (!touch_cells(lanes, row, first, first + SHADOW_BLOCK))
		return false;
	if (!lanes->writes)
		return true;
	/* A write ends what was noted before. */
	set_shift(page, 1u << block, row->shift);
	page->block_write[block] = record_of_cell(row, first);
	page->block_read[0][block] = page->block_read[1][block] = 0;
	return true;
}

/* Notes accesses of whole blocks [first, end). */
static bool touch_whole_blocks(const struct lanes *lanes, const struct row *row, uint32_t first, uint32_t end)
{
	const struct page *page = row->page;
	const uint32_t all = block_bits(first, end);
	const uint32_t pairs = row->shift == 1 ? all : 0, quads = row->shift == 2 ? all : 0;
	if (!((page->apart | (page->pairs ^ pairs) | (page->quads ^ quads)) & all))
		return touch_blocks(lanes, row, first, end);
	for (uint32_t b = first; b < end; b++) {
		const uint32_t bit = 1u << b;
		const bool other = (page->apart | (page->pairs ^ pairs) | (page->quads ^ quads)) & bit;
		if (!(other ? touch_other(lanes, row, b) : touch_blocks(lanes, row, b, b + 1)))
			return false;
	}
	return true;
}

/* Notes accesses of whole blocks that nobody has accessed yet, as of a buffer that each lane writes once.  False:
 * these are others, and nothing is noted. */
static inline bool touch_new(const struct lanes *lanes, const struct row *row)
{
	struct page *page = row->page;
	const uint32_t first = row->first / SHADOW_BLOCK, end = row->end / SHADOW_BLOCK;
	const uint32_t all = block_bits(first, end);
	if (page->bytes || row->shift > 2 || (row->first | row->end) % SHADOW_BLOCK || page->apart & all)
		return false;
	uint64_t any = 0;
	for (uint32_t b = first; b < end; b++)
		any |= page->block_write[b] | page->block_read[0][b] | page->block_read[1][b];
	if (any)
		return false;
	set_shift(page, all, row->shift);
	uint64_t *to = lanes->writes ? page->block_write : page->block_read[0];
	for (uint32_t b = first; b < end; b++)
		to[b] = record_of_cell(row, b * SHADOW_BLOCK);
	return true;
}

static bool touch_row(const struct lanes *lanes, const struct row *row)
{
	const uint32_t first = (row->first + SHADOW_BLOCK - 1) / SHADOW_BLOCK, end = row->end / SHADOW_BLOCK;
	if (touch_new(lanes, row))
		return true;
	if (row->page->bytes || row->shift > 2 || first >= end)
		return touch_cells(lanes, row, row->first, row->end);
	return touch_cells(lanes, row, row->first, first * SHADOW_BLOCK) &&
	       touch_whole_blocks(lanes, row, first, end) &&
	       touch_cells(lanes, row, end * SHADOW_BLOCK, row->end);
}

/* Notes the accesses of a run of lanes that all know the same of others.  False if that is not decided quickly. */
static bool touch_run(const struct lanes *lanes, const struct check_run *run)
{
	const uint32_t size_B = lanes->whole->size_B;
	uint64_t record = lanes->record + ((uint64_t)run->lane << RECORD_LANE_SHIFT);
	if (run->count > 1 && !run->step_B)
		return touch_same(lanes, run, record);
	/* Elements are aligned, so that none is in two pages. */
	if (size_B & (size_B - 1) || run->place % size_B)
		return false;
	const unsigned log2_B = (unsigned)__builtin_ctz(size_B);
	for (uint64_t at = run->place, end = at + run->count * size_B, next; at < end; at = next) {
		struct page *page = shadow_page(lanes->shadow, at);
		if (!page || page->atomic[0] || (!page->bytes && size_B % SHADOW_WORD_B))
			return false;
		next = (at / SHADOW_PAGE_B + 1) * SHADOW_PAGE_B;
		next = next < end ? next : end;
		const uint32_t cell_B = page->bytes ? 1 : SHADOW_WORD_B;
		const uint32_t index = (uint32_t)(at % SHADOW_PAGE_B) / cell_B;
		if (!touch_row(lanes, &(struct row){page, index, index + (uint32_t)(next - at) / cell_B, record,
						    log2_B - (page->bytes ? 0 : 2)}))
			return false;
		record += (next - at) >> log2_B << RECORD_LANE_SHIFT;
	}
	return true;
}

/* Notes the runs of an access.  What is noted here before a lane is not decided is noted again by check_race, which
 * changes nothing. */
static bool touch_runs(const struct check_whole *whole)
{
	const struct warp *warp = whole->warp;
	struct check_group *group = whole->group;
	const bool shared = whole->space == PLACE_SHARED;
	const struct check_clocks *clocks = &group->clocks[shared ? CHECK_LOCAL_MEMORY : CHECK_GLOBAL_MEMORY];
	struct lanes lanes = {
		.whole = whole, .clocks = clocks, .shadow = shared ? &group->shared : &group->job->global,
		.order.first = record_of(clocks->first, 0, 0, 0), .writes = !check_is_load(whole->op),
		.record = record_of(clocks->dirty ? 0 : clocks->now, check_site(group->job, warp, whole->op),
				    warp->index * LANES, whole->op->narrow ? RECORD_NARROW : 0)
	};
	/* Without anything but barriers of the whole group, all of its lanes have the same epoch and floor. */
	const uint32_t floor = check_clocks_floor(clocks, 0);
	if (floor)
		lanes.order.span = record_of(floor + 1, 0, 0, 0) - lanes.order.first;
	for (uint32_t i = 0; i < whole->run_count; i++) {
		const struct check_run *run = &whole->runs[i];
		if (!(clocks->dirty || run->count == 1 ? touch_one_by_one : touch_run)(&lanes, run))
			return false;
	}
	return true;
}

/* --- reads that are put off ---------- */

/* Puts a read of shared memory off if nobody has written there since the last barrier.  False: it is not put off. */
static bool put_off(const struct check_whole *whole)
{
	const struct warp *warp = whole->warp;
	struct check_group *group = whole->group;
	struct check_put_off *put_off = &group->put_off;
	const struct check_clocks *clocks = &group->clocks[CHECK_LOCAL_MEMORY];
	if (!check_is_load(whole->op) || clocks->dirty || put_off->written == clocks->now ||
	    warp->frame != warp->base || put_off->count + whole->run_count > CHECK_READS)
		return false;
	if (!put_off->reads)
		put_off->reads = malloc(CHECK_READS * sizeof(*put_off->reads));
	for (uint32_t i = 0; put_off->reads && i < whole->run_count; i++) {
		const struct check_run *run = &whole->runs[i];
		put_off->reads[put_off->count++] = (struct check_read){
			whole->op, run->place, run->lane, run->count, run->step_B, whole->size_B, warp->index
		};
	}
	return put_off->reads;
}

/* Notes a read that was put off, lane by lane. */
static bool note_lanes(struct warp *warp, const struct check_read *read)
{
	const uint32_t mask = MASK_ALL >> (LANES - read->count) << read->lane;
	uint64_t places[LANES] = {0};
	bool right = true;
	for (uint32_t i = 0; i < read->count; i++)
		places[read->lane + i] = read->place + (uint64_t)i * read->step_B;
	for (uint32_t i = 0; right && i < read->count; i++)
		right = check_race(warp, read->op, mask, read->lane + i, places, read->size_B);
	return right;
}

bool check_whole_note_put_off(struct check_group *group)
{
	struct check_put_off *put_off = &group->put_off;
	const uint32_t count = put_off->count;
	bool right = true;
	put_off->count = 0;
	for (uint32_t i = 0; right && i < count; i++) {
		const struct check_read *read = &put_off->reads[i];
		struct warp *warp = &group->group->warps[read->warp];
		struct frame *frame = warp->frame;
		struct check_whole whole = {.warp = warp, .group = group, .op = read->op, .size_B = read->size_B,
					    .space = PLACE_SHARED, .run_count = 1};
		whole.runs[0] = (struct check_run){read->place, read->lane, read->count, read->step_B};
		warp->frame = warp->base;
		right = touch_runs(&whole) || note_lanes(warp, read);
		warp->frame = frame;
	}
	return right;
}

bool check_whole_race(const struct check_whole *whole)
{
	struct check_group *group = whole->group;
	const bool shared = whole->space == PLACE_SHARED;
	const struct check_clocks *clocks = &group->clocks[shared ? CHECK_LOCAL_MEMORY : CHECK_GLOBAL_MEMORY];
	if (whole->space == PLACE_LOCAL || whole->space == PLACE_PARAM || group->job->epochs.exhausted)
		return true;
	if (check_is_atomic(whole->op) || group->copies.count || !epochs_alone(&group->job->epochs, clocks->first))
		return false;
	if (shared && put_off(whole))
		return true;
	if (shared && !check_put_off_none(group))
		return false;
	if (shared && !check_is_load(whole->op))
		group->put_off.written = clocks->now;
	return touch_runs(whole);
}
