/* The code of jobs that were run before: in the process's memory, and in the cache folder, which processes share.
 *
 * A job's key (job_key.h) does not contain the files that its source includes, which are known only after it was
 * compiled.  Therefore what the compiler asked of the machine (frontend/inputs.h) is stored with the code, and the code
 * is used again only if the answers are still the same.
 *
 * Thread-safe; no lock may be held. */
#ifndef CULVERT_ICD_JOB_CACHE_H
#define CULVERT_ICD_JOB_CACHE_H

#include "icd/compile/job_key.h"

/* The code of an equal job that can be used on devices of this compute capability, with a reference; or NULL. */
struct ocl_code *ocl_job_recall(struct ocl_job_key *key, unsigned sm);

/* Keeps the code of the job with that key.  inputs: what its compiler asked of the machine. */
void ocl_job_remember(struct ocl_job_key *key, const struct fe_inputs *inputs,
		      struct ocl_code *code);

/* The error of an equal job that failed in this process because its source is wrong; its log is appended to log.
 * CL_SUCCESS: none has failed. */
cl_int ocl_job_recall_failure(const struct ocl_job_key *key, struct bytes *log);
void ocl_job_remember_failure(const struct ocl_job_key *key, const struct fe_inputs *inputs,
			      cl_int error, const struct bytes *log);

/* Frees the code in memory; the cache folder stays as it is. */
void ocl_jobs_forget(void);

#endif
