/* Compiles OpenCL C and SPIR-V to NVVM IR and launch facts.  Needs no GPU and no driver.
 *
 *   fe_compile   one source to one object (LLVM bitcode)      clCompileProgram
 *   fe_link      objects to NVVM IR and facts, or a library   clLinkProgram
 *   fe_build     both together, without bitcode in between    clBuildProgram
 *
 * Each call runs the compiler on a thread of its own with a stack of known size, so that neither the size of the
 * caller's stack nor a fatal error of LLVM affects the application.
 *
 * Thread-safe: any number of calls can run at once.  Outputs are owned by the caller, and are written only on FE_OK,
 * except log, to which messages are always appended. */
#ifndef CULVERT_FRONTEND_FRONTEND_H
#define CULVERT_FRONTEND_FRONTEND_H

#include "base/bytes.h"
#include "base/codegen_choice.h"
#include "frontend/inputs.h"
#include "frontend/kernel_abi.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum fe_status {
	FE_OK,
	FE_INVALID_OPTIONS,   /* the options are invalid; the log names the word */
	FE_COMPILE_FAILED,    /* errors in the source; the log has messages with line, column and caret */
	FE_LINK_FAILED,       /* undefined or duplicate symbols, or an input that is no bitcode of ours */
	FE_NO_MEMORY,
	FE_UNAVAILABLE,       /* the compiler's library is not installed; the log says where it was looked for */
	FE_INTERNAL           /* a fatal error of LLVM, or IR that cannot be lowered; the log names it */
};

struct fe_options;

/* An embedded header of clCompileProgram. */
struct fe_header {
	const char *name;
	const char *text;
	size_t size_B;
};

struct fe_compile_job {
	const char *source;         /* need not end with NUL */
	size_t source_size_B;
	const struct fe_options *options;    /* of a compilation (frontend/options.h) */
	const struct fe_header *headers;
	size_t header_count;
	unsigned sm;                /* 10 * major + minor of the compute capability */
	uint64_t max_local_B;       /* the most local memory that a work-group can have */
	bool wide_ids;              /* the code is for all launches, also those whose global ids need more
				     * than 32 bits */
	unsigned nvvm_lacks;        /* what the libnvvm that gets the NVVM IR lacks: NVVM_LACKS_... */
	bool from_il;               /* the source is SPIR-V, as fe_spirv_specialize wrote it */
	struct fe_inputs *inputs;   /* gets what the compiler asked of the machine; may be NULL */
	struct bytes *llvm_ir;      /* fe_build: gets the LLVM IR as text, with the builtins it calls; may be NULL */
};

/* A program ready for the backend. */
struct fe_program {
	struct bytes nvvm_ir;       /* one module, or several separated by NUL */
	bool needs_libdevice;
	struct codegen_choice codegen;   /* the merged choices of all sources' options */
	struct abi_program *abi;    /* owned; abi_program_destroy */
};

enum fe_status fe_compile(const struct fe_compile_job *job, struct bytes *object_out,
			  struct bytes *log);

struct fe_link_job {
	const struct bytes *objects;
	size_t object_count;
	const struct fe_options *options;    /* of a link; NULL: none */
	unsigned sm;
	uint64_t max_local_B;
	bool wide_ids;
	unsigned nvvm_lacks;        /* as in struct fe_compile_job */
};

/* If options->create_library is set, fe_link_library is the function to call. */
enum fe_status fe_link(const struct fe_link_job *job, struct fe_program *program_out,
		       struct bytes *log);
enum fe_status fe_link_library(const struct fe_link_job *job, struct bytes *library_out,
			       struct bytes *log);

/* object_out: gets the compiled object, which a program binary contains so that it can be linked or compiled for
 * another device; may be NULL. */
enum fe_status fe_build(const struct fe_compile_job *job, struct fe_program *program_out,
			struct bytes *object_out, struct bytes *log);

void fe_program_finish(struct fe_program *program);

/* The embedded bitcode of libdevice, in static storage. */
const void *fe_libdevice(size_t *size_B_out);

/* The extensions and features that the compiler supports, for CL_DEVICE_EXTENSIONS and
 * CL_DEVICE_OPENCL_C_FEATURES. A name is listed only if a test uses it. */
struct fe_feature {
	const char *name;           /* cl_khr_fp64, __opencl_c_int64 ... */
	uint32_t version;           /* as CL_MAKE_VERSION packs it */
	bool is_extension;          /* false: an OpenCL C 3.0 feature macro */
};
const struct fe_feature *fe_features(size_t *count_out);
/* Whether devices of that compute capability (10 * major + minor) have the feature. */
bool fe_feature_is_of(const struct fe_feature *feature, unsigned sm);

/* FE_HAS_name, for each row of features.def: 1 if the compiler supports the feature, otherwise 0. */
enum {
#define FEATURE(name, kind, major, minor, patch, how) FE_HAS_##name = 1,
#define MISSING_FEATURE(name) FE_HAS_##name = 0,
#include "frontend/features.def"
#undef FEATURE
#undef MISSING_FEATURE
};

/* One line for logs: LLVM's version and the built-in library's id. */
const char *fe_compiler_id(void);

/* Appends the build ids of the compiler and its LLVM without loading them; equal files give equal ids on
 * every machine. False if there is no compiler. */
bool fe_compiler_build(struct bytes *text);

#ifdef __cplusplus
}
#endif

#endif
