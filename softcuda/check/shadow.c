#include "config.h"

#include "softcuda/check/shadow.h"

#include "softcuda/check/spare.h"
#include "softcuda/exec/warp.h"

#include <stdlib.h>
#include <string.h>

/* --- the memory of sheets and cells ---------- */

/* Of a page; of a cell without atomics. */
enum { WORDS = SHADOW_PAGE_B / SHADOW_WORD_B, RECORDS = SHADOW_RECORDS };

static size_t cell_count(const struct page *page)
{
	return page->bytes ? SHADOW_PAGE_B : WORDS;
}

static void page_set(struct page *page, uint64_t *cells)
{
	page->write = cells;
	page->read[0] = cells + cell_count(page);
	page->read[1] = page->read[0] + cell_count(page);
}

static void cells_free(struct page *page)
{
	if (page->write)
		spare_give_back(page->bytes ? SPARE_BYTES : SPARE_CELLS, page->write);
}

static void atomic_free(struct page *page)
{
	free(page->atomic[0]);
	page->atomic[0] = page->atomic[1] = NULL;
}

/* Forgets all accesses to a page. */
static void page_clear(struct page *page)
{
	if (page->bytes)
		memset(page->write, 0, cell_count(page) * RECORDS * sizeof(*page->write));
	memset(page->block_write, 0, sizeof(page->block_write));
	memset(page->block_read, 0, sizeof(page->block_read));
	page->apart = page->pairs = page->quads = page->partial = page->narrow = 0;
	page->run_count = 0;
	atomic_free(page);
}

static void page_free(struct page *page)
{
	cells_free(page);
	atomic_free(page);
	spare_give_back(SPARE_SECOND, page->second);
}

/* What is done to each page that is used. */
static void for_pages(struct shadow *shadow, void (*do_page)(struct page *page))
{
	for (size_t i = 0; i < shadow->sheets.capacity; i++) {
		struct sheet *sheet = shadow->sheets.values[i];
		for (uint64_t rest = sheet ? sheet->used : 0; rest; rest &= rest - 1)
			do_page(&sheet->pages[__builtin_ctzll(rest)]);
	}
}

/* --- tables ---------- */

static size_t slot_of(const struct shadow_map *map, uint64_t key)
{
	size_t slot = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (map->capacity - 1);
	while (map->keys[slot] && map->keys[slot] != key)
		slot = (slot + 1) & (map->capacity - 1);
	return slot;
}

static bool map_grow(struct shadow_map *map)
{
	struct shadow_map grown = {.capacity = map->capacity ? 2 * map->capacity : 64,
				   .count = map->count};
	grown.keys = calloc(grown.capacity, sizeof(*grown.keys));
	grown.values = calloc(grown.capacity, sizeof(*grown.values));
	if (!grown.keys || !grown.values) {
		free(grown.keys);
		free(grown.values);
		return false;
	}
	for (size_t i = 0; i < map->capacity; i++) {
		if (!map->keys[i])
			continue;
		size_t slot = slot_of(&grown, map->keys[i]);
		grown.keys[slot] = map->keys[i];
		grown.values[slot] = map->values[i];
	}
	free(map->keys);
	free(map->values);
	*map = grown;
	return true;
}

static void *map_find(const struct shadow_map *map, uint64_t key)
{
	return map->capacity ? map->values[slot_of(map, key)] : NULL;
}

/* Adds key, which must not be there yet.  False when out of memory. */
static bool map_add(struct shadow_map *map, uint64_t key, void *value)
{
	if (map->count * 2 >= map->capacity && !map_grow(map))
		return false;
	size_t slot = slot_of(map, key);
	map->keys[slot] = key;
	map->values[slot] = value;
	map->count++;
	return true;
}

static void syncs_finish(struct shadow *shadow)
{
	for (size_t i = 0; i < shadow->syncs.capacity; i++) {
		struct sync *sync = shadow->syncs.values[i];
		for (unsigned m = 0; sync && m < SHADOW_MEMORIES; m++) {
			clocks_finish(&sync->wide[m]);
			clocks_finish(&sync->narrow[m]);
		}
		free(sync);
	}
	free(shadow->syncs.keys);
	free(shadow->syncs.values);
	memset(&shadow->syncs, 0, sizeof(shadow->syncs));
}

void shadow_finish(struct shadow *shadow)
{
	for_pages(shadow, page_free);
	for (size_t i = 0; i < shadow->sheets.capacity; i++)
		spare_give_back(SPARE_SHEET, shadow->sheets.values[i]);
	syncs_finish(shadow);
	free(shadow->sheets.keys);
	free(shadow->sheets.values);
	free(shadow->again);
	memset(shadow, 0, sizeof(*shadow));
}

void shadow_clear(struct shadow *shadow)
{
	/* More than the shared memory of a work-group has been kept from several addresses. */
	enum { SHEETS_MAX = 16 };
	if (shadow->sheets.count > SHEETS_MAX) {
		shadow_finish(shadow);
		return;
	}
	syncs_finish(shadow);
	for_pages(shadow, page_clear);
}

/* NULL when out of memory. */
static struct sheet *find_sheet(struct shadow *shadow, uint64_t key)
{
	struct sheet *sheet = map_find(&shadow->sheets, key);
	if (sheet)
		return sheet;
	sheet = spare_take(SPARE_SHEET);
	if (!sheet)
		return NULL;
	sheet->used = 0;
	if (!map_add(&shadow->sheets, key, sheet)) {
		spare_give_back(SPARE_SHEET, sheet);
		return NULL;
	}
	return sheet;
}

struct sheet *shadow_sheet(const struct shadow *shadow, uint64_t key)
{
	return map_find(&shadow->sheets, key);
}

struct page *shadow_find(struct shadow *shadow, uint64_t address, bool *is_new_out)
{
	const uint64_t key = address / SHADOW_SHEET_B;
	const size_t recent = shadow_recent(key), at = address / SHADOW_PAGE_B % SHADOW_SHEET;
	struct sheet *sheet = find_sheet(shadow, key);
	shadow->recent[recent].key = key;
	shadow->recent[recent].sheet = sheet;
	if (!sheet)
		return NULL;
	const bool is_new = !(sheet->used >> at & 1);
	if (is_new)
		memset(&sheet->pages[at], 0, sizeof(sheet->pages[at]));
	if (is_new_out)
		*is_new_out = is_new;
	sheet->used |= UINT64_C(1) << at;
	return &sheet->pages[at];
}

/* The records of a block's cells, of which this one stands for those in mask. */
static void spread(uint64_t *cells, uint64_t record, unsigned mask, unsigned shift)
{
	for (unsigned i = 0; i < SHADOW_BLOCK; i++)
		cells[i] = record && mask >> i & 1 ? record + ((uint64_t)(i >> shift) << RECORD_LANE_SHIFT) : 0;
}

/* Sets those of which the second record stands. */
static void spread_second(uint64_t *cells, const struct second *second, unsigned kind, unsigned shift)
{
	for (unsigned i = 0; i < SHADOW_BLOCK; i++)
		if (second->cells[kind] >> i & 1)
			cells[i] = second->record[kind] + ((uint64_t)(i >> shift) << RECORD_LANE_SHIFT);
}

bool shadow_want_second(struct page *page)
{
	if (!page->second)
		page->second = spare_take(SPARE_SECOND);
	return page->second;
}

bool shadow_want_cells(struct page *page)
{
	if (!page->write) {
		uint64_t *cells = spare_take(SPARE_CELLS);
		if (!cells)
			return false;
		page_set(page, cells);
	}
	return true;
}

bool shadow_part(struct page *page, uint32_t first, uint32_t end)
{
	if (!shadow_want_cells(page))
		return false;
	for (uint32_t b = first; b < end; b++) {
		const unsigned shift = page->pairs >> b & 1 ? 1 : page->quads >> b & 1 ? 2 : 0;
		const size_t at = (size_t)b * SHADOW_BLOCK;
		const bool partial = page->partial >> b & 1;
		const unsigned all = (1u << SHADOW_BLOCK) - 1;
		if (page->bytes || page->apart >> b & 1)
			continue;
		spread(page->write + at, page->block_write[b], partial ? page->cells[SHADOW_WRITE][b] : all, shift);
		for (unsigned k = 0; k < 2; k++)
			spread(page->read[k] + at, page->block_read[k][b],
			       partial ? page->cells[SHADOW_READ + k][b] : all, shift);
		for (unsigned k = 0; k < SHADOW_RECORDS && partial && page->two >> b & 1; k++)
			spread_second(page->write + k * WORDS + at, &page->second[b], k, shift);
		page->apart |= 1u << b;
	}
	return true;
}

/* Whether nobody has accessed a page. */
static bool is_unused(const struct page *page)
{
	uint64_t any = page->apart;
	for (unsigned b = 0; b < SHADOW_BLOCKS; b++)
		any |= page->block_write[b] | page->block_read[0][b] | page->block_read[1][b];
	return !any && !page->atomic[0];
}

/* Sets the records of the bytes of narrow blocks. */
static void spread_narrow(const struct page *page, uint64_t *cells)
{
	const uint64_t *const of_kind[RECORDS] = {page->block_write, page->block_read[0], page->block_read[1]};
	for (uint32_t rest = page->narrow; rest; rest &= rest - 1) {
		const size_t b = exec_lowest(rest);
		for (size_t k = 0; k < RECORDS; k++) {
			const uint32_t bytes = page->partial >> b & 1 ? page->second[b].bytes[k] : MASK_ALL;
			for (size_t i = 0; i < LANES; i++)
				cells[k * SHADOW_PAGE_B + b * LANES + i] =
					of_kind[k][b] && bytes >> i & 1 ? of_kind[k][b] + (i << RECORD_LANE_SHIFT) : 0;
		}
	}
}

/* Gives a page cells of bytes instead of its other ones, if there are any. */
static void set_bytes(struct page *page, uint64_t *cells)
{
	cells_free(page);
	page->bytes = true;
	page_set(page, cells);
}

bool shadow_split(struct page *page)
{
	if (page->bytes)
		return true;
	const bool unused = is_unused(page);
	if (!unused && !shadow_part(page, 0, SHADOW_BLOCKS))
		return false;
	uint64_t *cells = spare_take(SPARE_BYTES);
	uint64_t *atomic = page->atomic[0] ? malloc(SHADOW_PAGE_B * 2 * sizeof(*atomic)) : NULL;
	if (!cells || (page->atomic[0] && !atomic)) {
		spare_give_back(SPARE_BYTES, cells);
		free(atomic);
		return false;
	}
	if (unused)
		memset(cells, 0, SHADOW_PAGE_B * RECORDS * sizeof(*cells));
	for (size_t i = 0; !unused && i < SHADOW_PAGE_B * RECORDS; i++)
		cells[i] = page->write[i / SHADOW_WORD_B];
	spread_narrow(page, cells);
	page->narrow = 0;
	for (size_t i = 0; atomic && i < SHADOW_PAGE_B * 2; i++)
		atomic[i] = page->atomic[0][i / SHADOW_WORD_B];
	atomic_free(page);
	set_bytes(page, cells);
	if (atomic) {
		page->atomic[0] = atomic;
		page->atomic[1] = atomic + SHADOW_PAGE_B;
	}
	return true;
}

bool shadow_want_atomic(struct page *page)
{
	if (page->atomic[0])
		return true;
	uint64_t *atomic = calloc(2 * cell_count(page), sizeof(*atomic));
	if (!atomic)
		return false;
	page->atomic[0] = atomic;
	page->atomic[1] = atomic + cell_count(page);
	return true;
}

struct sync *shadow_sync_find(const struct shadow *shadow, uint64_t address)
{
	return map_find(&shadow->syncs, address);
}

struct sync *shadow_sync(struct shadow *shadow, uint64_t address)
{
	struct sync *sync = map_find(&shadow->syncs, address);
	if (sync)
		return sync;
	sync = calloc(1, sizeof(*sync));
	if (!sync || !map_add(&shadow->syncs, address, sync)) {
		free(sync);
		return NULL;
	}
	return sync;
}
