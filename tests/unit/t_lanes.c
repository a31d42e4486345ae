/* Protects: which stream of a queue a command gets (icd/order/lanes.h): behind the last barrier always, beside
 * other work as long as there are streams, behind what it depends on where that costs nothing; and what
 * markers, finish and workers are told of the streams.  Random sequences of commands on the fake GPU.
 *
 * Seen to fail with each of these mistakes in lanes.c: a new command does not come behind the barrier; a
 * marker leaves out a class of streams, or the last stream of one; a busy stream is shared while there may be
 * more; a stream that another thread submits to counts as idle, or as the end of a dependency; a dependency
 * that is not its stream's tail is continued; uploads that wait for nothing go to several streams; more
 * streams are made than a class may have; a stream that cannot be made fails the command; the witness of an
 * unfinished stream is left out; the barrier that was before is not given back; a stream is kept at the end. */
#include "config.h"

#include "base/clock.h"
#include "icd/order/lanes.h"

#include "tests/unit/fake_gpu.h"

enum { STEPS = 300, SEEDS = 100, EVENTS = 24, DEPENDENCIES = 3 };

/* In the place of base/clock.c. */
uint64_t host_now_ns(void)
{
	return fake_gpu.now_ns;
}

static const unsigned most[OCL_LANE_CLASSES] = {
	[OCL_LANES_WORK] = OCL_LANES_WORK_MAX,
	[OCL_LANES_TO_DEVICE_AT_ONCE] = 1,
	[OCL_LANES_TO_DEVICE] = OCL_LANES_COPY_MAX,
	[OCL_LANES_TO_HOST] = OCL_LANES_COPY_MAX,
};

static struct {
	struct ocl_lanes lanes;
	struct gpu_share *share;         /* all streams are of it */
	struct _cl_event events[EVENTS]; /* of the last commands; done NULL: ended without a stream */
	unsigned next_event;
	struct gpu_event *barrier;
	struct ocl_lane *at;             /* a lane that another thread submits to; NULL: none */
} model;

static bool is_busy(const struct gpu_stream *stream)
{
	return stream->done < stream->last;
}

static void work_put(struct gpu_stream *stream)
{
	const struct fake_op nothing = {0};
	fake_gpu_put(stream, &nothing);
}

static enum ocl_lane_class class_of(const struct ocl_lane *lane)
{
	for (unsigned i = 0; i < OCL_LANE_CLASSES; i++)
		if (lane >= model.lanes.groups[i].lanes &&
		    lane < model.lanes.groups[i].lanes + model.lanes.groups[i].count)
			return (enum ocl_lane_class)i;
	return OCL_LANE_CLASSES;
}

/* How things were before a choice: it may put a wait into the stream. */
struct before {
	unsigned counts[OCL_LANE_CLASSES];
	bool busy[FAKE_STREAMS];
	uint64_t last[FAKE_STREAMS];
};

/* Whether the dependency is the last thing in a lane of the class that nobody is at. */
static const struct ocl_lane *continued_by(enum ocl_lane_class lane_class, const struct _cl_event *event,
					   const struct before *before)
{
	const struct ocl_lane_group *group = &model.lanes.groups[lane_class];
	for (unsigned i = 0; event->done && i < group->count; i++) {
		const struct ocl_lane *lane = &group->lanes[i];
		if (lane->stream == event->done->stream && event->done->sequence == before->last[lane->stream->id] &&
		    !lane->users)
			return lane;
	}
	return NULL;
}

/* What lanes.h says of a choice. */
static void check_choice(const struct ocl_lane *lane, enum ocl_lane_class wanted, uint32_t count,
			 const cl_event *dependencies, const struct before *before)
{
	bool free_to_go = true, continues = false, continuable = false;
	for (uint32_t i = 0; i < count; i++) {
		const struct gpu_event *done = dependencies[i]->done;
		free_to_go = free_to_go && (!done || done->stream->known >= done->sequence);
	}
	const enum ocl_lane_class expected = wanted == OCL_LANES_TO_DEVICE && free_to_go
						     ? OCL_LANES_TO_DEVICE_AT_ONCE : wanted;
	CHECK_EQ(class_of(lane), expected);
	for (uint32_t i = 0; i < count; i++) {
		const struct ocl_lane *end = continued_by(expected, dependencies[i], before);
		continuable = continuable || end;
		continues = continues || end == lane;
	}
	CHECK_EQ(continues, continuable);
	if (!continues && (before->busy[lane->stream->id] || lane->users))
		CHECK_EQ(before->counts[expected], most[expected]);
}

static void barrier_check(const struct gpu_stream *stream)
{
	if (model.barrier)
		CHECK(fake_gpu_is_behind(stream, model.barrier->stream, model.barrier->sequence));
}

static struct ocl_lane *choose(enum ocl_lane_class wanted)
{
	cl_event dependencies[DEPENDENCIES];
	const uint32_t count = (uint32_t)fake_gpu_random(DEPENDENCIES + 1);
	struct ocl_lane *lane = NULL;
	struct before before = {0};
	for (uint32_t i = 0; i < count; i++)
		dependencies[i] = &model.events[fake_gpu_random(EVENTS)];
	for (unsigned i = 0; i < OCL_LANE_CLASSES; i++)
		before.counts[i] = model.lanes.groups[i].count;
	for (uint32_t i = 0; i < fake_gpu.stream_count; i++) {
		before.busy[i] = is_busy(&fake_gpu.streams[i]);
		before.last[i] = fake_gpu.streams[i].last;
	}
	CHECK_EQ(ocl_lanes_choose(&model.lanes, wanted, count, dependencies, &lane), CL_SUCCESS);
	if (!lane || class_of(lane) == OCL_LANE_CLASSES) {
		CHECK(!"a lane of the queue");
		return NULL;
	}
	check_choice(lane, wanted, count, dependencies, &before);
	barrier_check(lane->stream);
	return lane;
}

static void event_keep(struct gpu_stream *stream)
{
	struct _cl_event *event = &model.events[model.next_event++ % EVENTS];
	gpu_event_unref(event->done);
	event->done = NULL;
	if (stream)
		CHECK_EQ(gpu_event_record(stream, false, &event->done), CL_SUCCESS);
}

static void command(void)
{
	static const enum ocl_lane_class classes[] = {OCL_LANES_WORK, OCL_LANES_WORK, OCL_LANES_TO_DEVICE,
						      OCL_LANES_TO_HOST};
	struct ocl_lane *lane = choose(classes[fake_gpu_random(4)]);
	if (!lane)
		return;
	work_put(lane->stream);
	event_keep(fake_gpu_random(8) ? lane->stream : NULL);
}

/* A marker without a list, which may be a barrier. */
static void marker(void)
{
	struct ocl_lane *lane = choose(OCL_LANES_WORK);
	if (!lane)
		return;
	CHECK_EQ(ocl_lanes_join(&model.lanes, lane), CL_SUCCESS);
	for (unsigned i = 0; i < OCL_LANE_CLASSES; i++)
		for (unsigned k = 0; k < model.lanes.groups[i].count; k++) {
			const struct gpu_stream *other = model.lanes.groups[i].lanes[k].stream;
			if (other != lane->stream)
				CHECK(fake_gpu_is_behind(lane->stream, other, other->last));
		}
	work_put(lane->stream);
	event_keep(lane->stream);
	if (fake_gpu_random(2))
		return;
	struct gpu_event *done = NULL;
	CHECK_EQ(gpu_event_record(lane->stream, false, &done), CL_SUCCESS);
	ocl_lanes_set_barrier(&model.lanes, done);
	gpu_event_unref(model.barrier);
	model.barrier = done;
}

static bool is_witnessed(const struct gpu_stream *stream, struct gpu_event *const *tails, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (tails[i]->stream == stream)
			return tails[i]->sequence == stream->last;
	return false;
}

static void tails(void)
{
	struct gpu_event *all[OCL_LANES_TAILS], *ahead = NULL;
	struct gpu_stream *joint;
	unsigned count = 0;
	CHECK_EQ(ocl_lanes_tails(&model.lanes, all, &count, &joint), CL_SUCCESS);
	for (unsigned i = 0; i < OCL_LANE_CLASSES; i++)
		for (unsigned k = 0; k < model.lanes.groups[i].count; k++) {
			const struct gpu_stream *stream = model.lanes.groups[i].lanes[k].stream;
			CHECK(!is_busy(stream) || is_witnessed(stream, all, count));
			CHECK(stream != joint);
		}
	CHECK(!joint || count > 1);
	for (unsigned i = 0; i < count; i++)
		gpu_event_unref(all[i]);
	CHECK_EQ(ocl_lanes_ahead(&model.lanes, &ahead), CL_SUCCESS);
	CHECK(ahead == model.barrier);
	gpu_event_unref(ahead);
}

/* Another thread submits to a lane without the lock, or has done so. */
static void thread(void)
{
	if (model.at) {
		model.at->users--;
		model.at = NULL;
		return;
	}
	model.at = choose(OCL_LANES_WORK);
	if (model.at)
		model.at->users++;
}

static void gpu(void)
{
	for (uint64_t i = fake_gpu_random(12); i > 0; i--)
		(void)fake_gpu_step();
	fake_gpu_tell(&fake_gpu.streams[fake_gpu_random(fake_gpu.stream_count)]);
	fake_gpu.now_ns += fake_gpu_random(3) * 20000;
}

static void model_end(void)
{
	ocl_lanes_finish(&model.lanes);
	for (unsigned i = 0; i < EVENTS; i++)
		gpu_event_unref(model.events[i].done);
	gpu_event_unref(model.barrier);
	CHECK_EQ(fake_gpu.events_live, 0);
	for (uint32_t i = 0; i < fake_gpu.stream_count; i++)
		CHECK(!fake_gpu.streams[i].in_use && fake_gpu.streams[i].share == model.share);
}

static void model_start(uint64_t seed, bool in_order)
{
	memset(&model, 0, sizeof(model));
	fake_gpu_start(seed);
	fake_gpu.now_ns = 1000000;
	model.share = seed % 2 ? (struct gpu_share *)&model : NULL;
	CHECK_EQ(ocl_lanes_init(&model.lanes, &fake_gpu.devices[0], model.share, 0, in_order), CL_SUCCESS);
	CHECK_EQ(fake_gpu.stream_count, 1);
}

static void random_sequences(void)
{
	static void (*const steps[])(void) = {command, command, command, marker, tails, thread, gpu, gpu};
	for (uint64_t seed = 0; seed < SEEDS && !test_failures; seed++) {
		model_start(seed, false);
		for (unsigned i = 0; i < STEPS && !test_failures; i++) {
			steps[fake_gpu_random(sizeof(steps) / sizeof(steps[0]))]();
			for (unsigned k = 0; k < OCL_LANE_CLASSES; k++)
				CHECK(model.lanes.groups[k].count <= most[k]);
		}
		model_end();
		if (test_failures)
			printf("  seed %llu\n", (unsigned long long)seed);
	}
}

static void in_order(void)
{
	struct gpu_event *ahead = NULL;
	struct ocl_lane *lane;
	model_start(1, true);
	CHECK_EQ(ocl_lanes_ahead(&model.lanes, &ahead), CL_SUCCESS);
	CHECK(!ahead);
	for (unsigned i = 0; i < 4; i++) {
		CHECK_EQ(ocl_lanes_choose(&model.lanes, OCL_LANES_TO_HOST, 0, NULL, &lane), CL_SUCCESS);
		CHECK(lane->stream == model.lanes.groups[OCL_LANES_WORK].lanes[0].stream);
		work_put(lane->stream);
	}
	CHECK_EQ(ocl_lanes_ahead(&model.lanes, &ahead), CL_SUCCESS);
	CHECK(ahead && ahead->sequence == 4);
	gpu_event_unref(ahead);
	CHECK_EQ(fake_gpu.stream_count, 1);
	model_end();
}

/* Without another stream things are slower, not wrong; without a device they are wrong. */
static void no_more_streams(void)
{
	struct ocl_lane *lane = NULL;
	model_start(1, false);
	fake_gpu.stream_limit = 2;
	for (unsigned i = 0; i < 8; i++) {
		CHECK_EQ(ocl_lanes_choose(&model.lanes, OCL_LANES_WORK, 0, NULL, &lane), CL_SUCCESS);
		work_put(lane->stream);
		CHECK_EQ(ocl_lanes_choose(&model.lanes, OCL_LANES_TO_HOST, 0, NULL, &lane), CL_SUCCESS);
		work_put(lane->stream);
	}
	CHECK_EQ(fake_gpu.stream_count, 2);
	fake_gpu_finish();
	fake_gpu.devices[0].status = CL_OUT_OF_RESOURCES;
	work_put(fake_gpu.streams[0].ops ? &fake_gpu.streams[0] : &fake_gpu.streams[1]);
	work_put(&fake_gpu.streams[1]);
	CHECK_EQ(ocl_lanes_choose(&model.lanes, OCL_LANES_TO_HOST, 0, NULL, &lane), CL_OUT_OF_RESOURCES);
	model_end();
}

/* Each call of the driver fails once: the code comes back, and no reference is lost. */
static void failures(void)
{
	for (unsigned n = 1; n <= 3; n++) {
		struct gpu_event *all[OCL_LANES_TAILS];
		struct gpu_stream *joint;
		struct ocl_lane *lane = NULL, *last = NULL;
		unsigned count = 0;
		model_start(n, false);
		for (unsigned i = 0; i < 3; i++) {
			last = lane;
			CHECK_EQ(ocl_lanes_choose(&model.lanes, OCL_LANES_WORK, 0, NULL, &lane), CL_SUCCESS);
			work_put(lane->stream);
		}
		CHECK(lane != last);
		fake_gpu.fail_in = n;
		CHECK_EQ(ocl_lanes_join(&model.lanes, lane), CL_OUT_OF_RESOURCES);
		fake_gpu.fail_in = n;
		CHECK_EQ(ocl_lanes_tails(&model.lanes, all, &count, &joint), CL_OUT_OF_RESOURCES);
		CHECK(!joint && count == n - 1);
		while (count)
			gpu_event_unref(all[--count]);
		model_end();
	}
}

TEST_MAIN(TEST(random_sequences), TEST(in_order), TEST(no_more_streams), TEST(failures))
