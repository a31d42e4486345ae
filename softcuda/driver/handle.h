/* Handles: the objects to which the caller's CU values refer.  All functions need the driver's lock. */
#ifndef CULVERT_SOFTCUDA_DRIVER_HANDLE_H
#define CULVERT_SOFTCUDA_DRIVER_HANDLE_H

#include "softcuda/driver/schedule.h"
#include "softcuda/exec/cuda.h"

#include <stddef.h>

enum soft_kind {
	SOFT_KIND_FREE,
	SOFT_KIND_CONTEXT,
	SOFT_KIND_STREAM,
	SOFT_KIND_EVENT,
	SOFT_KIND_MODULE,
	SOFT_KIND_FUNCTION,
	SOFT_KIND_LIBRARY,
	SOFT_KIND_KERNEL,
	SOFT_KIND_LINK,
	SOFT_KIND_POOL,
	SOFT_KIND_ARRAY,
	SOFT_KIND_MIPMAP,
	SOFT_KIND_GRAPH,
	SOFT_KIND_GRAPH_NODE,
	SOFT_KIND_GRAPH_EXEC,
	SOFT_KIND_PHYSICAL,
	SOFT_KIND_EXTERNAL,
	SOFT_KIND_SEMAPHORE,
	SOFT_KIND_GREEN,
	SOFT_KIND_GREEN_CONVERTED,
	SOFT_KIND_RESOURCES,
	SOFT_KIND_GRAPHICS,
	SOFT_KIND_COUNT
};

/* The object of a handle.  Slots are never unmapped, so that any value can be checked.  A freed slot is the next one
 * used for its kind, because NVIDIA's driver reuses values, too: programs that use stale handles are found. */
void *soft_handle_create_locked(enum soft_kind kind, void *object);
void soft_handle_destroy_locked(void *handle);
/* NULL: handle is no live handle of that kind. */
void *soft_handle_find_locked(enum soft_kind kind, const void *handle);
/* The number of handles of that kind. */
size_t soft_handle_live_locked(enum soft_kind kind);

#endif
