/* A program (cl_program): source, intermediate language or binaries, and what was built from it for each device.
 *
 * Its code for a device is constant and reference-counted: a kernel holds references to the code and the module that it
 * was made from.  While a program has kernels, building it is CL_INVALID_OPERATION (OpenCL 3.0 API, 5.8.4).
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

/* A program on one of its devices. */
struct program_device {
	cl_build_status status;              /* of the last build */
	struct ocl_code *loaded;             /* ref held: from clCreateProgramWithBinary; or NULL; never changes */
	struct ocl_code *code;               /* ref held: set when status is CL_BUILD_SUCCESS; else NULL */
	struct ocl_module *module;           /* ref held: of code, if that is an executable; else NULL */
	struct bytes log;                    /* of the last build */
	char *options;                       /* owned: of the last build; NULL: "" */
	bool inherited;                      /* a sub-device's, built because a device above it was */
};

/* What a program of clCreateProgramWithIL has. */
struct ocl_program_il {
	struct bytes module;                 /* the SPIR-V */
	struct bytes constants;              /* its specialization constants with defaults: struct fe_spirv_constant */
	struct bytes values;                 /* those that were set, likewise; guarded by the program's lock */
};

struct _cl_program {
	struct object base;
	cl_context context;                  /* ref held */
	struct shared_text *source;          /* ref held; NULL when made from binaries or IL */
	struct ocl_program_il *il;           /* owned; NULL unless made from intermediate language */
	cl_device_id *devices;               /* owned array: the devices that the program is for */
	cl_uint device_count;
	struct lock lock;                    /* guards all below */
	struct program_device *per_device;   /* owned array: one for each of devices */
	unsigned kernels_attached;           /* number of kernels that the application has */
	struct lock_condition build_ended;   /* a status is no longer CL_BUILD_IN_PROGRESS */
};

/* Makes a program without source.  devices: of context, checked by the caller. */
cl_int ocl_program_create(cl_context context, const cl_device_id *devices, cl_uint count,
			  cl_program *program_out);
/* The parameters are those of clCreateProgramWithSource. */
cl_int ocl_program_create_source(cl_context context, cl_uint count, const char *const *strings,
				 const size_t *lengths, cl_program *program_out);
/* CL_INVALID_VALUE if il is not SPIR-V that is supported. */
cl_int ocl_program_create_il(cl_context context, const void *il, size_t size_B,
			     cl_program *program_out);
/* status_out: NULL, or an array for the error of each device, which is always written. */
cl_int ocl_program_create_binary(cl_context context, cl_uint count, const cl_device_id *devices,
				 const size_t *lengths, const unsigned char *const *binaries,
				 cl_int *status_out, cl_program *program_out);

/* Position of device in the program's list, or -1. */
int ocl_program_device_index(const struct _cl_program *program,
			     const struct _cl_device_id *device);
/* The same, or that of the nearest device above it: OpenCL 3.0 API, 5.8.6: "a program binary built for a parent
 * device can be used by all its sub-devices". */
int ocl_program_code_index(const struct _cl_program *program, const struct _cl_device_id *device);

/* The code for a device, built or loaded, with a reference; or NULL. */
struct ocl_code *ocl_program_code(cl_program program, cl_uint index);
/* Waits until no build of the program is in progress: who asks for kernels may have begun one with a callback, and not
 * waited for that.  No lock may be held. */
void ocl_program_wait(cl_program program);
/* The code and the module of the executable for a device, with references; false: there is none.  module_out may be
 * NULL. */
bool ocl_program_executable(cl_program program, cl_uint index, struct ocl_code **code_out,
			    struct ocl_module **module_out);

/* --- programs of intermediate language (program_il.c) -------------------------------- */

static inline bool ocl_program_is_il(const struct _cl_program *program)
{
	return program->il != NULL;
}

/* CL_INVALID_VALUE if module is not SPIR-V that is supported. */
cl_int ocl_program_il_create(const void *module, size_t size_B, struct ocl_program_il **il_out);
void ocl_program_il_destroy(struct ocl_program_il *il);     /* NULL is fine */

/* clSetProgramSpecializationConstant, with its errors. */
cl_int ocl_program_set_constant(cl_program program, cl_uint id, size_t size_B, const void *value);
/* Appends the constants that are set now, as struct fe_spirv_constant.  The program's lock is held. */
void ocl_program_constants_locked(const struct _cl_program *program, struct bytes *values);
/* Appends the SPIR-V module with these values of its specialization constants.  values: as above. */
enum fe_status ocl_program_il_source(const struct _cl_program *program, const struct bytes *values,
				     struct bytes *source, struct bytes *log);

/* Count the program's kernels: called when one is created, and when the application released it. */
void ocl_program_attach(cl_program program);
void ocl_program_detach(cl_program program);

cl_int ocl_program_info(cl_program program, cl_program_info name, const struct info_out *out);
cl_int ocl_program_build_info(cl_program program, cl_device_id device,
			      cl_program_build_info name, const struct info_out *out);

/* --- clBuildProgram, clCompileProgram, clLinkProgram (program_build.c) -------------- */

/* The application's callback for the end of a build, which is called without locks.  If call is NULL, the functions
 * below return when the build has ended.  Otherwise they return CL_SUCCESS when it could begin, and call is called when
 * it has ended; if they return an error, call is called only if the build itself failed. */
struct ocl_notify {
	void(CL_CALLBACK *call)(cl_program program, void *user_data);
	void *user_data;
};

/* devices: checked handles of the context; count 0: all devices of the program.  The errors are those of the OpenCL
 * functions; the logs are stored in the program. */
cl_int ocl_program_build(cl_program program, cl_uint count, const cl_device_id *devices,
			 const char *options, const struct ocl_notify *notify);

/* The embedded headers of clCompileProgram: programs with source, and their names, which the caller has checked. */
struct ocl_headers {
	cl_uint count;
	const cl_program *programs;
	const char *const *names;
};

cl_int ocl_program_compile(cl_program program, cl_uint count, const cl_device_id *devices,
			   const char *options, const struct ocl_headers *headers,
			   const struct ocl_notify *notify);

/* The parameters of clLinkProgram. */
struct ocl_link {
	cl_uint device_count;                /* 0: all devices of the context */
	const cl_device_id *devices;
	const char *options;
	cl_uint input_count;
	const cl_program *inputs;
};

/* program_out is written with CL_SUCCESS and with CL_LINK_PROGRAM_FAILURE, so that the application can read the log. */
cl_int ocl_program_link(cl_context context, const struct ocl_link *link,
			const struct ocl_notify *notify, cl_program *program_out);

#endif
