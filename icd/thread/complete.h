/* Completion: who notices that work is done when nobody asks, and who calls the
 * application back.
 *
 * Threads of the process, made at the first need and never by programs that need
 * none: one polls the first watch of each stream, so that a long kernel on one
 * device holds nobody else up; one runs what may be foreign and slow; and a few
 * workers, more only when all are busy, copy memory of the host.  They are detached,
 * with the signals of base/thread.h, and stay parked at the end of the process.
 *
 * Thread-safe.  The items are the caller's memory and are his again when their
 * function is called. */
#ifndef CULVERT_ICD_COMPLETE_H
#define CULVERT_ICD_COMPLETE_H

#include "backend/gpu.h"
#include "base/list.h"
#include "icd/thread/witnesses.h"

struct ocl_watch {
	struct list link;
	struct gpu_event *event;        /* borrowed: alive until fire */
	/* Called by the completion thread without locks: CL_COMPLETE, or the code of
	 * what went wrong.  Must be quick; may watch again. */
	void (*fire)(struct ocl_watch *watch, cl_int status);
	bool calls_back;                /* fire delivers to the callback thread */
};

struct ocl_delivery {
	struct list link;
	void (*run)(struct ocl_delivery *delivery);   /* called by the callback thread */
};

/* Something to do once several events have happened, whatever became of them. */
struct ocl_after {
	struct ocl_witnesses witnesses; /* stay the caller's */
	struct ocl_delivery delivery;   /* its run is the caller's to set */
	bool by_worker;                 /* else by the callback thread */
	uint32_t next;
	struct ocl_watch watch;
};

/* Makes the first two threads if they are not there. CL_OUT_OF_RESOURCES. */
cl_int ocl_complete_start(void);

/* A thread like those: detached, see base/thread.h.  False: there is none to be had. */
bool ocl_complete_thread(void *(*start)(void *));

/* All only after ocl_complete_start succeeded once. */
void ocl_complete_watch(struct ocl_watch *watch);
void ocl_complete_deliver(struct ocl_delivery *delivery);
/* By a worker; by the callback thread if none could be made. */
void ocl_complete_work(struct ocl_delivery *delivery);
/* after: all 0 but what the caller sets. */
void ocl_complete_after(struct ocl_after *after);

/* The process ends: what is watched or delivered now waits forever. */
bool ocl_complete_is_stopping(void);

#endif
