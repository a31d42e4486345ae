/* Threads that build programs: for builds with a callback, and for several kinds of device at once.
 *
 * A thread is started when there is a task and no thread is idle, up to one for each core; the threads end when there
 * is no task.  They have the signal mask of base/thread.h.  When the process ends, tasks that have not begun are
 * dropped, and those that run are waited for: compilers must not run while their static objects are destroyed.
 *
 * Thread-safe.  A task is the caller's memory. */
#ifndef CULVERT_ICD_BUILDERS_H
#define CULVERT_ICD_BUILDERS_H

#include "base/list.h"

#include <stdbool.h>

struct ocl_builder_task {
	struct list link;
	/* Called by a builder thread, without locks.  Returns a function that is called after it, or NULL; that
	 * function may call the application, take long, and wait for other builds. */
	void (*(*run)(struct ocl_builder_task *task))(struct ocl_builder_task *task);
	bool joined;                 /* ocl_builders_join will be called; then run returns NULL */
	bool done;                   /* guarded by the builders' lock */
};

/* Passes a task to the builders; false when no thread can be started.  The builders own the task until it was joined,
 * or until the last of run and the function that it returned is called. */
bool ocl_builders_begin(struct ocl_builder_task *task);

/* Returns when the task is done; runs it on this thread if no builder has begun it. */
void ocl_builders_join(struct ocl_builder_task *task);

/* Called when the compilers are loaded and before they are used in this process, so that the exit handlers that they
 * register are called after the builders have stopped. */
void ocl_builders_guard_exit(void);

#endif
