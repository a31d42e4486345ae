/* Events: points in streams that have a handle.  Everything named _locked wants the driver's lock. */
#ifndef CULVERT_SOFTCUDA_DRIVER_EVENT_H
#define CULVERT_SOFTCUDA_DRIVER_EVENT_H

#include "base/list.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/exec/cuda.h"
#include "softcuda/exec/exec.h"

#include <stdbool.h>
#include <stdint.h>

struct soft_context;
struct soft_stream;

struct soft_event {
	struct list link;                    /* of soft_context.events */
	CUevent handle;                      /* NULL once destroyed */
	struct soft_context *context;        /* NULL once that is destroyed */
	unsigned flags;
	unsigned refs;
	struct soft_point point;             /* the latest record; stream NULL before the first */
	uint64_t time_ns;                    /* of the latest completed record */
};

CUresult soft_event_find_locked(CUevent cu_event, struct soft_event **event_out);
CUresult soft_event_record_locked(struct soft_event *event, struct soft_stream *stream);
CUresult soft_event_await_locked(struct soft_event *event, struct soft_stream *stream);
void soft_event_unref_locked(struct soft_event *event);
void soft_event_destroy_locked(struct soft_event *event);
bool soft_point_reached(const struct soft_point *point);

#endif
