/* Green contexts: shares of a device's multiprocessors, in its primary context.  Everything named _locked wants the
 * driver's lock.
 *
 * What is made in one belongs to the primary context like everything else there; only streams know their share, and
 * what is launched in them runs on its multiprocessors.  Newer than some <cuda.h>. */
#ifndef CULVERT_SOFTCUDA_DRIVER_GREEN_H
#define CULVERT_SOFTCUDA_DRIVER_GREEN_H

#include "base/list.h"
#include "softcuda/driver/handle.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/exec/cuda.h"

#include <stdint.h>

struct soft_context;
struct soft_stream;

struct soft_green {
	struct list link;                    /* of soft_context.greens */
	void *handle;                        /* the CUgreenCtx */
	CUcontext converted;                 /* of cuCtxFromGreenCtx */
	uint64_t id;
	struct soft_context *context;        /* the primary context; NULL once that is destroyed */
	struct soft_stream *first;           /* its default stream; a reference */
	uint64_t waited_for;                 /* where that has waited for events that all must wait for; 0: none */
	uint64_t multiprocessors;            /* a bit each */
};

/* What cuCtxFromGreenCtx made a handle of; NULL: cu_context is no such handle. */
static inline struct soft_green *soft_green_find_converted_locked(CUcontext cu_context)
{
	return soft_handle_find_locked(SOFT_KIND_GREEN_CONVERTED, cu_context);
}
/* The green context that is current in this thread, or NULL. */
struct soft_green *soft_green_current_locked(void);
/* The primary context ends: the handles of its green contexts live on, and mean nothing any more. */
void soft_green_retire_context_locked(struct soft_context *context);

#endif
