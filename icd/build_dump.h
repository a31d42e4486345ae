/* CULVERT_DUMP: what a build made, as files beside those of the frontend. */
#ifndef CULVERT_ICD_BUILD_DUMP_H
#define CULVERT_ICD_BUILD_DUMP_H

#include "icd/build.h"

/* Writes what code has of PTX, NULL: it was not made, and the log, when the option is set. */
void ocl_build_dump(const struct ocl_build_job *job, const struct ocl_code *code,
		    const struct bytes *log);

#endif
