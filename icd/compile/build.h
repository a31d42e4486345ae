/* The road: OpenCL C -> NVVM IR -> PTX -> machine code -> a module, for one kind of
 * device at a time; the short one, where an equal job went it before.
 *
 * Stateless: a job in, code and a log out.  Thread-safe: any number of jobs at
 * once; no lock may be held, for a job is slow. */
#ifndef CULVERT_ICD_BUILD_H
#define CULVERT_ICD_BUILD_H

#include "frontend/frontend.h"
#include "icd/program/program.h"

enum ocl_build_kind {
	OCL_BUILD_SOURCE,            /* clBuildProgram of source: source -> executable */
	OCL_BUILD_BINARY,            /* clBuildProgram of a binary: loaded -> executable */
	OCL_BUILD_COMPILE,           /* clCompileProgram: source -> object */
	OCL_BUILD_LINK               /* clLinkProgram: inputs -> executable or library */
};

/* What a compile must know of a kind of device. */
struct ocl_target {
	unsigned sm;
	uint64_t max_local_B;        /* local memory of a work-group */
	bool cubin;                  /* machine code is made without the driver */
};

struct ocl_target ocl_target_of(cl_device_id device);

struct ocl_build_job {
	enum ocl_build_kind kind;
	struct ocl_target target;    /* of device */
	cl_device_id device;         /* any of its kind: same sm, same local memory */
	const char *options;         /* never NULL */
	const char *source;          /* SOURCE, COMPILE */
	size_t source_size_B;
	const struct fe_header *headers;     /* COMPILE */
	size_t header_count;
	struct ocl_code *loaded;             /* BINARY; not NULL */
	struct ocl_code *const *inputs;      /* LINK: objects and libraries */
	size_t input_count;
	unsigned (*threads)(void);   /* how many the compilers may be now; NULL: one */
	bool wide_ids;               /* for launches whose ids need not fit 32 bits */
	uint64_t unoptimized;        /* where libnvvm crashed; as in be_codegen_options */
	bool from_il;                /* SOURCE, COMPILE: the source is what fe_spirv_source wrote */
};

/* code_out: a reference; written on success.  module_out: a reference to an executable's
 * module, loaded on the job's device; NULL where nothing had to be compiled.  log is appended
 * to in any case.  The codes are those of the kind's page: CL_INVALID_BUILD_OPTIONS,
 * CL_BUILD_PROGRAM_FAILURE, CL_COMPILER_NOT_AVAILABLE ... */
cl_int ocl_build_run(const struct ocl_build_job *job, struct ocl_code **code_out,
		     struct ocl_module **module_out, struct bytes *log);

/* A part of an executable's module on device (an ocl_module_loader).  PLAIN: for launches that start at 0,
 * where the code is split.  STARTS: the other one of split code, by the driver's compiler, whose own
 * cache keeps it; its work-groups may be as large as those of plain.  WIDE: the one of code with
 * narrow_ids that serves all launches, from the object, as from a program binary; CL_OUT_OF_RESOURCES
 * where that cannot be compiled. */
cl_int ocl_code_load(struct ocl_code *code, cl_device_id device, enum ocl_module_part part,
		     struct gpu_module *plain, struct gpu_module **module_out, struct bytes *log);

#endif
