/* Functions that are called once several events have happened: the events are watched one after the other. */
#include "config.h"

#include "icd/thread/complete.h"

/* status is ignored: work of a lost device is as good as complete. */
static void after_step(struct ocl_watch *watch, cl_int status)
{
	struct ocl_after *after = list_entry(watch, struct ocl_after, watch);
	(void)status;
	if (after->next < after->witnesses.count) {
		watch->event = after->witnesses.events[after->next++];
		ocl_complete_watch(watch);
	} else if (after->by_worker) {
		ocl_complete_work(&after->delivery);
	} else {
		ocl_complete_deliver(&after->delivery);
	}
}

void ocl_complete_after(struct ocl_after *after)
{
	after->watch.fire = after_step;
	after_step(&after->watch, CL_COMPLETE);
}
