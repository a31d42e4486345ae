#include "config.h"

#include "softcuda/check/spare.h"

#include "base/lock.h"
#include "softcuda/check/job.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { SPARE_MAX_B = 128 << 20 };

static const size_t spare_B[SPARE_KINDS] = {
	[SPARE_SHEET] = sizeof(struct sheet),
	[SPARE_CELLS] = SHADOW_WORDS * SHADOW_RECORDS * sizeof(uint64_t),
	[SPARE_BYTES] = SHADOW_PAGE_B * SHADOW_RECORDS * sizeof(uint64_t),
	[SPARE_SECOND] = SHADOW_BLOCKS * sizeof(struct second),
	[SPARE_LATER] = (CHECK_LATER_MAX + 1) * sizeof(struct shared_access),
	[SPARE_ATOMICS] = CHECK_ATOMICS_MAX * sizeof(struct check_atomic),
	[SPARE_SCATTERS] = CHECK_SCATTERS_MAX * sizeof(struct check_scatter)
};

/* Memory of SPARE_CHUNK_B for pieces of one kind.  It begins at a multiple of its size, by which the chunk of a piece
 * is known, and the pieces are behind its first line. */
struct chunk {
	struct chunk *next, *before;      /* among those of its kind that have room */
	struct piece {
		struct piece *next;
	} *free;
	uint32_t used;            /* the number of pieces that have an owner */
	uint32_t fresh;           /* pieces from this one on have never had one */
};

static struct {
	struct lock lock;
	struct chunk *room[SPARE_KINDS];  /* those that have room */
	size_t count[SPARE_KINDS], size_B;        /* of all chunks */
} spare = {.lock = LOCK_INIT(LOCK_RANK_CACHE)};

/* An odd number of lines, so that the pieces' beginnings are not all in the same few sets of the cache. */
static size_t piece_B(enum spare_kind kind)
{
	return ((spare_B[kind] + SHADOW_LINE_B - 1) / SHADOW_LINE_B | 1) * SHADOW_LINE_B;
}

static uint32_t piece_count(enum spare_kind kind)
{
	return (uint32_t)((SPARE_CHUNK_B - SHADOW_LINE_B) / piece_B(kind));
}

static void link_locked(enum spare_kind kind, struct chunk *chunk)
{
	chunk->before = NULL;
	chunk->next = spare.room[kind];
	if (chunk->next)
		chunk->next->before = chunk;
	spare.room[kind] = chunk;
}

static void unlink_locked(enum spare_kind kind, struct chunk *chunk)
{
	*(chunk->before ? &chunk->before->next : &spare.room[kind]) = chunk->next;
	if (chunk->next)
		chunk->next->before = chunk->before;
}

static struct chunk *make_locked(enum spare_kind kind)
{
	_Static_assert(sizeof(struct chunk) <= SHADOW_LINE_B, "a chunk begins in the line before its pieces");
	struct chunk *chunk = aligned_alloc(SPARE_CHUNK_B, SPARE_CHUNK_B);
	if (!chunk)
		return NULL;
	/* A launch that needs more than one is about to use all of it: one call is quicker than many page faults. */
#ifdef MADV_POPULATE_WRITE
	if (spare.count[kind])
		(void)madvise(chunk, SPARE_CHUNK_B, MADV_POPULATE_WRITE);
#endif
	spare.count[kind]++;
	spare.size_B += SPARE_CHUNK_B;
	*chunk = (struct chunk){0};
	link_locked(kind, chunk);
	return chunk;
}

static void free_locked(enum spare_kind kind, struct chunk *chunk)
{
	unlink_locked(kind, chunk);
	free(chunk);
	spare.count[kind]--;
	spare.size_B -= SPARE_CHUNK_B;
}

void *spare_take(enum spare_kind kind)
{
	lock_take(&spare.lock);
	struct chunk *chunk = spare.room[kind] ? spare.room[kind] : make_locked(kind);
	struct piece *piece = chunk ? chunk->free : NULL;
	if (piece)
		chunk->free = piece->next;
	else if (chunk)
		piece = (void *)((char *)chunk + SHADOW_LINE_B + chunk->fresh++ * piece_B(kind));
	if (chunk && ++chunk->used == piece_count(kind))
		unlink_locked(kind, chunk);
	lock_drop(&spare.lock);
	return piece;
}

void spare_give_back(enum spare_kind kind, void *memory)
{
	struct piece *piece = memory;
	if (!piece)
		return;
	struct chunk *chunk = (void *)((char *)memory - (uintptr_t)memory % SPARE_CHUNK_B);
	lock_take(&spare.lock);
	piece->next = chunk->free;
	chunk->free = piece;
	if (chunk->used-- == piece_count(kind))
		link_locked(kind, chunk);
	if (!chunk->used && spare.size_B > SPARE_MAX_B)
		free_locked(kind, chunk);
	lock_drop(&spare.lock);
}

void spare_shutdown(void)
{
	lock_take(&spare.lock);
	for (unsigned kind = 0; kind < SPARE_KINDS; kind++)
		for (struct chunk *chunk = spare.room[kind], *next; chunk; chunk = next) {
			next = chunk->next;
			if (!chunk->used)
				free_locked(kind, chunk);
		}
	lock_drop(&spare.lock);
}
