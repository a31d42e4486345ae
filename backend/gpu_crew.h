/* Threads that help with one piece of work: made at the first need, gone when there was
 * none for a while.
 *
 * Who has the work begins it himself at once; helpers join as they wake up, and nobody
 * waits for one that has not come.  One that has just helped stays awake for a tenth of a
 * millisecond, since it would take half of that to wake it for the next copy.  They are
 * detached, with the signals of base/thread.h.
 *
 * Thread-safe. */
#ifndef CULVERT_BACKEND_GPU_CREW_H
#define CULVERT_BACKEND_GPU_CREW_H

#include "base/list.h"

#include <stdatomic.h>
#include <stdbool.h>

struct gpu_crew_job {
	/* Does its share, in several threads at once, and returns when there is nothing left
	 * to begin.  No lock is held. */
	void (*work)(struct gpu_crew_job *job);
	/* What the caller does instead; NULL: the same. */
	void (*lead)(struct gpu_crew_job *job);
	/* Done as soon as threads for it could be made: they are, where the last job was not long
	 * ago, for the next one. */
	bool brief;
	/* The crew's own. */
	struct list link;
	unsigned wanted, helping;        /* guarded by the crew's lock */
	atomic_uint handed_back;         /* by helpers that were awake */
};

/* To be called in a loop that waits for another thread's store. */
static inline void gpu_spin(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* Threads that a copy is shared by on this machine, the caller among them: 1 where there are
 * few cores.  CULVERT_COPY_THREADS says otherwise. */
unsigned gpu_crew_size(void);
/* Has the job done by the caller and up to helpers others.  No lock may be held. */
void gpu_crew_run(struct gpu_crew_job *job, unsigned helpers);

#endif
