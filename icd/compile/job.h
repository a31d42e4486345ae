/* A job: one thing to be compiled for one kind of device.  ocl_job_run gets its code: from the cache if an equal job
 * was run before, otherwise by compiling it in culvert-compile, or in this process if that is not possible.
 *
 * A job is plain data that the caller owns.  Thread-safe: any number of jobs can run at once; no lock may be held,
 * because a job is slow. */
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

/* What a compiler needs to know of a kind of device. */
struct ocl_target {
	unsigned sm;                 /* 10 * major + minor of its compute capability */
	uint64_t max_local_B;        /* the most local memory that a work-group can have */
	const char *cubin_build;     /* be_cubin_build; "": the driver compiles PTX */
};

/* Results of a job's stages, for `culvert compile`. */
struct ocl_stages {
	bool wants_llvm_ir;
	bool ends_with_nvvm_ir;      /* the job ends there and libnvvm is not needed; the code has launch facts alone */
	struct bytes llvm_ir;        /* as text, with the built-in functions that are called */
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
	unsigned (*threads)(void);   /* how many threads the compilers may use now; NULL: one */
	bool wide_ids;               /* the code is for launches whose ids need not fit 32 bits */
	uint64_t unoptimized;        /* functions on which libnvvm crashed; as in be_codegen_options */
	struct ocl_stages *stages;   /* owned by the caller; NULL: not needed */
};

/* The result of compiling a job. */
struct ocl_outcome {
	cl_int error;                /* one of the errors of the kind's OpenCL function */
	bool refused;                /* the source is wrong: the job fails each time */
	struct ocl_code *code;       /* owned; NULL if there is an error */
	struct fe_inputs inputs;     /* what the compiler asked of the machine, such as included files */
	struct bytes log;            /* the compilers' messages */
};

#define OCL_OUTCOME_INIT {0}

void ocl_outcome_finish(struct ocl_outcome *outcome);

/* Gives the job's code, with a reference; messages are appended to log in any case.  Returns the errors of the kind's
 * OpenCL function: CL_BUILD_PROGRAM_FAILURE, CL_COMPILER_NOT_AVAILABLE ... */
cl_int ocl_job_run(const struct ocl_job *job, struct ocl_code **code_out, struct bytes *log);

/* Convert errors of the front end and the backend to those of the kind's OpenCL function. */
cl_int ocl_job_frontend_error(enum ocl_job_kind kind, enum fe_status status);
cl_int ocl_job_backend_error(enum ocl_job_kind kind, cl_int error);

#endif
