#include "config.h"

#include "icd/thread/witnesses.h"

#include <stdlib.h>

static bool witnesses_grow(struct ocl_witnesses *witnesses)
{
	if (witnesses->count < witnesses->capacity)
		return true;
	const uint32_t capacity = witnesses->capacity ? 2 * witnesses->capacity : 8;
	struct gpu_event **events = realloc(witnesses->events, capacity * sizeof(*events));
	if (!events)
		return false;
	witnesses->events = events;
	witnesses->capacity = capacity;
	return true;
}

bool ocl_witnesses_add(struct ocl_witnesses *witnesses, struct gpu_event *event)
{
	if (!witnesses_grow(witnesses))
		return false;
	witnesses->events[witnesses->count++] = gpu_event_ref(event);
	return true;
}

void ocl_witnesses_finish(struct ocl_witnesses *witnesses)
{
	for (uint32_t i = 0; i < witnesses->count; i++)
		gpu_event_unref(witnesses->events[i]);
	free(witnesses->events);
	*witnesses = (struct ocl_witnesses)OCL_WITNESSES_INIT;
}
