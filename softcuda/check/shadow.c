#include "config.h"

#include "softcuda/check/shadow.h"

#include "base/lock.h"

#include <stdlib.h>
#include <string.h>

/* --- the memory of cells ---------- */

enum { WORDS = SHADOW_PAGE_B / SHADOW_WORD_B, RECORDS = 3 };    /* of a page; of a cell without atomics */

/* A page with its cells for words. */
struct block {
	struct page page;
	uint64_t cells[WORDS * RECORDS];
};

enum { SPARE_MAX = (128 << 20) / sizeof(struct block) };

/* Blocks that launches have given back, for the next ones: the system takes longer to hand out new pages than it takes
 * to clear these. */
static struct {
	struct lock lock;
	struct spare {
		struct spare *next;
	} *first;
	unsigned count;
} spare = {.lock = LOCK_INIT(LOCK_RANK_CACHE)};

/* A block of zeros; NULL when out of memory. */
static struct block *block_take(void)
{
	lock_take(&spare.lock);
	struct spare *first = spare.first;
	struct block *found = (struct block *)(void *)first;
	if (first) {
		spare.first = first->next;
		spare.count--;
	}
	lock_drop(&spare.lock);
	return found ? memset(found, 0, sizeof(found->page)) : calloc(1, sizeof(struct block));
}

static void block_give_back(struct block *block)
{
	struct spare *given = (struct spare *)(void *)block;
	lock_take(&spare.lock);
	const bool kept = spare.count < SPARE_MAX;
	if (kept) {
		given->next = spare.first;
		spare.first = given;
		spare.count++;
	}
	lock_drop(&spare.lock);
	if (!kept)
		free(block);
}

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
	page->apart = page->pairs = page->quads = 0;
	atomic_free(page);
}

static void page_free(struct page *page)
{
	if (page->bytes)
		free(page->write);
	atomic_free(page);
	block_give_back((struct block *)page);
}

void shadow_shutdown(void)
{
	while (spare.first) {
		struct spare *next = spare.first->next;
		free(spare.first);
		spare.first = next;
	}
	spare.count = 0;
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

/* Adds key, which must not be there yet; if there is no memory for it, value is freed. */
static void *map_add(struct shadow_map *map, uint64_t key, void *value)
{
	if (!value || (map->count * 2 >= map->capacity && !map_grow(map))) {
		free(value);
		return NULL;
	}
	size_t slot = slot_of(map, key);
	map->keys[slot] = key;
	map->values[slot] = value;
	map->count++;
	return value;
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
	for (size_t i = 0; i < shadow->pages.capacity; i++) {
		struct page *page = shadow->pages.values[i];
		if (page)
			page_free(page);
	}
	syncs_finish(shadow);
	free(shadow->pages.keys);
	free(shadow->pages.values);
	memset(shadow, 0, sizeof(*shadow));
}

void shadow_clear(struct shadow *shadow)
{
	/* More than the shared memory of a work-group has been kept from several addresses. */
	enum { PAGES_MAX = 256 };
	if (shadow->pages.count > PAGES_MAX) {
		shadow_finish(shadow);
		return;
	}
	syncs_finish(shadow);
	for (size_t i = 0; i < shadow->pages.capacity; i++) {
		struct page *page = shadow->pages.values[i];
		if (!page)
			continue;
		page_clear(page);
	}
}

/* As shadow_find, but for where recent pages are. */
static struct page *find_page(struct shadow *shadow, uint64_t key)
{
	struct page *page = map_find(&shadow->pages, key);
	if (page)
		return page;
	struct block *block = block_take();
	/* A value that cannot be added is freed. */
	if (!block || !map_add(&shadow->pages, key, block))
		return NULL;
	page_set(&block->page, block->cells);
	return &block->page;
}

struct page *shadow_find(struct shadow *shadow, uint64_t key)
{
	const size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) % SHADOW_RECENT;
	struct page *page = find_page(shadow, key);
	shadow->recent[at].key = key;
	shadow->recent[at].page = page;
	return page;
}

/* The records of a block's cells, of which this one stands for all. */
static void spread(uint64_t *cells, uint64_t record, unsigned shift)
{
	for (unsigned i = 0; i < SHADOW_BLOCK; i++)
		cells[i] = record ? record + ((uint64_t)(i >> shift) << RECORD_LANE_SHIFT) : 0;
}

void shadow_part(struct page *page, uint32_t first, uint32_t end)
{
	for (uint32_t b = first; b < end; b++) {
		const unsigned shift = page->pairs >> b & 1 ? 1 : page->quads >> b & 1 ? 2 : 0;
		const size_t at = (size_t)b * SHADOW_BLOCK;
		if (page->bytes || page->apart >> b & 1)
			continue;
		spread(page->write + at, page->block_write[b], shift);
		for (unsigned k = 0; k < 2; k++)
			spread(page->read[k] + at, page->block_read[k][b], shift);
		page->apart |= 1u << b;
	}
}

bool shadow_split(struct page *page)
{
	if (page->bytes)
		return true;
	shadow_part(page, 0, SHADOW_BLOCKS);
	uint64_t *cells = malloc(SHADOW_PAGE_B * RECORDS * sizeof(*cells));
	uint64_t *atomic = page->atomic[0] ? malloc(SHADOW_PAGE_B * 2 * sizeof(*atomic)) : NULL;
	if (!cells || (page->atomic[0] && !atomic)) {
		free(cells);
		free(atomic);
		return false;
	}
	for (size_t i = 0; i < SHADOW_PAGE_B * RECORDS; i++)
		cells[i] = page->write[i / SHADOW_WORD_B];
	for (size_t i = 0; atomic && i < SHADOW_PAGE_B * 2; i++)
		atomic[i] = page->atomic[0][i / SHADOW_WORD_B];
	atomic_free(page);
	page->bytes = true;
	page_set(page, cells);
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
	return sync ? sync : map_add(&shadow->syncs, address, calloc(1, sizeof(*sync)));
}
