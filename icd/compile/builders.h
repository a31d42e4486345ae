/* Threads that build programs: for a caller who does not wait for his build, and for
 * several kinds of device at once.
 *
 * Made when there is work and none is free, as many as there are cores at most; they
 * end when there is none.  Their signals are those of base/thread.h.  At the end of the process
 * what has not begun is dropped, and what runs is waited for: compilers must not run
 * while their own variables are destroyed.
 *
 * Thread-safe.  A task is the caller's memory. */
#ifndef CULVERT_ICD_BUILDERS_H
#define CULVERT_ICD_BUILDERS_H

#include "base/list.h"

#include <stdbool.h>

struct ocl_builder_task {
	struct list link;
	/* Called by a builder without locks.  Returns what is to be called after it, or
	 * NULL: foreign code, which may take its time and wait for other builds. */
	void (*(*run)(struct ocl_builder_task *task))(struct ocl_builder_task *task);
	bool joined;                 /* ocl_builders_join will be called; nothing to be called after */
	bool done;                   /* guarded by the builders' lock */
};

/* False when no thread can be had: the task stays the caller's.  Otherwise it is the
 * builders' until it was joined, or until run or what run returned is called. */
bool ocl_builders_begin(struct ocl_builder_task *task);

/* Returns when the task is done; does it itself if nobody has begun. */
void ocl_builders_join(struct ocl_builder_task *task);

/* The compilers are loaded and are about to be used: what they leave to the end of the
 * process comes after us. */
void ocl_builders_guard_exit(void);

#endif
