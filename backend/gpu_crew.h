/* Threads that help with one piece of work: made at the first need, gone when there was
 * none for a while.
 *
 * Who has the work begins it himself at once; helpers join as they wake up, and nobody
 * waits for one that has not come.  They are detached, with the signals of base/thread.h.
 *
 * Thread-safe. */
#ifndef CULVERT_BACKEND_GPU_CREW_H
#define CULVERT_BACKEND_GPU_CREW_H

#include "base/list.h"

struct gpu_crew_job {
	/* Does its share, in several threads at once, and returns when there is nothing left
	 * to begin.  No lock is held. */
	void (*work)(struct gpu_crew_job *job);
	/* The crew's own. */
	struct list link;
	unsigned wanted, helping;
};

/* Threads that a copy is shared by on this machine, the caller among them: 1 where there are
 * few cores.  CULVERT_COPY_THREADS says otherwise. */
unsigned gpu_crew_size(void);
/* Has the job done by the caller and up to helpers others.  No lock may be held. */
void gpu_crew_run(struct gpu_crew_job *job, unsigned helpers);

#endif
