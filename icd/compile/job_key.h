/* A job's key: everything on which its code depends, except the files that its source includes, as a sequence of
 * bytes in several parts.  The cache in memory keeps a copy, which is compared; the cache on disk uses a hash of the
 * key as the name.
 *
 * Not thread-safe: a key has one owner at a time.  It is valid as long as its job and must not be moved. */
#ifndef CULVERT_ICD_JOB_KEY_H
#define CULVERT_ICD_JOB_KEY_H

#include "base/hash.h"
#include "icd/compile/job.h"

enum { OCL_JOB_KEY_FEW = 4 };
struct ocl_job_key {
	struct bytes facts;              /* all small pieces, and the sizes of the other parts */
	struct bytes loaded;             /* OCL_JOB_BINARY: the binary that the job is made from */
	struct hash_part *parts;         /* owned, or few: the facts, then the large pieces */
	struct hash_part few[OCL_JOB_KEY_FEW];
	size_t part_count, size_B;
	struct shared_text *source;      /* of the job: the content of parts[source_part]; NULL: no part is shared */
	size_t source_part;
	bool hashed;                     /* hash is set */
	struct hash hash;
};

/* Makes the key.  False when the job is not cached: the cache is off, every stage is dumped, or the build of its
 * compiler is unknown. ocl_job_key_finish has to be called in either case. */
bool ocl_job_key_make(const struct ocl_job *job, struct ocl_job_key *key);
void ocl_job_key_finish(struct ocl_job_key *key);

const struct hash *ocl_job_key_hash(struct ocl_job_key *key);

/* A copy of a key that outlives its job.  A source is not copied but shared with the program that has it. */
struct ocl_job_key_copy {
	struct bytes rest;               /* the parts except source, one after the other */
	struct shared_text *source;      /* a reference, or NULL */
	size_t size_B;                   /* of all parts */
};

/* bytes_failed(&copy_out->rest) if out of memory. ocl_job_key_copy_finish has to be called in either case. */
void ocl_job_key_copy(const struct ocl_job_key *key, struct ocl_job_key_copy *copy_out);
void ocl_job_key_copy_finish(struct ocl_job_key_copy *copy);
bool ocl_job_key_is(const struct ocl_job_key *key, const struct ocl_job_key_copy *copy);

/* Called after a compilation: whether the compilers are still those that the key names.  Files may have been
 * replaced since the key was made, and the compiler process may have been started from the new ones. */
bool ocl_job_key_holds(const struct ocl_job *job, struct ocl_job_key *key);

#endif
