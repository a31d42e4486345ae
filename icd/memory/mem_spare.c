/* Structs of memory objects that were destroyed but may still be named by kernel arguments: they stay with their
 * context and are used for other objects (mem.h). */
#include "config.h"

#include "icd/memory/mem.h"

#include <stdlib.h>

void ocl_mem_hold(cl_mem mem)
{
	if (mem)
		atomic_fetch_add_explicit(&mem->holders, 1, memory_order_relaxed);
}

/* Adds a chain of structs to the spare ones. */
static void spare_put(cl_context context, cl_mem first, cl_mem last)
{
	cl_mem head = atomic_load_explicit(&context->spare_mems, memory_order_relaxed);
	do
		last->next_spare = head;
	while (!atomic_compare_exchange_weak_explicit(&context->spare_mems, &head, first,
						      memory_order_release, memory_order_relaxed));
}

/* Takes the whole list and puts the rest back.  To take only the first struct would need a check that no other
 * thread has taken it and put it back meanwhile (the ABA problem). */
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
	/* Other threads have added structs meanwhile; the rest is added to those. */
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
	/* A struct that was ever named is not freed, even if its last object was not named: arguments may still have
	 * the names of earlier objects. */
	if (!life) {
		free(mem);
		return;
	}
	atomic_store_explicit(&mem->life, (life | 1) + 1, memory_order_relaxed);
	spare_put(mem->context, mem, mem);
}
