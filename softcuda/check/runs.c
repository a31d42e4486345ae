/* Pages with runs (check/shadow.h), which get blocks. */
#include "config.h"

#include "softcuda/check/shadow.h"

#include "softcuda/check/spare.h"
#include "softcuda/exec/warp.h"

#include <string.h>

enum { KINDS = 2, ALL_CELLS = (1 << SHADOW_BLOCK) - 1 };

/* What a block gets of writes and of reads: up to two records, and the cells that have each. */
struct note {
	uint64_t record[2];
	uint8_t cells[2];
};

struct notes {
	struct note of[SHADOW_BLOCKS][KINDS];
};

/* The runs of a page, while it gets blocks. */
struct runs {
	struct page_run run[SHADOW_RUNS];
	uint32_t count;
	unsigned shift;
};

static uint64_t record_of_kind(const struct page_run *run, unsigned kind)
{
	return kind == SHADOW_WRITE ? run->write : run->read;
}

/* Of the lane that would access the first cell of a block. */
static uint64_t record_of_block(const struct page_run *run, unsigned kind, uint32_t block, unsigned shift)
{
	const uint64_t before = (uint64_t)block * SHADOW_BLOCK - run->first;
	return record_of_kind(run, kind) + (before << (RECORD_LANE_SHIFT - shift));
}

/* False if some of the cells have two other records. */
static bool add(struct note *note, uint64_t record, uint32_t cells)
{
	for (unsigned k = 0; k < 2; k++) {
		if (note->cells[k] && note->record[k] != record)
			continue;
		note->record[k] = record;
		note->cells[k] |= (uint8_t)cells;
		return true;
	}
	return false;
}

/* False if more than two runs begin or end in one block. */
static bool find_notes(const struct runs *runs, struct notes *notes)
{
	for (uint32_t i = 0; i < runs->count; i++) {
		const struct page_run *run = &runs->run[i];
		for (uint32_t b = run->first / SHADOW_BLOCK; b * SHADOW_BLOCK < run->end; b++) {
			const uint32_t start = b * SHADOW_BLOCK;
			const uint32_t from = run->first > start ? run->first - start : 0;
			const uint32_t cells = ALL_CELLS >> (run->end - start < SHADOW_BLOCK ?
							     start + SHADOW_BLOCK - run->end : 0) & ALL_CELLS << from;
			for (unsigned kind = 0; kind < KINDS; kind++)
				if (record_of_kind(run, kind) &&
				    !add(&notes->of[b][kind], record_of_block(run, kind, b, runs->shift), cells))
					return false;
		}
	}
	return true;
}

static bool want_seconds(const struct notes *notes)
{
	uint32_t any = 0;
	for (uint32_t b = 0; b < SHADOW_BLOCKS; b++)
		for (unsigned kind = 0; kind < KINDS; kind++)
			any |= notes->of[b][kind].cells[1];
	return any;
}

/* Sets a block, of which the page has nothing. */
static void set_block(struct page *page, uint32_t block, const struct note *notes, unsigned shift)
{
	const uint32_t bit = 1u << block;
	uint32_t any = 0;
	for (unsigned kind = 0; kind < KINDS; kind++) {
		const struct note *note = &notes[kind];
		any |= note->cells[0];
		*(kind == SHADOW_WRITE ? &page->block_write[block] : &page->block_read[0][block]) = note->record[0];
		page->cells[kind][block] = note->cells[0];
		page->partial |= note->cells[0] && note->cells[0] != ALL_CELLS ? bit : 0;
		page->two |= note->cells[1] ? bit : 0;
	}
	page->pairs |= any && shift == 1 ? bit : 0;
	page->quads |= any && shift == 2 ? bit : 0;
	if (!(page->two & bit))
		return;
	page->second[block] = (struct second){0};
	for (unsigned kind = 0; kind < KINDS; kind++) {
		page->second[block].record[kind] = notes[kind].record[1];
		page->second[block].cells[kind] = notes[kind].cells[1];
	}
}

/* Gives all cells their own records. */
static void set_cells(const struct page *page, const struct runs *runs)
{
	uint64_t *const of_kind[SHADOW_RECORDS] = {page->write, page->read[0], page->read[1]};
	for (unsigned kind = 0; kind < SHADOW_RECORDS; kind++)
		memset(of_kind[kind], 0, SHADOW_WORDS * sizeof(*of_kind[kind]));
	for (uint32_t i = 0; i < runs->count; i++) {
		const struct page_run *run = &runs->run[i];
		for (unsigned kind = 0; kind < KINDS; kind++)
			for (uint32_t c = run->first; record_of_kind(run, kind) && c < run->end; c++)
				of_kind[kind][c] = record_of_kind(run, kind) +
					((uint64_t)((c - run->first) >> runs->shift) << RECORD_LANE_SHIFT);
	}
}

bool shadow_end_runs(struct page *page)
{
	struct runs runs = {.count = page->run_count, .shift = page->run_shift};
	struct notes notes = {0};
	memcpy(runs.run, page->runs, runs.count * sizeof(*runs.run));
	const bool blocks = find_notes(&runs, &notes);
	/* The blocks are as those that nobody has accessed until then. */
	if (blocks ? want_seconds(&notes) && !shadow_want_second(page) : !shadow_want_cells(page))
		return false;
	page->run_count = 0;
	memset(page->block_write, 0, sizeof(page->block_write));
	memset(page->block_read, 0, sizeof(page->block_read));
	memset(page->cells, 0, sizeof(page->cells));
	page->two = 0;
	for (uint32_t b = 0; blocks && b < SHADOW_BLOCKS; b++)
		set_block(page, b, notes.of[b], runs.shift);
	if (!blocks) {
		page->apart = MASK_ALL;
		set_cells(page, &runs);
	}
	return true;
}
