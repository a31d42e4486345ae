/* Operations and the order in which they run.
 *
 * A call makes an operation and submits it to a stream.  An operation may start when it is the first of its stream
 * and every point (stream, sequence) that it waits for is reached.  Which of those that
 * may start does start is decided in one place, schedule_pick_locked. */
#ifndef CULVERT_SOFTCUDA_DRIVER_SCHEDULE_H
#define CULVERT_SOFTCUDA_DRIVER_SCHEDULE_H

#include "base/bytes.h"
#include "base/list.h"
#include "softcuda/exec/cuda.h"
#include "softcuda/exec/exec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct oracle_record;
struct soft_context;
struct soft_stream;

/* Reached when stream->completed >= sequence; holds a reference to stream. */
struct soft_point {
	struct soft_stream *stream;
	uint64_t sequence;
};

struct soft_operation;

struct soft_operation_type {
	const char *name;
	/* Does the work, without the lock.  NULL: there is nothing to do but to
	 * take effect in order.  An error is the context's fault from then on. */
	CUresult (*run)(struct soft_operation *operation, struct bytes *report);
	bool despite_fault;                  /* run even in a context with a fault */
	bool frees;                          /* takes memory away */
	bool calls_host;                     /* runs a function of the caller's */
	bool waits_for_host;                 /* may end only when somebody writes memory */
	/* Takes effect, with the lock; may be NULL. */
	void (*retire_locked)(struct soft_operation *operation);
	/* Gives back what it holds, with the lock, run or not; may be NULL. */
	void (*finish_locked)(struct soft_operation *operation);
};

/* The first member of each kind's own struct. */
struct soft_operation {
	struct list link;                    /* of soft_stream.operations */
	const struct soft_operation_type *type;
	struct soft_stream *stream;
	uint64_t sequence;
	uint64_t ticket;                     /* order of submission, of all streams */
	struct soft_point *points;           /* owned */
	uint32_t point_count;
	struct list kernel_link;             /* of soft_driver.kernels, a running launch's */
	uint64_t kernel_number;
	bool kernel;
	CUresult injected;                   /* what it ends with instead of running */
	bool was_held;                       /* the schedule leaves it to the last */
	const char *label;                   /* which of its type; NULL: there is one only */
	struct oracle_record *record;        /* what the oracle notes of it */
};

/* size_B: of the whole struct; zeroed. NULL when out of memory. */
void *soft_operation_create(const struct soft_operation_type *type, size_t size_B);
void soft_operation_destroy_locked(struct soft_operation *operation);
CUresult soft_operation_wait_for_locked(struct soft_operation *operation,
					struct soft_stream *stream, uint64_t sequence);
/* Owns operation from here on, success or not. */
CUresult soft_operation_submit_locked(struct soft_operation *operation,
				      struct soft_stream *stream);
/* Waits until point is reached: the caller holds a reference to its stream.
 * CUDA_ERROR_LAUNCH_TIMEOUT when a lazy schedule finds that it never will be. */
CUresult soft_point_wait_locked(const struct soft_point *point);
/* Waits until point is reached, but at most most_ns, and perhaps less; the caller holds a reference to its stream.
 * In a lazy schedule, where queries let operations run, it waits at most for the one that runs.  False, without
 * waiting, if none runs or could: the next query would have the same answer. */
bool soft_point_rest_locked(const struct soft_point *point, uint64_t most_ns);
/* Waits until any operation has completed, and perhaps less. */
void soft_schedule_wait_locked(void);
/* A question about work was answered with "not yet": a lazy schedule may go on. */
void soft_schedule_nudge_locked(void);
/* What the schedule keeps may run. */
void soft_schedule_let_go_locked(void);
/* Lets all that is in streams end, and goes on with the schedule that items (sched.h)
 * describe. CUDA_ERROR_INVALID_VALUE, _LAUNCH_TIMEOUT, _OUT_OF_MEMORY. */
CUresult soft_schedule_restart_locked(const char *items);
/* Waits until nothing runs that touches memory, which lets the lock go.  What is in streams stays
 * there as long as the lock is held. */
void soft_schedule_quiet_locked(void);
/* Waits for what is in stream now; the fault of its context. */
CUresult soft_stream_wait_locked(struct soft_stream *stream);
/* Starts the first worker. */
CUresult soft_workers_start_locked(void);
/* The end of the process: no further operation starts; true when none runs. */
bool soft_workers_stop(void);

#endif
