/* CULVERT_DUMP and CULVERT_OVERRIDE: stores the results of a job as files, beside those that the front end stores, and
 * replaces results by files.  Thread-safe. */
#ifndef CULVERT_ICD_JOB_DUMP_H
#define CULVERT_ICD_JOB_DUMP_H

#include "icd/compile/job.h"

/* Writes the log and, if code is not NULL, its PTX and machine code, when CULVERT_DUMP is set. */
void ocl_job_dump(const struct ocl_job *job, struct ocl_code *code,
		    const struct bytes *log);

/* Replaces the code's PTX by that of the user's file, when CULVERT_OVERRIDE is set and there is one for this job. */
void ocl_job_override(const struct ocl_job *job, struct ocl_code *code);

#endif
