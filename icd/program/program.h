/* A program: source, intermediate language or binaries, and what was built of it for each device.
 *
 * A finished build is immutable and refcounted (struct ocl_build): kernels hold
 * the build they were made from, so that a later clBuildProgram cannot pull the
 * code from under them (while kernels are attached it is CL_INVALID_OPERATION,
 * OpenCL 3.0 API, 5.8.4).
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_PROGRAM_H
#define CULVERT_ICD_PROGRAM_H

#include "base/bytes.h"
#include "base/lock.h"
#include "frontend/frontend.h"
#include "frontend/kernel_abi.h"
#include "icd/memory/context.h"
#include "icd/object/info.h"

#include <stdatomic.h>

extern const struct object_type ocl_program_type;

/* A part of code that few look at once it is loaded.  The cache has it packed, and so it stays
 * until somebody asks. */
struct ocl_part {
	struct bytes bytes;                  /* as it was read, or what a compiler writes */
	bool packed;
	_Atomic(struct bytes *) unpacked;    /* owned; of packed bytes, once somebody asked */
};

/* What the part is, unpacked: the part's own.  NULL when out of memory, never again once it was
 * there.  Thread-safe. */
const struct bytes *ocl_part_bytes(struct ocl_part *part);

static inline bool ocl_part_empty(const struct ocl_part *part)
{
	return !part->bytes.size_B;
}

/* What a compile gave: shared by all devices that it fits.  Immutable once made. */
struct ocl_code {
	atomic_uint refs;
	cl_program_binary_type type;         /* CL_PROGRAM_BINARY_TYPE_* */
	unsigned sm;                         /* of the device that it was made for */
	unsigned ptx_sm;                     /* what ptx was made for; runs on this and newer */
	unsigned optimization;               /* 0 or 3: for the driver's compiler, as are */
	unsigned max_registers;              /* 0: no limit */
	bool line_info;
	bool verbose;                        /* -cl-nv-verbose */
	struct abi_program *abi;             /* NULL for an object or library */
	struct ocl_part object;              /* LLVM bitcode: to link, or for another device */
	struct ocl_part ptx;                 /* empty for an object or library */
	struct bytes cubin;                  /* machine code for sm; empty where only the driver makes it */
	struct bytes log;                    /* what the compilers said; the driver is not among them */
};

/* refs 1; NULL when out of memory. */
struct ocl_code *ocl_code_create(void);
struct ocl_code *ocl_code_ref(struct ocl_code *code);
void ocl_code_unref(struct ocl_code *code);          /* NULL is fine */

/* Whether launches whose grids start at 0 have code of their own (frontend/ptx_start.h). */
bool ocl_code_is_split(const struct ocl_code *code);
/* The PTX for such launches: the code's own, or in `made`, which is the caller's to finish.
 * NULL when out of memory. */
const struct bytes *ocl_code_plain_ptx(struct ocl_code *code, struct bytes *made);

struct ocl_module;

/* A module's code for launches whose grids start at 0, for all whose ids fit 32 bits, and for all;
 * often they are one. */
enum ocl_module_part { OCL_MODULE_PLAIN, OCL_MODULE_STARTS, OCL_MODULE_WIDE, OCL_MODULE_PARTS };

/* The code of a program on one device.  Immutable; the module is loaded by the build or at
 * the first kernel. */
struct ocl_build {
	atomic_uint refs;
	struct ocl_code *code;
	struct ocl_module *module;           /* reference; NULL unless it is an executable */
};

/* module: of code on device, a reference that becomes the build's own; NULL: found here.
 * NULL when out of memory; the reference stays the caller's then. */
struct ocl_build *ocl_build_create(cl_device_id device, struct ocl_code *code,
				   struct ocl_module *module);
struct ocl_build *ocl_build_ref(struct ocl_build *build);
void ocl_build_unref(struct ocl_build *build);       /* NULL is fine */

/* The loaded module; loads it at the first call, once for all who ask meanwhile.  No
 * lock may be held. */
cl_int ocl_build_module(struct ocl_build *build, enum ocl_module_part part,
			struct gpu_module **module_out);

struct program_device {
	cl_build_status status;
	struct ocl_code *loaded;             /* from clCreateProgramWithBinary; may be NULL */
	struct ocl_build *build;             /* set when status is CL_BUILD_SUCCESS */
	struct bytes log;
	char *options;                       /* of the last build; owned; NULL: "" */
};

/* What clCreateProgramWithIL was given. */
struct ocl_program_il {
	struct bytes module;
	struct bytes constants;              /* of it: struct fe_spirv_constant, with defaults */
	struct bytes values;                 /* those that were set; guarded by the program's lock */
};

struct _cl_program {
	struct object base;
	cl_context context;                  /* ref held */
	char *source;                        /* owned; NULL when made from binaries */
	size_t source_size_B;                /* without the final NUL */
	struct ocl_program_il *il;           /* owned; NULL unless made from intermediate language */
	cl_device_id *devices;               /* owned array: those the program is for */
	cl_uint device_count;
	struct lock lock;                    /* guards all below */
	struct program_device *per_device;   /* parallel to devices */
	unsigned kernels_attached;
};

/* For devices of context, checked by the caller. */
cl_int ocl_program_create(cl_context context, const cl_device_id *devices, cl_uint count,
			  cl_program *program_out);
/* The strings as clCreateProgramWithSource means them. */
cl_int ocl_program_create_source(cl_context context, cl_uint count, const char *const *strings,
				 const size_t *lengths, cl_program *program_out);
/* CL_INVALID_VALUE for what is no SPIR-V that we take. */
cl_int ocl_program_create_il(cl_context context, const void *il, size_t size_B,
			     cl_program *program_out);
/* status_out may be NULL; otherwise one code for each device, written in any case. */
cl_int ocl_program_create_binary(cl_context context, cl_uint count, const cl_device_id *devices,
				 const size_t *lengths, const unsigned char *const *binaries,
				 cl_int *status_out, cl_program *program_out);

/* Position of device in the program's list, or -1. */
int ocl_program_device_index(const struct _cl_program *program,
			     const struct _cl_device_id *device);

/* The code there is for a device, built or loaded; a reference, or NULL. */
struct ocl_code *ocl_program_code(cl_program program, cl_uint index);
/* The finished executable for a device; a reference, or NULL. */
struct ocl_build *ocl_program_executable(cl_program program, cl_uint index);

/* --- programs of intermediate language (program_il.c) -------------------------------- */

static inline bool ocl_program_is_il(const struct _cl_program *program)
{
	return program->il != NULL;
}

/* CL_INVALID_VALUE for what is no SPIR-V that we take. */
cl_int ocl_program_il_create(const void *module, size_t size_B, struct ocl_program_il **il_out);
void ocl_program_il_destroy(struct ocl_program_il *il);     /* NULL is fine */

/* The codes of clSetProgramSpecializationConstant's page. */
cl_int ocl_program_set_constant(cl_program program, cl_uint id, size_t size_B, const void *value);
/* Appends what ocl_program_set_constant has set by now: struct fe_spirv_constant. */
void ocl_program_constants_locked(const struct _cl_program *program, struct bytes *values);
/* Appends the program as OpenCL C.  values: as above. */
enum fe_status ocl_program_il_source(const struct _cl_program *program, const struct bytes *values,
				     struct bytes *source, struct bytes *log);

/* A kernel comes and goes. */
void ocl_program_attach(cl_program program);
void ocl_program_detach(cl_program program);

cl_int ocl_program_info(cl_program program, cl_program_info name, const struct info_out *out);
cl_int ocl_program_build_info(cl_program program, cl_device_id device,
			      cl_program_build_info name, const struct info_out *out);

/* --- clBuildProgram, clCompileProgram, clLinkProgram (program_build.c) -------------- */

/* Whom to tell, without locks, when a build that could begin has ended; call NULL: nobody,
 * the calls below return when it has ended.  With somebody to tell they return at once with
 * CL_SUCCESS; an error that they return is told to nobody unless it is a failed build. */
struct ocl_notify {
	void(CL_CALLBACK *call)(cl_program program, void *user_data);
	void *user_data;
};

/* Device lists are checked handles of the context; count 0: all of the program's.
 * The codes are those of the three calls' pages; the logs stay in the program. */
cl_int ocl_program_build(cl_program program, cl_uint count, const cl_device_id *devices,
			 const char *options, const struct ocl_notify *notify);

/* Embedded headers: programs with source and their names, checked. */
struct ocl_headers {
	cl_uint count;
	const cl_program *programs;
	const char *const *names;
};

cl_int ocl_program_compile(cl_program program, cl_uint count, const cl_device_id *devices,
			   const char *options, const struct ocl_headers *headers,
			   const struct ocl_notify *notify);

struct ocl_link {
	cl_uint device_count;                /* 0: all of the context's */
	const cl_device_id *devices;
	const char *options;
	cl_uint input_count;
	const cl_program *inputs;
};

/* program_out is written when linking could begin: with CL_SUCCESS and with
 * CL_LINK_PROGRAM_FAILURE, so that the log can be read. */
cl_int ocl_program_link(cl_context context, const struct ocl_link *link,
			const struct ocl_notify *notify, cl_program *program_out);

#endif
