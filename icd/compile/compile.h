/* The way from source to code, every step of it, in this process: OpenCL C -> NVVM IR -> PTX -> machine
 * code.  Knows no device, no cache and no driver: culvert-compile, `culvert compile` and ocl_job_run
 * (job.h) all come this way.
 *
 * Thread-safe; no lock may be held. */
#ifndef CULVERT_ICD_COMPILE_H
#define CULVERT_ICD_COMPILE_H

#include "icd/compile/job.h"

/* outcome: OCL_OUTCOME_INIT.  Wants a stack of BE_CODEGEN_STACK_B, for libnvvm and the PTX compiler; Clang
 * has a thread of its own. */
void ocl_compile(const struct ocl_job *job, struct ocl_outcome *outcome);
/* The same on a thread with such a stack; on the caller's own where no thread can be had. */
void ocl_compile_deep(const struct ocl_job *job, struct ocl_outcome *outcome);

/* What the last ocl_compile of the process is at, for him who is told of a crash: a phrase
 * as OCL_STAGE_LIBNVVM.  May be called in a signal's handler. */
#define OCL_STAGE_LIBNVVM "libnvvm"
const char *ocl_compile_stage(void);

#endif
