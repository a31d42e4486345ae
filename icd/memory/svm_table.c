/* The context's table of SVM and USM allocations: finds the one that contains an address. */
#include "config.h"

#include "icd/memory/svm.h"

#include "icd/memory/mem.h"

#include <stdlib.h>

struct ocl_svm_entry {
	cl_mem mem;                      /* the application's reference to it */
	struct ocl_svm svm;
};

int ocl_svm_table_init(struct ocl_svm_table *table)
{
	ocl_stream_set_init(&table->indirect);
	atomic_init(&table->waiting, 0);
	return lock_init(&table->lock, LOCK_RANK_CONTEXT);
}

/* Every allocation has a reference to its context, so the table is empty. */
void ocl_svm_table_finish(struct ocl_svm_table *table)
{
	spans_finish(&table->spans);
	ocl_stream_set_finish(&table->indirect);
	lock_finish(&table->lock);
}

static struct ocl_svm_entry *find_locked(const struct ocl_svm_table *table, const void *pointer)
{
	const struct span *span = spans_find(&table->spans, (uintptr_t)pointer);
	return span ? span->owner : NULL;
}

cl_mem ocl_svm_take(cl_context context, const void *pointer, bool usm)
{
	struct ocl_svm_table *table = &context->svm;
	cl_mem mem = NULL;
	lock_take(&table->lock);
	struct ocl_svm_entry *entry = find_locked(table, pointer);
	if (entry && entry->svm.pointer == pointer && usm == entry->svm.usm) {
		mem = entry->mem;
		spans_remove_owner(&table->spans, entry);
		free(entry);
	}
	lock_drop(&table->lock);
	return mem;
}

cl_mem ocl_svm_find(cl_context context, const void *pointer, size_t *offset_B_out)
{
	cl_mem mem = NULL;
	lock_take(&context->svm.lock);
	const struct ocl_svm_entry *entry = find_locked(&context->svm, pointer);
	if (entry) {
		mem = entry->mem;
		object_ref(mem);
		*offset_B_out = (uintptr_t)pointer - (uintptr_t)entry->svm.pointer;
	}
	lock_drop(&context->svm.lock);
	return mem;
}

bool ocl_svm_describe(cl_context context, const void *pointer, struct ocl_svm *svm_out)
{
	lock_take(&context->svm.lock);
	const struct ocl_svm_entry *entry = find_locked(&context->svm, pointer);
	if (entry)
		*svm_out = entry->svm;
	lock_drop(&context->svm.lock);
	return entry;
}

cl_int ocl_svm_enter(cl_context context, cl_mem mem, const struct ocl_svm *svm)
{
	const uintptr_t start = (uintptr_t)svm->pointer;
	struct ocl_svm_entry *entry = malloc(sizeof(*entry));
	if (!entry)
		return CL_OUT_OF_HOST_MEMORY;
	*entry = (struct ocl_svm_entry){mem, *svm};
	lock_take(&context->svm.lock);
	const bool entered = spans_insert(&context->svm.spans, start, start + svm->size_B, entry);
	lock_drop(&context->svm.lock);
	if (!entered)
		free(entry);
	return entered ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}
