#include "config.h"

#include "softcuda/driver/graphics.h"

#include "softcuda/driver/array.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/handle.h"
#include "softcuda/driver/memory.h"

#include <stdlib.h>

CUresult soft_graphics_find_locked(CUgraphicsResource cu_resource, struct soft_graphics **resource_out)
{
	struct soft_graphics *resource = soft_handle_find_locked(SOFT_KIND_GRAPHICS, cu_resource);
	if (!resource)
		return CUDA_ERROR_INVALID_HANDLE;
	*resource_out = resource;
	return resource->busy ? CUDA_ERROR_ILLEGAL_STATE : CUDA_SUCCESS;
}

struct soft_graphics *soft_graphics_create_locked(struct soft_context *context, unsigned name,
						  unsigned target, unsigned flags)
{
	struct soft_graphics *resource = calloc(1, sizeof(*resource));
	if (!resource)
		return NULL;
	resource->handle = soft_handle_create_locked(SOFT_KIND_GRAPHICS, resource);
	if (!resource->handle) {
		free(resource);
		return NULL;
	}
	resource->context = context;
	resource->refs = 1;
	resource->name = name;
	resource->target = target;
	resource->flags = flags;
	list_init(&resource->parts);
	list_append(&context->graphics, &resource->link);
	return resource;
}

static void part_free_locked(struct soft_graphics_part *part)
{
	struct soft_array *array = part->array;
	list_remove(&part->link);
	if (!atomic_load(&array->gone)) {
		array->allocation->egl = NULL;
		soft_memory_free_locked(array->allocation);
		soft_array_end_locked(array);
	}
	soft_array_unref_locked(array);
	free(part);
}

void soft_graphics_empty_locked(struct soft_graphics *resource)
{
	struct list *link, *next;
	if (resource->allocation)
		soft_memory_free_locked(resource->allocation);
	resource->allocation = NULL;
	list_for_each(link, next, &resource->parts)
		part_free_locked(list_entry(link, struct soft_graphics_part, link));
	resource->mapped = false;
}

void soft_graphics_unref_locked(struct soft_graphics *resource)
{
	if (--resource->refs)
		return;
	soft_graphics_empty_locked(resource);
	free(resource);
}

void soft_graphics_end_locked(struct soft_graphics *resource)
{
	list_remove(&resource->link);
	resource->context = NULL;
	soft_handle_destroy_locked(resource->handle);
	soft_graphics_unref_locked(resource);
}

void soft_graphics_retire_context_locked(struct soft_context *context)
{
	struct list *link, *next;
	list_for_each(link, next, &context->graphics) {
		struct soft_graphics *resource = list_entry(link, struct soft_graphics, link);
		/* The thread for which it is busy still uses its parts, and has pinned the memory. */
		if (!resource->busy)
			soft_graphics_empty_locked(resource);
		else if (resource->allocation)
			soft_memory_free_locked(resource->allocation);
		resource->allocation = NULL;
		soft_graphics_end_locked(resource);
	}
}
