/* The last accesses to each byte: the memory of the race checker.
 *
 * A cell is for 4 bytes: its last write, two atomic writes after that, and two reads, each by different lanes.  Two
 * are enough: a later conflicting access races with at least one of them, unless it is ordered after both.  A page
 * whose bytes are accessed one by one has a cell for each byte.  Besides, there are the addresses with which lanes
 * have synchronized.
 *
 * Most accesses are of consecutive lanes to consecutive words.  So 8 cells side by side are a block, for which one
 * record stands of each kind, that of the first cell: those of the others differ only in the lane.  In a partial block,
 * some cells may have none.  Once its cells have other records, a block is apart: each cell has its own ones.
 * In a narrow block, lanes of a warp have accessed one of the bytes each.
 *
 * Rows of lanes may begin and end anywhere, so that most blocks would be partial.  So a page in which each access has
 * been of a row apart from the others, or of the same words as one of these, has a list of them instead of blocks: its
 * runs.  It gets blocks once it is accessed in another way.
 *
 * An access is a number of 64 bits, a record, so that those of many cells are compared as a vector.  Its epoch is in
 * the upper bits: later records of a launch are larger, and the epoch says which work-group it is of (check/clock.h).
 *
 * Not thread-safe: one owner. */
#ifndef CULVERT_SOFTCUDA_CHECK_SHADOW_H
#define CULVERT_SOFTCUDA_CHECK_SHADOW_H

#include "softcuda/check/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* SHADOW_BLOCK: the number of cells of a block; SHADOW_WORDS, SHADOW_BLOCKS: those of words and of
 * blocks of a page. */
enum {
	SHADOW_PAGE_B = 1024, SHADOW_WORD_B = 4, SHADOW_BLOCK = 8,
	SHADOW_WORDS = SHADOW_PAGE_B / SHADOW_WORD_B, SHADOW_BLOCKS = SHADOW_WORDS / SHADOW_BLOCK
};

/* The parts of a record, from the lowest bit: the kind, the lane in its work-group, the site (check_site), the epoch.
 * 0 is no access. */
enum {
	RECORD_LANE_SHIFT = 3, RECORD_SITE_SHIFT = 13, RECORD_EPOCH_SHIFT = 35,
	RECORD_LANES = 1 << (RECORD_SITE_SHIFT - RECORD_LANE_SHIFT),
	RECORD_SITES = 1 << (RECORD_EPOCH_SHIFT - RECORD_SITE_SHIFT)
};
#define RECORD_LANE_MASK ((uint64_t)(RECORD_LANES - 1) << RECORD_LANE_SHIFT)
_Static_assert((UINT64_MAX >> RECORD_EPOCH_SHIFT) == EPOCHS_MAX, "a record has room for each epoch");

/* What a cell has of each kind. */
enum { SHADOW_WRITE, SHADOW_READ, SHADOW_READ_2, SHADOW_RECORDS };

enum record_kind {
	RECORD_ATOMIC = 1,        /* atomics, volatile and ordered accesses */
	RECORD_NARROW = 2,        /* with .cta scope */
	RECORD_COPY = 4,          /* by a copy of the whole work-group */
	RECORD_KINDS = 7
};

static inline uint64_t record_of(uint32_t epoch, uint32_t site, uint32_t lane, unsigned kind)
{
	return (uint64_t)epoch << RECORD_EPOCH_SHIFT | (uint64_t)site << RECORD_SITE_SHIFT |
	       (uint64_t)lane << RECORD_LANE_SHIFT | kind;
}

static inline uint32_t record_epoch(uint64_t record)
{
	return (uint32_t)(record >> RECORD_EPOCH_SHIFT);
}

static inline uint32_t record_lane(uint64_t record)
{
	return (uint32_t)(record >> RECORD_LANE_SHIFT) & (RECORD_LANES - 1);
}

static inline uint32_t record_site(uint64_t record)
{
	return (uint32_t)(record >> RECORD_SITE_SHIFT) & (RECORD_SITES - 1);
}

/* The second records of a block's kinds, and the cells that have them, as bits; 0: there is none.  Of a narrow block,
 * instead, the bytes that have the only record of each kind. */
struct second {
	union {
		uint64_t record[SHADOW_RECORDS];
		uint32_t bytes[SHADOW_RECORDS];
	};
	uint8_t cells[SHADOW_RECORDS];
};

/* Words [first, end) of a page, which consecutive lanes have accessed: the records of the lane of the first word; 0:
 * none. */
struct page_run {
	uint64_t write, read;
	uint16_t first, end;
	uint16_t next;            /* another one that begins in the same block, as page.run_of */
};

/* A page of cells, and its blocks or runs, unless it has a cell per byte.  What each access needs is in one line of the
 * cache, and the cells are elsewhere. */
enum { SHADOW_LINE_B = 64, SHADOW_RUNS = 32 };

struct page {
	_Alignas(SHADOW_LINE_B) bool bytes;       /* a cell per byte */
	uint8_t kept;             /* the number of sets whose accesses are not noted yet (check/again.h) */
	uint8_t run_count;        /* 0: it has blocks */
	uint8_t run_shift;        /* of the runs: each lane accesses 1 << run_shift words */
	/* By block, as bits.  Of a block that is not apart: pairs, quads: each lane accesses 2, or 4, words; partial:
	 * `cells` says which cells have records.  Otherwise all have one of each kind that is not 0.  narrow: bytes of
	 * the block have been accessed by a lane each, all of the same warp; if it is partial, second.bytes says
	 * which. */
	uint32_t apart, pairs, quads, partial, narrow;
	/* Arrays with an element for each cell; those of a block have no meaning unless it is apart. */
	uint64_t *write;          /* NULL: no block is apart; `read` is part of the same memory */
	uint64_t *read[2];
	uint64_t *atomic[2];      /* atomic writes since the write, by different lanes, the latest first; NULL: none
				   * in the whole page */
	union {
		/* Of blocks that are not apart. */
		struct {
			uint64_t block_write[SHADOW_BLOCKS], block_read[2][SHADOW_BLOCKS];
			uint8_t cells[SHADOW_RECORDS][SHADOW_BLOCKS];     /* as bits */
		};
		/* Runs, all of different words; the words that have one, as bits; by block, the number of a run that
		 * begins there, and one more; 0: none does. */
		struct {
			struct page_run runs[SHADOW_RUNS];
			uint64_t in_run[SHADOW_WORDS / 64];
			uint8_t run_of[SHADOW_BLOCKS];
		};
	};
	uint32_t two;             /* by block that is partial, as bits: it has second records */
	struct second *second;    /* SHADOW_BLOCKS; NULL: no block has any */
};

/* Pages side by side. */
enum { SHADOW_SHEET = 64, SHADOW_SHEET_B = SHADOW_SHEET * SHADOW_PAGE_B };

struct sheet {
	uint64_t used;            /* by page, as bits; others have no meaning */
	struct page pages[SHADOW_SHEET];
};

/* What was released through an address, for local and for global memory. */
enum { SHADOW_MEMORIES = 2 };

struct sync {
	struct clocks wide[SHADOW_MEMORIES];      /* to all lanes */
	struct clocks narrow[SHADOW_MEMORIES];    /* to the group that released it */
};

/* A hash table from numbers to values that are never removed. */
struct shadow_map {
	uint64_t *keys;           /* 0: free */
	void **values;
	size_t capacity, count;
};

enum { SHADOW_RECENT = 64 };

struct shadow {
	struct shadow_map sheets, syncs;
	struct {
		uint64_t key;
		struct sheet *sheet;
	} recent[SHADOW_RECENT];  /* sheets that were used lately, each at a place that its key decides */
	struct again *again;      /* NULL: no page has anything that is not noted yet */
};

void shadow_finish(struct shadow *shadow);
/* Forgets all accesses, but may keep the pages' memory for later ones. */
void shadow_clear(struct shadow *shadow);
/* Notes the accesses to a page that are kept elsewhere (check/again.c), and gives it cells of bytes if it has narrow
 * blocks, and blocks if it has runs.  The page; NULL when out of memory. */
struct page *shadow_close(struct shadow *shadow, struct page *page);
/* As shadow_page_of, for a page that is not used yet or whose sheet is not at its place among the recent ones.
 * is_new_out: whether it was not used yet; may be NULL. */
struct page *shadow_find(struct shadow *shadow, uint64_t address, bool *is_new_out);

/* The sheet of a key, which is an address divided by SHADOW_SHEET_B; NULL: no page of it is used. */
struct sheet *shadow_sheet(const struct shadow *shadow, uint64_t key);

/* The place of a sheet among the recent ones. */
static inline size_t shadow_recent(uint64_t key)
{
	return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) % SHADOW_RECENT;
}

/* The page of an address, whose cells may not have all accesses yet, and which may have narrow blocks, or runs; NULL
 * when out of memory.  is_new_out: as of shadow_find. */
static inline struct page *shadow_page_new(struct shadow *shadow, uint64_t address, bool *is_new_out)
{
	const uint64_t key = address / SHADOW_SHEET_B;
	const size_t recent = shadow_recent(key), at = address / SHADOW_PAGE_B % SHADOW_SHEET;
	struct sheet *sheet = shadow->recent[recent].sheet;
	if (shadow->recent[recent].key != key || !sheet || !(sheet->used >> at & 1))
		return shadow_find(shadow, address, is_new_out);
	if (is_new_out)
		*is_new_out = false;
	return &sheet->pages[at];
}

/* The same where that does not matter. */
static inline struct page *shadow_page_of(struct shadow *shadow, uint64_t address)
{
	return shadow_page_new(shadow, address, NULL);
}

/* A page from shadow_page_of or shadow_page_new, or NULL, once it has cells or blocks with all accesses; NULL when out
 * of memory. */
static inline struct page *shadow_complete(struct shadow *shadow, struct page *page)
{
	return page && (page->kept || page->run_count || page->narrow) ? shadow_close(shadow, page) : page;
}

/* The page of an address; NULL when out of memory. */
static inline struct page *shadow_page(struct shadow *shadow, uint64_t address)
{
	return shadow_complete(shadow, shadow_page_of(shadow, address));
}

/* Has blocks [first, end) of a page be apart; false when out of memory. */
bool shadow_part(struct page *page, uint32_t first, uint32_t end);
/* Gives the page memory for cells of words, of which none has any meaning; false when out of memory. */
bool shadow_want_cells(struct page *page);
/* Gives the page memory for `second`; false when out of memory. */
bool shadow_want_second(struct page *page);
/* Gives a page with runs its blocks; false when out of memory, and nothing has changed. */
bool shadow_end_runs(struct page *page);
/* Gives the page a cell per byte; false when out of memory. */
bool shadow_split(struct page *page);
/* Gives the page memory for atomic writes; false when out of memory. */
bool shadow_want_atomic(struct page *page);
/* NULL: no lane has synchronized there. */
struct sync *shadow_sync_find(const struct shadow *shadow, uint64_t address);
/* NULL when out of memory. */
struct sync *shadow_sync(struct shadow *shadow, uint64_t address);

#endif
