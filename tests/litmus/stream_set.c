/* Protects: a stream that was added to a set is in it for whoever learns of that, also where another thread added the
 * same stream, and where the set grows. */
#include "config.h"

#include "tests/litmus/litmus.h"

#include "icd/memory/stream_set.c"

struct gpu_stream {
	uint32_t id;
};

struct gpu_event {
	struct gpu_stream *stream;
};

enum { SHARED, OTHER, FIRST_OF_FULL, STREAMS = 5 };
static struct gpu_stream streams[STREAMS];
static struct gpu_event events[STREAMS];
static struct ocl_stream_set set;
static atomic_bool told;

uint32_t gpu_stream_id(const struct gpu_stream *stream)
{
	return stream->id;
}

uint64_t gpu_stream_last(const struct gpu_stream *stream)
{
	(void)stream;
	return 1;
}

bool gpu_stream_reached(struct gpu_stream *stream, uint64_t sequence)
{
	(void)stream;
	return !sequence;
}

cl_int gpu_event_record(struct gpu_stream *stream, bool timing, struct gpu_event **event_out)
{
	*event_out = &events[stream->id];
	return timing ? CL_INVALID_VALUE : CL_SUCCESS;
}

void gpu_event_unref(struct gpu_event *event)
{
	(void)event;
}

/* capacity has a bit for each stream. */
bool ocl_witnesses_add(struct ocl_witnesses *witnesses, struct gpu_event *event)
{
	witnesses->count++;
	witnesses->capacity |= 1u << event->stream->id;
	return true;
}

/* One place of the first chunk is free. */
static void setup(void)
{
	ocl_stream_set_init(&set);
	atomic_store(&told, false);
	for (uint32_t i = 0; i < STREAMS; i++) {
		streams[i].id = i;
		events[i].stream = &streams[i];
	}
	for (uint32_t i = FIRST_OF_FULL; i < STREAMS; i++)
		assert(!ocl_stream_set_add(&set, &streams[i]));
}

LITMUS_THREAD(add_shared)
{
	assert(!ocl_stream_set_add(&set, &streams[SHARED]));
}

LITMUS_THREAD(add_shared_and_tell)
{
	assert(!ocl_stream_set_add(&set, &streams[SHARED]));
	atomic_store_explicit(&told, true, memory_order_release);
}

LITMUS_THREAD(add_other)
{
	assert(!ocl_stream_set_add(&set, &streams[OTHER]));
}

LITMUS_THREAD(collect)
{
	struct ocl_witnesses found = OCL_WITNESSES_INIT;
	if (!atomic_load_explicit(&told, memory_order_acquire))
		return;
	ocl_stream_set_collect(&set, &found);
	assert(found.capacity >> SHARED & 1);
}

static void finish(void)
{
	struct ocl_witnesses found = OCL_WITNESSES_INIT;
	ocl_stream_set_collect(&set, &found);
	assert(found.capacity == (1u << STREAMS) - 1 && found.count == STREAMS);
	ocl_stream_set_finish(&set);
}

LITMUS_4(setup, add_shared, add_shared_and_tell, add_other, collect, finish)
