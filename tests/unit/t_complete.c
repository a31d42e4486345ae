/* Protects: the threads of icd/thread/complete.h: who watches an event is told once it has happened, and not
 * before, those of a stream in its order; deliveries run one after the other in theirs, whatever a worker does
 * meanwhile; and what waits for several events runs behind all of them.
 *
 * Seen to fail with each of these mistakes in complete*.c: a watch is told before its event; one of a stream is
 * told before an earlier one, or never, where a later one came first; a lost device's are never told, or as
 * complete; a delivery is lost where several come at once; work waits for a callback that does not return; what
 * comes after several events comes after the first of them. */
#include "config.h"

#include "icd/thread/complete.h"

#include "tests/unit/test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { STREAMS = 5, WATCHES = 400, DELIVERIES = 500, AFTERS = 40, PER_AFTER = 6 };

/* --- a GPU that is a number for each stream ------------------------------------------------------------- */

struct gpu_stream {
	_Atomic uint64_t done;
	atomic_bool lost;
};

struct gpu_event {
	struct gpu_stream *stream;
	uint64_t sequence;
};

static struct gpu_stream streams[STREAMS];

cl_int gpu_event_query(struct gpu_event *event, bool *done_out)
{
	*done_out = atomic_load(&event->stream->done) >= event->sequence;
	return !*done_out && atomic_load(&event->stream->lost) ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

uint64_t gpu_event_sequence(const struct gpu_event *event)
{
	return event->sequence;
}

struct gpu_stream *gpu_event_stream(const struct gpu_event *event)
{
	return event->stream;
}

struct gpu_event *gpu_event_ref(struct gpu_event *event)
{
	return event;
}

void gpu_event_unref(struct gpu_event *event)
{
	(void)event;
}

uint64_t gpu_stream_foresee(const struct gpu_stream *stream, uint64_t waited_ns)
{
	(void)stream, (void)waited_ns;
	return 0;
}

void gpu_stream_remember(struct gpu_stream *stream, uint64_t waited_ns)
{
	(void)stream, (void)waited_ns;
}

/* Waits for what another thread counts; a test that waits for ever is ended by its harness's patience. */
static bool reaches(atomic_uint *counter, unsigned count)
{
	for (unsigned i = 0; i < 60000 && atomic_load(counter) < count; i++)
		usleep(500);
	return atomic_load(counter) == count;
}

/* --- watches ----------------------------------------------------------------------------------------------- */

static struct watched {
	struct ocl_watch watch;
	struct gpu_event event;
	atomic_uint told;
	cl_int status;
} watched[WATCHES];
static atomic_uint told;
static uint64_t last_told[STREAMS]; /* the completion thread's */

static void fire(struct ocl_watch *watch, cl_int status)
{
	struct watched *at = (struct watched *)watch;
	const unsigned stream = (unsigned)(at->event.stream - streams);
	CHECK(status < 0 || atomic_load(&streams[stream].done) >= at->event.sequence);
	CHECK(at->event.sequence >= last_told[stream] || status < 0);
	last_told[stream] = at->event.sequence;
	at->status = status;
	CHECK_EQ(atomic_fetch_add(&at->told, 1), 0);
	atomic_fetch_add(&told, 1);
}

static void watches(void)
{
	REQUIRE(!ocl_complete_start());
	/* In any order, while the streams go on. */
	for (unsigned i = 0; i < WATCHES; i++) {
		const unsigned stream = (unsigned)test_random(STREAMS);
		struct watched *at = &watched[i];
		at->event = (struct gpu_event){
			&streams[stream], atomic_load(&streams[stream].done) + 1 + test_random(40)};
		at->watch.event = &at->event;
		at->watch.fire = fire;
		at->watch.calls_back = test_random(2);
		ocl_complete_watch(&at->watch);
		if (!test_random(3))
			atomic_fetch_add(&streams[test_random(STREAMS)].done, 1);
	}
	/* The last stream's device is lost with what it has not done. */
	for (unsigned i = 0; i + 1 < STREAMS; i++)
		atomic_store(&streams[i].done, 1000);
	atomic_store(&streams[STREAMS - 1].lost, true);
	CHECK(reaches(&told, WATCHES));
	unsigned lost = 0;
	for (unsigned i = 0; i < WATCHES; i++) {
		CHECK_EQ(atomic_load(&watched[i].told), 1);
		CHECK(watched[i].status == CL_COMPLETE ||
		      watched[i].event.stream == &streams[STREAMS - 1]);
		lost += watched[i].status == CL_OUT_OF_RESOURCES;
	}
	CHECK(lost > 0);
	atomic_store(&streams[STREAMS - 1].lost, false);
	atomic_store(&streams[STREAMS - 1].done, 1000);
}

/* --- deliveries -------------------------------------------------------------------------------------------- */

static struct delivered {
	struct ocl_delivery delivery;
	unsigned turn;
} delivered[DELIVERIES];
static atomic_uint turns, inside, worked;
static atomic_bool held;

/* The first one waits until the workers have worked. */
static void delivery_run(struct ocl_delivery *delivery)
{
	struct delivered *at = (struct delivered *)delivery;
	CHECK_EQ(atomic_fetch_add(&inside, 1), 0);
	CHECK_EQ(at->turn, atomic_load(&turns));
	while (atomic_load(&held))
		usleep(200);
	atomic_fetch_sub(&inside, 1);
	atomic_fetch_add(&turns, 1);
}

static void work_run(struct ocl_delivery *delivery)
{
	(void)delivery;
	atomic_fetch_add(&worked, 1);
}

static void deliveries(void)
{
	static struct ocl_delivery works[20];
	atomic_store(&held, true);
	for (unsigned i = 0; i < DELIVERIES; i++) {
		delivered[i] = (struct delivered){.delivery = {.run = delivery_run}, .turn = i};
		ocl_complete_deliver(&delivered[i].delivery);
	}
	for (unsigned i = 0; i < 20; i++) {
		works[i].run = work_run;
		ocl_complete_work(&works[i]);
	}
	/* A callback that does not return holds no copy up. */
	CHECK(reaches(&worked, 20));
	atomic_store(&held, false);
	CHECK(reaches(&turns, DELIVERIES));
}

/* --- after several ------------------------------------------------------------------------------------------ */

static struct several {
	struct ocl_after after;
	struct gpu_event events[PER_AFTER];
} several[AFTERS];
static atomic_uint afters;

static void after_run(struct ocl_delivery *delivery)
{
	struct several *at = list_entry(delivery, struct several, after.delivery);
	for (unsigned i = 0; i < at->after.witnesses.count; i++) {
		const struct gpu_event *event = at->after.witnesses.events[i];
		CHECK(atomic_load(&event->stream->done) >= event->sequence);
	}
	ocl_witnesses_finish(&at->after.witnesses);
	atomic_fetch_add(&afters, 1);
}

static void after_several(void)
{
	for (unsigned i = 0; i < AFTERS; i++) {
		struct several *at = &several[i];
		const unsigned count = (unsigned)test_random(PER_AFTER + 1);
		for (unsigned k = 0; k < count; k++) {
			struct gpu_stream *stream = &streams[test_random(STREAMS)];
			at->events[k] = (struct gpu_event){stream, atomic_load(&stream->done) +
									   test_random(30)};
			REQUIRE(ocl_witnesses_add(&at->after.witnesses, &at->events[k]));
		}
		at->after.delivery.run = after_run;
		at->after.by_worker = test_random(2);
		ocl_complete_after(&at->after);
	}
	for (unsigned i = 0; i < 60; i++) {
		for (unsigned k = 0; k < STREAMS; k++)
			atomic_fetch_add(&streams[k].done, test_random(2));
		usleep(300);
	}
	for (unsigned k = 0; k < STREAMS; k++)
		atomic_fetch_add(&streams[k].done, 100);
	CHECK(reaches(&afters, AFTERS));
}

TEST_MAIN(TEST(watches), TEST(deliveries), TEST(after_several))
