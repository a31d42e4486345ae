/* A module: an executable's code as the CUDA driver has loaded it.  It is loaded once for each device, and all program
 * objects of the process with the same code share it, also those that are made after others were released.  A program
 * with variables that kernels can write has a module of its own, because each program object has its own variables
 * (OpenCL C 3.0, 6.7.1: program scope).
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_MODULE_H
#define CULVERT_ICD_MODULE_H

#include "backend/gpu.h"
#include "icd/compile/code.h"
#include "icd/memory/stream_set.h"
#include "icd/object/device.h"

struct ocl_module;

/* A module has up to three parts, which are loaded separately: code for launches whose grids start at work-group 0,
 * code for all launches whose ids fit 32 bits, and code for all launches.  Often they are the same. */
enum ocl_module_part { OCL_MODULE_PLAIN, OCL_MODULE_STARTS, OCL_MODULE_WIDE, OCL_MODULE_PARTS };

/* The module of an executable's code on device, with a reference; nothing is loaded yet.  NULL when out of memory. */
struct ocl_module *ocl_module_get(cl_device_id device, struct ocl_code *code);
struct ocl_module *ocl_module_ref(struct ocl_module *module);
/* Releases a reference.  After the last one the module stays loaded for a while, if the cache is on and there is room
 * for it among such modules; then it is unloaded when all its launches are complete. */
void ocl_module_unref(struct ocl_module *module);    /* NULL is fine */
/* Unloads all modules without references. */
void ocl_modules_forget(void);

/* Loads a part at the first call; calls of other threads meanwhile wait for it.  The driver's messages are appended to
 * log.  CL_BUILD_PROGRAM_FAILURE, CL_INVALID_BINARY, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY ...  No
 * lock may be held. */
cl_int ocl_module_load(struct ocl_module *module, enum ocl_module_part part, struct bytes *log,
		       struct gpu_module **module_out);
/* As ocl_module_load, for calls that are not builds: CL_INVALID_PROGRAM_EXECUTABLE for code that the driver rejects,
 * and the driver's messages go to Culvert's log. */
cl_int ocl_module_open(struct ocl_module *module, enum ocl_module_part part,
		       struct gpu_module **module_out);

/* The streams that use the module; it is not unloaded before their work is complete.  A stream is added before a launch
 * of one of its functions is put into it.  The set lives as long as the module. */
struct ocl_stream_set *ocl_module_streams(struct ocl_module *module);

#endif
