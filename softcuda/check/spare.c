#include "config.h"

#include "softcuda/check/spare.h"

#include "base/lock.h"
#include "softcuda/check/job.h"

#include <stdlib.h>

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

static struct {
	struct lock lock;
	struct spare {
		struct spare *next;
	} *first[SPARE_KINDS];
	size_t size_B;
} spare = {.lock = LOCK_INIT(LOCK_RANK_CACHE)};

void *spare_take(enum spare_kind kind)
{
	lock_take(&spare.lock);
	struct spare *found = spare.first[kind];
	if (found) {
		spare.first[kind] = found->next;
		spare.size_B -= spare_B[kind];
	}
	lock_drop(&spare.lock);
	/* aligned_alloc may want multiples of a line. */
	const size_t lines = (spare_B[kind] + SHADOW_LINE_B - 1) / SHADOW_LINE_B;
	return found ? found : aligned_alloc(SHADOW_LINE_B, lines * SHADOW_LINE_B);
}

void spare_give_back(enum spare_kind kind, void *memory)
{
	struct spare *given = memory;
	if (!given)
		return;
	lock_take(&spare.lock);
	const bool kept = spare.size_B + spare_B[kind] <= SPARE_MAX_B;
	if (kept) {
		given->next = spare.first[kind];
		spare.first[kind] = given;
		spare.size_B += spare_B[kind];
	}
	lock_drop(&spare.lock);
	if (!kept)
		free(memory);
}

void spare_shutdown(void)
{
	for (unsigned kind = 0; kind < SPARE_KINDS; kind++)
		while (spare.first[kind]) {
			struct spare *next = spare.first[kind]->next;
			free(spare.first[kind]);
			spare.first[kind] = next;
		}
	spare.size_B = 0;
}
