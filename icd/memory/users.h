/* The streams that used a thing: memory, a module.
 *
 * A launch does not retain what it uses.  It notes its stream here, and whoever
 * frees the thing first asks for the witnesses of all that is in those streams
 * by then.  The set only grows, without a lock; streams are never destroyed, so
 * the pointers stay good.
 *
 * Thread-safe, except ocl_users_init and ocl_users_finish. */
#ifndef CULVERT_ICD_USERS_H
#define CULVERT_ICD_USERS_H

#include "backend/gpu.h"
#include "icd/thread/witnesses.h"

#include <stdatomic.h>

enum { OCL_USERS_PER_CHUNK = 4 };

struct ocl_users {
	_Atomic(struct gpu_stream *) streams[OCL_USERS_PER_CHUNK];
	_Atomic(struct ocl_users *) more;    /* owned */
	_Atomic uint64_t noted;              /* of the first chunk: streams with small ids, as bits */
};

/* Memory that is all zero needs none. */
void ocl_users_init(struct ocl_users *users);
void ocl_users_finish(struct ocl_users *users);

cl_int ocl_users_note_another(struct ocl_users *users, struct gpu_stream *stream);
/* Before stream is given work on the thing: CL_OUT_OF_HOST_MEMORY when it cannot
 * be noted. */
static inline cl_int ocl_users_note(struct ocl_users *users, struct gpu_stream *stream)
{
	/* Most things have one user. */
	return atomic_load_explicit(&users->streams[0], memory_order_relaxed) == stream
		       ? CL_SUCCESS : ocl_users_note_another(users, stream);
}

/* Adds witnesses of what is unfinished in the users' streams.  Without memory for one, waits for the work
 * instead: a thing must not be freed too early.  No lock may be held. */
void ocl_users_collect(struct ocl_users *users, struct ocl_witnesses *witnesses);

/* stream goes on after all that the users' streams have by now. */
cl_int ocl_users_order(struct ocl_users *users, struct gpu_stream *stream);

#endif
