/* The host's clock.
 *
 * Thread-safe. */
#ifndef CULVERT_BASE_CLOCK_H
#define CULVERT_BASE_CLOCK_H

#include <stdint.h>

/* The time now in nanoseconds of CLOCK_MONOTONIC.  The times of GPU events are converted to it. */
uint64_t host_now_ns(void);
/* The processor time in nanoseconds that the calling thread has used (CLOCK_THREAD_CPUTIME_ID).  A system call. */
uint64_t host_thread_ns(void);

#endif
