/* CULVERT_DUMP and CULVERT_OVERRIDE: what a build made, as files beside those of the
 * frontend, and files that are taken in its place. */
#ifndef CULVERT_ICD_JOB_DUMP_H
#define CULVERT_ICD_JOB_DUMP_H

#include "icd/compile/job.h"

/* Writes what code has of PTX and machine code, NULL: it was not made, and the log, when the option is set. */
void ocl_job_dump(const struct ocl_job *job, struct ocl_code *code,
		    const struct bytes *log);

/* Takes the PTX that the user put in this job's place, when the option is set. */
void ocl_job_override(const struct ocl_job *job, struct ocl_code *code);

#endif
