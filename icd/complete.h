/* Completion: who notices that work is done when nobody asks, and who calls the
 * application back.
 *
 * Two threads of the process, made at the first need and never by programs that
 * need neither: one polls the first watch of each stream, so that a long kernel
 * on one device holds nobody else up; the other runs what may be foreign and
 * slow.  Both have all signals blocked, are detached, and stay parked at the
 * end of the process.
 *
 * Thread-safe.  The items are the caller's memory and are his again when their
 * function is called. */
#ifndef CULVERT_ICD_COMPLETE_H
#define CULVERT_ICD_COMPLETE_H

#include "backend/gpu.h"
#include "base/list.h"

struct ocl_watch {
	struct list link;
	struct gpu_event *event;        /* borrowed: alive until fire */
	/* Called by the completion thread without locks: CL_COMPLETE, or the code of
	 * what went wrong.  Must be quick; may watch again. */
	void (*fire)(struct ocl_watch *watch, cl_int status);
};

struct ocl_delivery {
	struct list link;
	void (*run)(struct ocl_delivery *delivery);   /* called by the callback thread */
};

/* Makes the threads if they are not there. CL_OUT_OF_RESOURCES. */
cl_int ocl_complete_start(void);

/* Both only after ocl_complete_start succeeded once. */
void ocl_complete_watch(struct ocl_watch *watch);
void ocl_complete_deliver(struct ocl_delivery *delivery);

/* The process ends: what is watched or delivered now waits forever. */
bool ocl_complete_is_stopping(void);

#endif
