/* Completion: noticing that work of the GPU is done when nobody waits for it, and calling the application back.
 *
 * It has these threads, which are started when they are first needed, so that programs that need none have none:
 * one polls the first watched event of each stream, so that a long kernel on one device does not delay what
 * waits for another; one runs functions that may be the application's and slow; and up to four workers, more
 * than one only when all are busy, copy memory of the host.  The threads are detached, have the signal mask of
 * base/thread.h, and are parked when the process ends.
 *
 * Thread-safe.  A watch, a delivery and an after are the caller's memory; they are in use until their function
 * is called, and belong to the caller again from then on. */
#ifndef CULVERT_ICD_COMPLETE_H
#define CULVERT_ICD_COMPLETE_H

#include "backend/gpu.h"
#include "base/list.h"
#include "icd/thread/witnesses.h"

/* A function to call once an event has happened. */
struct ocl_watch {
	struct list link;
	struct gpu_event *event;        /* borrowed: the caller keeps it alive until fire is called */
	/* Called by the completion thread, without locks.  status: CL_COMPLETE, or the error of the device on
	 * which the event can no longer happen.  It must be quick; it may add the watch again. */
	void (*fire)(struct ocl_watch *watch, cl_int status);
	bool calls_back;                /* fire adds a delivery: the callback thread is woken early */
};

/* A function to call on the callback thread or a worker thread. */
struct ocl_delivery {
	struct list link;
	void (*run)(struct ocl_delivery *delivery);
};

/* A delivery to run once several events have happened, whether or not their commands succeeded. */
struct ocl_after {
	struct ocl_witnesses witnesses; /* the events; the caller frees them, after delivery has run */
	struct ocl_delivery delivery;   /* the caller sets its run */
	bool by_worker;                 /* it runs on a worker thread; otherwise on the callback thread */
	uint32_t next;                  /* the index in witnesses of the event to watch next; 0 at first */
	struct ocl_watch watch;         /* of that event; ocl_complete_after fills it in */
};

/* Starts the completion thread and the callback thread unless they run.  CL_OUT_OF_RESOURCES where that fails;
 * it may be called again then. */
cl_int ocl_complete_start(void);

/* Starts a detached thread of the caller's, see base/thread.h.  False where the system has no more threads. */
bool ocl_complete_thread(void *(*start)(void *));

/* These may be called only after ocl_complete_start succeeded once. */
void ocl_complete_watch(struct ocl_watch *watch);
/* Runs the delivery on the callback thread, after all that were added before it. */
void ocl_complete_deliver(struct ocl_delivery *delivery);
/* Runs the delivery on a worker thread; on the callback thread if no worker could be started. */
void ocl_complete_work(struct ocl_delivery *delivery);
/* after: zero except for the fields that the caller sets. */
void ocl_complete_after(struct ocl_after *after);

/* Whether the process ends: what is watched or delivered from then on is never run. */
bool ocl_complete_is_stopping(void);

#endif
