/* A GPU that a unit test drives by hand, in the place of backend/gpu.h's functions: what links this
 * needs no driver.  It follows gpu.h's words and nothing else.
 *
 * Operations are kept until fake_gpu_step runs one that may run, of a stream chosen at random: those of
 * a stream in their order, behind the events that the stream was made to wait for.  So what is ordered
 * is what a module has ordered, and a test that forgets an edge fails for some seed.
 *
 * Each stream has a clock: how far it comes behind each other stream.  fake_gpu_is_behind asks it.
 * Memory that was freed is overwritten once the events that it was freed behind have happened; an
 * operation that touches it then is a failure.  Calls that can fail do so where fake_gpu.fail_in counts
 * down to 0.
 *
 * Include it in one file of a program.  Not thread-safe, but for what only reads a stream. */
#ifndef CULVERT_TESTS_FAKE_GPU_H
#define CULVERT_TESTS_FAKE_GPU_H

#include "backend/gpu_image.h"
#include "tests/unit/test.h"

#include <stdlib.h>

enum { FAKE_DEVICES = 4, FAKE_STREAMS = 128, FAKE_BLOCKS = 4096, FAKE_WITNESSES = 256 };

struct gpu_device {
	cl_int status;                   /* an error: it is lost */
};

struct fake_clock {
	uint64_t of[FAKE_STREAMS];
};

struct fake_op {
	struct gpu_stream *awaited;      /* NULL: none */
	uint64_t awaited_sequence;
	void (*run)(const struct fake_op *op);   /* NULL: nothing but the wait */
	void *to;
	const void *from;
	uint64_t size_B;
	void *data;
};

struct gpu_stream {
	struct gpu_device *device;
	struct gpu_share *share;         /* as asked for: never looked into */
	uint32_t id;                     /* and the place in fake_gpu.streams */
	int priority;
	bool in_use;
	struct fake_clock clock;
	struct fake_op *ops;
	uint64_t capacity, last, done;   /* done: in truth */
	uint64_t known;                  /* what the host has been told of it */
};

struct gpu_event {
	unsigned refs;
	struct gpu_stream *stream;
	uint64_t sequence;
	struct fake_clock clock;
};

struct fake_block {
	unsigned char *bytes;
	uint64_t size_B;
	bool freed;                      /* by the module; and */
	bool gone;                       /* once all that it was freed behind had happened */
	uint32_t count;
	struct gpu_stream *after_stream[FAKE_WITNESSES];
	uint64_t after_sequence[FAKE_WITNESSES];
};

static struct {
	struct gpu_device devices[FAKE_DEVICES];
	struct gpu_stream streams[FAKE_STREAMS];
	uint32_t stream_count, stream_limit;
	struct fake_block blocks[FAKE_BLOCKS];   /* device memory and pinned memory of the host */
	uint32_t block_count;
	long events_live;
	unsigned fail_in;                /* 1: the next call that can fail does; 0: none */
	uint64_t now_ns;
} fake_gpu;

/* --- what a test asks and does ------------------------------------------------------------- */

static inline uint64_t fake_gpu_random(uint64_t below)
{
	return test_random(below);
}

/* Everything anew. */
static inline void fake_gpu_start(uint64_t seed)
{
	for (uint32_t i = 0; i < fake_gpu.stream_count; i++)
		free(fake_gpu.streams[i].ops);
	for (uint32_t i = 0; i < fake_gpu.block_count; i++)
		free(fake_gpu.blocks[i].bytes);
	memset(&fake_gpu, 0, sizeof(fake_gpu));
	fake_gpu.stream_limit = FAKE_STREAMS;
	test_random_state = seed * 2 + 1;
	for (int i = 0; i < 4; i++)
		(void)fake_gpu_random(1);
}

static inline bool fake_gpu_fails(void)
{
	return fake_gpu.fail_in && !--fake_gpu.fail_in;
}

/* Whether what stream is given next comes behind the operation of other with that sequence. */
static inline bool fake_gpu_is_behind(const struct gpu_stream *stream, const struct gpu_stream *other,
				      uint64_t sequence)
{
	return other->done >= sequence || stream->clock.of[other->id] >= sequence;
}

static inline uint64_t fake_gpu_put(struct gpu_stream *stream, const struct fake_op *op)
{
	if (stream->last == stream->capacity) {
		stream->capacity = stream->capacity ? 2 * stream->capacity : 64;
		stream->ops = realloc(stream->ops, stream->capacity * sizeof(*stream->ops));
		if (!stream->ops)
			abort();
	}
	stream->ops[stream->last] = *op;
	stream->clock.of[stream->id] = ++stream->last;
	return stream->last;
}

static inline bool fake_stream_may_step(const struct gpu_stream *stream)
{
	if (stream->done == stream->last)
		return false;
	const struct fake_op *op = &stream->ops[stream->done];
	return !op->awaited || op->awaited->done >= op->awaited_sequence;
}

static inline void fake_blocks_sweep(void)
{
	for (uint32_t i = 0; i < fake_gpu.block_count; i++) {
		struct fake_block *block = &fake_gpu.blocks[i];
		bool over = block->freed && !block->gone;
		for (uint32_t k = 0; over && k < block->count; k++)
			over = block->after_stream[k]->done >= block->after_sequence[k];
		if (over) {
			block->gone = true;
			memset(block->bytes, 0xdd, block->size_B);
		}
	}
}

/* Whether an operation may use the bytes: those of no block are the test's own. */
static inline bool fake_gpu_may_touch(const void *bytes, uint64_t size_B)
{
	const unsigned char *at = bytes;
	for (uint32_t i = 0; i < fake_gpu.block_count; i++) {
		const struct fake_block *block = &fake_gpu.blocks[i];
		if (at >= block->bytes && at < block->bytes + block->size_B)
			return !block->gone && at + size_B <= block->bytes + block->size_B;
	}
	return true;
}

static inline void fake_stream_step(struct gpu_stream *stream)
{
	const struct fake_op op = stream->ops[stream->done];
	if (op.run) {
		CHECK(!op.to || fake_gpu_may_touch(op.to, op.size_B));
		CHECK(!op.from || fake_gpu_may_touch(op.from, op.size_B));
		op.run(&op);
	}
	stream->done++;
	fake_blocks_sweep();
}

/* Runs one operation; false: there is none that may run. */
static inline bool fake_gpu_step(void)
{
	const uint32_t first = (uint32_t)fake_gpu_random(fake_gpu.stream_count);
	for (uint32_t i = 0; i < fake_gpu.stream_count; i++) {
		struct gpu_stream *stream = &fake_gpu.streams[(first + i) % fake_gpu.stream_count];
		if (fake_stream_may_step(stream)) {
			fake_stream_step(stream);
			return true;
		}
	}
	return false;
}

/* All that there is; what then is still to come waits for itself. */
static inline void fake_gpu_finish(void)
{
	while (fake_gpu_step())
		continue;
	for (uint32_t i = 0; i < fake_gpu.stream_count; i++)
		CHECK_EQ(fake_gpu.streams[i].last - fake_gpu.streams[i].done, 0);
}

static inline void fake_gpu_reach(struct gpu_stream *stream, uint64_t sequence)
{
	while (stream->done < sequence && fake_gpu_step())
		continue;
	if (stream->known < sequence)
		stream->known = sequence;
}

/* The host is told how far a stream has come, or a part of it. */
static inline void fake_gpu_tell(struct gpu_stream *stream)
{
	stream->known += fake_gpu_random(stream->done - stream->known + 1);
}

/* --- devices and streams --------------------------------------------------------------------- */

cl_int gpu_device_status(const struct gpu_device *device)
{
	return device->status;
}

cl_int gpu_stream_acquire_of(struct gpu_device *device, struct gpu_share *share, int priority,
			     struct gpu_stream **stream_out)
{
	if (device->status)
		return device->status;
	if (fake_gpu_fails())
		return CL_OUT_OF_RESOURCES;
	for (uint32_t i = 0; i < fake_gpu.stream_count; i++) {
		struct gpu_stream *stream = &fake_gpu.streams[i];
		if (stream->device == device && stream->share == share && stream->priority == priority &&
		    !stream->in_use && stream->done == stream->last) {
			stream->in_use = true;
			*stream_out = stream;
			return CL_SUCCESS;
		}
	}
	if (fake_gpu.stream_count == fake_gpu.stream_limit)
		return CL_OUT_OF_RESOURCES;
	struct gpu_stream *stream = &fake_gpu.streams[fake_gpu.stream_count];
	stream->device = device;
	stream->share = share;
	stream->priority = priority;
	stream->id = fake_gpu.stream_count++;
	stream->in_use = true;
	*stream_out = stream;
	return CL_SUCCESS;
}

void gpu_stream_release(struct gpu_stream *stream)
{
	CHECK(stream->in_use);
	stream->in_use = false;
}

struct gpu_device *gpu_stream_device(const struct gpu_stream *stream)
{
	return stream->device;
}

uint32_t gpu_stream_id(const struct gpu_stream *stream)
{
	return stream->id;
}

uint64_t gpu_stream_last(const struct gpu_stream *stream)
{
	return stream->last;
}

uint64_t gpu_stream_outstanding(const struct gpu_stream *stream)
{
	return stream->last - stream->known;
}

bool gpu_stream_is_known_past(const struct gpu_stream *stream, uint64_t sequence)
{
	return stream->known >= sequence;
}

bool gpu_stream_is_known_done(const struct gpu_stream *stream)
{
	return stream->known == stream->last;
}

/* The driver answers for all that the stream was given. */
bool gpu_stream_reached(struct gpu_stream *stream, uint64_t sequence)
{
	if (stream->known >= sequence)
		return true;
	if (stream->done == stream->last)
		stream->known = stream->last;
	return stream->known >= sequence || stream->device->status;
}

cl_int gpu_stream_status(struct gpu_stream *stream)
{
	return stream->device->status;
}

cl_int gpu_stream_drain(struct gpu_stream *stream)
{
	fake_gpu_reach(stream, stream->last);
	return stream->device->status;
}

bool gpu_event_has_failed(const struct gpu_event *event)
{
	(void)event;
	return false;
}

cl_int gpu_stream_wait_event(struct gpu_stream *stream, struct gpu_event *event)
{
	if (event->stream == stream || event->stream->known >= event->sequence ||
	    stream->clock.of[event->stream->id] >= event->sequence)
		return stream->device->status;
	const cl_int status = event->stream->device->status ? event->stream->device->status
							    : stream->device->status;
	if (status)
		return status;
	if (fake_gpu_fails())
		return CL_OUT_OF_RESOURCES;
	for (uint32_t i = 0; i < fake_gpu.stream_count; i++)
		if (stream->clock.of[i] < event->clock.of[i])
			stream->clock.of[i] = event->clock.of[i];
	const struct fake_op op = {.awaited = event->stream, .awaited_sequence = event->sequence};
	fake_gpu_put(stream, &op);
	return CL_SUCCESS;
}

/* --- events ------------------------------------------------------------------------------------ */

cl_int gpu_event_record(struct gpu_stream *stream, bool timing, struct gpu_event **event_out)
{
	(void)timing;
	if (stream->device->status)
		return stream->device->status;
	if (fake_gpu_fails())
		return CL_OUT_OF_RESOURCES;
	struct gpu_event *event = calloc(1, sizeof(*event));
	if (!event)
		abort();
	event->refs = 1;
	event->stream = stream;
	event->sequence = stream->last;
	event->clock = stream->clock;
	fake_gpu.events_live++;
	*event_out = event;
	return CL_SUCCESS;
}

cl_int gpu_event_record_in(struct gpu_stream *stream, bool timing, struct gpu_event **spare,
			   struct gpu_event **event_out)
{
	(void)spare;                     /* may be left where it is */
	return gpu_event_record(stream, timing, event_out);
}

bool gpu_event_is_only(const struct gpu_event *event)
{
	return event->refs == 1;
}

struct gpu_event *gpu_event_ref(struct gpu_event *event)
{
	event->refs++;
	return event;
}

void gpu_event_unref(struct gpu_event *event)
{
	if (!event || --event->refs)
		return;
	fake_gpu.events_live--;
	free(event);
}

struct gpu_stream *gpu_event_stream(const struct gpu_event *event)
{
	return event->stream;
}

uint64_t gpu_event_sequence(const struct gpu_event *event)
{
	return event->sequence;
}

bool gpu_event_known_done(const struct gpu_event *event)
{
	return event->stream->known >= event->sequence;
}

bool gpu_event_is_tail(const struct gpu_event *event, const struct gpu_stream *stream)
{
	return event->stream == stream && event->sequence == stream->last;
}

cl_int gpu_event_query(struct gpu_event *event, bool *done_out)
{
	*done_out = event->stream->done >= event->sequence;
	if (*done_out && event->stream->known < event->sequence)
		event->stream->known = event->sequence;
	return *done_out ? CL_SUCCESS : event->stream->device->status;
}

cl_int gpu_event_wait(struct gpu_event *event)
{
	fake_gpu_reach(event->stream, event->sequence);
	return event->stream->device->status;
}

#endif
