#include "config.h"

#include "icd/svm.h"

#include "icd/mem.h"

#include <stdlib.h>
#include <string.h>

struct ocl_svm_entry {
	uintptr_t start, end;
	cl_mem mem;                      /* the application's share of it */
};

int ocl_svm_table_init(struct ocl_svm_table *table)
{
	return lock_init(&table->lock, LOCK_RANK_CONTEXT);
}

/* Allocations hold their context: there are none left. */
void ocl_svm_table_finish(struct ocl_svm_table *table)
{
	free(table->entries);
	lock_finish(&table->lock);
}

/* --- what devices can -------------------------------------------------------------------- */

/* Without managed memory for both sides at once there is pinned memory: the host's, seen by
 * every device; but then a device's atomics are not the host's. */
cl_device_svm_capabilities ocl_svm_capabilities(const struct gpu_caps *caps)
{
	cl_device_svm_capabilities can = 0;
	if (caps->can_map_host)
		can = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
	if (can && caps->concurrent_managed)
		can |= CL_DEVICE_SVM_ATOMICS;
	if (can && caps->concurrent_managed && caps->pageable_access)
		can |= CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
	return can;
}

cl_device_svm_capabilities ocl_svm_common(const struct _cl_context *context)
{
	cl_device_svm_capabilities can = ocl_svm_capabilities(context->devices[0]->caps);
	for (cl_uint i = 1; i < context->device_count; i++)
		can &= ocl_svm_capabilities(context->devices[i]->caps);
	return can;
}

cl_device_svm_capabilities ocl_svm_any(const struct _cl_context *context)
{
	cl_device_svm_capabilities can = 0;
	for (cl_uint i = 0; i < context->device_count; i++)
		can |= ocl_svm_capabilities(context->devices[i]->caps);
	return can;
}

/* --- the table ------------------------------------------------------------------------------ */

/* How many start at or below address. */
static size_t rank_locked(const struct ocl_svm_table *table, uintptr_t address)
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

static cl_int insert_locked(struct ocl_svm_table *table, const struct ocl_svm_entry *entry)
{
	if (table->count == table->capacity) {
		const size_t capacity = table->capacity ? 2 * table->capacity : 16;
		struct ocl_svm_entry *entries = realloc(table->entries,
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

static cl_mem remove_locked(struct ocl_svm_table *table, uintptr_t start)
{
	const size_t rank = rank_locked(table, start);
	if (!rank || table->entries[rank - 1].start != start)
		return NULL;
	cl_mem mem = table->entries[rank - 1].mem;
	memmove(table->entries + rank - 1, table->entries + rank,
		(table->count - rank) * sizeof(*table->entries));
	table->count--;
	return mem;
}

static const struct ocl_svm_entry *find_locked(const struct ocl_svm_table *table,
					       uintptr_t address)
{
	const size_t rank = rank_locked(table, address);
	if (!rank || address >= table->entries[rank - 1].end)
		return NULL;
	return &table->entries[rank - 1];
}

cl_mem ocl_svm_find(cl_context context, const void *pointer, size_t *offset_B_out)
{
	const uintptr_t address = (uintptr_t)pointer;
	cl_mem mem = NULL;
	lock_take(&context->svm.lock);
	const struct ocl_svm_entry *entry = find_locked(&context->svm, address);
	if (entry) {
		mem = entry->mem;
		object_ref(mem);
		*offset_B_out = address - entry->start;
	}
	lock_drop(&context->svm.lock);
	return mem;
}

/* --- allocations ------------------------------------------------------------------------------ */

void *ocl_svm_alloc(cl_context context, cl_svm_mem_flags flags, size_t size_B)
{
	struct ocl_storage *storage;
	if (ocl_storage_create_shared(context, size_B, flags & CL_MEM_SVM_ATOMICS,
				      !(flags & CL_MEM_SVM_FINE_GRAIN_BUFFER), &storage))
		return NULL;
	cl_mem mem = ocl_mem_create_svm(context, flags, storage);
	if (!mem) {
		ocl_storage_destroy(storage);
		return NULL;
	}
	void *pointer = mem->host_pointer;
	const struct ocl_svm_entry entry = {
		(uintptr_t)pointer, (uintptr_t)pointer + size_B, mem,
	};
	lock_take(&context->svm.lock);
	const cl_int error = insert_locked(&context->svm, &entry);
	lock_drop(&context->svm.lock);
	if (!error)
		return pointer;
	(void)object_release(mem, &ocl_mem_type);
	return NULL;
}

void ocl_svm_free(cl_context context, const void *pointer)
{
	lock_take(&context->svm.lock);
	cl_mem mem = remove_locked(&context->svm, (uintptr_t)pointer);
	lock_drop(&context->svm.lock);
	if (mem)
		(void)object_release(mem, &ocl_mem_type);
}
