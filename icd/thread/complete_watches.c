/* The completion thread: polls the first watched event of each stream. */
#include "config.h"

#include "icd/thread/complete_state.h"

#include "base/clock.h"

#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

/* After an event has happened the thread polls without pauses for this long, and then with pauses that are a fixed
 * part of the time since then: the end of short work is noticed promptly, and waiting for long work costs some
 * percent of a core.  If the recent waits for a stream had similar lengths, the thread also polls without pauses
 * around the time at which the next one is expected to end. */
static const uint64_t spin_ns = 50000;
static const uint64_t pause_part = 16;
static const uint64_t pause_max_ns = 40000;

/* The watches of one stream in the order of their sequences: only the first event can be the next to happen. */
struct watch_stream {
	struct list link;                /* watches.streams */
	struct gpu_stream *stream;       /* NULL: watches of any stream for which no list could be allocated */
	struct list watches;             /* ocl_watch.link */
	uint64_t since_ns;               /* the time at which the first of them became the first */
};

static struct {                          /* guarded by ocl_complete.lock */
	struct lock_condition added;     /* there is a watch, or the thread has to park */
	struct list streams;             /* watch_stream.link; never removed: streams are few */
	/* The last list of streams, for watches of any stream.  A watch in it may be noticed late, behind another
	 * one, which is better than making the enqueueing thread wait. */
	struct watch_stream any;
	uint64_t count;                  /* watches of all streams */
	bool running;                    /* the thread was started */
	bool parked;                     /* it has seen that the process ends */
} watches;

/* --- polling ------------------------------------------------------------------------------ */

/* Takes the stream's first watch out if its event has happened. */
static struct ocl_watch *stream_poll(struct watch_stream *stream, cl_int *status_out)
{
	struct ocl_watch *watch = NULL;
	bool done = false;
	lock_take(&ocl_complete.lock);
	if (!list_empty(&stream->watches))
		watch = list_entry(stream->watches.next, struct ocl_watch, link);
	lock_drop(&ocl_complete.lock);
	if (!watch)
		return NULL;
	/* Only this thread removes watches, so this one stays. */
	const cl_int error = gpu_event_query(watch->event, &done);
	if (!error && !done)
		return NULL;
	const uint64_t now_ns = host_now_ns();
	lock_take(&ocl_complete.lock);
	list_remove(&watch->link);
	watches.count--;
	const uint64_t waited_ns = now_ns - stream->since_ns;
	stream->since_ns = now_ns;
	lock_drop(&ocl_complete.lock);
	if (stream->stream)
		gpu_stream_remember(stream->stream, waited_ns);
	*status_out = error < 0 ? error : CL_COMPLETE;
	return watch;
}

static struct list *stream_next(struct list *link)
{
	lock_take(&ocl_complete.lock);
	link = link->next;
	lock_drop(&ocl_complete.lock);
	return link;
}

static bool streams_poll(void)
{
	bool progress = false;
	struct list *link = &watches.streams;
	while ((link = stream_next(link)) != &watches.streams) {
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

/* --- pauses -------------------------------------------------------------------------------- */

/* The time until the next expected end of a watch, at most most_ns. *calls_out: a watch with a callback is about to
 * end. */
static uint64_t foresee(uint64_t now_ns, uint64_t most_ns, bool *calls_out)
{
	struct list *link;
	*calls_out = false;
	lock_take(&ocl_complete.lock);
	const bool wakes_early = ocl_complete_callbacks_wake_early_locked();
	for (link = watches.streams.next; link != &watches.streams; link = link->next) {
		const struct watch_stream *stream = list_entry(link, struct watch_stream, link);
		const struct list *first = stream->watches.next;
		if (!stream->stream || first == &stream->watches)
			continue;
		const uint64_t near_ns = gpu_stream_foresee(stream->stream,
							    now_ns - stream->since_ns);
		*calls_out |= wakes_early && !near_ns &&
			      list_entry(first, struct ocl_watch, link)->calls_back;
		most_ns = near_ns < most_ns ? near_ns : most_ns;
	}
	lock_drop(&ocl_complete.lock);
	return most_ns;
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
	ocl_complete_callbacks_expect(calls);
	if (pause.tv_nsec)
		nanosleep(&pause, NULL);
}

/* --- the thread ----------------------------------------------------------------------------- */

static void *completion_main(void *unused)
{
	uint64_t progress_ns = 0;
	(void)unused;
	/* Without this the kernel may prolong each sleep by 50 us. */
	(void)prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	for (;;) {
		lock_take(&ocl_complete.lock);
		while (!watches.count || ocl_complete.stopping) {
			ocl_complete_callbacks_expect_locked(false);
			watches.parked = ocl_complete.stopping;
			if (watches.parked)
				lock_condition_signal_all(&ocl_complete.stopped);
			lock_condition_wait(&watches.added, &ocl_complete.lock);
			progress_ns = host_now_ns();
		}
		lock_drop(&ocl_complete.lock);
		if (streams_poll())
			progress_ns = host_now_ns();
		else
			poll_pause(progress_ns);
	}
	return NULL;
}

int ocl_complete_watches_init_locked(void)
{
	const int error = lock_condition_init(&watches.added);
	if (error)
		return error;
	list_init(&watches.streams);
	list_init(&watches.any.watches);
	list_append(&watches.streams, &watches.any.link);
	return 0;
}

void ocl_complete_watches_finish_locked(void)
{
	lock_condition_finish(&watches.added);
}

bool ocl_complete_watches_start_locked(void)
{
	if (!watches.running)
		watches.running = ocl_complete_thread(completion_main);
	return watches.running;
}

void ocl_complete_watches_park_locked(void)
{
	lock_condition_signal_all(&watches.added);
}

bool ocl_complete_watches_are_parked_locked(void)
{
	return !watches.running || watches.parked;
}

/* --- adding a watch -------------------------------------------------------------------------- */

static struct watch_stream *stream_find_locked(struct gpu_stream *stream)
{
	struct list *link;
	for (link = watches.streams.next; link != &watches.streams; link = link->next)
		if (list_entry(link, struct watch_stream, link)->stream == stream)
			return list_entry(link, struct watch_stream, link);
	struct watch_stream *fresh = malloc(sizeof(*fresh));
	if (!fresh)
		return &watches.any;
	fresh->stream = stream;
	list_init(&fresh->watches);
	list_insert_before(&watches.any.link, &fresh->link);
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
	watches.count++;
}

void ocl_complete_watch(struct ocl_watch *watch)
{
	lock_take(&ocl_complete.lock);
	watch_insert_locked(stream_find_locked(gpu_event_stream(watch->event)), watch);
	lock_condition_signal_all(&watches.added);
	if (watch->calls_back && ocl_complete_callbacks_wake_early_locked() && !ocl_complete.stopping)
		ocl_complete_callbacks_expect_locked(true);
	lock_drop(&ocl_complete.lock);
}
