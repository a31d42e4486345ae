#include "config.h"

#include "icd/address.h"

#include "icd/mem.h"

#include <stdlib.h>
#include <string.h>

struct ocl_address_entry {
	uint64_t start, end;
	cl_mem mem;                      /* not a reference: it leaves before it ends */
};

int ocl_address_table_init(struct ocl_address_table *table)
{
	return lock_init(&table->lock, LOCK_RANK_CONTEXT);
}

/* Buffers hold their context: there are none left. */
void ocl_address_table_finish(struct ocl_address_table *table)
{
	free(table->entries);
	lock_finish(&table->lock);
}

/* How many start at or below address. */
static size_t rank_locked(const struct ocl_address_table *table, uint64_t address)
{
	size_t low = 0, high = table->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (table->entries[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static cl_int insert_locked(struct ocl_address_table *table, const struct ocl_address_entry *entry)
{
	if (table->count == table->capacity) {
		const size_t capacity = table->capacity ? 2 * table->capacity : 16;
		struct ocl_address_entry *entries = realloc(table->entries,
							    capacity * sizeof(*entries));
		if (!entries)
			return CL_OUT_OF_HOST_MEMORY;
		table->entries = entries;
		table->capacity = capacity;
	}
	const size_t rank = rank_locked(table, entry->start);
	memmove(table->entries + rank + 1, table->entries + rank,
		(table->count - rank) * sizeof(*entry));
	table->entries[rank] = *entry;
	table->count++;
	return CL_SUCCESS;
}

cl_int ocl_address_enter(cl_mem mem)
{
	struct ocl_address_table *table = &mem->context->addresses;
	cl_int error = CL_SUCCESS;
	for (cl_uint i = 0; i < mem->context->device_count && !error; i++) {
		gpu_address address;
		error = ocl_storage_place(mem->storage, i, &address, NULL);
		if (error)
			break;
		address += mem->origin_B;
		const struct ocl_address_entry entry = {address, address + mem->size_B, mem};
		lock_take(&table->lock);
		error = insert_locked(table, &entry);
		lock_drop(&table->lock);
	}
	if (error)
		ocl_address_leave(mem);
	return error;
}

void ocl_address_leave(cl_mem mem)
{
	struct ocl_address_table *table = &mem->context->addresses;
	size_t kept = 0;
	lock_take(&table->lock);
	for (size_t i = 0; i < table->count; i++)
		if (table->entries[i].mem != mem)
			table->entries[kept++] = table->entries[i];
	table->count = kept;
	lock_drop(&table->lock);
}

/* Buffers over one piece of SVM have the same addresses: any of them stands for it. */
cl_mem ocl_address_find(cl_context context, uint64_t address)
{
	struct ocl_address_table *table = &context->addresses;
	cl_mem mem = NULL;
	lock_take(&table->lock);
	const size_t rank = rank_locked(table, address);
	if (rank && address < table->entries[rank - 1].end)
		mem = table->entries[rank - 1].mem;
	ocl_mem_hold(mem);
	lock_drop(&table->lock);
	return mem;
}
