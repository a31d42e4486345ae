/* A program's code as the GPU's driver holds it: loaded once for each device, and shared by
 * all program objects in the process whose code is the same, at once or one after the other.
 * Programs with variables that kernels can write have one each: every program object has its
 * own variables (OpenCL C 3.0, 6.7.1: program scope).
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_MODULE_H
#define CULVERT_ICD_MODULE_H

#include "icd/program/program.h"

struct ocl_module;

/* The module of an executable's code on device, loaded or not: a reference.  NULL when out of
 * memory. */
struct ocl_module *ocl_module_get(cl_device_id device, struct ocl_code *code);
/* After the last one it stays loaded for a while, where there is a cache and room among those
 * that do; then it is unloaded once all that was launched from it is done. */
void ocl_module_unref(struct ocl_module *module);    /* NULL is fine */
/* Unloads what nobody has a reference to. */
void ocl_modules_forget(void);

/* How a part of code is loaded: ocl_code_load of build.h.  plain: the plain part, NULL while that is the
 * one to load. */
typedef cl_int ocl_module_loader(struct ocl_code *code, cl_device_id device,
				 enum ocl_module_part part, struct gpu_module *plain,
				 struct gpu_module **module_out, struct bytes *log);
/* Loads it by loader at the first call, once for all who ask meanwhile; log is appended to.  No lock may
 * be held. */
cl_int ocl_module_load(struct ocl_module *module, enum ocl_module_part part,
		       ocl_module_loader *loader, struct bytes *log,
		       struct gpu_module **module_out);
/* Before stream is given a launch of it. */
cl_int ocl_module_note(struct ocl_module *module, struct gpu_stream *stream);

#endif
