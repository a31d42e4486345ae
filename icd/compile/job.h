/* A job: one thing to be compiled for one kind of device.  ocl_job_run finds or makes its code: from the
 * cache where an equal job was run before, else in a compiler process, else in this one.
 *
 * A job is plain data of the caller's.  Thread-safe: any number of jobs at once; no lock may be held, for
 * a job is slow. */
#ifndef CULVERT_ICD_JOB_H
#define CULVERT_ICD_JOB_H

#include "base/shared_text.h"
#include "frontend/frontend.h"
#include "frontend/options.h"
#include "icd/compile/code.h"

enum ocl_job_kind {
	OCL_JOB_SOURCE,              /* clBuildProgram of source: source -> executable */
	OCL_JOB_BINARY,              /* clBuildProgram of a binary: loaded -> executable */
	OCL_JOB_COMPILE,             /* clCompileProgram: source -> object */
	OCL_JOB_LINK                 /* clLinkProgram: inputs -> executable or library */
};

/* What has to be known of a kind of device. */
struct ocl_target {
	unsigned sm;                 /* 10 * major + minor of its compute capability */
	uint64_t max_local_B;        /* local memory of a work-group */
	const char *cubin_build;     /* be_cubin_build; "": only the driver makes machine code */
};

/* What the stages of a job make, for somebody who wants to look at them. */
struct ocl_stages {
	bool wants_llvm_ir;
	bool ends_with_nvvm_ir;      /* libnvvm is not looked for; the code has launch facts and nothing else */
	struct bytes llvm_ir;        /* as text, with the builtins that are called */
	struct bytes nvvm_ir;
};

struct ocl_job {
	enum ocl_job_kind kind;
	struct ocl_target target;
	const struct fe_options *options;    /* SOURCE, COMPILE, LINK */
	const char *source;                  /* SOURCE, COMPILE */
	size_t source_size_B;
	struct shared_text *shared_source;   /* the text that source is in; NULL: it cannot be kept */
	bool from_il;                        /* the source is SPIR-V, as fe_spirv_specialize wrote it */
	const struct fe_header *headers;     /* COMPILE */
	size_t header_count;
	struct ocl_code *loaded;             /* BINARY; not NULL */
	struct ocl_code *const *inputs;      /* LINK: objects and libraries */
	size_t input_count;
	unsigned (*threads)(void);   /* how many the compilers may be now; NULL: one */
	bool wide_ids;               /* for launches whose ids need not fit 32 bits */
	uint64_t unoptimized;        /* where libnvvm crashed; as in be_codegen_options */
	struct ocl_stages *stages;   /* the caller's, to be finished by him; NULL: nobody looks */
};

/* What came of a job that was compiled. */
struct ocl_outcome {
	cl_int error;                /* of the page of the kind's call */
	bool refused;                /* by the source's own fault: it fails each time */
	struct ocl_code *code;       /* owned; NULL where there is an error */
	struct fe_inputs inputs;     /* what the compiler asked of the machine */
	struct bytes log;            /* what the compilers said */
};

#define OCL_OUTCOME_INIT {0}

void ocl_outcome_finish(struct ocl_outcome *outcome);

/* The job's code, a reference, written on success; log is appended to in any case.  The codes are those of
 * the page of the kind's call: CL_BUILD_PROGRAM_FAILURE, CL_COMPILER_NOT_AVAILABLE ... */
cl_int ocl_job_run(const struct ocl_job *job, struct ocl_code **code_out, struct bytes *log);

/* What the page of the kind's call names these troubles. */
cl_int ocl_job_frontend_error(enum ocl_job_kind kind, enum fe_status status);
cl_int ocl_job_backend_error(enum ocl_job_kind kind, cl_int error);

#endif
