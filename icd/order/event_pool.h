/* A pool of a queue's released event structs, which are used again: most programs create as many events as they
 * release.
 *
 * Any thread puts events into the pool, without a lock.  Only a thread with the queue's lock takes them, and it
 * takes the whole list of returned events by one exchange, so that the list never has the ABA problem. */
#ifndef CULVERT_ICD_EVENT_POOL_H
#define CULVERT_ICD_EVENT_POOL_H

#include <CL/cl.h>
#include <stdatomic.h>
#include <stdbool.h>

struct ocl_event_pool {
	cl_event ready;                  /* a list by next_free, to take from; guarded by the queue's lock */
	_Atomic(cl_event) returned;      /* a list by next_free, to which any thread adds */
	atomic_uint returned_count;      /* events in returned */
};

/* Takes an event; NULL: the pool is empty.  The queue's lock is held. */
cl_event ocl_event_pool_take(struct ocl_event_pool *pool);
/* Puts an event into the pool; false: the pool is full, and the caller frees the event. */
bool ocl_event_pool_put(struct ocl_event_pool *pool, cl_event event);

#endif
