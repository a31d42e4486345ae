/* Races between work-groups that different threads have run.  Nothing orders what different work-groups do
 * (check_threads), so that each two accesses of the same bytes by different work-groups are a race, unless both read or
 * both are atomic. */
#include "config.h"

#include "softcuda/check/job.h"

/* --- what was accessed in a page ---------- */

enum { MAP_WORDS = SHADOW_WORDS / 64 };

/* Words of a page, as bits.  Of those with a cell per byte, any of the bytes. */
struct map {
	uint64_t writes[MAP_WORDS];       /* also atomic ones with .cta scope */
	uint64_t atomics[MAP_WORDS];
	uint64_t reads[MAP_WORDS];
};

static void map_add(uint64_t *map, size_t word)
{
	map[word / 64] |= UINT64_C(1) << word % 64;
}

/* The cells of a block that is not apart which have a record of a kind, as bits. */
static unsigned block_cells(const struct page *page, unsigned block, unsigned kind)
{
	const uint64_t record = kind == SHADOW_WRITE ? page->block_write[block] :
				page->block_read[kind - SHADOW_READ][block];
	unsigned cells = !record ? 0 : page->partial >> block & 1 ? page->cells[kind][block] : UINT8_MAX;
	if (page->partial >> block & 1 && page->two >> block & 1)
		cells |= page->second[block].cells[kind];
	return cells;
}

static void map_block(const struct page *page, unsigned block, struct map *map)
{
	for (unsigned kind = 0; kind < SHADOW_RECORDS; kind++) {
		uint64_t *to = kind == SHADOW_WRITE ? map->writes : map->reads;
		const uint64_t cells = block_cells(page, block, kind);
		to[block * SHADOW_BLOCK / 64] |= cells << block * SHADOW_BLOCK % 64;
	}
}

/* Of a cell, with memory of its own. */
static void map_cell(const struct page *page, size_t i, size_t word, struct map *map)
{
	if (page->write[i])
		map_add(map->writes, word);
	if (page->read[0][i] | page->read[1][i])
		map_add(map->reads, word);
}

static void map_atomic(const struct page *page, size_t i, size_t word, struct map *map)
{
	for (unsigned k = 0; k < 2 && page->atomic[k]; k++)
		if (page->atomic[k][i])
			map_add(page->atomic[k][i] & RECORD_NARROW ? map->writes : map->atomics, word);
}

/* page: a complete one. */
static void map_page(const struct page *page, struct map *map)
{
	const size_t cells_of_word = page->bytes ? SHADOW_WORD_B : 1;
	memset(map, 0, sizeof(*map));
	for (unsigned block = 0; block < SHADOW_BLOCKS && !page->bytes; block++)
		if (!(page->apart >> block & 1))
			map_block(page, block, map);
	for (size_t i = 0; i < SHADOW_WORDS * cells_of_word; i++) {
		const size_t word = i / cells_of_word;
		if (page->bytes || page->apart >> word / SHADOW_BLOCK & 1)
			map_cell(page, i, word, map);
		if (page->atomic[0])
			map_atomic(page, i, word, map);
	}
}

/* Words in which there may be a race between what the two maps say: bit i of word w of the result. */
static bool map_meets(const struct map *a, const struct map *b, uint64_t *meets)
{
	uint64_t any = 0;
	for (unsigned w = 0; w < MAP_WORDS; w++) {
		const uint64_t all_a = a->writes[w] | a->atomics[w] | a->reads[w];
		const uint64_t all_b = b->writes[w] | b->atomics[w] | b->reads[w];
		meets[w] = (a->writes[w] & all_b) | (all_a & b->writes[w]) |
			   (a->atomics[w] & b->reads[w]) | (a->reads[w] & b->atomics[w]);
		any |= meets[w];
	}
	return any;
}

/* --- two threads ---------- */

/* Has both pages have cells of their own for a word; false when out of memory. */
static bool open_word(struct page *a, struct page *b, size_t word)
{
	const uint32_t block = (uint32_t)(word / SHADOW_BLOCK);
	if (a->bytes || b->bytes)
		return (a->bytes || shadow_split(a)) && (b->bytes || shadow_split(b));
	return shadow_part(a, block, block + 1) && shadow_part(b, block, block + 1);
}

/* address: of the pages, which are complete.  False when out of memory. */
static bool compare_pages(struct check_job *first, struct page *a, struct check_job *second, struct page *b,
			  uint64_t address)
{
	struct map map_a, map_b;
	uint64_t meets[MAP_WORDS];
	map_page(a, &map_a);
	map_page(b, &map_b);
	if (!map_meets(&map_a, &map_b, meets))
		return true;
	for (size_t word = 0; word < SHADOW_WORDS; word++)
		if (meets[word / 64] >> word % 64 & 1 && !open_word(a, b, word))
			return false;
	const size_t cells = a->bytes ? SHADOW_WORD_B : 1;
	for (size_t word = 0, end; word < SHADOW_WORDS; word = end + 1) {
		for (end = word; end < SHADOW_WORDS && meets[end / 64] >> end % 64 & 1;)
			end++;
		for (size_t i = word * cells; i < end * cells;)
			i = check_race_between(first, a, second, b, address, i, end * cells);
	}
	return true;
}

/* False when out of memory. */
static bool compare_sheets(struct check_job *first, struct check_job *second, uint64_t key)
{
	struct sheet *a = shadow_sheet(&first->global, key), *b = shadow_sheet(&second->global, key);
	for (uint64_t rest = a && b ? a->used & b->used : 0; rest; rest &= rest - 1) {
		const unsigned at = (unsigned)__builtin_ctzll(rest);
		struct page *page_a = shadow_complete(&first->global, &a->pages[at]);
		struct page *page_b = shadow_complete(&second->global, &b->pages[at]);
		if (!page_a || !page_b ||
		    !compare_pages(first, page_a, second, page_b, key * SHADOW_SHEET_B + (uint64_t)at * SHADOW_PAGE_B))
			return false;
	}
	return true;
}

static bool compare_threads(struct check_job *first, struct check_job *second)
{
	const struct shadow_map *sheets = &first->global.sheets;
	for (size_t i = 0; i < sheets->capacity; i++)
		if (sheets->values[i] && !compare_sheets(first, second, sheets->keys[i]))
			return false;
	return true;
}

void check_between(struct job *job)
{
	const struct watched_job *watched = watched_of(job);
	struct check_job *threads[CHECK_THREADS] = {watched->check};
	const unsigned count = watched->check ? watched->other_count + 1 : 0;
	bool complete = true;
	if (count < 2 || !(watched->check->options & CHECK_RACE))
		return;
	memcpy(threads + 1, watched->others, watched->other_count * sizeof(*threads));
	for (unsigned i = 0; i < count; i++)
		complete &= !threads[i]->out_of_memory;
	for (unsigned i = 0; i < count && complete; i++)
		for (unsigned k = i + 1; k < count && complete; k++)
			complete = compare_threads(threads[i], threads[k]);
	if (!complete)
		exec_fail_memory(job, "the checker");
}
