#include "config.h"

#include "icd/thread/complete.h"

#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/thread.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

/* After progress the poller asks again at once for this long, and then after pauses
 * that are a part of the time since: short work is noticed promptly, long work costs
 * some percent of a core.  Near an end that a stream's last ones let foresee it asks
 * without pauses, too. */
static const uint64_t spin_ns = 50000;
static const uint64_t pause_part = 16;
static const uint64_t pause_max_ns = 40000;

/* Each may wait for a copy, and copies of different devices should not wait for
 * each other. */
enum { WORKERS_MAX = 4 };

/* For the application's thread, the completion thread, the callback thread, and others. */
enum { CORES_TO_WAKE_EARLY = 4 };

/* The watches of one stream, by sequence: only the first can be next. */
struct watch_stream {
	struct list link;
	struct gpu_stream *stream;       /* NULL: of any that came without memory for a list */
	struct list watches;
	uint64_t since_ns;               /* the first of them is the first since then */
};

static struct {
	struct lock lock;                /* guards all below */
	bool ready;                      /* conditions and lists are made */
	bool running;                    /* and so are the threads */
	bool stopping;                   /* the process ends: nobody asks the GPU any more */
	pid_t process;                   /* whose threads they are; immutable once ready */
	bool parked;                     /* the completion thread has seen that */
	struct lock_condition watched;
	struct lock_condition delivered;
	struct lock_condition stopped;
	struct list streams;             /* watch_stream; none is ever removed: streams are few */
	/* The last of them.  Here one may have to wait for another's end, which is better than
	 * that who enqueues has to. */
	struct watch_stream any;
	struct list deliveries;
	struct list works;               /* deliveries for the workers */
	unsigned workers, busy_workers;
	struct lock_condition worked;
	uint64_t watch_count;
	/* A thread takes 5 us to wake up, and 20 to 50 us from a deep sleep.  Where there are cores
	 * for that the callback thread is woken together with the completion thread when there
	 * is a watch that calls back, for as long as that asks without pauses; and then a little
	 * before the end that is foreseen. */
	bool wakes_early;
	atomic_bool soon;                /* changed under the lock */
	atomic_uint delivered_count;
} complete = {.lock = LOCK_INIT(LOCK_RANK_EVENT)};

/* --- the completion thread ------------------------------------------------------------ */

/* Takes the stream's first watch out if its event has happened. */
static struct ocl_watch *stream_poll(struct watch_stream *stream, cl_int *status_out)
{
	struct ocl_watch *watch = NULL;
	bool done = false;
	lock_take(&complete.lock);
	if (!list_empty(&stream->watches))
		watch = list_entry(stream->watches.next, struct ocl_watch, link);
	lock_drop(&complete.lock);
	if (!watch)
		return NULL;
	/* Only this thread removes watches, so this one stays. */
	const cl_int error = gpu_event_query(watch->event, &done);
	if (!error && !done)
		return NULL;
	const uint64_t now_ns = host_now_ns();
	lock_take(&complete.lock);
	list_remove(&watch->link);
	complete.watch_count--;
	const uint64_t waited_ns = now_ns - stream->since_ns;
	stream->since_ns = now_ns;
	lock_drop(&complete.lock);
	if (stream->stream)
		gpu_stream_remember(stream->stream, waited_ns);
	*status_out = error < 0 ? error : CL_COMPLETE;
	return watch;
}

static struct list *stream_next(struct list *link)
{
	lock_take(&complete.lock);
	link = link->next;
	lock_drop(&complete.lock);
	return link;
}

static bool streams_poll(void)
{
	bool progress = false;
	struct list *link = &complete.streams;
	while ((link = stream_next(link)) != &complete.streams) {
		struct watch_stream *stream = list_entry(link, struct watch_stream, link);
		struct ocl_watch *watch;
		cl_int status;
		while ((watch = stream_poll(stream, &status))) {
			watch->fire(watch, status);
			progress = true;
		}
	}
	return progress;
}

/* Until the end of a watch comes near that is foreseen, at most_ns the most.  *calls_out: one
 * is near that calls back. */
static uint64_t foresee(uint64_t now_ns, uint64_t most_ns, bool *calls_out)
{
	struct list *link;
	*calls_out = false;
	lock_take(&complete.lock);
	for (link = complete.streams.next; link != &complete.streams; link = link->next) {
		const struct watch_stream *stream = list_entry(link, struct watch_stream, link);
		const struct list *first = stream->watches.next;
		if (!stream->stream || first == &stream->watches)
			continue;
		const uint64_t near_ns = gpu_stream_foresee(stream->stream,
							    now_ns - stream->since_ns);
		*calls_out |= complete.wakes_early && !near_ns &&
			      list_entry(first, struct ocl_watch, link)->calls_back;
		most_ns = near_ns < most_ns ? near_ns : most_ns;
	}
	lock_drop(&complete.lock);
	return most_ns;
}

static void soon_set_locked(bool soon)
{
	if (soon && !atomic_load(&complete.soon))
		lock_condition_signal_all(&complete.delivered);
	atomic_store(&complete.soon, soon);
}

static void soon_set(bool soon)
{
	if (atomic_load(&complete.soon) == soon)
		return;
	lock_take(&complete.lock);
	soon_set_locked(soon);
	lock_drop(&complete.lock);
}

static void poll_pause(uint64_t progress_ns)
{
	const uint64_t now_ns = host_now_ns();
	const uint64_t idle_ns = now_ns - progress_ns;
	bool calls;
	if (idle_ns < spin_ns)
		return;
	const uint64_t pause_ns = idle_ns / pause_part;
	const struct timespec pause = {
		.tv_nsec = (long)foresee(now_ns, pause_ns < pause_max_ns ? pause_ns : pause_max_ns,
					 &calls),
	};
	soon_set(calls);
	if (pause.tv_nsec)
		nanosleep(&pause, NULL);
}

static void *completion_main(void *unused)
{
	uint64_t progress_ns = 0;
	(void)unused;
	/* This thread's sleeps are as long as it says, not 50 us longer. */
	(void)prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	for (;;) {
		lock_take(&complete.lock);
		while (!complete.watch_count || complete.stopping) {
			soon_set_locked(false);
			complete.parked = complete.stopping;
			if (complete.parked)
				lock_condition_signal_all(&complete.stopped);
			lock_condition_wait(&complete.watched, &complete.lock);
			progress_ns = host_now_ns();
		}
		lock_drop(&complete.lock);
		if (streams_poll())
			progress_ns = host_now_ns();
		else
			poll_pause(progress_ns);
	}
	return NULL;
}

/* --- the callback thread ---------------------------------------------------------------- */

/* Stays awake until something is delivered, or is no longer foreseen to be. */
static void delivery_await_locked(void)
{
	const unsigned count = atomic_load(&complete.delivered_count);
	lock_drop(&complete.lock);
	while (atomic_load(&complete.soon) && atomic_load(&complete.delivered_count) == count)
		(void)host_now_ns();
	lock_take(&complete.lock);
}

static void *callback_main(void *unused)
{
	(void)unused;
	for (;;) {
		lock_take(&complete.lock);
		while (list_empty(&complete.deliveries) || complete.stopping) {
			if (atomic_load(&complete.soon))
				delivery_await_locked();
			else
				lock_condition_wait(&complete.delivered, &complete.lock);
		}
		struct list *link = complete.deliveries.next;
		list_remove(link);
		lock_drop(&complete.lock);
		struct ocl_delivery *delivery = list_entry(link, struct ocl_delivery, link);
		delivery->run(delivery);
	}
	return NULL;
}

/* --- the workers ------------------------------------------------------------------------- */

static void *worker_main(void *unused)
{
	(void)unused;
	lock_take(&complete.lock);
	for (;;) {
		while (list_empty(&complete.works) || complete.stopping)
			lock_condition_wait(&complete.worked, &complete.lock);
		struct list *link = complete.works.next;
		list_remove(link);
		complete.busy_workers++;
		lock_drop(&complete.lock);
		struct ocl_delivery *delivery = list_entry(link, struct ocl_delivery, link);
		delivery->run(delivery);
		lock_take(&complete.lock);
		if (!--complete.busy_workers && complete.stopping)
			lock_condition_signal_all(&complete.stopped);
	}
	return NULL;
}

/* --- the end of the process --------------------------------------------------------------- */

/* Before the CUDA driver's own exit handler, which was there earlier: from then on
 * no thread of ours may call it.  A poll is short, and a copy has its time; a
 * callback of the application's that still runs cannot be waited for. */
static void stop_at_exit(void)
{
	static const uint64_t patience_ns = 100000000;
	/* A fork has our parent's locks as they were, perhaps taken, and none of his threads. */
	if (getpid() != complete.process)
		return;
	lock_take(&complete.lock);
	complete.stopping = true;
	lock_condition_signal_all(&complete.watched);
	const uint64_t start_ns = host_now_ns();
	while (((complete.running && !complete.parked) || complete.busy_workers) &&
	       host_now_ns() - start_ns < patience_ns)
		(void)lock_condition_wait_for(&complete.stopped, &complete.lock, patience_ns);
	lock_drop(&complete.lock);
}

/* --- start -------------------------------------------------------------------------------- */

/* Our threads get those of the thread that starts them: where that is bound to a core or two,
 * one of them that stays awake would be in the way of another. */
static int cores_allowed(void)
{
	cpu_set_t cores;
	return sched_getaffinity(0, sizeof(cores), &cores) ? 1 : CPU_COUNT(&cores);
}

static cl_int tables_make_locked(void)
{
	if (complete.ready)
		return CL_SUCCESS;
	if (lock_condition_init(&complete.watched))
		return CL_OUT_OF_RESOURCES;
	if (lock_condition_init(&complete.delivered))
		goto fail_delivered;
	if (lock_condition_init(&complete.stopped))
		goto fail_stopped;
	if (lock_condition_init(&complete.worked))
		goto fail_worked;
	if (atexit(stop_at_exit))
		goto fail_exit;
	list_init(&complete.streams);
	list_init(&complete.any.watches);
	list_append(&complete.streams, &complete.any.link);
	list_init(&complete.deliveries);
	list_init(&complete.works);
	complete.process = getpid();
	complete.wakes_early = cores_allowed() >= CORES_TO_WAKE_EARLY;
	complete.ready = true;
	return CL_SUCCESS;
fail_exit:
	lock_condition_finish(&complete.worked);
fail_worked:
	lock_condition_finish(&complete.stopped);
fail_stopped:
	lock_condition_finish(&complete.delivered);
fail_delivered:
	lock_condition_finish(&complete.watched);
	return CL_OUT_OF_RESOURCES;
}

bool ocl_complete_thread(void *(*start)(void *))
{
	const int failed = thread_start_detached(start);
	if (failed)
		log_err("cannot start a thread for callbacks: error %d", failed);
	return !failed;
}

cl_int ocl_complete_start(void)
{
	static bool callback_running;    /* guarded by the lock */
	lock_take(&complete.lock);
	cl_int error = complete.running ? CL_SUCCESS : tables_make_locked();
	if (!error && !callback_running)
		callback_running = ocl_complete_thread(callback_main);
	if (!error && !complete.running)
		complete.running = callback_running && ocl_complete_thread(completion_main);
	if (!error && !complete.running)
		error = CL_OUT_OF_RESOURCES;
	lock_drop(&complete.lock);
	return error;
}

/* --- orders ---------------------------------------------------------------------------------- */

static struct watch_stream *stream_find_locked(struct gpu_stream *stream)
{
	struct list *link;
	for (link = complete.streams.next; link != &complete.streams; link = link->next)
		if (list_entry(link, struct watch_stream, link)->stream == stream)
			return list_entry(link, struct watch_stream, link);
	struct watch_stream *fresh = malloc(sizeof(*fresh));
	if (!fresh)
		return &complete.any;
	fresh->stream = stream;
	list_init(&fresh->watches);
	list_insert_before(&complete.any.link, &fresh->link);
	return fresh;
}

static void watch_insert_locked(struct watch_stream *stream, struct ocl_watch *watch)
{
	struct list *position = &stream->watches;
	const uint64_t sequence = gpu_event_sequence(watch->event);
	if (list_empty(&stream->watches))
		stream->since_ns = host_now_ns();
	while (stream->stream && position->previous != &stream->watches &&
	       gpu_event_sequence(list_entry(position->previous, struct ocl_watch, link)->event) >
		       sequence)
		position = position->previous;
	list_insert_before(position, &watch->link);
	complete.watch_count++;
}

void ocl_complete_watch(struct ocl_watch *watch)
{
	lock_take(&complete.lock);
	watch_insert_locked(stream_find_locked(gpu_event_stream(watch->event)), watch);
	lock_condition_signal_all(&complete.watched);
	if (watch->calls_back && complete.wakes_early && !complete.stopping)
		soon_set_locked(true);
	lock_drop(&complete.lock);
}

void ocl_complete_deliver(struct ocl_delivery *delivery)
{
	lock_take(&complete.lock);
	list_append(&complete.deliveries, &delivery->link);
	atomic_fetch_add(&complete.delivered_count, 1);
	lock_condition_signal_all(&complete.delivered);
	lock_drop(&complete.lock);
}

void ocl_complete_work(struct ocl_delivery *delivery)
{
	lock_take(&complete.lock);
	list_append(&complete.works, &delivery->link);
	if (complete.busy_workers == complete.workers && complete.workers < WORKERS_MAX)
		complete.workers += ocl_complete_thread(worker_main);
	const bool served = complete.workers;
	if (served)
		lock_condition_signal_all(&complete.worked);
	else
		list_remove(&delivery->link);
	lock_drop(&complete.lock);
	if (!served)
		ocl_complete_deliver(delivery);
}

/* On a lost device nothing runs any more: as good as done. */
static void after_step(struct ocl_watch *watch, cl_int status)
{
	struct ocl_after *after = list_entry(watch, struct ocl_after, watch);
	(void)status;
	if (after->next < after->witnesses.count) {
		watch->event = after->witnesses.events[after->next++];
		ocl_complete_watch(watch);
	} else if (after->by_worker) {
		ocl_complete_work(&after->delivery);
	} else {
		ocl_complete_deliver(&after->delivery);
	}
}

void ocl_complete_after(struct ocl_after *after)
{
	after->watch.fire = after_step;
	after_step(&after->watch, CL_COMPLETE);
}

bool ocl_complete_is_stopping(void)
{
	lock_take(&complete.lock);
	const bool stopping = complete.stopping;
	lock_drop(&complete.lock);
	return stopping;
}
