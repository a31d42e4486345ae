/* Events of a queue that nobody has any more, kept to be used again: most programs
 * ask for as many as they release.
 *
 * Anybody puts them back, without a lock; only who holds the queue's lock takes them,
 * and he takes all that have come back at once, so that no event can come back while
 * somebody looks at it. */
#ifndef CULVERT_ICD_EVENT_POOL_H
#define CULVERT_ICD_EVENT_POOL_H

#include <CL/cl.h>
#include <stdatomic.h>
#include <stdbool.h>

struct ocl_event_pool {
	cl_event ready;                  /* chained by next_free; guarded by the queue's lock */
	_Atomic(cl_event) returned;      /* likewise, by anybody */
	atomic_uint returned_count;
};

/* NULL: there is none.  The queue's lock is held. */
cl_event ocl_event_pool_take(struct ocl_event_pool *pool);
/* false: there are enough of them. */
bool ocl_event_pool_put(struct ocl_event_pool *pool, cl_event event);

#endif
