#include "config.h"

#include "icd/event_pool.h"

#include "icd/event.h"

/* Some 4 MB of a queue's: what a program may have had in use at once, and will again. */
enum { RETURNED_MAX = 1 << 14 };

cl_event ocl_event_pool_take(struct ocl_event_pool *pool)
{
	cl_event event = pool->ready;
	if (!event && atomic_load_explicit(&pool->returned, memory_order_relaxed)) {
		event = atomic_exchange_explicit(&pool->returned, NULL, memory_order_acquire);
		atomic_store_explicit(&pool->returned_count, 0, memory_order_relaxed);
	}
	pool->ready = event ? event->next_free : NULL;
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
