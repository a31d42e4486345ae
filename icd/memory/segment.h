/* Segments of a storage, which residency.h explains.  Only the files of residency use them.
 *
 * Not thread-safe: every caller holds the storage's lock. */
#ifndef CULVERT_ICD_SEGMENT_H
#define CULVERT_ICD_SEGMENT_H

#include "backend/gpu.h"
#include "base/list.h"

enum { SEGMENT_READERS = 4, SEGMENT_PLACES_MAX = 64 };

static inline uint64_t segment_bit(uint32_t place)
{
	return UINT64_C(1) << place;
}

/* A segment at one location.  Events are owned references; NULL: none. */
struct segment_place {
	struct gpu_event *fill;         /* after the copy that brought the bytes here */
	struct gpu_event *readers[SEGMENT_READERS];  /* after copies that read the bytes here */
	/* The stream of a copy to or from here after which no event could be recorded, and its sequence; NULL:
	 * there is none.  Later uses of the place wait for it by stream and sequence. */
	struct gpu_stream *unwitnessed;
	uint64_t unwitnessed_sequence;
};

struct segment {
	struct list link;               /* storage->segments */
	uint64_t lo_B, hi_B;            /* byte offsets in the storage */
	uint64_t valid;                 /* bit i: location i has the newest bytes; 0: the bytes are undefined */
	uint32_t holds;                 /* commands that acquired it for writing and have not committed yet */
	uint32_t overwrites;            /* those of them that overwrite the whole segment */
	uint32_t overwriter;            /* the location at which they do */
	struct gpu_event *write;        /* owned: after the last write; NULL: the end of writer is waited for instead */
	struct gpu_stream *writer;      /* the stream of the last write; NULL: there is no write to wait for */
	uint64_t sequence;              /* in writer: of the write, or of the operation after it */
	uint32_t place_count;           /* of places */
	bool within;                    /* the struct is part of another object's memory, and is not freed */
	struct segment_place places[];  /* one for each location */
};

static inline bool segment_is_within(const struct segment *segment, uint64_t lo_B, uint64_t hi_B)
{
	return segment->lo_B >= lo_B && segment->hi_B <= hi_B;
}

struct segment *segment_create(uint64_t lo_B, uint64_t hi_B, uint32_t place_count);
/* Size of the memory for segment_init, which the caller allocates, sets to zero, and frees later. */
static inline size_t segment_size_B(uint32_t place_count)
{
	return sizeof(struct segment) + place_count * sizeof(struct segment_place);
}
void segment_init(struct segment *segment, uint64_t lo_B, uint64_t hi_B, uint32_t place_count);
void segment_destroy(struct segment *segment);

/* Splits the segment that contains at_B, so that one ends and one begins there.  CL_OUT_OF_HOST_MEMORY. */
cl_int segments_split(struct list *segments, uint32_t *count, uint64_t at_B);
/* Drops events that have happened, and joins neighbouring segments that no longer differ. */
void segments_tidy(struct list *segments, uint32_t *count);

/* Makes later work in stream wait for the copy that filled place. */
cl_int segment_wait_fill(struct segment *segment, uint32_t place, struct gpu_stream *stream);
/* Makes later work in stream wait for all copies to and from place, so that it may overwrite it. */
cl_int segment_wait_readers(struct segment *segment, uint32_t place, struct gpu_stream *stream);
/* Makes later work in stream wait for the last write. */
cl_int segment_wait_writer(struct segment *segment, struct gpu_stream *stream);

void segment_set_fill(struct segment *segment, uint32_t place, struct gpu_event *event);
/* Notes that the last operation in stream is a copy to or from place after which no event could be recorded.  The
 * caller has called segment_wait_readers. */
void segment_set_unwitnessed(struct segment *segment, uint32_t place, struct gpu_stream *stream);
/* Adds event, which was recorded after a copy that reads place.  If there is no room it makes the event's stream wait
 * for older readers. */
cl_int segment_add_reader(struct segment *segment, uint32_t place, struct gpu_event *event);
/* Notes a write of the whole segment at place, which is valid there alone from now on. */
void segment_written(struct segment *segment, uint32_t place, struct gpu_stream *writer,
		     struct gpu_event *event);

#endif
