/* The callback thread: calls deliveries, which may be slow functions of the application. */
#include "config.h"

#include "icd/thread/complete_state.h"

#include "base/clock.h"
#include "base/processors.h"

#include <stdatomic.h>

/* Cores for the application's thread, the completion thread, the callback thread and one more. */
enum { CORES_TO_WAKE_EARLY = 4 };

static struct {                          /* guarded by ocl_complete.lock */
	struct lock_condition added;     /* there is a delivery, or one is expected soon */
	struct list deliveries;          /* ocl_delivery.link */
	bool running;                    /* the thread was started */
	bool wakes_early;                /* constant once made; complete_state.h explains it */
	atomic_bool soon;                /* a delivery is expected; changed with the lock held, read without */
	atomic_uint added_count;         /* number of deliveries ever added; changed with the lock held, read without */
} callbacks;

int ocl_complete_callbacks_init_locked(void)
{
	const int error = lock_condition_init(&callbacks.added);
	if (error)
		return error;
	list_init(&callbacks.deliveries);
	/* If the process may use few cores only, a thread that stays awake would keep others from running. */
	callbacks.wakes_early = processors_usable() >= CORES_TO_WAKE_EARLY;
	return 0;
}

void ocl_complete_callbacks_finish_locked(void)
{
	lock_condition_finish(&callbacks.added);
}

bool ocl_complete_callbacks_wake_early_locked(void)
{
	return callbacks.wakes_early;
}

void ocl_complete_callbacks_expect_locked(bool soon)
{
	if (soon && !atomic_load(&callbacks.soon))
		lock_condition_signal_all(&callbacks.added);
	atomic_store(&callbacks.soon, soon);
}

void ocl_complete_callbacks_expect(bool soon)
{
	if (atomic_load(&callbacks.soon) == soon)
		return;
	lock_take(&ocl_complete.lock);
	ocl_complete_callbacks_expect_locked(soon);
	lock_drop(&ocl_complete.lock);
}

/* Stays awake until something is delivered, or a delivery is no longer expected. */
static void delivery_await_locked(void)
{
	const unsigned count = atomic_load(&callbacks.added_count);
	lock_drop(&ocl_complete.lock);
	while (atomic_load(&callbacks.soon) && atomic_load(&callbacks.added_count) == count)
		(void)host_now_ns();
	lock_take(&ocl_complete.lock);
}

static void *callback_main(void *unused)
{
	(void)unused;
	for (;;) {
		lock_take(&ocl_complete.lock);
		while (list_empty(&callbacks.deliveries) || ocl_complete.stopping) {
			if (atomic_load(&callbacks.soon))
				delivery_await_locked();
			else
				lock_condition_wait(&callbacks.added, &ocl_complete.lock);
		}
		struct list *link = callbacks.deliveries.next;
		list_remove(link);
		lock_drop(&ocl_complete.lock);
		struct ocl_delivery *delivery = list_entry(link, struct ocl_delivery, link);
		delivery->run(delivery);
	}
	return NULL;
}

bool ocl_complete_callbacks_start_locked(void)
{
	if (!callbacks.running)
		callbacks.running = ocl_complete_thread(callback_main);
	return callbacks.running;
}

void ocl_complete_deliver(struct ocl_delivery *delivery)
{
	lock_take(&ocl_complete.lock);
	list_append(&callbacks.deliveries, &delivery->link);
	atomic_fetch_add(&callbacks.added_count, 1);
	lock_condition_signal_all(&callbacks.added);
	lock_drop(&ocl_complete.lock);
}
