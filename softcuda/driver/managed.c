#include "config.h"

#include "softcuda/driver/managed.h"

#include "softcuda/driver/memory.h"
#include "softcuda/driver/state.h"

#include <stdatomic.h>
#include <stdlib.h>

/* What is recorded of 64 KiB together, the size of the pages of GPUs. */
enum { BLOCK_B = 64 << 10 };

struct block {
	signed char at, preferred, prefetched; /* places */
	bool read_mostly;
	uint32_t accessed_by;                  /* a bit for each device, and HOST_BIT */
};

#define HOST_BIT ((uint32_t)1 << 31)

struct soft_managed {
	struct soft_managed *next;             /* the one that was allocated after this one */
	struct soft_allocation *allocation;
	size_t count;
	struct block blocks[];
};

/* The oldest first; guarded by the driver's lock. */
static struct soft_managed *oldest;
static _Atomic uint64_t migrated_B;

uint64_t soft_managed_moved_B(void)
{
	return atomic_load(&migrated_B);
}

bool soft_managed_begin_locked(struct soft_allocation *allocation)
{
	const struct block fresh = {.at = SOFT_AT_HOST, .preferred = SOFT_AT_NONE, .prefetched = SOFT_AT_NONE};
	const size_t count = (size_t)((allocation->size_B - 1) / BLOCK_B + 1);
	struct soft_managed *managed = malloc(sizeof(*managed) + count * sizeof(fresh));
	struct soft_managed **last = &oldest;
	if (!managed)
		return false;
	managed->next = NULL;
	managed->allocation = allocation;
	managed->count = count;
	for (size_t i = 0; i < count; i++)
		managed->blocks[i] = fresh;
	while (*last)
		last = &(*last)->next;
	*last = managed;
	allocation->managed = managed;
	return true;
}

static uint64_t size_of(const struct soft_managed *managed, size_t block)
{
	return block + 1 < managed->count ? BLOCK_B : managed->allocation->size_B - (uint64_t)block * BLOCK_B;
}

/* Only the counts change, because the bytes are in one place. */
static void block_move(struct soft_managed *managed, size_t number, int place)
{
	struct block *block = &managed->blocks[number];
	const uint64_t size_B = size_of(managed, number);
	if (block->at >= 0)
		soft_driver.devices[block->at].used_B -= size_B;
	if (place >= 0)
		soft_driver.devices[place].used_B += size_B;
	if (block->at != place)
		atomic_fetch_add(&migrated_B, size_B);
	block->at = (signed char)place;
}

void soft_managed_end_locked(struct soft_allocation *allocation)
{
	struct soft_managed *managed = allocation->managed, **link = &oldest;
	if (!managed)
		return;
	for (size_t i = 0; i < managed->count; i++)
		if (managed->blocks[i].at >= 0)
			soft_driver.devices[managed->blocks[i].at].used_B -= size_of(managed, i);
	while (*link != managed)
		link = &(*link)->next;
	*link = managed->next;
	free(managed);
	allocation->managed = NULL;
}

/* A range of blocks; those of a range that is being moved do not make room for each other. */
struct span {
	const struct soft_managed *managed;
	size_t lo, hi;
};

static struct span span_of(const struct soft_allocation *allocation, uint64_t address, size_t size_B)
{
	const uint64_t offset_B = address - allocation->start;
	return (struct span){allocation->managed, (size_t)(offset_B / BLOCK_B),
			     (size_t)((offset_B + size_B - 1) / BLOCK_B) + 1};
}

static uint64_t free_B(const struct soft_device *device)
{
	return device->used_B < device->memory_B ? device->memory_B - device->used_B : 0;
}

static bool make_room(struct soft_device *device, uint64_t size_B, const struct span *spared)
{
	for (struct soft_managed *managed = oldest; managed; managed = managed->next)
		for (size_t i = 0; i < managed->count && free_B(device) < size_B; i++) {
			const bool is_spared = spared && managed == spared->managed && i >= spared->lo &&
					       i < spared->hi;
			if (managed->blocks[i].at == (int)device->index && !is_spared)
				block_move(managed, i, SOFT_AT_HOST);
		}
	return free_B(device) >= size_B;
}

bool soft_managed_makes_room_locked(struct soft_device *device, uint64_t size_B)
{
	return size_B <= device->memory_B && make_room(device, size_B, NULL);
}

void soft_managed_move_locked(struct soft_allocation *allocation, uint64_t address, size_t size_B, int place)
{
	const struct span span = span_of(allocation, address, size_B);
	struct soft_managed *managed = allocation->managed;
	bool room = true;
	for (size_t i = span.lo; i < span.hi; i++) {
		managed->blocks[i].prefetched = (signed char)place;
		if (managed->blocks[i].at == place)
			continue;
		if (place >= 0 && room)
			room = make_room(&soft_driver.devices[place], size_of(managed, i), &span);
		if (room)
			block_move(managed, i, place);
	}
}

static uint32_t bit_of(int place)
{
	return place == SOFT_AT_HOST ? HOST_BIT : (uint32_t)1 << place;
}

static bool advise(struct block *block, CUmem_advise advice, int place)
{
	switch (advice) {
	case CU_MEM_ADVISE_SET_READ_MOSTLY:
	case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
		block->read_mostly = advice == CU_MEM_ADVISE_SET_READ_MOSTLY;
		return true;
	case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
		block->preferred = (signed char)place;
		return true;
	case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
		block->preferred = SOFT_AT_NONE;
		return true;
	case CU_MEM_ADVISE_SET_ACCESSED_BY:
		block->accessed_by |= bit_of(place);
		return true;
	case CU_MEM_ADVISE_UNSET_ACCESSED_BY:
		block->accessed_by &= ~bit_of(place);
		return true;
	default:
		return false;
	}
}

CUresult soft_managed_advise_locked(struct soft_allocation *allocation, uint64_t address, size_t size_B,
				    CUmem_advise advice, int place)
{
	const struct span span = span_of(allocation, address, size_B);
	for (size_t i = span.lo; i < span.hi; i++)
		if (!advise(&allocation->managed->blocks[i], advice, place))
			return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

/* The places that are in the list of all blocks; the rest of the array is CU_DEVICE_INVALID. */
static void query_accessed_by(const struct span *span, int32_t *places, size_t count)
{
	uint32_t common = UINT32_MAX;
	size_t filled = 0;
	for (size_t i = span->lo; i < span->hi; i++)
		common &= span->managed->blocks[i].accessed_by;
	if (common & HOST_BIT && filled < count)
		places[filled++] = SOFT_AT_HOST;
	for (int place = 0; place < SOFT_DEVICES_MAX; place++)
		if (common & bit_of(place) && filled < count)
			places[filled++] = place;
	while (filled < count)
		places[filled++] = SOFT_AT_NONE;
}

/* What all blocks have in common; SOFT_AT_NONE where they differ, or 0 for CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY. */
static int32_t query_common(const struct span *span, CUmem_range_attribute attribute)
{
	const struct block *blocks = span->managed->blocks, *first = &blocks[span->lo];
	bool read_mostly = true, one_preferred = true, one_prefetched = true;
	for (size_t i = span->lo; i < span->hi; i++) {
		read_mostly = read_mostly && blocks[i].read_mostly;
		one_preferred = one_preferred && blocks[i].preferred == first->preferred;
		one_prefetched = one_prefetched && blocks[i].prefetched == first->prefetched;
	}
	if (attribute == CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY)
		return read_mostly;
	if (attribute == CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION)
		return one_preferred ? first->preferred : SOFT_AT_NONE;
	return one_prefetched ? first->prefetched : SOFT_AT_NONE;
}

CUresult soft_managed_query_locked(const struct soft_allocation *allocation, uint64_t address, size_t size_B,
				   CUmem_range_attribute attribute, void *data, size_t data_B)
{
	const struct span span = span_of(allocation, address, size_B);
	const size_t word_B = sizeof(int32_t);
	if (!data || !data_B || data_B % word_B)
		return CUDA_ERROR_INVALID_VALUE;
	switch (attribute) {
	case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
		query_accessed_by(&span, data, data_B / word_B);
		return CUDA_SUCCESS;
	case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
	case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
	case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
		if (data_B != word_B)
			return CUDA_ERROR_INVALID_VALUE;
		*(int32_t *)data = query_common(&span, attribute);
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}
