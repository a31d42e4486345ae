/* A set of streams: those that used a thing, such as memory or a module.
 *
 * A launch does not retain what it uses.  It adds its stream to the thing's set, and whoever frees the thing
 * first waits for what is in those streams by then, or asks for events that say when that is done.  The set
 * only grows, without a lock; streams are never destroyed, so the pointers stay valid.
 *
 * Thread-safe, except ocl_stream_set_init and ocl_stream_set_finish. */
#ifndef CULVERT_ICD_STREAM_SET_H
#define CULVERT_ICD_STREAM_SET_H

#include "backend/gpu.h"
#include "icd/thread/witnesses.h"

#include <stdatomic.h>

enum { OCL_STREAM_SET_CHUNK = 4 };

struct ocl_stream_set {
	_Atomic(struct gpu_stream *) streams[OCL_STREAM_SET_CHUNK];  /* NULL from the first free one on */
	_Atomic(struct ocl_stream_set *) more;  /* owned: the next chunk of a large set; NULL: none */
	_Atomic uint64_t noted;              /* in the first chunk: bit n is set for the stream with id n < 64 */
};

/* Memory that is all zero is an empty set, too. */
void ocl_stream_set_init(struct ocl_stream_set *set);
void ocl_stream_set_finish(struct ocl_stream_set *set);

cl_int ocl_stream_set_add_another(struct ocl_stream_set *set, struct gpu_stream *stream);
/* Adds stream to the set, before it is given work on the thing.  CL_OUT_OF_HOST_MEMORY. */
static inline cl_int ocl_stream_set_add(struct ocl_stream_set *set, struct gpu_stream *stream)
{
	/* Most things are used by one stream. */
	return atomic_load_explicit(&set->streams[0], memory_order_relaxed) == stream
		       ? CL_SUCCESS : ocl_stream_set_add_another(set, stream);
}

/* Adds to witnesses an event for each stream that has unfinished work.  Without memory for one, waits for the work
 * instead: a thing must not be freed too early.  No lock may be held. */
void ocl_stream_set_collect(struct ocl_stream_set *set, struct ocl_witnesses *witnesses);

/* Later work in stream runs after all that is in the set's streams now. */
cl_int ocl_stream_set_order(struct ocl_stream_set *set, struct gpu_stream *stream);

#endif
