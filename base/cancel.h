/* Defers the cancellation of threads (pthread_cancel) while an OpenCL call runs.
 *
 * A cancelled thread ends at a cancellation point, such as a wait, a read or a write.  Inside a call it would end
 * with locks held, with a build begun that others wait for, or with a descriptor that is never closed.  Therefore a
 * thread of the application is never cancelled inside a call, but at its next cancellation point after the call.
 *
 *	const int before = cancel_hold();
 *	...
 *	cancel_restore(before);
 *
 * Pairs may be nested.  Thread-safe: each thread has its own state. */
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
