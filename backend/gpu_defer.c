#include "config.h"

#include "backend/gpu_internal.h"

#include "base/cancel.h"
#include "base/log.h"

#include <stdlib.h>

/* An object that is destroyed once some events have happened. */
struct gpu_deferred {
	struct list link;                /* gpu_device.deferred */
	void (*act)(struct gpu_device *device, void *object);
	void *object;
	bool quiet;                      /* act makes the driver wait for all kernels (gpu_defer_quiet) */
	uint64_t size_B;                 /* its part of device->quiet_B */
	uint32_t count;
	struct gpu_event *after[];       /* refs held */
};

/* The driver may wait or close files meanwhile, so the thread must not be cancelled. */
static void act_whole(struct gpu_device *device, void (*act)(struct gpu_device *, void *),
		      void *object)
{
	const int before = cancel_hold();
	act(device, object);
	cancel_restore(before);
}

static void deferred_run(struct gpu_device *device, struct gpu_deferred *deferred)
{
	act_whole(device, deferred->act, deferred->object);
	if (deferred->quiet) {
		atomic_fetch_sub(&device->quiet_count, 1);
		atomic_fetch_sub(&device->quiet_B, deferred->size_B);
	}
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

static struct gpu_deferred *deferred_new(void (*act)(struct gpu_device *, void *), void *object,
					 struct gpu_event *const *after, uint32_t count)
{
	struct gpu_deferred *deferred =
		malloc(sizeof(*deferred) + count * sizeof(deferred->after[0]));
	if (!deferred)
		return NULL;
	deferred->act = act;
	deferred->object = object;
	deferred->quiet = false;
	deferred->size_B = 0;
	deferred->count = count;
	for (uint32_t i = 0; i < count; i++)
		deferred->after[i] = gpu_event_ref(after[i]);
	return deferred;
}

static void append(struct gpu_device *device, struct gpu_deferred *deferred)
{
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

/* Destroys the objects whose events have happened. hurried: also if the device is not idle. */
static void reap(struct gpu_device *device, bool hurried)
{
	enum { UNKNOWN, BUSY, IDLE } state = hurried ? IDLE : UNKNOWN;
	struct list all, kept;
	struct list *link, *next;
	uint32_t kept_count = 0;
	take_all(device, &all);
	list_init(&kept);
	list_for_each(link, next, &all) {
		struct gpu_deferred *deferred = list_entry(link, struct gpu_deferred, link);
		bool due = !gpu_events_pending(deferred->after, deferred->count);
		if (due && deferred->quiet) {
			if (state == UNKNOWN)
				state = gpu_device_is_idle(device) ? IDLE : BUSY;
			due = state == IDLE;
		}
		list_remove(link);
		if (due) {
			deferred_run(device, deferred);
			continue;
		}
		list_append(&kept, link);
		kept_count++;
	}
	append_all(device, &kept, kept_count);
}

void gpu_defer_reap(struct gpu_device *device)
{
	if (atomic_load_explicit(&device->deferred_count, memory_order_relaxed))
		reap(device, false);
}

void gpu_defer(struct gpu_device *device, void (*act)(struct gpu_device *, void *object),
	       void *object, struct gpu_event *const *after, uint32_t count)
{
	gpu_defer_reap(device);
	if (!gpu_events_pending(after, count)) {
		act_whole(device, act, object);
		return;
	}
	struct gpu_deferred *deferred = deferred_new(act, object, after, count);
	if (deferred)
		append(device, deferred);
	else
		log_err("out of memory: an object that was to be freed later is leaked");
}

void gpu_defer_quiet(struct gpu_device *device, void (*act)(struct gpu_device *, void *object),
		     void *object, uint64_t size_B, struct gpu_event *const *after,
		     uint32_t count)
{
	/* When many objects are waiting they are destroyed together: the first destruction waits for all kernels,
	 * and the others need not wait again. */
	const bool many = atomic_load(&device->quiet_count) >= GPU_QUIET_MAX ||
			  atomic_load(&device->quiet_B) > GPU_QUIET_MAX_B;
	const bool pending = gpu_events_pending(after, count);
	if (atomic_load(&device->deferred_count))
		reap(device, many);
	if (!pending && (many || gpu_device_is_idle(device))) {
		act_whole(device, act, object);
		return;
	}
	struct gpu_deferred *deferred = deferred_new(act, object, after, count);
	if (deferred) {
		deferred->quiet = true;
		deferred->size_B = size_B;
		atomic_fetch_add(&device->quiet_count, 1);
		atomic_fetch_add(&device->quiet_B, size_B);
		append(device, deferred);
	} else if (!pending) {
		act_whole(device, act, object);
	} else {
		log_err("out of memory: an object that was to be freed later is leaked");
	}
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
