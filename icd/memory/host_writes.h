/* Transfers of a context that still write the application's memory.
 *
 * A write command reads its bytes from the application's memory, and what comes
 * before it may put them there: a read in the same queue, or one in another by way
 * of events.  While nothing here is pending the bytes are there already, and may be
 * taken without waiting.
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_HOST_WRITES_H
#define CULVERT_ICD_HOST_WRITES_H

#include "backend/gpu.h"
#include "base/lock.h"

#include <stdatomic.h>

struct ocl_host_write {
	struct gpu_stream *stream;
	uint64_t sequence;
};

struct ocl_host_writes {
	struct lock lock;                /* guards all below */
	struct ocl_host_write *writes;   /* owned: a stream is in it once */
	uint32_t capacity;
	bool unknown;                    /* one could not be noted: there may always be some */
	atomic_uint count;               /* changed under the lock, read without */
};

/* ENOMEM. */
int ocl_host_writes_init(struct ocl_host_writes *writes);
void ocl_host_writes_finish(struct ocl_host_writes *writes);

/* The last operation of stream writes memory of the application's. */
void ocl_host_writes_note(struct ocl_host_writes *writes, struct gpu_stream *stream);
bool ocl_host_writes_are_pending(struct ocl_host_writes *writes);

#endif
