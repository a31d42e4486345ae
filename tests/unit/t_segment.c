/* Protects: the segments of a storage (icd/memory/segment.h): whatever is cut and joined, each byte keeps
 * where it is valid, and who uses it next comes behind what the byte's last use was.  Random sequences
 * beside a model that has a row for each byte.
 *
 * Seen to fail with each of these mistakes in segment.c: a cut forgets the readers, the fill or the writer's
 * sequence of its upper half; a cut or a join miscounts; neighbours are joined whose valid places or fills
 * differ, or with the smaller of their sequences; of too many readers one is dropped, not joined; a
 * reader's earlier event replaces another stream's; a copy without a witness is forgotten, or by a cut; a wait for the
 * writer is left out when its tail has to be recorded; a write leaves other places valid; an event is not given
 * back. */
#include "config.h"

#include "icd/memory/segment.h"

#include "tests/unit/fake_gpu.h"

enum { BYTES = 48, PLACES = 3, STREAMS = 7, STEPS = 150, SEEDS = 300, PAST = 8 };

/* An operation in a stream; sequence 0: none. */
struct use {
	struct gpu_stream *stream;
	uint64_t sequence;
};

/* A byte at a place: the copy that filled it, and the copies that have read it since it was written. */
struct byte_place {
	struct use fill;
	struct use readers[STREAMS];
};

struct byte {
	uint64_t valid;
	struct use writer;
	struct byte_place places[PLACES];
};

static struct {
	struct byte bytes[BYTES];
	struct list segments;
	uint32_t count;
	struct gpu_stream *streams[STREAMS];
} model;

static struct gpu_stream *any_stream(void)
{
	return model.streams[fake_gpu_random(STREAMS)];
}

static struct use work_put(struct gpu_stream *stream)
{
	const struct fake_op nothing = {0};
	return (struct use){stream, fake_gpu_put(stream, &nothing)};
}

static struct gpu_event *witness_of(struct gpu_stream *stream)
{
	struct gpu_event *event = NULL;
	CHECK_EQ(gpu_event_record(stream, false, &event), CL_SUCCESS);
	return event;
}

static bool is_behind(const struct gpu_stream *stream, const struct use *use)
{
	return !use->sequence || use->stream == stream ||
	       fake_gpu_is_behind(stream, use->stream, use->sequence);
}

/* In order, without holes, and as many as are counted; valid where the model says. */
static void check_partition(void)
{
	uint64_t at_B = 0;
	uint32_t count = 0;
	for (const struct list *link = model.segments.next; link != &model.segments; link = link->next) {
		const struct segment *segment = list_entry(link, struct segment, link);
		CHECK_EQ(segment->lo_B, at_B);
		REQUIRE(segment->hi_B > segment->lo_B && segment->hi_B <= BYTES);
		for (uint64_t i = segment->lo_B; i < segment->hi_B; i++)
			CHECK_EQ(segment->valid, model.bytes[i].valid);
		at_B = segment->hi_B;
		count++;
	}
	CHECK_EQ(at_B, BYTES);
	CHECK_EQ(count, model.count);
}

/* Calls function for the segments of a random range, whose ends become borders. */
static void with_range(void (*function)(struct segment *segment))
{
	uint64_t lo_B = fake_gpu_random(BYTES), hi_B = fake_gpu_random(BYTES + 1);
	if (lo_B >= hi_B)
		return;
	CHECK_EQ(segments_split(&model.segments, &model.count, lo_B), CL_SUCCESS);
	CHECK_EQ(segments_split(&model.segments, &model.count, hi_B), CL_SUCCESS);
	struct list *link, *next;
	uint64_t seen_B = 0;
	list_for_each(link, next, &model.segments) {
		struct segment *segment = list_entry(link, struct segment, link);
		if (segment_is_within(segment, lo_B, hi_B)) {
			seen_B += segment->hi_B - segment->lo_B;
			function(segment);
		}
	}
	CHECK_EQ(seen_B, hi_B - lo_B);
}

static void check_waits_writer(const struct segment *segment, const struct gpu_stream *stream)
{
	for (uint64_t i = segment->lo_B; i < segment->hi_B; i++)
		CHECK(is_behind(stream, &model.bytes[i].writer));
}

static void check_waits_fill(const struct segment *segment, uint32_t place, const struct gpu_stream *stream)
{
	for (uint64_t i = segment->lo_B; i < segment->hi_B; i++)
		CHECK(is_behind(stream, &model.bytes[i].places[place].fill));
}

static void check_waits_readers(const struct segment *segment, uint32_t place,
				const struct gpu_stream *stream)
{
	check_waits_fill(segment, place, stream);
	for (uint64_t i = segment->lo_B; i < segment->hi_B; i++)
		for (unsigned r = 0; r < STREAMS; r++)
			CHECK(is_behind(stream, &model.bytes[i].places[place].readers[r]));
}

/* A copy of ours from one place to another, as residency.c makes it. */
static void copy(struct segment *segment)
{
	const uint32_t from = (uint32_t)fake_gpu_random(PLACES), to = (uint32_t)fake_gpu_random(PLACES);
	struct gpu_stream *stream = any_stream();
	if (from == to)
		return;
	CHECK_EQ(segment_wait_fill(segment, from, stream), CL_SUCCESS);
	check_waits_fill(segment, from, stream);
	CHECK_EQ(segment_wait_writer(segment, stream), CL_SUCCESS);
	check_waits_writer(segment, stream);
	CHECK_EQ(segment_wait_readers(segment, to, stream), CL_SUCCESS);
	check_waits_readers(segment, to, stream);
	const struct use use = work_put(stream);
	if (!fake_gpu_random(8)) {
		/* It failed behind the copy: both places are as if that had filled them. */
		segment_set_unwitnessed(segment, from, stream);
		segment_set_unwitnessed(segment, to, stream);
		for (uint64_t i = segment->lo_B; i < segment->hi_B; i++)
			model.bytes[i].places[from].fill = model.bytes[i].places[to].fill = use;
		return;
	}
	struct gpu_event *copied = witness_of(stream);
	CHECK_EQ(segment_add_reader(segment, from, copied), CL_SUCCESS);
	segment_set_fill(segment, to, copied);
	segment->valid |= segment_bit(to);
	gpu_event_unref(copied);
	for (uint64_t i = segment->lo_B; i < segment->hi_B; i++) {
		struct byte *byte = &model.bytes[i];
		byte->valid |= segment_bit(to);
		byte->places[to].fill = use;
		byte->places[from].readers[stream->id] = use;
	}
}

/* A command's write: with a witness, without one, or by the host, who has waited for it. */
static void write_it(struct segment *segment)
{
	const uint32_t place = (uint32_t)fake_gpu_random(PLACES);
	const bool by_host = !fake_gpu_random(4), witnessed = fake_gpu_random(2);
	struct gpu_stream *stream = any_stream();
	CHECK_EQ(segment_wait_writer(segment, stream), CL_SUCCESS);
	CHECK_EQ(segment_wait_readers(segment, place, stream), CL_SUCCESS);
	check_waits_readers(segment, place, stream);
	struct use use = work_put(stream);
	struct gpu_event *done = !by_host && witnessed ? witness_of(stream) : NULL;
	if (by_host) {
		fake_gpu_reach(stream, stream->last);
		use = (struct use){0};
	}
	segment_written(segment, place, by_host ? NULL : stream, done);
	gpu_event_unref(done);
	for (uint64_t i = segment->lo_B; i < segment->hi_B; i++) {
		struct byte *byte = &model.bytes[i];
		byte->valid = segment_bit(place);
		byte->writer = use;
		memset(byte->places[place].readers, 0, sizeof(byte->places[place].readers));
		if (by_host)
			byte->places[place].fill = (struct use){0};
	}
}

static void check_waits(struct segment *segment)
{
	const uint32_t place = (uint32_t)fake_gpu_random(PLACES);
	struct gpu_stream *stream = any_stream();
	CHECK_EQ(segment_wait_readers(segment, place, stream), CL_SUCCESS);
	check_waits_readers(segment, place, stream);
	CHECK_EQ(segment_wait_writer(segment, stream), CL_SUCCESS);
	check_waits_writer(segment, stream);
}

static void step(void)
{
	switch (fake_gpu_random(6)) {
	case 0: with_range(write_it); break;
	case 1: with_range(check_waits); break;
	case 2: segments_tidy(&model.segments, &model.count); break;
	case 3:
		/* Work of the streams that has nothing to do with the segments. */
		(void)work_put(any_stream());
		for (uint64_t i = fake_gpu_random(PAST); i > 0; i--)
			(void)fake_gpu_step();
		fake_gpu_tell(any_stream());
		break;
	default: with_range(copy); break;
	}
	check_partition();
}

static void sequence(uint64_t seed)
{
	memset(&model, 0, sizeof(model));
	fake_gpu_start(seed);
	list_init(&model.segments);
	struct segment *all = segment_create(0, BYTES, PLACES);
	REQUIRE(all != NULL);
	list_append(&model.segments, &all->link);
	model.count = 1;
	for (unsigned i = 0; i < STREAMS; i++)
		CHECK_EQ(gpu_stream_acquire(&fake_gpu.devices[i % FAKE_DEVICES], 0, &model.streams[i]),
			 CL_SUCCESS);
	for (unsigned i = 0; i < STEPS; i++)
		step();
	/* What is over is forgotten: as many pieces as there are differences. */
	fake_gpu_finish();
	segments_tidy(&model.segments, &model.count);
	check_partition();
	uint32_t pieces = 1;
	for (unsigned i = 1; i < BYTES; i++)
		pieces += model.bytes[i].valid != model.bytes[i - 1].valid;
	CHECK_EQ(model.count, pieces);
	struct list *link, *next;
	list_for_each(link, next, &model.segments)
		segment_destroy(list_entry(link, struct segment, link));
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

/* More streams read than there is room for: who writes comes behind all of them. */
static void many_readers(void)
{
	struct gpu_stream *streams[STREAMS], *writer;
	struct use uses[STREAMS];
	fake_gpu_start(1);
	struct segment *segment = segment_create(0, BYTES, 1);
	REQUIRE(segment != NULL);
	for (unsigned i = 0; i < STREAMS; i++) {
		CHECK_EQ(gpu_stream_acquire(&fake_gpu.devices[0], 0, &streams[i]), CL_SUCCESS);
		uses[i] = work_put(streams[i]);
		struct gpu_event *event = witness_of(streams[i]);
		CHECK_EQ(segment_add_reader(segment, 0, event), CL_SUCCESS);
		gpu_event_unref(event);
	}
	CHECK_EQ(gpu_stream_acquire(&fake_gpu.devices[0], 0, &writer), CL_SUCCESS);
	CHECK_EQ(segment_wait_readers(segment, 0, writer), CL_SUCCESS);
	for (unsigned i = 0; i < STREAMS; i++)
		CHECK(is_behind(writer, &uses[i]));
	segment_destroy(segment);
	CHECK_EQ(fake_gpu.events_live, 0);
}

/* Two writes of one stream, without witnesses, become one segment: the later one counts. */
static void joined_writes(void)
{
	struct gpu_stream *writer, *stream;
	struct list segments;
	uint32_t count = 1;
	fake_gpu_start(1);
	list_init(&segments);
	CHECK_EQ(gpu_stream_acquire(&fake_gpu.devices[0], 0, &writer), CL_SUCCESS);
	CHECK_EQ(gpu_stream_acquire(&fake_gpu.devices[0], 0, &stream), CL_SUCCESS);
	struct segment *lower = segment_create(0, BYTES, 1);
	REQUIRE(lower != NULL);
	list_append(&segments, &lower->link);
	CHECK_EQ(segments_split(&segments, &count, BYTES / 2), CL_SUCCESS);
	struct segment *upper = list_entry(lower->link.next, struct segment, link);
	const struct use first = work_put(writer);
	segment_written(lower, 0, writer, NULL);
	const struct use second = work_put(writer);
	segment_written(upper, 0, writer, NULL);
	segments_tidy(&segments, &count);
	CHECK_EQ(count, 1);
	CHECK_EQ(lower->hi_B, BYTES);
	CHECK(fake_gpu_step());
	writer->known = first.sequence;
	CHECK_EQ(segment_wait_writer(lower, stream), CL_SUCCESS);
	CHECK(is_behind(stream, &second));
	segment_destroy(lower);
	CHECK_EQ(fake_gpu.events_live, 0);
}

/* A call of the driver that fails: the code comes back, and nothing is forgotten. */
static void failures(void)
{
	struct gpu_stream *writer, *stream;
	fake_gpu_start(1);
	struct segment *segment = segment_create(0, BYTES, 1);
	REQUIRE(segment != NULL);
	CHECK_EQ(gpu_stream_acquire(&fake_gpu.devices[0], 0, &writer), CL_SUCCESS);
	CHECK_EQ(gpu_stream_acquire(&fake_gpu.devices[0], 0, &stream), CL_SUCCESS);
	const struct use use = work_put(writer);
	segment_written(segment, 0, writer, NULL);
	for (unsigned n = 1; n <= 2; n++) {
		fake_gpu.fail_in = n;
		CHECK_EQ(segment_wait_writer(segment, stream), CL_OUT_OF_RESOURCES);
	}
	CHECK_EQ(segment_wait_writer(segment, stream), CL_SUCCESS);
	CHECK(is_behind(stream, &use));
	segment_destroy(segment);
	CHECK_EQ(fake_gpu.events_live, 0);
}

TEST_MAIN(TEST(random_sequences), TEST(many_readers), TEST(joined_writes), TEST(failures))
