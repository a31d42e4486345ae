/* Creates contexts, and destroys them with everything that belongs to them. */
#include "config.h"

#include "softcuda/driver/array.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/event.h"
#include "softcuda/driver/graphics.h"
#include "softcuda/driver/green.h"
#include "softcuda/driver/handle.h"
#include "softcuda/driver/machine.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/module.h"
#include "softcuda/driver/object.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/driver/stream.h"
#include "softcuda/exec/exec.h"

#include <stdlib.h>

CUresult soft_context_create_locked(struct soft_device *device, unsigned flags,
				      unsigned api_version, struct soft_context **context_out)
{
	if (soft_sharing() == SOFT_SHARING_PROHIBITED)
		return CUDA_ERROR_DEVICE_UNAVAILABLE;
	CUresult result = soft_workers_start_locked();
	if (result != CUDA_SUCCESS)
		return result;
	struct soft_context *context = calloc(1, sizeof(*context));
	if (!context)
		return CUDA_ERROR_OUT_OF_MEMORY;
	list_init(&context->streams);
	list_init(&context->events);
	list_init(&context->modules);
	list_init(&context->arrays);
	list_init(&context->objects);
	list_init(&context->greens);
	list_init(&context->graphics);
	context->device = device;
	context->legacy = soft_stream_create_locked(context, CU_STREAM_DEFAULT, 0);
	context->handle = soft_handle_create_locked(SOFT_KIND_CONTEXT, context);
	if (!context->legacy || !context->handle) {
		soft_handle_destroy_locked(context->handle);
		soft_stream_unref_locked(context->legacy);
		free(context);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	context->refs = 1;
	context->alive = true;
	context->flags = flags;
	context->api_version = api_version;
	context->id = ++soft_driver.next_id;
	context->limits[CU_LIMIT_STACK_SIZE] = 1024;
	context->limits[CU_LIMIT_PRINTF_FIFO_SIZE] = 1 << 20;
	context->limits[CU_LIMIT_MALLOC_HEAP_SIZE] = 8 << 20;
	context->limits[CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH] = 2;
	context->limits[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048;
	context->limits[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64;
	list_append(&soft_driver.contexts, &context->link);
	*context_out = context;
	return CUDA_SUCCESS;
}

static void wait_until_idle_locked(struct soft_context *context)
{
	struct list *link = context->streams.next;
	while (link != &context->streams) {
		if (soft_stream_idle(list_entry(link, struct soft_stream, link))) {
			link = link->next;
			continue;
		}
		soft_schedule_wait_locked();
		link = context->streams.next;
	}
}

void soft_context_destroy_locked(struct soft_context *context)
{
	struct list *link, *next;
	/* The context is marked as destroyed first, so that nothing new is added while its work is waited for. */
	context->alive = false;
	soft_handle_destroy_locked(context->handle);
	wait_until_idle_locked(context);
	list_remove(&context->link);
	list_for_each(link, next, &context->modules)
		soft_module_destroy_locked(list_entry(link, struct soft_module, link));
	list_for_each(link, next, &context->events)
		soft_event_destroy_locked(list_entry(link, struct soft_event, link));
	soft_green_retire_context_locked(context);
	list_for_each(link, next, &context->streams) {
		struct soft_stream *stream = list_entry(link, struct soft_stream, link);
		/* Points of other operations may still refer to it. */
		list_remove(link);
		stream->context = NULL;
		soft_stream_retire_locked(stream);
	}
	soft_object_retire_context_locked(context);
	soft_graphics_retire_context_locked(context);
	soft_array_retire_context_locked(context);
	soft_memory_free_context_locked(context);
	soft_context_unref_locked(context);
}

CUresult soft_primary_retain_locked(struct soft_device *device, struct soft_context **context_out)
{
	if (!device->primary) {
		CUresult result = soft_context_create_locked(device, device->primary_flags,
							     SOFT_API_VERSION_OLD,
							     &device->primary);
		if (result != CUDA_SUCCESS)
			return result;
		device->primary->primary = true;
	}
	device->primary_refs++;
	*context_out = device->primary;
	return CUDA_SUCCESS;
}

CUresult soft_primary_release_locked(struct soft_device *device)
{
	if (!device->primary_refs)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!--device->primary_refs)
		soft_primary_destroy_locked(device);
	return CUDA_SUCCESS;
}

void soft_primary_destroy_locked(struct soft_device *device)
{
	struct soft_context *primary = device->primary;
	device->primary_refs = 0;
	device->primary = NULL;
	if (primary)
		soft_context_destroy_locked(primary);
}
