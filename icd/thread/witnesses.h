/* A growing array of GPU events that must have happened before something may be done, such as freeing memory that
 * commands still use.
 *
 * Not thread-safe: an array has one owner at a time. */
#ifndef CULVERT_ICD_WITNESSES_H
#define CULVERT_ICD_WITNESSES_H

#include "backend/gpu.h"

struct ocl_witnesses {
	struct gpu_event **events;       /* owned array, with a reference to each event */
	uint32_t count;
	uint32_t capacity;
};

#define OCL_WITNESSES_INIT {0}

/* Adds an event, with a reference of its own; false: out of memory, and nothing was added. */
bool ocl_witnesses_add(struct ocl_witnesses *witnesses, struct gpu_event *event);
/* Releases the references and frees the array; the struct can be used again. */
void ocl_witnesses_finish(struct ocl_witnesses *witnesses);

#endif
