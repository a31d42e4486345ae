#include "config.h"

#include "backend/gpu_internal.h"

#include "base/log.h"

#include <stdlib.h>

/* What is to be done with an object once some events have happened. */
struct gpu_deferred {
	struct list link;                /* in the device's deferred list */
	void (*act)(struct gpu_device *device, void *object);
	void *object;
	uint32_t count;
	struct gpu_event *after[];       /* references */
};

static bool any_pending(struct gpu_event *const *after, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (gpu_event_pending(after[i]))
			return true;
	return false;
}

static void deferred_run(struct gpu_device *device, struct gpu_deferred *deferred)
{
	deferred->act(device, deferred->object);
	for (uint32_t i = 0; i < deferred->count; i++)
		gpu_event_unref(deferred->after[i]);
	free(deferred);
}

static void append_all(struct gpu_device *device, struct list *list, uint32_t count)
{
	lock_take(&device->lock);
	list_move_all(&device->deferred, list);
	atomic_fetch_add(&device->deferred_count, count);
	lock_drop(&device->lock);
}

void gpu_defer(struct gpu_device *device, void (*act)(struct gpu_device *, void *object),
	       void *object, struct gpu_event *const *after, uint32_t count)
{
	gpu_defer_reap(device);
	if (!any_pending(after, count)) {
		act(device, object);
		return;
	}
	struct gpu_deferred *deferred =
		malloc(sizeof(*deferred) + count * sizeof(deferred->after[0]));
	if (!deferred) {
		log_err("no memory to remember what is to be freed later: it is leaked");
		return;
	}
	deferred->act = act;
	deferred->object = object;
	deferred->count = count;
	for (uint32_t i = 0; i < count; i++)
		deferred->after[i] = gpu_event_ref(after[i]);
	struct list one;
	list_init(&one);
	list_append(&one, &deferred->link);
	append_all(device, &one, 1);
}

static void take_all(struct gpu_device *device, struct list *list)
{
	list_init(list);
	lock_take(&device->lock);
	list_move_all(list, &device->deferred);
	atomic_store(&device->deferred_count, 0);
	lock_drop(&device->lock);
}

void gpu_defer_reap(struct gpu_device *device)
{
	struct list all, kept;
	struct list *link, *next;
	uint32_t kept_count = 0;
	if (!atomic_load_explicit(&device->deferred_count, memory_order_relaxed))
		return;
	take_all(device, &all);
	list_init(&kept);
	list_for_each(link, next, &all) {
		struct gpu_deferred *deferred = list_entry(link, struct gpu_deferred, link);
		list_remove(link);
		if (!any_pending(deferred->after, deferred->count)) {
			deferred_run(device, deferred);
			continue;
		}
		list_append(&kept, link);
		kept_count++;
	}
	append_all(device, &kept, kept_count);
}

void gpu_defer_wait(struct gpu_device *device)
{
	struct list all;
	struct list *link, *next;
	take_all(device, &all);
	list_for_each(link, next, &all) {
		struct gpu_deferred *deferred = list_entry(link, struct gpu_deferred, link);
		list_remove(link);
		for (uint32_t i = 0; i < deferred->count; i++)
			(void)gpu_event_block(deferred->after[i]);
		deferred_run(device, deferred);
	}
}
