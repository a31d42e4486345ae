/* What was built before: in the process's memory, and on disk beside other processes'.
 *
 * A job's key is made of all that its outcome depends on, but for the files that its
 * source includes, which are known only once it was compiled: with an outcome goes
 * what the compile asked of the machine (frontend/inputs.h), and it is taken again
 * only where the answers are the same.
 *
 * Thread-safe; no lock may be held. */
#ifndef CULVERT_ICD_BUILD_CACHE_H
#define CULVERT_ICD_BUILD_CACHE_H

#include "cache/cache.h"
#include "icd/compile/build.h"

/* The key: all of that, one piece after the other.  What is kept in memory has a copy and is compared; on
 * disk its hash is the name.  Valid as long as the job is, and not to be moved. */
enum { OCL_BUILD_KEY_FEW = 4 };
struct ocl_build_key {
	struct bytes facts;              /* all that is small, and the sizes of the rest */
	struct bytes loaded;             /* OCL_BUILD_BINARY: what it is made from */
	struct hash_part *parts;         /* owned, or few: the facts, then what is large */
	struct hash_part few[OCL_BUILD_KEY_FEW];
	size_t part_count, size_B;
	bool hashed;                     /* whether this is set: */
	struct hash hash;
};

/* False when there is no cache for this job: switched off, every stage to be dumped,
 * or its compiler is not there to be asked.  To be finished in any case. */
bool ocl_build_key_make(const struct ocl_build_job *job, struct ocl_build_key *key);
void ocl_build_key_finish(struct ocl_build_key *key);

const struct hash *ocl_build_key_hash(struct ocl_build_key *key);
/* The whole, as one piece. */
void ocl_build_key_write(const struct ocl_build_key *key, struct bytes *whole);
bool ocl_build_key_is(const struct ocl_build_key *key, const struct bytes *whole);

/* After a compile: whether what it was made by is what the key names.  Files may have been replaced
 * since the key was made, and the compiler's process come from the new ones. */
bool ocl_build_key_holds(const struct ocl_build_job *job, struct ocl_build_key *key);

/* The code that an equal job made: a reference, or NULL. */
struct ocl_code *ocl_build_recall(struct ocl_build_key *key, cl_device_id device);

/* code: made by the job of that key, which asked inputs. */
void ocl_build_remember(struct ocl_build_key *key, const struct fe_inputs *inputs,
			struct ocl_code *code);

/* What an equal job failed with in this process, which is the source's own fault; its words are
 * appended to log.  CL_SUCCESS: none has. */
cl_int ocl_build_recall_failure(const struct ocl_build_key *key, struct bytes *log);
void ocl_build_remember_failure(const struct ocl_build_key *key, const struct fe_inputs *inputs,
				cl_int error, const struct bytes *log);

/* Gives the memory back; what is on disk stays. */
void ocl_build_forget(void);

#endif
