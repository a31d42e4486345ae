#include "config.h"

#include "softcuda/check/shadow.h"

#include "base/lock.h"

#include <stdlib.h>
#include <string.h>

/* --- the memory of cells ---------- */

enum { CELLS_B = SHADOW_PAGE_B / SHADOW_WORD_B * sizeof(struct cell), SPARE_MAX = (128 << 20) / CELLS_B };

/* Cells that launches have given back, for the next ones: the system takes longer to hand out new pages than it takes
 * to clear these. */
static struct {
	struct lock lock;
	struct spare {
		struct spare *next;
	} *first;
	unsigned count;
} spare = {.lock = LOCK_INIT(LOCK_RANK_CACHE)};

/* Cells of zeros for a page of words; NULL when out of memory. */
static struct cell *cells_take(void)
{
	lock_take(&spare.lock);
	struct spare *found = spare.first;
	if (found) {
		spare.first = found->next;
		spare.count--;
	}
	lock_drop(&spare.lock);
	return found ? memset(found, 0, CELLS_B) : calloc(1, CELLS_B);
}

static void cells_give_back(struct cell *cells)
{
	struct spare *given = (struct spare *)(void *)cells;
	lock_take(&spare.lock);
	const bool kept = spare.count < SPARE_MAX;
	if (kept) {
		given->next = spare.first;
		spare.first = given;
		spare.count++;
	}
	lock_drop(&spare.lock);
	if (!kept)
		free(cells);
}

static void page_free(struct page *page)
{
	if (page->cells && !page->bytes)
		cells_give_back(page->cells);
	else
		free(page->cells);
	free(page);
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
		if (page)
			memset(page->cells, 0, (page->bytes ? SHADOW_PAGE_B : SHADOW_PAGE_B / SHADOW_WORD_B) *
			       sizeof(*page->cells));
	}
}

struct page *shadow_page(struct shadow *shadow, uint64_t address)
{
	uint64_t key = address / SHADOW_PAGE_B;
	if (shadow->recent && shadow->recent_key == key)
		return shadow->recent;
	struct page *page = map_find(&shadow->pages, key);
	if (!page) {
		page = calloc(1, sizeof(*page));
		struct cell *cells = cells_take();
		if (!page || !cells || !map_add(&shadow->pages, key, page)) {
			/* map_add has freed the page if it got that far. */
			if (!cells)
				free(page);
			else
				cells_give_back(cells);
			return NULL;
		}
		page->cells = cells;
	}
	shadow->recent = page;
	shadow->recent_key = key;
	return page;
}

bool shadow_split(struct page *page)
{
	if (page->bytes)
		return true;
	struct cell *cells = malloc(SHADOW_PAGE_B * sizeof(*cells));
	if (!cells)
		return false;
	for (size_t i = 0; i < SHADOW_PAGE_B; i++)
		cells[i] = page->cells[i / SHADOW_WORD_B];
	cells_give_back(page->cells);
	page->cells = cells;
	page->bytes = true;
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
