/* The transfers of a context that have not yet written the application's memory.
 *
 * A write command reads the application's memory, and an earlier command may be about to write that memory: a read in
 * the same queue, or in another queue, ordered by events.  While no transfer is pending, a write command can copy
 * the bytes immediately.
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_HOST_WRITES_H
#define CULVERT_ICD_HOST_WRITES_H

#include "backend/gpu.h"
#include "base/lock.h"

#include <stdatomic.h>

/* The last transfer in a stream that writes the application's memory. */
struct ocl_host_write {
	struct gpu_stream *stream;
	uint64_t sequence;
};

struct ocl_host_writes {
	struct lock lock;                /* guards all below */
	struct ocl_host_write *writes;   /* owned array, with each stream once */
	uint32_t capacity;
	bool incomplete;                 /* a transfer could not be added: some may be pending at any time */
	atomic_uint count;               /* of writes; changed with the lock held, read without */
};

/* Returns 0 or ENOMEM. */
int ocl_host_writes_init(struct ocl_host_writes *writes);
void ocl_host_writes_finish(struct ocl_host_writes *writes);

/* Adds the last operation of stream, which writes the application's memory. */
void ocl_host_writes_note(struct ocl_host_writes *writes, struct gpu_stream *stream);
/* Whether a transfer may not have written the application's memory yet. */
bool ocl_host_writes_are_pending(struct ocl_host_writes *writes);

#endif
