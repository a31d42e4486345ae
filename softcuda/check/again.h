/* Words of global memory that the same lanes of a warp access again and again, as members of structures to which they
 * add in a loop.
 *
 * If the last access to each of different words was a write by its lane, further accesses of the same lanes to the same
 * words are no races, and only the last write and the last read behind it matter.  So these are kept here for all lanes
 * together (struct again_set), and are noted in the cells before others access one of the words.
 *
 * Not thread-safe: one owner, that of the shadow. */
#ifndef CULVERT_SOFTCUDA_CHECK_AGAIN_H
#define CULVERT_SOFTCUDA_CHECK_AGAIN_H

#include "softcuda/check/shadow.h"

enum { AGAIN_SETS = 32, AGAIN_OPS = 64, AGAIN_PAGES = 5, AGAIN_BITS = SHADOW_WORDS / 64 };

/* Lanes and their words, whose blocks are apart. */
struct again_set {
	uint32_t mask;            /* 0: none */
	uint32_t group, warp;
	uint32_t serial;          /* of this use of the set */
	uint64_t place[LANES];
	/* Records of the warp's first lane: the last write, and the last read behind it; 0: none but what the cells
	 * have. */
	uint64_t write, read;
	uint32_t page_count;
	struct again_page {
		struct page *page;
		uint64_t number;                  /* its address by SHADOW_PAGE_B */
		uint64_t words[AGAIN_BITS];       /* as bits */
	} pages[AGAIN_PAGES];
};

/* What an op of a warp has accessed the last time. */
struct again_op {
	const struct op *op;      /* NULL: nothing */
	uint32_t group, warp, mask;
	uint64_t first, last;     /* the places of the lanes' lowest and highest */
	uint64_t record;          /* of the warp's first lane, but for the epoch */
	struct again_set *set;    /* NULL: none; it is another one if its number is not `serial` */
	uint32_t serial;
};

struct again {
	uint32_t serial, next;    /* the latest number of a set; the set that is used next */
	uint32_t count;           /* of sets that have a mask */
	struct again_set sets[AGAIN_SETS];
	struct again_op ops[AGAIN_OPS];
};

/* Whether anything is kept. */
static inline bool again_keeps(const struct shadow *shadow)
{
	return shadow->again && shadow->again->count;
}

static inline struct again_op *again_op_of(struct again *again, const struct op *op, uint32_t warp)
{
	return &again->ops[((uintptr_t)op / sizeof(*op) + warp * (uintptr_t)17) % AGAIN_OPS];
}

/* Keeps further accesses of lanes to words to which they have just written, as their cells say.  NULL: the words are in
 * too many pages. */
struct again_set *again_open(struct shadow *shadow, uint32_t mask, const uint64_t *place);
/* Notes what is kept of a word, and of others of the same set, in the cells, and keeps no more of it. */
void again_close_word(struct shadow *shadow, const struct page *page, size_t word);

#endif
