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
	struct shared_text *source;      /* the job's, which is part source_part; NULL: no part is shared */
	size_t source_part;
	bool hashed;                     /* whether this is set: */
	struct hash hash;
};

/* False when there is no cache for this job: switched off, every stage to be dumped,
 * or its compiler is not there to be asked.  To be finished in any case. */
bool ocl_job_key_make(const struct ocl_job *job, struct ocl_job_key *key);
void ocl_job_key_finish(struct ocl_job_key *key);

const struct hash *ocl_job_key_hash(struct ocl_job_key *key);

/* A copy of a key that outlives its job.  A source is not copied but shared with the program that has it. */
struct ocl_job_key_copy {
	struct bytes rest;               /* the parts except source, one after the other */
	struct shared_text *source;      /* a reference, or NULL */
	size_t size_B;                   /* of all parts */
};

/* bytes_failed(&copy_out->rest) if there was no memory.  To be finished in any case. */
void ocl_job_key_copy(const struct ocl_job_key *key, struct ocl_job_key_copy *copy_out);
void ocl_job_key_copy_finish(struct ocl_job_key_copy *copy);
bool ocl_job_key_is(const struct ocl_job_key *key, const struct ocl_job_key_copy *copy);

/* After a compile: whether what it was made by is what the key names.  Files may have been replaced
 * since the key was made, and the compiler's process come from the new ones. */
bool ocl_job_key_holds(const struct ocl_job *job, struct ocl_job_key *key);

#endif
