/* A module: an executable's code as the GPU's driver holds it.  It is loaded once for each device, and
 * shared by all program objects in the process whose code is the same, at once or one after the other.
 * Programs with variables that kernels can write have one each: every program object has its
 * own variables (OpenCL C 3.0, 6.7.1: program scope).
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_MODULE_H
#define CULVERT_ICD_MODULE_H

#include "backend/gpu.h"
#include "icd/compile/code.h"
#include "icd/object/device.h"

struct ocl_module;

/* A module is loaded in up to three parts: the code for launches whose grids start at 0, for all whose ids
 * fit 32 bits, and for all.  Often they are one. */
enum ocl_module_part { OCL_MODULE_PLAIN, OCL_MODULE_STARTS, OCL_MODULE_WIDE, OCL_MODULE_PARTS };

/* The module of an executable's code on device, loaded or not: a reference.  NULL when out of
 * memory. */
struct ocl_module *ocl_module_get(cl_device_id device, struct ocl_code *code);
struct ocl_module *ocl_module_ref(struct ocl_module *module);
/* After the last one it stays loaded for a while, where there is a cache and room among those
 * that do; then it is unloaded once all that was launched from it is done. */
void ocl_module_unref(struct ocl_module *module);    /* NULL is fine */
/* Unloads what nobody has a reference to. */
void ocl_modules_forget(void);

/* The part, loaded at the first call, once for all who ask meanwhile; what the driver says is appended to
 * log.  CL_BUILD_PROGRAM_FAILURE, CL_INVALID_BINARY, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY ...  No
 * lock may be held. */
cl_int ocl_module_load(struct ocl_module *module, enum ocl_module_part part, struct bytes *log,
		       struct gpu_module **module_out);
/* As ocl_module_load, for calls other than builds: CL_INVALID_PROGRAM_EXECUTABLE for code that the driver
 * does not take, and the driver's words go to Culvert's own log. */
cl_int ocl_module_open(struct ocl_module *module, enum ocl_module_part part,
		       struct gpu_module **module_out);

/* Before stream is given a launch of it. */
cl_int ocl_module_note(struct ocl_module *module, struct gpu_stream *stream);

#endif
