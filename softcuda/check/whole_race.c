/* Races of accesses that all lanes of a warp make, for the usual cases, in which there is nothing to report: notes of
 * consecutive lanes are compared and written as vectors (check/cells.h). */
#include "config.h"

#include "softcuda/check/whole_lanes.h"

#include <stdlib.h>

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
			const struct page *page = check_lanes_cell(lanes, at, &index, &cell_B);
			if (!page || !touch_soon(lanes, &lane, page, index))
				return false;
		}
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

/* Of the lane that would access the first cell of a block of words. */
static uint64_t record_of_block(const struct row *row, uint32_t block)
{
	return row->record + (((uint64_t)block * SHADOW_BLOCK - row->first) << (RECORD_LANE_SHIFT - row->shift));
}

static bool touch(const struct lanes *lanes, const struct cells *cells)
{
	return lanes->writes ? cells_write(cells, &lanes->order) : cells_read(cells, &lanes->order);
}

/* The bits of blocks [first, end) of a page, or of cells of a block. */
static uint32_t bits(uint32_t first, uint32_t end)
{
	return (uint32_t)((UINT64_C(1) << end) - (UINT64_C(1) << first));
}

/* Has blocks, as bits, say how many words each lane has there. */
static void set_shift(struct page *page, uint32_t blocks, unsigned shift)
{
	page->apart &= ~blocks;
	page->partial &= ~blocks;
	page->pairs = shift == 1 ? page->pairs | blocks : page->pairs & ~blocks;
	page->quads = shift == 2 ? page->quads | blocks : page->quads & ~blocks;
}

/* --- blocks of which a part is accessed ---------- */

enum { ALL_CELLS = (1 << SHADOW_BLOCK) - 1 };

/* What a block that is not apart has of one kind: up to two records of its first cell, and the cells that have each. */
struct block_note {
	uint64_t record[2];
	uint32_t cells[2];
};

/* Those of these cells that have a record, unless it is over or the lanes' own. */
static inline uint32_t busy_cells(const struct lanes *lanes, const struct block_note *note, uint32_t cells,
				  uint64_t now, unsigned shift)
{
	uint32_t busy = 0;
	_Pragma("GCC unroll 2")
	for (unsigned k = 0; k < 2; k++) {
		if (!(note->cells[k] & cells))
			continue;
		const uint64_t of_lane = (uint64_t)(exec_lowest(note->cells[k]) >> shift) << RECORD_LANE_SHIFT;
		const uint64_t record = note->record[k] + of_lane;
		if (record - lanes->order.first >= lanes->order.span &&
		    (record < lanes->order.first || (note->record[k] ^ now) & RECORD_LANE_MASK))
			busy |= note->cells[k] & cells;
	}
	return busy;
}

static inline void drop_cells(struct block_note *note, uint32_t cells)
{
	note->cells[0] &= ~cells;
	note->cells[1] &= ~cells;
}

/* Gives cells this record.  False if others have two other ones. */
static inline bool replace(struct block_note *note, uint32_t cells, uint64_t now)
{
	drop_cells(note, cells);
	_Pragma("GCC unroll 2")
	for (unsigned k = 0; k < 2; k++)
		if (note->cells[k] && note->record[k] == now) {
			note->cells[k] |= cells;
			return true;
		}
	const unsigned to = note->cells[0] ? 1 : 0;
	if (note->cells[to])
		return false;
	note->record[to] = now;
	note->cells[to] = cells;
	return true;
}

static inline bool note_in_block(const struct lanes *lanes, struct block_note *notes, uint32_t cells, uint64_t now,
			  unsigned shift)
{
	struct block_note *first = &notes[SHADOW_READ], *second = &notes[SHADOW_READ_2];
	if (busy_cells(lanes, &notes[SHADOW_WRITE], cells, now, shift))
		return false;
	const uint32_t busy = busy_cells(lanes, first, cells, now, shift);
	if (lanes->writes) {
		if (busy || busy_cells(lanes, second, cells, now, shift) ||
		    !replace(&notes[SHADOW_WRITE], cells, now))
			return false;
		drop_cells(first, cells);
		drop_cells(second, cells);
		return true;
	}
	if (busy != cells && !replace(first, cells & ~busy, now))
		return false;
	/* Where the first read is of another lane, this one becomes the second. */
	const uint32_t rest = busy ? busy & ~busy_cells(lanes, second, busy, now, shift) : 0;
	return !rest || replace(second, rest, now);
}

/* Reads what a block that is not apart has. */
static inline void read_block(const struct page *page, uint32_t block, struct block_note *notes)
{
	const bool partial = page->partial >> block & 1;
	const struct second *second = partial && page->two >> block & 1 ? &page->second[block] : NULL;
	_Pragma("GCC unroll 3")
	for (unsigned k = 0; k < SHADOW_RECORDS; k++) {
		const uint64_t record = k == SHADOW_WRITE ? page->block_write[block] :
							    page->block_read[k - SHADOW_READ][block];
		notes[k] = (struct block_note){
			{record, second ? second->record[k] : 0},
			{!record ? 0 : partial ? page->cells[k][block] : ALL_CELLS, second ? second->cells[k] : 0}
		};
	}
}

/* Sets what a block has, of which each lane accesses 1 << shift words. */
static inline void write_block(struct page *page, uint32_t block, const struct block_note *notes, unsigned shift)
{
	uint32_t two = 0, partial = 0;
	_Pragma("GCC unroll 3")
	for (unsigned k = 0; k < SHADOW_RECORDS; k++) {
		/* There is no second record without a first one. */
		const unsigned first = notes[k].cells[0] ? 0 : 1;
		const uint32_t cells = notes[k].cells[first], others = notes[k].cells[!first];
		*(k == SHADOW_WRITE ? &page->block_write[block] : &page->block_read[k - SHADOW_READ][block]) =
			cells ? notes[k].record[first] : 0;
		page->cells[k][block] = (uint8_t)cells;
		partial |= cells && cells != ALL_CELLS;
		two |= others;
	}
	set_shift(page, 1u << block, shift);
	page->partial |= partial << block;
	page->two = (page->two & ~(1u << block)) | (two ? 1u : 0u) << block;
	for (unsigned k = 0; k < SHADOW_RECORDS && two; k++) {
		const unsigned first = notes[k].cells[0] ? 0 : 1;
		page->second[block].record[k] = notes[k].record[!first];
		page->second[block].cells[k] = (uint8_t)notes[k].cells[!first];
	}
}

/* Notes accesses to some cells of a block that nobody has accessed yet. */
static void touch_new_block(const struct lanes *lanes, const struct row *row, uint32_t block, uint32_t cells)
{
	struct page *page = row->page;
	set_shift(page, 1u << block, row->shift);
	page->two &= ~(1u << block);
	page->partial |= (cells != ALL_CELLS ? 1u : 0u) << block;
	*(lanes->writes ? &page->block_write[block] : &page->block_read[0][block]) = record_of_block(row, block);
	page->cells[SHADOW_WRITE][block] = page->cells[SHADOW_READ][block] = page->cells[SHADOW_READ_2][block] = 0;
	page->cells[lanes->writes ? SHADOW_WRITE : SHADOW_READ][block] = (uint8_t)cells;
}

/* Notes accesses to some cells of a block without having it be apart.  False: that cannot be said so, and nothing is
 * noted. */
static bool touch_partial(const struct lanes *lanes, const struct row *row, uint32_t block, uint32_t cells)
{
	struct page *page = row->page;
	const uint32_t bit = 1u << block, shift = page->pairs & bit ? 1 : page->quads & bit ? 2 : 0;
	struct block_note notes[SHADOW_RECORDS];
	const bool is_new = !(page->block_write[block] | page->block_read[0][block] | page->block_read[1][block]);
	if (page->bytes || page->apart & bit || row->shift > 2 || (row->shift != shift && !is_new))
		return false;
	if (is_new) {
		touch_new_block(lanes, row, block, cells);
		return true;
	}
	read_block(page, block, notes);
	if (!note_in_block(lanes, notes, cells, record_of_block(row, block), row->shift))
		return false;
	if ((notes[SHADOW_WRITE].cells[1] | notes[SHADOW_READ].cells[1] | notes[SHADOW_READ_2].cells[1]) &&
	    !shadow_want_second(page))
		return false;
	write_block(page, block, notes, row->shift);
	return true;
}

/* --- rows ---------- */

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

/* Notes accesses to cells [first, end) of a row that are cells of bytes, or of blocks that are apart. */
static bool touch_cells(const struct lanes *lanes, const struct row *row, uint32_t first, uint32_t end)
{
	const struct page *page = row->page;
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

/* Notes accesses to cells [first, end) of a row, all of which are in one block of words. */
static bool touch_in_block(const struct lanes *lanes, const struct row *row, uint32_t first, uint32_t end)
{
	const uint32_t block = first / SHADOW_BLOCK, start = block * SHADOW_BLOCK;
	return first == end || touch_partial(lanes, row, block, bits(first - start, end - start)) ||
	       (shadow_part(row->page, block, block + 1) && touch_cells(lanes, row, first, end));
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

/* Notes accesses to a block that is apart or partial, or of which each lane has another number of words. */
static bool touch_other(const struct lanes *lanes, const struct row *row, uint32_t block)
{
	struct page *page = row->page;
	const uint32_t first = block * SHADOW_BLOCK;
	if (touch_partial(lanes, row, block, ALL_CELLS))
		return true;
	if (!shadow_part(page, block, block + 1) || !touch_cells(lanes, row, first, first + SHADOW_BLOCK))
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
	const uint32_t all = bits(first, end);
	const uint32_t pairs = row->shift == 1 ? all : 0, quads = row->shift == 2 ? all : 0;
	if (!((page->apart | page->partial | (page->pairs ^ pairs) | (page->quads ^ quads)) & all))
		return touch_blocks(lanes, row, first, end);
	for (uint32_t b = first; b < end; b++) {
		const uint32_t bit = 1u << b;
		const bool other = (page->apart | page->partial | (page->pairs ^ pairs) | (page->quads ^ quads)) & bit;
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
	if (page->bytes || row->shift > 2 || (row->first | row->end) % SHADOW_BLOCK || page->apart & bits(first, end))
		return false;
	uint64_t any = 0;
	for (uint32_t b = first; b < end; b++)
		any |= page->block_write[b] | page->block_read[0][b] | page->block_read[1][b];
	if (any)
		return false;
	set_shift(page, bits(first, end), row->shift);
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
	if (row->page->bytes)
		return touch_cells(lanes, row, row->first, row->end);
	if (row->shift > 2)
		return shadow_part(row->page, row->first / SHADOW_BLOCK, (row->end - 1) / SHADOW_BLOCK + 1) &&
		       touch_cells(lanes, row, row->first, row->end);
	if (first > end)
		return touch_in_block(lanes, row, row->first, row->end);
	return touch_in_block(lanes, row, row->first, first * SHADOW_BLOCK) &&
	       touch_whole_blocks(lanes, row, first, end) &&
	       touch_in_block(lanes, row, end * SHADOW_BLOCK, row->end);
}

/* Notes the accesses of so many lanes, which is a constant, to consecutive words, as check_elements_touch does. */
static inline __attribute__((always_inline)) bool touch_some_words(const struct lanes *lanes,
								   const struct check_run *run, uint64_t record,
								   uint32_t count)
{
	const struct check_elements elements = {
		lanes->shadow, run->place, lanes->order, record, lanes->writes
	};
	return lanes->whole->size_B == SHADOW_WORD_B && run->count == count &&
	       check_elements_touch(&elements, count / SHADOW_BLOCK, 0);
}

static inline bool touch_words(const struct lanes *lanes, const struct check_run *run, uint64_t record)
{
	return touch_some_words(lanes, run, record, LANES);
}

static __attribute__((noinline)) bool touch_half(const struct lanes *lanes, const struct check_run *run,
						 uint64_t record)
{
	return touch_some_words(lanes, run, record, LANES / 2);
}

/* The same of consecutive bytes. */
static bool touch_bytes(const struct lanes *lanes, const struct check_run *run)
{
	return lanes->whole->size_B == 1 && (run->count == 1 || run->step_B) &&
	       check_lanes_touch_narrow(lanes, run->place - run->lane, bits(run->lane, run->lane + run->count));
}

/* Notes accesses to bytes [at, end) of a page that has runs, or has no accesses and gets them.  False: it is none, or
 * cannot say so; nothing is noted then. */
static inline bool touch_page_run(const struct lanes *lanes, struct page *page, bool is_new, uint64_t at, uint64_t end,
				  uint64_t record, unsigned log2_B)
{
	enum { LOG2_WORD_B = 2, LOG2_WORDS_MAX = 2 };
	const uint32_t first = (uint32_t)(at % SHADOW_PAGE_B) / SHADOW_WORD_B;
	return (page->run_count || (is_new && lanes->begins_runs)) && log2_B >= LOG2_WORD_B &&
	       log2_B <= LOG2_WORD_B + LOG2_WORDS_MAX &&
	       check_lanes_touch_page_run(lanes, page, first, first + (uint32_t)(end - at) / SHADOW_WORD_B, record,
					  log2_B - LOG2_WORD_B);
}

/* Whether an access is of a few rows, as of a tile, and one of these begins or ends inside of a block. */
static inline bool has_odd_rows(const struct check_whole *whole)
{
	enum { ROWS = 4 };
	uint64_t odd = 0;
	for (uint32_t i = 0; i < whole->run_count; i++)
		odd |= whole->runs[i].place | check_run_B(whole, &whole->runs[i]);
	return odd % (SHADOW_BLOCK * SHADOW_WORD_B) && whole->run_count <= ROWS &&
	       __builtin_popcount(whole->mask) >= LANES / 2;
}

/* Notes the accesses of a run of lanes that all know the same of others.  False if that is not decided quickly. */
static bool touch_run(const struct lanes *lanes, const struct check_run *run)
{
	const uint32_t size_B = lanes->whole->size_B;
	uint64_t record = lanes->record + ((uint64_t)run->lane << RECORD_LANE_SHIFT);
	if (run->count > 1 && !run->step_B)
		return !lanes->writes && check_lanes_read_same(lanes, run, record);
	if (!lanes->begins_runs &&
	    (touch_words(lanes, run, record) || (run->count == LANES / 2 && touch_half(lanes, run, record))))
		return true;
	/* Elements are aligned, so that none is in two pages. */
	if (size_B & (size_B - 1) || run->place % size_B)
		return false;
	const unsigned log2_B = (unsigned)__builtin_ctz(size_B);
	for (uint64_t at = run->place, end = at + run->count * size_B, next; at < end; at = next) {
		next = (at / SHADOW_PAGE_B + 1) * SHADOW_PAGE_B;
		next = next < end ? next : end;
		bool is_new;
		struct page *page = shadow_page_new(lanes->shadow, at, &is_new);
		if (page && touch_page_run(lanes, page, is_new, at, next, record, log2_B)) {
			record += (next - at) >> log2_B << RECORD_LANE_SHIFT;
			continue;
		}
		page = shadow_complete(lanes->shadow, page);
		if (!page || page->atomic[0] || (!page->bytes && size_B % SHADOW_WORD_B))
			return false;
		const uint32_t cell_B = page->bytes ? 1 : SHADOW_WORD_B;
		const uint32_t index = (uint32_t)(at % SHADOW_PAGE_B) / cell_B;
		if (!touch_row(lanes, &(struct row){page, index, index + (uint32_t)(next - at) / cell_B, record,
						    log2_B - (page->bytes ? 0 : 2)}))
			return false;
		record += (next - at) >> log2_B << RECORD_LANE_SHIFT;
	}
	return true;
}

/* --- all accesses ---------- */

/* The page of a word, if it is one whose words can be accessed all at a time, and if the blocks, as bits, can be
 * apart. */
static struct page *find_apart(const struct lanes *lanes, uint64_t place, uint32_t blocks)
{
	struct page *page = shadow_page_of(lanes->shadow, place);
	if (!page || (page->run_count && !shadow_end_runs(page)) || page->bytes || page->narrow || page->atomic[0])
		return NULL;
	for (uint32_t rest = blocks & ~page->apart; rest; rest &= rest - 1)
		if (!shadow_part(page, exec_lowest(rest), exec_lowest(rest) + 1))
			return NULL;
	return page;
}

/* Notes accesses of lanes one by one to different words. */
static bool touch_ones(const struct lanes *lanes)
{
	const struct check_whole *whole = lanes->whole;
	struct cells_ones ones = {.count = whole->one_count, .record = lanes->record, .lane = whole->one_lane};
	const bool one_page = whole->start / SHADOW_PAGE_B == (whole->end - 1) / SHADOW_PAGE_B;
	uint64_t key = UINT64_MAX;
	intptr_t apart = 0;
	uint32_t blocks = 0;
	for (uint32_t i = 0; i < ones.count; i++)
		ones.cell[i] = (int64_t)(whole->one_place[i] % SHADOW_PAGE_B / SHADOW_WORD_B);
	for (uint32_t i = 0; i < ones.count && one_page; i++)
		blocks |= 1u << ones.cell[i] / SHADOW_BLOCK;
	const struct page *first = find_apart(lanes, whole->one_place[0], blocks);
	for (uint32_t i = 0; first && i < ones.count && !one_page; i++) {
		const uint64_t place = whole->one_place[i];
		const struct page *page = find_apart(lanes, place, 1u << ones.cell[i] / SHADOW_BLOCK);
		if (!page)
			return false;
		if (place / SHADOW_PAGE_B != key)
			apart = (intptr_t)page->write - (intptr_t)first->write;
		key = place / SHADOW_PAGE_B;
		ones.cell[i] += apart / (intptr_t)sizeof(*page->write);
	}
	if (!first)
		return false;
	ones.write = first->write;
	return lanes->writes ? cells_write_ones(&ones, &lanes->order) : cells_read_ones(&ones, &lanes->order);
}

/* Makes runs of lanes that were taken one by one. */
static void make_runs(struct check_whole *whole)
{
	struct check_run *run = NULL;
	whole->run_count = 0;
	for (uint32_t i = 0; i < whole->one_count; i++) {
		const uint64_t place = whole->one_place[i];
		const uint32_t lane = whole->one_lane[i];
		if (run && lane == run->lane + run->count && place == run->place + check_run_B(whole, run)) {
			run->count++;
			continue;
		}
		run = &whole->runs[whole->run_count++];
		*run = (struct check_run){place, lane, 1, whole->size_B};
	}
	whole->one_count = 0;
	whole->is_few = false;
}

/* Notes the runs of an access.  What is noted here before a lane is not decided is noted again by check_race, which
 * changes nothing. */
bool check_whole_touch(struct check_whole *whole)
{
	const struct warp *warp = whole->warp;
	struct check_group *group = whole->group;
	const bool shared = whole->space == PLACE_SHARED;
	const struct check_clocks *clocks = &group->clocks[shared ? CHECK_LOCAL_MEMORY : CHECK_GLOBAL_MEMORY];
	if (check_is_atomic(whole->op))
		return check_whole_touch_atomic(whole);
	struct lanes lanes = {
		.whole = whole, .clocks = clocks, .shadow = shared ? &group->shared : &group->job->global,
		.order = check_lanes_order(clocks), .writes = !check_is_load(whole->op),
		.record = check_lanes_record(group->job, clocks, warp, whole->op)
	};
	if (whole->is_few && !clocks->dirty)
		return check_lanes_touch_few(&lanes, whole);
	if (whole->one_count && !clocks->dirty && (check_whole_keeps(whole, lanes.record) || touch_ones(&lanes)))
		return true;
	if (whole->one_count)
		make_runs(whole);
	lanes.begins_runs = !shared && has_odd_rows(whole);
	for (uint32_t i = 0; i < whole->run_count; i++) {
		const struct check_run *run = &whole->runs[i];
		if (!clocks->dirty && touch_bytes(&lanes, run))
			continue;
		if (clocks->dirty || run->count == 1 ? touch_one_by_one(&lanes, run) : touch_run(&lanes, run))
			continue;
		if (clocks->dirty || !whole->is_last || !check_lanes_touch(&lanes, run))
			return false;
	}
	return true;
}

bool check_whole_touch_elements(const struct warp *warp, const struct op *op, uint32_t size_B, uint64_t place)
{
	struct check_group *group = check_of(warp->group);
	const struct check_clocks *clocks = &group->clocks[CHECK_GLOBAL_MEMORY];
	const uint32_t blocks = LANES / SHADOW_BLOCK;
	if (group->job->epochs.exhausted)
		return true;
	if (clocks->dirty || group->copies.count || !epochs_alone(&group->job->epochs, clocks->first))
		return false;
	const struct check_elements elements = {
		&group->job->global, place, check_lanes_order(clocks),
		check_lanes_record(group->job, clocks, warp, op), check_is_store(op)
	};
	switch (size_B / SHADOW_WORD_B) {
	case 1:
		return check_elements_touch(&elements, blocks, 0);
	case 2:
		return check_elements_touch(&elements, blocks << 1, 1);
	default:
		return check_elements_touch(&elements, blocks << 2, 2);
	}
}
