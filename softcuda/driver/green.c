#include "config.h"

#include "softcuda/driver/green.h"

#include "softcuda/driver/context.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/thread.h"

struct soft_green *soft_green_current_locked(void)
{
	return soft_green_find_converted_locked(soft_thread_handle_locked());
}

void soft_green_retire_context_locked(struct soft_context *context)
{
	struct list *link, *next;
	list_for_each(link, next, &context->greens) {
		struct soft_green *green = list_entry(link, struct soft_green, link);
		list_remove(&green->link);
		green->context = NULL;
	}
}
