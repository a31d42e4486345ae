#include "config.h"

#include "frontend/set.h"

#include <stdlib.h>

/* The slot that contains the item, or the free one in which it can be put. */
static uint32_t slot_of(const struct fe_set *set, const void *item)
{
	uint64_t bits = (uint64_t)(uintptr_t)item * UINT64_C(0x9E3779B97F4A7C15);
	uint32_t mask = set->slot_count - 1;
	uint32_t slot = (uint32_t)(bits >> 32) & mask;
	while (set->slots[slot] && set->items[set->slots[slot] - 1] != item)
		slot = (slot + 1) & mask;
	return slot;
}

bool fe_set_find(const struct fe_set *set, const void *item, uint32_t *index_out)
{
	if (!set->slot_count)
		return false;
	uint32_t found = set->slots[slot_of(set, item)];
	if (!found)
		return false;
	*index_out = found - 1;
	return true;
}

bool fe_set_has(const struct fe_set *set, const void *item)
{
	uint32_t index;
	return fe_set_find(set, item, &index);
}

static bool grow_items(struct fe_set *set)
{
	uint32_t capacity = set->item_capacity ? 2 * set->item_capacity : 32;
	const void **items = realloc(set->items, capacity * sizeof(*items));
	if (!items)
		return false;
	set->items = items;
	set->item_capacity = capacity;
	return true;
}

static bool grow_slots(struct fe_set *set)
{
	uint32_t slot_count = set->slot_count ? 2 * set->slot_count : 64;
	uint32_t *slots = calloc(slot_count, sizeof(*slots));
	if (!slots)
		return false;
	free(set->slots);
	set->slots = slots;
	set->slot_count = slot_count;
	for (uint32_t i = 0; i < set->count; i++)
		slots[slot_of(set, set->items[i])] = i + 1;
	return true;
}

bool fe_set_add(struct fe_set *set, const void *item)
{
	if (fe_set_has(set, item))
		return true;
	if (set->count == set->item_capacity && !grow_items(set))
		return false;
	if (2 * (set->count + 1) > set->slot_count && !grow_slots(set))
		return false;
	uint32_t slot = slot_of(set, item);
	set->items[set->count++] = item;
	set->slots[slot] = set->count;
	return true;
}

void fe_set_finish(struct fe_set *set)
{
	free(set->items);
	free(set->slots);
	*set = (struct fe_set){0};
}
