#include "config.h"

#include "icd/order/event_pool.h"

#include "icd/order/event.h"

/* The most events that a queue keeps, about 4 MB: a program that had so many in use is likely to need them again. */
enum { RETURNED_MAX = 1 << 14 };

cl_event ocl_event_pool_take(struct ocl_event_pool *pool)
{
	cl_event event = pool->ready;
	if (!event && atomic_load_explicit(&pool->returned, memory_order_relaxed)) {
		event = atomic_exchange_explicit(&pool->returned, NULL, memory_order_acquire);
		atomic_store_explicit(&pool->returned_count, 0, memory_order_relaxed);
	}
	pool->ready = event ? event->next_free : NULL;
	/* A program with many events finds each one outside the processor's cache; the next one is fetched ahead. */
	if (pool->ready) {
		__builtin_prefetch(pool->ready, 1);
		__builtin_prefetch((const char *)pool->ready + OCL_EVENT_ALIGN_B, 1);
	}
	return event;
}

bool ocl_event_pool_put(struct ocl_event_pool *pool, cl_event event)
{
	if (atomic_load_explicit(&pool->returned_count, memory_order_relaxed) >= RETURNED_MAX)
		return false;
	atomic_fetch_add_explicit(&pool->returned_count, 1, memory_order_relaxed);
	cl_event head = atomic_load_explicit(&pool->returned, memory_order_relaxed);
	do
		event->next_free = head;
	while (!atomic_compare_exchange_weak_explicit(&pool->returned, &head, event,
						      memory_order_release,
						      memory_order_relaxed));
	return true;
}
