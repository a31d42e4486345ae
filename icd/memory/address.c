#include "config.h"

#include "icd/memory/address.h"

#include "icd/memory/mem.h"

int ocl_address_table_init(struct ocl_address_table *table)
{
	return lock_init(&table->lock, LOCK_RANK_CONTEXT);
}

/* Every buffer has a reference to its context, so the table is empty. */
void ocl_address_table_finish(struct ocl_address_table *table)
{
	spans_finish(&table->spans);
	lock_finish(&table->lock);
}

cl_int ocl_address_enter(cl_mem mem)
{
	struct ocl_address_table *table = &mem->context->addresses;
	cl_int error = CL_SUCCESS;
	for (cl_uint i = 0; i < mem->context->gpu_count && !error; i++) {
		gpu_address address;
		error = ocl_storage_place(mem->storage, i, &address, NULL);
		if (error)
			break;
		address += mem->origin_B;
		lock_take(&table->lock);
		if (!spans_insert(&table->spans, address, address + mem->size_B, mem))
			error = CL_OUT_OF_HOST_MEMORY;
		lock_drop(&table->lock);
	}
	if (error)
		ocl_address_leave(mem);
	return error;
}

void ocl_address_leave(cl_mem mem)
{
	struct ocl_address_table *table = &mem->context->addresses;
	lock_take(&table->lock);
	spans_remove_owner(&table->spans, mem);
	lock_drop(&table->lock);
}

/* Buffers in the same SVM allocation have the same addresses; any of them can be returned. */
cl_mem ocl_address_find(cl_context context, uint64_t address)
{
	struct ocl_address_table *table = &context->addresses;
	lock_take(&table->lock);
	const struct span *span = spans_find(&table->spans, address);
	cl_mem mem = span ? span->owner : NULL;
	ocl_mem_hold(mem);
	lock_drop(&table->lock);
	return mem;
}
