/* A program: source, intermediate language or binaries, and what was built of it for each device.
 *
 * Its code for a device is immutable and refcounted: kernels hold the code and the module that they were
 * made from, so that a later clBuildProgram cannot pull them from under them (while kernels are attached
 * it is CL_INVALID_OPERATION, OpenCL 3.0 API, 5.8.4).
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_PROGRAM_H
#define CULVERT_ICD_PROGRAM_H

#include "base/bytes.h"
#include "base/lock.h"
#include "base/shared_text.h"
#include "frontend/frontend.h"
#include "icd/compile/code.h"
#include "icd/memory/context.h"
#include "icd/object/info.h"
#include "icd/program/module.h"

#include <stdatomic.h>

extern const struct object_type ocl_program_type;

struct program_device {
	cl_build_status status;
	struct ocl_code *loaded;             /* from clCreateProgramWithBinary; may be NULL */
	struct ocl_code *code;               /* set when status is CL_BUILD_SUCCESS, */
	struct ocl_module *module;           /* and this, of an executable, too: both references */
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
	struct shared_text *source;          /* ref held; NULL when made from binaries or IL */
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
/* The finished executable for a device, as references; false: there is none.  module_out may be NULL. */
bool ocl_program_executable(cl_program program, cl_uint index, struct ocl_code **code_out,
			    struct ocl_module **module_out);

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
