/* The code of jobs that were run before: in the process's memory, and on disk beside other processes'.
 *
 * A job's key (job_key.h) says nothing of the files that its source includes, which are known only once it
 * was compiled.  So what the compiler asked of the machine (frontend/inputs.h) is kept with the code, which
 * is taken again only where the answers are still the same.
 *
 * Thread-safe; no lock may be held. */
#ifndef CULVERT_ICD_JOB_CACHE_H
#define CULVERT_ICD_JOB_CACHE_H

#include "icd/compile/job_key.h"

/* The code that an equal job made, of use for devices of this sm: a reference, or NULL. */
struct ocl_code *ocl_job_recall(struct ocl_job_key *key, unsigned sm);

/* Keeps code, which the job of that key made, whose compiler asked inputs. */
void ocl_job_remember(struct ocl_job_key *key, const struct fe_inputs *inputs,
		      struct ocl_code *code);

/* What an equal job failed with in this process, which is the source's own fault; its words are
 * appended to log.  CL_SUCCESS: none has. */
cl_int ocl_job_recall_failure(const struct ocl_job_key *key, struct bytes *log);
void ocl_job_remember_failure(const struct ocl_job_key *key, const struct fe_inputs *inputs,
			      cl_int error, const struct bytes *log);

/* Gives the memory back; what is on disk stays. */
void ocl_jobs_forget(void);

#endif
