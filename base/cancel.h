/* Cancellation of threads (pthread_cancel) is put off while a call of ours is under way.
 *
 * A wait, a read or a write is a place where a cancelled thread ends, and it would end there with locks
 * held, a build that others wait for begun, or a descriptor that nobody closes any more.  A thread of the
 * application's is so never cancelled within a call: it is at the next such place after it.
 *
 *	const int before = cancel_hold();
 *	...
 *	cancel_restore(before);
 *
 * Pairs may lie within one another.  Thread-safe: the state is the calling thread's own. */
#ifndef CULVERT_BASE_CANCEL_H
#define CULVERT_BASE_CANCEL_H

#include <pthread.h>

static inline int cancel_hold(void)
{
	int before = PTHREAD_CANCEL_DISABLE;
	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	return before;
}

static inline void cancel_restore(int before)
{
	int held;
	(void)pthread_setcancelstate(before, &held);
}

#endif
