#include "config.h"

#include "icd/memory/segment.h"

#include "base/zeroed.h"

#include <stdlib.h>
#include <string.h>

static void segment_set_up(struct segment *segment, uint64_t lo_B, uint64_t hi_B,
			   uint32_t place_count)
{
	list_init(&segment->link);
	segment->lo_B = lo_B;
	segment->hi_B = hi_B;
	segment->place_count = place_count;
}

struct segment *segment_create(uint64_t lo_B, uint64_t hi_B, uint32_t place_count)
{
	struct segment *segment = zeroed(segment_size_B(place_count));
	if (segment)
		segment_set_up(segment, lo_B, hi_B, place_count);
	return segment;
}

void segment_init(struct segment *segment, uint64_t lo_B, uint64_t hi_B, uint32_t place_count)
{
	segment_set_up(segment, lo_B, hi_B, place_count);
	segment->within = true;
}

static void event_drop(struct gpu_event **event)
{
	if (!*event)
		return;
	gpu_event_unref(*event);
	*event = NULL;
}

static void readers_drop(struct segment_place *place)
{
	for (unsigned i = 0; i < SEGMENT_READERS; i++)
		event_drop(&place->readers[i]);
}

void segment_destroy(struct segment *segment)
{
	event_drop(&segment->write);
	for (uint32_t i = 0; i < segment->place_count; i++) {
		event_drop(&segment->places[i].fill);
		readers_drop(&segment->places[i]);
	}
	if (!segment->within)
		free(segment);
}

static struct gpu_event *event_share(struct gpu_event *event)
{
	return event ? gpu_event_ref(event) : NULL;
}

static struct segment *segment_cut(struct segment *segment, uint64_t at_B)
{
	struct segment *upper = segment_create(at_B, segment->hi_B, segment->place_count);
	if (!upper)
		return NULL;
	upper->valid = segment->valid;
	upper->holds = segment->holds;
	upper->overwrites = segment->overwrites;
	upper->overwriter = segment->overwriter;
	upper->writer = segment->writer;
	upper->sequence = segment->sequence;
	upper->write = event_share(segment->write);
	for (uint32_t i = 0; i < segment->place_count; i++) {
		const struct segment_place *from = &segment->places[i];
		upper->places[i].fill = event_share(from->fill);
		for (unsigned r = 0; r < SEGMENT_READERS; r++)
			upper->places[i].readers[r] = event_share(from->readers[r]);
		upper->places[i].unwitnessed = from->unwitnessed;
		upper->places[i].unwitnessed_sequence = from->unwitnessed_sequence;
	}
	segment->hi_B = at_B;
	return upper;
}

cl_int segments_split(struct list *segments, uint32_t *count, uint64_t at_B)
{
	struct list *link, *next;
	list_for_each(link, next, segments) {
		struct segment *segment = list_entry(link, struct segment, link);
		if (at_B <= segment->lo_B)
			break;
		if (at_B >= segment->hi_B)
			continue;
		struct segment *upper = segment_cut(segment, at_B);
		if (!upper)
			return CL_OUT_OF_HOST_MEMORY;
		list_insert_before(segment->link.next, &upper->link);
		++*count;
		break;
	}
	return CL_SUCCESS;
}

/* Whether nobody has to wait for the event: it has happened, or its device is lost. */
static bool event_is_past(struct gpu_event *event)
{
	bool done = false;
	return gpu_event_query(event, &done) || done;
}

static void event_forget_past(struct gpu_event **event)
{
	if (*event && event_is_past(*event))
		event_drop(event);
}

static void segment_forget_past(struct segment *segment)
{
	if (segment->write && event_is_past(segment->write)) {
		event_drop(&segment->write);
		segment->writer = NULL;
	} else if (segment->writer && !segment->write &&
		   gpu_stream_reached(segment->writer, segment->sequence)) {
		segment->writer = NULL;
	}
	for (uint32_t i = 0; i < segment->place_count; i++) {
		struct segment_place *place = &segment->places[i];
		event_forget_past(&place->fill);
		for (unsigned r = 0; r < SEGMENT_READERS; r++)
			event_forget_past(&place->readers[r]);
		if (place->unwitnessed &&
		    gpu_stream_reached(place->unwitnessed, place->unwitnessed_sequence)) {
			place->unwitnessed = NULL;
			place->unwitnessed_sequence = 0;
		}
	}
}

static bool segments_are_alike(const struct segment *a, const struct segment *b)
{
	return a->valid == b->valid && !a->holds && !b->holds && a->writer == b->writer &&
	       a->write == b->write &&
	       !memcmp(a->places, b->places, a->place_count * sizeof(a->places[0]));
}

void segments_tidy(struct list *segments, uint32_t *count)
{
	struct segment *last = NULL;
	struct list *link, *next;
	list_for_each(link, next, segments) {
		struct segment *segment = list_entry(link, struct segment, link);
		segment_forget_past(segment);
		if (!last || !segments_are_alike(last, segment)) {
			last = segment;
			continue;
		}
		last->hi_B = segment->hi_B;
		if (last->sequence < segment->sequence)
			last->sequence = segment->sequence;
		list_remove(&segment->link);
		segment_destroy(segment);
		--*count;
	}
}

/* Replaces unwitnessed by an event.  Recorded in that stream now, it happens after the copy, which itself waited for
 * the place's fill. */
static cl_int unwitnessed_resolve(struct segment_place *place)
{
	struct gpu_event *tail;
	const cl_int error = gpu_event_record(place->unwitnessed, false, &tail);
	if (error)
		return error;
	event_drop(&place->fill);
	place->fill = tail;
	place->unwitnessed = NULL;
	place->unwitnessed_sequence = 0;
	return CL_SUCCESS;
}

cl_int segment_wait_fill(struct segment *segment, uint32_t place, struct gpu_stream *stream)
{
	struct segment_place *at = &segment->places[place];
	const cl_int error = at->unwitnessed ? unwitnessed_resolve(at) : CL_SUCCESS;
	if (error)
		return error;
	return at->fill ? gpu_stream_wait_event(stream, at->fill) : CL_SUCCESS;
}

cl_int segment_wait_readers(struct segment *segment, uint32_t place, struct gpu_stream *stream)
{
	cl_int error = segment_wait_fill(segment, place, stream);
	for (unsigned i = 0; i < SEGMENT_READERS && !error; i++) {
		struct gpu_event *reader = segment->places[place].readers[i];
		if (reader)
			error = gpu_stream_wait_event(stream, reader);
	}
	return error;
}

cl_int segment_wait_writer(struct segment *segment, struct gpu_stream *stream)
{
	if (!segment->writer || segment->writer == stream)
		return CL_SUCCESS;
	if (!segment->write) {
		/* No event was recorded after that write.  One that is recorded in its stream now happens after it.
		 * If the write is known to be complete, later work in that stream need not be waited for. */
		if (gpu_stream_is_known_past(segment->writer, segment->sequence))
			return CL_SUCCESS;
		cl_int error = gpu_event_record(segment->writer, false, &segment->write);
		if (error)
			return error;
	}
	return gpu_stream_wait_event(stream, segment->write);
}

void segment_set_fill(struct segment *segment, uint32_t place, struct gpu_event *event)
{
	gpu_event_ref(event);
	event_drop(&segment->places[place].fill);
	segment->places[place].fill = event;
}

void segment_set_unwitnessed(struct segment *segment, uint32_t place, struct gpu_stream *stream)
{
	segment->places[place].unwitnessed = stream;
	segment->places[place].unwitnessed_sequence = gpu_stream_last(stream);
}

cl_int segment_add_reader(struct segment *segment, uint32_t place, struct gpu_event *event)
{
	struct gpu_event **readers = segment->places[place].readers;
	struct gpu_stream *stream = gpu_event_stream(event);
	for (unsigned i = 0; i < SEGMENT_READERS; i++) {
		/* A later event of a stream implies the earlier ones. */
		if (readers[i] && gpu_event_stream(readers[i]) == stream)
			event_drop(&readers[i]);
		event_forget_past(&readers[i]);
	}
	for (unsigned i = 0; i < SEGMENT_READERS; i++) {
		if (readers[i])
			continue;
		readers[i] = gpu_event_ref(event);
		return CL_SUCCESS;
	}
	/* Too many streams are reading: this one waits for all others, and its event stands for all. */
	struct gpu_event *joined;
	cl_int error = segment_wait_readers(segment, place, stream);
	if (!error)
		error = gpu_event_record(stream, false, &joined);
	if (error)
		return error;
	readers_drop(&segment->places[place]);
	readers[0] = joined;
	return CL_SUCCESS;
}

void segment_written(struct segment *segment, uint32_t place, struct gpu_stream *writer,
		     struct gpu_event *event)
{
	segment->valid = segment_bit(place);
	/* The writer waited for the copy that filled the place.  Other commands need not wait for the writer, which
	 * may have written other bytes of the segment; they still have to wait for the copy.  If the host has
	 * written, it has seen the copy's end. */
	if (!writer)
		event_drop(&segment->places[place].fill);
	readers_drop(&segment->places[place]);
	event_drop(&segment->write);
	segment->writer = writer;
	segment->sequence = writer ? gpu_stream_last(writer) : 0;
	segment->write = event_share(event);
}
