/* Protects: whoever finds that an event is settled has the GPU event that the submission left in it, no waiter is lost,
 * and of several ends of an event only the first one counts. */
#include "config.h"

#include "tests/litmus/litmus.h"

#include "icd/order/queue.h"

#define __builtin_prefetch(...) ((void)0)
#include "icd/order/event.c"

struct gpu_event {
	bool recorded;
};

static struct _cl_context context;
static struct _cl_command_queue queue;
static struct _cl_event event;
static struct gpu_event witness;
static struct ocl_waiter waiter;
static unsigned woken;
static bool waits, ended;

cl_int gpu_event_query(struct gpu_event *done, bool *done_out)
{
	assert(done == &witness && done->recorded);
	*done_out = false;
	return CL_SUCCESS;
}

struct gpu_stream *gpu_event_stream(const struct gpu_event *done)
{
	(void)done;
	return NULL;
}

bool gpu_stream_reached(struct gpu_stream *stream, uint64_t sequence)
{
	(void)stream;
	return sequence == 7;
}

static void setup(void)
{
	witness.recorded = false;
	waiter.next = NULL;
	woken = 0;
	waits = ended = false;
	event.queue = &queue;
	event.context = &context;
	event.done = NULL;
	event.before_sequence = 0;
	event.waiters = NULL;
	event.callbacks = NULL;
	event.watched = event.profiling = false;
	atomic_init(&event.status, CL_QUEUED);
	lock_init(&event.lock, LOCK_RANK_EVENT);
	lock_condition_init(&event.changed);
}

static void wake(const struct ocl_waiter *list)
{
	for (; list; list = list->next)
		woken++;
}

LITMUS_THREAD(submit)
{
	const struct ocl_submission submission = {.done = &witness, .before_sequence = 7};
	witness.recorded = true;
	wake(ocl_event_submitted(&event, &submission));
}

LITMUS_THREAD(wait_for_it)
{
	waits = ocl_event_add_waiter(&event, &waiter);
	if (!waits)
		assert(event.done == &witness && witness.recorded);
}

/* A query sees the command run, because the stream has reached its sequence. */
LITMUS_THREAD(query)
{
	const cl_int status = ocl_event_status(&event);
	assert(status == CL_QUEUED || status == CL_RUNNING);
	if (status == CL_RUNNING) {
		bool first;
		(void)ocl_event_end(&event, -1, &first);
		ended = first;
	}
}

static void finish(void)
{
	assert(woken == waits && !event.waiters);
	assert(ocl_event_has_failed(&event) == ended);
	lock_condition_finish(&event.changed);
	lock_finish(&event.lock);
}

LITMUS_3(setup, submit, wait_for_it, query, finish)
