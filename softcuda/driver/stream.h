/* Streams: queues of operations, first in, first out.  Everything named _locked wants the driver's lock. */
#ifndef CULVERT_SOFTCUDA_DRIVER_STREAM_H
#define CULVERT_SOFTCUDA_DRIVER_STREAM_H

#include "base/list.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/exec/cuda.h"
#include "softcuda/exec/exec.h"

#include <stdbool.h>
#include <stdint.h>

struct oracle_stream;
struct soft_context;
struct soft_green;

struct soft_stream {
	struct list link;                    /* of soft_context.streams */
	struct list active;                  /* of soft_driver.active */
	CUstream handle;                     /* NULL once destroyed, and for default streams */
	struct soft_context *context;        /* NULL once that is destroyed */
	uint64_t id;
	uint64_t thread;                     /* whose per-thread default stream; 0: nobody's */
	unsigned flags;
	int priority;
	struct soft_green *green;            /* whose it is; NULL: the whole device's */
	bool orphaned;                       /* its green context is gone */
	uint64_t multiprocessors;            /* which it runs on, a bit each; 0: all */
	unsigned refs;
	bool running;                        /* the first operation has been started */
	struct list operations;              /* of soft_operation.link, in order */
	uint64_t submitted, completed;       /* sequences; 0 before the first */
	uint64_t chance;                     /* of being chosen, for the schedule; 0: not set */
	struct oracle_stream *oracle;        /* what the oracle knows of it */
};

/* The stream of a handle, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD and NULL
 * included; CUDA_ERROR_INVALID_HANDLE, or the fault of the stream's context. */
CUresult soft_stream_find_locked(struct soft_context *context, CUstream cu_stream,
				 struct soft_stream **stream_out);
struct soft_stream *soft_stream_create_locked(struct soft_context *context, unsigned flags,
					      int priority);
void soft_stream_unref_locked(struct soft_stream *stream);
/* Detaches it from its handle and its context; pending work goes on. */
void soft_stream_retire_locked(struct soft_stream *stream);
/* The end of a thread: its per-thread default streams go. */
void soft_stream_retire_thread_locked(uint64_t thread);
bool soft_stream_idle(const struct soft_stream *stream);

#endif
