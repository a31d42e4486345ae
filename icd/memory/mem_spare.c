/* Structs of memory objects that outlive their objects, because an argument may still name them:
 * they stay with their context, and become other objects. */
#include "config.h"

#include "icd/memory/mem.h"

#include <stdlib.h>

void ocl_mem_hold(cl_mem mem)
{
	if (mem)
		atomic_fetch_add_explicit(&mem->holders, 1, memory_order_relaxed);
}

/* Puts a chain of structs among the spare ones. */
static void spare_put(cl_context context, cl_mem first, cl_mem last)
{
	cl_mem head = atomic_load_explicit(&context->spare_mems, memory_order_relaxed);
	do
		last->next_spare = head;
	while (!atomic_compare_exchange_weak_explicit(&context->spare_mems, &head, first,
						      memory_order_release, memory_order_relaxed));
}

/* Takes all that there are, so that none comes back while it is looked at, and puts the others
 * back. */
cl_mem ocl_mem_spare_take(cl_context context)
{
	if (!atomic_load_explicit(&context->spare_mems, memory_order_relaxed))
		return NULL;
	cl_mem first = atomic_exchange_explicit(&context->spare_mems, NULL, memory_order_acquire);
	cl_mem rest = first ? first->next_spare : NULL, none = NULL;
	if (!rest || atomic_compare_exchange_strong_explicit(&context->spare_mems, &none, rest,
							     memory_order_release,
							     memory_order_relaxed))
		return first;
	/* Others have come meanwhile. */
	cl_mem last = rest;
	while (last->next_spare)
		last = last->next_spare;
	spare_put(context, rest, last);
	return first;
}

void ocl_mems_free_spare(cl_context context)
{
	cl_mem mem = atomic_exchange_explicit(&context->spare_mems, NULL, memory_order_acquire);
	while (mem) {
		cl_mem next = mem->next_spare;
		free(mem);
		mem = next;
	}
}

void ocl_mem_drop(cl_mem mem)
{
	if (!mem || atomic_fetch_sub_explicit(&mem->holders, 1, memory_order_acq_rel) != 1)
		return;
	const uint64_t life = atomic_load_explicit(&mem->life, memory_order_relaxed);
	/* Once it was named its memory stays, though the last of its objects was not: arguments may
	 * have the names of those before. */
	if (!life) {
		free(mem);
		return;
	}
	atomic_store_explicit(&mem->life, (life | 1) + 1, memory_order_relaxed);
	spare_put(mem->context, mem, mem);
}
