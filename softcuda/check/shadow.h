/* The last accesses to each byte: the memory of the race checker.
 *
 * A cell is for 4 bytes: its last write, two atomic writes after that, and two reads, each by different lanes.  Two
 * are enough: a later conflicting access races with at least one of them, unless it is ordered after both.  A page
 * whose bytes are accessed one by one has a cell for each byte.  Besides, there are the addresses with which lanes
 * have synchronized.
 *
 * Not thread-safe: one owner. */
#ifndef CULVERT_SOFTCUDA_CHECK_SHADOW_H
#define CULVERT_SOFTCUDA_CHECK_SHADOW_H

#include "softcuda/check/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHADOW_PAGE_B = 1024, SHADOW_WORD_B = 4 };

enum record_kind {
	RECORD_THERE = 1,
	RECORD_ATOMIC = 2,        /* atomics, volatile and ordered accesses */
	RECORD_NARROW = 4,        /* with .cta scope */
	RECORD_COPY = 8           /* by a copy of the whole work-group */
};

struct record {
	uint32_t group, epoch, site;
	uint16_t lane;
	uint8_t kind;             /* enum record_kind; 0: no access yet */
};

struct cell {
	struct record write;
	struct record read[2];
	struct record atomic[2];  /* atomic writes since then, by different lanes; the latest first */
};

struct page {
	bool bytes;               /* a cell per byte */
	struct cell *cells;
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

struct shadow {
	struct shadow_map pages, syncs;
	uint64_t recent_key;
	struct page *recent;
};

/* Frees what shadow_finish has kept for later launches of the process; for the library's destructor. */
void shadow_shutdown(void);

void shadow_finish(struct shadow *shadow);
/* Forgets all accesses, but may keep the pages' memory for later ones. */
void shadow_clear(struct shadow *shadow);
/* The page of an address; NULL when out of memory. */
struct page *shadow_page(struct shadow *shadow, uint64_t address);
/* Gives the page a cell per byte; false when out of memory. */
bool shadow_split(struct page *page);
/* NULL: no lane has synchronized there. */
struct sync *shadow_sync_find(const struct shadow *shadow, uint64_t address);
/* NULL when out of memory. */
struct sync *shadow_sync(struct shadow *shadow, uint64_t address);

#endif
