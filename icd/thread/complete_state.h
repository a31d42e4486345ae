/* What the files behind complete.h share: one lock, the end of the process, and the parts that the threads
 * use of each other.
 *
 * complete_watches.c has the completion thread, which polls GPU events; complete_callbacks.c the thread that
 * calls the application back; complete_workers.c the worker threads; complete_after.c what waits for several
 * events; complete.c starts the threads and parks them when the process ends.
 *
 * Functions whose names end in _locked are called with ocl_complete.lock held; all others without. */
#ifndef CULVERT_ICD_COMPLETE_STATE_H
#define CULVERT_ICD_COMPLETE_STATE_H

#include "base/lock.h"
#include "icd/thread/complete.h"

struct ocl_complete_state {
	struct lock lock;                /* guards all other fields, and the state of all files behind complete.h */
	bool stopping;                   /* the process ends: no thread calls the CUDA driver any more */
	struct lock_condition stopped;   /* signalled when the completion thread or the last busy worker stops */
};
extern struct ocl_complete_state ocl_complete;

/* Each makes what its file needs before any thread runs: 0, or an error of lock_condition_init with nothing
 * made.  The finish functions undo it. */
int ocl_complete_watches_init_locked(void);
void ocl_complete_watches_finish_locked(void);
int ocl_complete_callbacks_init_locked(void);
void ocl_complete_callbacks_finish_locked(void);
int ocl_complete_workers_init_locked(void);
void ocl_complete_workers_finish_locked(void);

/* Starts the thread unless it runs already; false where no thread can be started. */
bool ocl_complete_watches_start_locked(void);
bool ocl_complete_callbacks_start_locked(void);

/* Once stopping is set: wakes the completion thread, which then parks; whether it calls the CUDA driver no
 * more; and how many workers are still busy. */
void ocl_complete_watches_park_locked(void);
bool ocl_complete_watches_are_parked_locked(void);
unsigned ocl_complete_workers_busy_locked(void);

/* Whether the callback thread can be woken before a callback is due.  A thread takes 5 us to wake up, and 20 to
 * 50 us from a deep sleep.  Where there are enough cores the callback thread is therefore woken together with
 * the completion thread when a watch that calls back is added, and stays awake for as long as the completion
 * thread polls without pauses; after that it is woken shortly before the end that is foreseen. */
bool ocl_complete_callbacks_wake_early_locked(void);
/* Says whether a callback is expected soon; the callback thread stays awake while it is. */
void ocl_complete_callbacks_expect_locked(bool soon);
void ocl_complete_callbacks_expect(bool soon);

#endif
