/* What runs once several events have happened: their events are watched one after the other. */
#include "config.h"

#include "icd/thread/complete.h"

/* status is not looked at: on a lost device nothing runs any more, which is as good as done. */
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
