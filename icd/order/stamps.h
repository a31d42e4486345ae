/* Start times of commands in an in-order queue with profiling.
 *
 * A timestamp (a GPU event with a time) takes the GPU as long as a short kernel.  While the GPU is still busy with
 * earlier commands, the timestamp at the end of one command is also the start of the next one, and no other is
 * recorded.  It would not be if the GPU had finished all its work and waited for the command.  Therefore several
 * commands before it must be known to be unfinished, and if submitting took so long that they may have ended
 * meanwhile, the GPU is asked again.
 *
 * Not thread-safe: used by the thread that submits to the queue. */
#ifndef CULVERT_ICD_STAMPS_H
#define CULVERT_ICD_STAMPS_H

#include "backend/gpu.h"

enum { OCL_STAMPS_KEPT = 4 };

struct ocl_stamps {
	/* Owned, NULL at first: the timestamps at the end of the last commands, as a ring. */
	struct gpu_event *ends[OCL_STAMPS_KEPT];
	unsigned next;                   /* index of the oldest one, which the next one replaces */
	uint64_t asked_ns;               /* when the GPU was last asked whether the commands are unfinished */
	unsigned unasked;                /* the number of commands for which it is not asked again */
};

void ocl_stamps_finish(struct ocl_stamps *stamps);

/* The timestamp at the end of what is in stream, if it is also the start of the next operation: a reference.  NULL:
 * the operation needs a timestamp of its own. */
struct gpu_event *ocl_stamps_start(struct ocl_stamps *stamps, struct gpu_stream *stream);
/* Called when an operation whose start is start is in the stream: 0, or the time now if start may have happened before
 * the operation was in the stream. */
uint64_t ocl_stamps_arrived_ns(const struct ocl_stamps *stamps, struct gpu_event *start);
/* Adds the timestamp at the end of a command. */
void ocl_stamps_add(struct ocl_stamps *stamps, struct gpu_event *end);

#endif
