/* Protects: the streams that used a thing (icd/memory/stream_set.h): whoever frees the thing, or orders work
 * behind its users, finds every stream that was noted and no other, as long as it has work.  Random
 * sequences beside a set, and threads that note at the same time.
 *
 * Seen to fail with each of these mistakes in stream_set.c: streams with an id of 64 and more count as noted by
 * the bit of another; the second chunk is not looked at; a chunk that lost the race is put in all the same;
 * a stream is noted twice; a stream with unfinished work has no witness, or one that has finished has; order
 * leaves out a user; a witness is not given back, or not waited for where there is no memory for it; a stream in
 * which no event can be recorded is not waited for. */
#include "config.h"

#include "icd/memory/stream_set.h"

#include "tests/unit/fake_gpu.h"

#include <pthread.h>

enum { STREAMS = 90, STEPS = 200, SEEDS = 100, THREADS = 4, ROUNDS = 200 };

/* In the place of icd/thread/witnesses.c, so that memory can be wanting. */
static bool witnesses_have_no_memory;

bool ocl_witnesses_add(struct ocl_witnesses *witnesses, struct gpu_event *event)
{
	if (witnesses_have_no_memory)
		return false;
	if (!witnesses->events)
		witnesses->events = calloc(STREAMS + 1, sizeof(struct gpu_event *));
	if (!witnesses->events)
		abort();
	witnesses->events[witnesses->count++] = gpu_event_ref(event);
	return true;
}

void ocl_witnesses_finish(struct ocl_witnesses *witnesses)
{
	for (uint32_t i = 0; i < witnesses->count; i++)
		gpu_event_unref(witnesses->events[i]);
	free(witnesses->events);
}

static struct {
	struct ocl_stream_set set;
	struct gpu_stream *streams[STREAMS];
	bool noted[STREAMS];
} model;

static void model_start(uint64_t seed)
{
	memset(&model, 0, sizeof(model));
	fake_gpu_start(seed);
	ocl_stream_set_init(&model.set);
	for (unsigned i = 0; i < STREAMS; i++)
		CHECK_EQ(gpu_stream_acquire(&fake_gpu.devices[i % 2], 0, &model.streams[i]), CL_SUCCESS);
}

static void work_put(struct gpu_stream *stream)
{
	const struct fake_op nothing = {0};
	fake_gpu_put(stream, &nothing);
}

static bool has_work(const struct gpu_stream *stream)
{
	return stream->done < stream->last;
}

/* A witness for each noted stream that has work, of all of it; for others at most one that is over. */
static void check_witnesses(const struct ocl_witnesses *witnesses)
{
	for (unsigned i = 0; i < STREAMS; i++) {
		const struct gpu_stream *stream = model.streams[i];
		unsigned count = 0;
		for (uint32_t k = 0; k < witnesses->count; k++) {
			if (witnesses->events[k]->stream != stream)
				continue;
			CHECK_EQ(witnesses->events[k]->sequence, stream->last);
			count++;
		}
		CHECK_EQ(count, model.noted[i] && has_work(stream));
	}
}

static void collect(void)
{
	struct ocl_witnesses witnesses = OCL_WITNESSES_INIT;
	ocl_stream_set_collect(&model.set, &witnesses);
	check_witnesses(&witnesses);
	ocl_witnesses_finish(&witnesses);
}

static void order(struct gpu_stream *stream)
{
	CHECK_EQ(ocl_stream_set_order(&model.set, stream), CL_SUCCESS);
	for (unsigned i = 0; i < STREAMS; i++) {
		const struct gpu_stream *user = model.streams[i];
		if (model.noted[i] && user != stream)
			CHECK(fake_gpu_is_behind(stream, user, user->last));
	}
}

static void sequence(uint64_t seed)
{
	model_start(seed);
	for (unsigned i = 0; i < STEPS; i++) {
		const unsigned at = (unsigned)fake_gpu_random(STREAMS);
		struct gpu_stream *stream = model.streams[at];
		switch (fake_gpu_random(8)) {
		case 0: collect(); break;
		case 1: order(stream); break;
		case 2: fake_gpu_reach(stream, stream->last); break;
		case 3: work_put(stream); break;
		default:
			CHECK_EQ(ocl_stream_set_add(&model.set, stream), CL_SUCCESS);
			model.noted[at] = true;
			work_put(stream);
			break;
		}
	}
	ocl_stream_set_finish(&model.set);
	CHECK_EQ(fake_gpu.events_live, 0);
}

static void random_sequences(void)
{
	for (uint64_t seed = 0; seed < SEEDS && !test_failures; seed++) {
		sequence(seed);
		if (test_failures)
			printf("  seed %llu\n", (unsigned long long)seed);
	}
}

/* --- threads ------------------------------------------------------------------------------------ */

static pthread_barrier_t together;

/* All streams from a place of its own on, so that the threads meet. */
static void *note_all(void *place)
{
	const unsigned first = (unsigned)(uintptr_t)place;
	pthread_barrier_wait(&together);
	for (unsigned i = 0; i < STREAMS; i++)
		if (ocl_stream_set_add(&model.set, model.streams[(first + i) % STREAMS]))
			return &together;
	return NULL;
}

static void threads_note(void)
{
	pthread_t threads[THREADS];
	REQUIRE(!pthread_barrier_init(&together, NULL, THREADS));
	for (unsigned round = 0; round < ROUNDS; round++) {
		model_start(round);
		for (uintptr_t i = 0; i < THREADS; i++)
			REQUIRE(!pthread_create(&threads[i], NULL, note_all,
						(void *)(i * (round % STREAMS))));
		for (unsigned i = 0; i < THREADS; i++) {
			void *failed = NULL;
			CHECK(!pthread_join(threads[i], &failed) && !failed);
		}
		for (unsigned i = 0; i < STREAMS; i++) {
			model.noted[i] = true;
			work_put(model.streams[i]);
		}
		/* Each once: a stream has one place. */
		collect();
		ocl_stream_set_finish(&model.set);
	}
	pthread_barrier_destroy(&together);
}

/* --- errors --------------------------------------------------------------------------------------- */

/* Every call of the driver that ordering makes fails once. */
static void order_fails(void)
{
	enum { USERS = 6 };
	for (unsigned n = 1; n <= 2 * USERS; n++) {
		model_start(n);
		for (unsigned i = 0; i < USERS; i++) {
			CHECK_EQ(ocl_stream_set_add(&model.set, model.streams[i]), CL_SUCCESS);
			work_put(model.streams[i]);
		}
		fake_gpu.fail_in = n;
		CHECK_EQ(ocl_stream_set_order(&model.set, model.streams[USERS]), CL_OUT_OF_RESOURCES);
		CHECK_EQ(fake_gpu.fail_in, 0);
		ocl_stream_set_finish(&model.set);
		CHECK_EQ(fake_gpu.events_live, 0);
	}
}

/* A thing is not freed too early for want of memory: what cannot be witnessed is waited for. */
static void no_memory(void)
{
	struct ocl_witnesses witnesses = OCL_WITNESSES_INIT;
	model_start(1);
	CHECK_EQ(ocl_stream_set_add(&model.set, model.streams[0]), CL_SUCCESS);
	work_put(model.streams[0]);
	witnesses_have_no_memory = true;
	ocl_stream_set_collect(&model.set, &witnesses);
	witnesses_have_no_memory = false;
	CHECK_EQ(witnesses.count, 0);
	CHECK(!has_work(model.streams[0]));
	ocl_stream_set_finish(&model.set);
	CHECK_EQ(fake_gpu.events_live, 0);
}

/* Nor because no event can be recorded. */
static void no_event(void)
{
	struct ocl_witnesses witnesses = OCL_WITNESSES_INIT;
	model_start(1);
	CHECK_EQ(ocl_stream_set_add(&model.set, model.streams[0]), CL_SUCCESS);
	work_put(model.streams[0]);
	fake_gpu.fail_in = 1;
	ocl_stream_set_collect(&model.set, &witnesses);
	CHECK_EQ(fake_gpu.fail_in, 0);
	CHECK_EQ(witnesses.count, 0);
	CHECK(!has_work(model.streams[0]));
	ocl_stream_set_finish(&model.set);
	CHECK_EQ(fake_gpu.events_live, 0);
}

/* What a lost device was given runs no more: nobody comes behind it. */
static void lost_device(void)
{
	struct ocl_witnesses witnesses = OCL_WITNESSES_INIT;
	model_start(1);
	for (unsigned i = 0; i < 2; i++) {
		CHECK_EQ(ocl_stream_set_add(&model.set, model.streams[i]), CL_SUCCESS);
		work_put(model.streams[i]);
	}
	fake_gpu.devices[0].status = CL_OUT_OF_RESOURCES;
	CHECK_EQ(ocl_stream_set_order(&model.set, model.streams[3]), CL_SUCCESS);
	CHECK(fake_gpu_is_behind(model.streams[3], model.streams[1], model.streams[1]->last));
	ocl_stream_set_collect(&model.set, &witnesses);
	CHECK_EQ(witnesses.count, 1);
	ocl_witnesses_finish(&witnesses);
	ocl_stream_set_finish(&model.set);
	CHECK_EQ(fake_gpu.events_live, 0);
}

TEST_MAIN(TEST(random_sequences), TEST(threads_note), TEST(order_fails), TEST(no_memory), TEST(no_event),
	  TEST(lost_device))
