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
#include "icd/build.h"

/* False when there is no cache for this job: switched off, every stage to be dumped,
 * or its compiler is not there to be asked. */
bool ocl_build_key(const struct ocl_build_job *job, struct hash *key_out);

/* After a compile: whether what it was made by is what the key names.  Files may have been replaced
 * since the key was made, and the compiler's process come from the new ones. */
bool ocl_build_key_holds(const struct ocl_build_job *job, const struct hash *key);

/* The code that an equal job made: a reference, or NULL. */
struct ocl_code *ocl_build_recall(const struct hash *key, cl_device_id device);

/* code: made by the job of that key, which asked inputs. */
void ocl_build_remember(const struct hash *key, const struct fe_inputs *inputs,
			struct ocl_code *code);

/* What an equal job failed with in this process, which is the source's own fault; its words are
 * appended to log.  CL_SUCCESS: none has. */
cl_int ocl_build_recall_failure(const struct hash *key, struct bytes *log);
void ocl_build_remember_failure(const struct hash *key, const struct fe_inputs *inputs,
				cl_int error, const struct bytes *log);

/* Gives the memory back; what is on disk stays. */
void ocl_build_forget(void);

#endif
