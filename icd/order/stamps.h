/* When the commands of an in-order queue with profiling start: by the stamp of the end before,
 * where that is the same.
 *
 * A record with a time takes the GPU as long as a short kernel, and most commands stand right
 * behind another one.  While the GPU is at work on what is ahead, the record at the end of the
 * one is the very record that would stand in front of the other.  It would not be if the GPU
 * had run out of work and waited for the command; so several commands have to be ahead of it
 * that are not done, and if to submit it took so long that they may have ended meanwhile, the
 * GPU is asked again.
 *
 * Not thread-safe: used by who submits to the queue. */
#ifndef CULVERT_ICD_STAMPS_H
#define CULVERT_ICD_STAMPS_H

#include "backend/gpu.h"

enum { OCL_STAMPS_KEPT = 4 };

struct ocl_stamps {
	/* Owned, NULL at first: of the ends of the last commands that have such, in turn. */
	struct gpu_event *ends[OCL_STAMPS_KEPT];
	unsigned next;                   /* the oldest, and where the next one goes */
	uint64_t asked_ns;               /* when the GPU was asked last */
	unsigned unasked;                /* for how many commands it is not asked again */
};

void ocl_stamps_finish(struct ocl_stamps *stamps);

/* The stamp of the end of what is in stream, which the next operation starts with: the
 * caller's reference.  NULL: it needs one of its own. */
struct gpu_event *ocl_stamps_start(struct ocl_stamps *stamps, struct gpu_stream *stream);
/* start was given for an operation that has been put in: 0, or the time now if start
 * may have happened before the operation was there. */
uint64_t ocl_stamps_arrived_ns(const struct ocl_stamps *stamps, struct gpu_event *start);
/* The stamp of a command's end. */
void ocl_stamps_add(struct ocl_stamps *stamps, struct gpu_event *end);

#endif
