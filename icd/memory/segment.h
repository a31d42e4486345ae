/* Segments of a storage: see residency.h.  Used by the files of residency alone.
 *
 * Not thread-safe: the storage's lock is held by every caller. */
#ifndef CULVERT_ICD_SEGMENT_H
#define CULVERT_ICD_SEGMENT_H

#include "backend/gpu.h"
#include "base/list.h"

enum { SEGMENT_READERS = 4, SEGMENT_PLACES_MAX = 64 };

static inline uint64_t segment_bit(uint32_t place)
{
	return UINT64_C(1) << place;
}

/* A segment at one location. Events are owned references; NULL: none. */
struct segment_place {
	struct gpu_event *fill;
	struct gpu_event *readers[SEGMENT_READERS];
	/* A copy to or from here was put into this stream, and no event could be recorded behind it;
	 * NULL: there is no such copy.  Whoever uses the place comes after it all the same. */
	struct gpu_stream *unwitnessed;
	uint64_t unwitnessed_sequence;
};

struct segment {
	struct list link;               /* storage->segments */
	uint64_t lo_B, hi_B;
	uint64_t valid;                 /* a bit per location; 0: the bytes are undefined */
	uint32_t holds;                 /* acquired for writing and not committed yet; */
	uint32_t overwrites;            /* of these, by who overwrites all of it */
	uint32_t overwriter;            /* at this location */
	struct gpu_event *write;        /* owned; NULL: writer's tail stands for it */
	struct gpu_stream *writer;      /* NULL: no write to wait for */
	uint64_t sequence;              /* in writer, of the write or just behind it */
	uint32_t place_count;
	bool within;                    /* its memory is a part of another object's */
	struct segment_place places[];
};

static inline bool segment_is_within(const struct segment *segment, uint64_t lo_B, uint64_t hi_B)
{
	return segment->lo_B >= lo_B && segment->hi_B <= hi_B;
}

struct segment *segment_create(uint64_t lo_B, uint64_t hi_B, uint32_t place_count);
/* The same in memory that the caller has, of segment_size_B, all zero, and frees later. */
static inline size_t segment_size_B(uint32_t place_count)
{
	return sizeof(struct segment) + place_count * sizeof(struct segment_place);
}
void segment_init(struct segment *segment, uint64_t lo_B, uint64_t hi_B, uint32_t place_count);
void segment_destroy(struct segment *segment);

/* Makes at_B a border between two segments. CL_OUT_OF_HOST_MEMORY. */
cl_int segments_split(struct list *segments, uint32_t *count, uint64_t at_B);
/* Forgets what is done and joins neighbours that no longer differ. */
void segments_tidy(struct list *segments, uint32_t *count);

/* stream goes on after the copy that filled place. */
cl_int segment_wait_fill(struct segment *segment, uint32_t place, struct gpu_stream *stream);
/* ... and after all copies that read it, so that it may be overwritten. */
cl_int segment_wait_readers(struct segment *segment, uint32_t place, struct gpu_stream *stream);
cl_int segment_wait_writer(struct segment *segment, struct gpu_stream *stream);

void segment_set_fill(struct segment *segment, uint32_t place, struct gpu_event *event);
/* A copy that stream was given last uses place, and has no witness.  What segment_wait_readers waits for
 * has been waited for. */
void segment_set_unwitnessed(struct segment *segment, uint32_t place, struct gpu_stream *stream);
/* May make stream, on which event was recorded, wait for older readers. */
cl_int segment_add_reader(struct segment *segment, uint32_t place, struct gpu_event *event);
/* The segment was overwritten at place: valid there alone. */
void segment_written(struct segment *segment, uint32_t place, struct gpu_stream *writer,
		     struct gpu_event *event);

#endif
