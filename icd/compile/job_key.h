/* A job's key: all that its code depends on but the files that its source includes, one piece after the
 * other.  What the cache has in memory keeps a copy and is compared; on disk the key's hash is the name.
 *
 * One owner at a time.  Valid as long as its job is, and not to be moved. */
#ifndef CULVERT_ICD_JOB_KEY_H
#define CULVERT_ICD_JOB_KEY_H

#include "base/hash.h"
#include "icd/compile/job.h"

enum { OCL_JOB_KEY_FEW = 4 };
struct ocl_job_key {
	struct bytes facts;              /* all that is small, and the sizes of the rest */
	struct bytes loaded;             /* OCL_JOB_BINARY: what it is made from */
	struct hash_part *parts;         /* owned, or few: the facts, then what is large */
	struct hash_part few[OCL_JOB_KEY_FEW];
	size_t part_count, size_B;
	bool hashed;                     /* whether this is set: */
	struct hash hash;
};

/* False when there is no cache for this job: switched off, every stage to be dumped,
 * or its compiler is not there to be asked.  To be finished in any case. */
bool ocl_job_key_make(const struct ocl_job *job, struct ocl_job_key *key);
void ocl_job_key_finish(struct ocl_job_key *key);

const struct hash *ocl_job_key_hash(struct ocl_job_key *key);
/* The whole, as one piece. */
void ocl_job_key_write(const struct ocl_job_key *key, struct bytes *whole);
bool ocl_job_key_is(const struct ocl_job_key *key, const struct bytes *whole);

/* After a compile: whether what it was made by is what the key names.  Files may have been replaced
 * since the key was made, and the compiler's process come from the new ones. */
bool ocl_job_key_holds(const struct ocl_job *job, struct ocl_job_key *key);

#endif
