#include "config.h"

#include "softcuda/driver/handle.h"

#include "softcuda/driver/schedule.h"
#include "softcuda/exec/exec.h"

#include <stdlib.h>

struct slot {
	enum soft_kind kind;
	void *object;
	struct slot *next_free;
};

/* Each chunk is twice as large as the one before, so that a check compares with few ranges. */
enum { FIRST_CHUNK = 64, CHUNKS_MAX = 24 };

static struct slot *chunks[CHUNKS_MAX];
static unsigned chunk_count;
static size_t last_used;                     /* number of slots used in the last chunk */
static struct slot *free_slots[SOFT_KIND_COUNT];
static size_t live[SOFT_KIND_COUNT];

static size_t chunk_slots(unsigned chunk)
{
	return (size_t)FIRST_CHUNK << chunk;
}

static struct slot *slot_new(void)
{
	if (!chunk_count || last_used == chunk_slots(chunk_count - 1)) {
		if (chunk_count == CHUNKS_MAX)
			return NULL;
		struct slot *chunk = calloc(chunk_slots(chunk_count), sizeof(*chunk));
		if (!chunk)
			return NULL;
		chunks[chunk_count++] = chunk;
		last_used = 0;
	}
	return &chunks[chunk_count - 1][last_used++];
}

void *soft_handle_create_locked(enum soft_kind kind, void *object)
{
	struct slot *slot = free_slots[kind];
	if (slot)
		free_slots[kind] = slot->next_free;
	else
		slot = slot_new();
	if (!slot)
		return NULL;
	live[kind]++;
	slot->kind = kind;
	slot->object = object;
	return slot;
}

void soft_handle_destroy_locked(void *handle)
{
	struct slot *slot = handle;
	if (!slot)
		return;
	live[slot->kind]--;
	slot->next_free = free_slots[slot->kind];
	free_slots[slot->kind] = slot;
	slot->kind = SOFT_KIND_FREE;
	slot->object = NULL;
}

void *soft_handle_find_locked(enum soft_kind kind, const void *handle)
{
	uintptr_t address = (uintptr_t)handle;
	for (unsigned i = chunk_count; i-- > 0;) {
		uintptr_t start = (uintptr_t)chunks[i];
		if (address < start || address >= start + chunk_slots(i) * sizeof(struct slot))
			continue;
		if ((address - start) % sizeof(struct slot))
			return NULL;
		const struct slot *slot = handle;
		return slot->kind == kind ? slot->object : NULL;
	}
	return NULL;
}

size_t soft_handle_live_locked(enum soft_kind kind)
{
	return live[kind];
}
