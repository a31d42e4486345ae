/* The road from source to code that one process goes: OpenCL C -> NVVM IR -> PTX -> machine
 * code.  Knows no device, no cache and no driver, so that it can be gone in a process apart
 * (icd/compile/compile_process.h) as well as here.
 *
 * Thread-safe; no lock may be held. */
#ifndef CULVERT_ICD_COMPILE_H
#define CULVERT_ICD_COMPILE_H

#include "icd/compile/build.h"

/* What a job makes. */
struct ocl_compiled {
	cl_int error;                /* of the kind's page */
	bool refused;                /* by the source's own fault: each time anew */
	struct ocl_code *code;       /* owned; NULL where there is an error */
	struct fe_inputs inputs;     /* what the compile asked of the machine */
	struct bytes log;
};

#define OCL_COMPILED_INIT {0}

void ocl_compiled_finish(struct ocl_compiled *compiled);

/* compiled: OCL_COMPILED_INIT.  Of the job all but the device is looked at.  Wants a stack of
 * BE_CODEGEN_STACK_B: Clang alone has a thread of its own. */
void ocl_compile(const struct ocl_build_job *job, struct ocl_compiled *compiled);

/* What the last ocl_compile of the process is at, for him who is told of a crash: a phrase
 * as OCL_STAGE_LIBNVVM.  May be called in a signal's handler. */
#define OCL_STAGE_LIBNVVM "libnvvm"
const char *ocl_compile_stage(void);

/* What the page of the kind's call names these troubles. */
cl_int ocl_compile_frontend_error(enum ocl_build_kind kind, enum fe_status status);
cl_int ocl_compile_backend_error(enum ocl_build_kind kind, cl_int error);

#endif
