/* The worker threads, which copy memory of the host and run native kernels. */
#include "config.h"

#include "icd/thread/complete_state.h"

/* Each worker may be waiting for a copy; copies of different devices should not wait for each other. */
enum { WORKERS_MAX = 4 };

static struct {                          /* guarded by ocl_complete.lock */
	struct lock_condition added;     /* there is work */
	struct list works;               /* ocl_delivery.link */
	unsigned count, busy;            /* threads that were started, and those that are running work */
} workers;

int ocl_complete_workers_init_locked(void)
{
	const int error = lock_condition_init(&workers.added);
	if (!error)
		list_init(&workers.works);
	return error;
}

void ocl_complete_workers_finish_locked(void)
{
	lock_condition_finish(&workers.added);
}

unsigned ocl_complete_workers_busy_locked(void)
{
	return workers.busy;
}

static void *worker_main(void *unused)
{
	(void)unused;
	lock_take(&ocl_complete.lock);
	for (;;) {
		while (list_empty(&workers.works) || ocl_complete.stopping)
			lock_condition_wait(&workers.added, &ocl_complete.lock);
		struct list *link = workers.works.next;
		list_remove(link);
		workers.busy++;
		lock_drop(&ocl_complete.lock);
		struct ocl_delivery *delivery = list_entry(link, struct ocl_delivery, link);
		delivery->run(delivery);
		lock_take(&ocl_complete.lock);
		if (!--workers.busy && ocl_complete.stopping)
			lock_condition_signal_all(&ocl_complete.stopped);
	}
	return NULL;
}

void ocl_complete_work(struct ocl_delivery *delivery)
{
	lock_take(&ocl_complete.lock);
	list_append(&workers.works, &delivery->link);
	if (workers.busy == workers.count && workers.count < WORKERS_MAX)
		workers.count += ocl_complete_thread(worker_main);
	const bool served = workers.count;
	if (served)
		lock_condition_signal_all(&workers.added);
	else
		list_remove(&delivery->link);
	lock_drop(&ocl_complete.lock);
	if (!served)
		ocl_complete_deliver(delivery);
}
