/* Compiles a job in this process: OpenCL C to NVVM IR, to PTX, to machine code.  It uses no device, no cache and no
 * driver.  culvert-compile, `culvert compile` and ocl_job_run (job.h) all use it.
 *
 * Thread-safe; no lock may be held. */
#ifndef CULVERT_ICD_COMPILE_H
#define CULVERT_ICD_COMPILE_H

#include "icd/compile/job.h"

/* outcome: OCL_OUTCOME_INIT.  Needs a stack of BE_CODEGEN_STACK_B, for libnvvm and the PTX compiler; Clang runs on a
 * thread of its own. */
void ocl_compile(const struct ocl_job *job, struct ocl_outcome *outcome);
/* As ocl_compile, on a thread with such a stack; on the caller's thread if no thread can be started. */
void ocl_compile_deep(const struct ocl_job *job, struct ocl_outcome *outcome);

/* The step that the last ocl_compile of the process is in, for messages about crashes: a phrase such as
 * OCL_STAGE_LIBNVVM.  Async-signal-safe. */
#define OCL_STAGE_LIBNVVM "libnvvm"
const char *ocl_compile_stage(void);

#endif
