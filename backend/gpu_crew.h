/* Helper threads for copies that several threads share.  They are started when they are first needed, and end when they
 * were not needed for a while.
 *
 * The calling thread begins the work immediately; helpers join as they wake up, and a helper that has not joined is not
 * waited for.  After a job a helper stays awake for 0.1 ms, because waking it for the next copy would take half of
 * that.  The threads are detached, with the signal mask of base/thread.h.
 *
 * Thread-safe. */
#ifndef CULVERT_BACKEND_GPU_CREW_H
#define CULVERT_BACKEND_GPU_CREW_H

#include "base/list.h"

#include <stdatomic.h>
#include <stdbool.h>

struct gpu_crew_job {
	/* Called in several threads at once: does parts of the work until there is none left to begin.  No lock is
	 * held. */
	void (*work)(struct gpu_crew_job *job);
	/* Called in the calling thread instead of work; NULL: work is. */
	void (*lead)(struct gpu_crew_job *job);
	/* The job is over before a thread for it could be started.  Threads are then started for the next job, if the
	 * last one was not long ago. */
	bool brief;
	/* Used by gpu_crew.c: */
	struct list link;
	unsigned wanted, helping;        /* helpers that may still join, and that work; guarded by the crew's lock */
	atomic_uint handed_back;         /* helpers that were awake, and have finished */
};

/* Tells the processor that the thread waits in a loop for another thread's store. */
static inline void gpu_spin(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* The number of threads that share a copy on this machine, with the calling thread: 1 if there are few cores.
 * CULVERT_COPY_THREADS changes it. */
unsigned gpu_crew_size(void);
/* For a loop that waits for another thread, or for the device, after gpu_crew_size was called: spins, or leaves the
 * only processor to others. */
void gpu_crew_let_others(void);
/* Runs the job on the calling thread and on up to helpers other threads; returns when it is done.  No lock may be
 * held. */
void gpu_crew_run(struct gpu_crew_job *job, unsigned helpers);

#endif
