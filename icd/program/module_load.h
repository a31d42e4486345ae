/* Loading the parts of a module, by module.c alone.
 *
 * Thread-safe; slow, so no lock may be held. */
#ifndef CULVERT_ICD_MODULE_LOAD_H
#define CULVERT_ICD_MODULE_LOAD_H

#include "icd/compile/job.h"
#include "icd/program/module.h"

/* What has to be known of a device to compile for it. */
struct ocl_target ocl_target_of(cl_device_id device);

/* A part of an executable's module on device; plain: the plain part, NULL while that is the one to load.
 *   PLAIN   for launches that start at 0, where the code is split
 *   STARTS  for the others of split code: by the driver's compiler, whose own cache keeps it; its
 *           work-groups may be as large as those of plain
 *   WIDE    of code with narrow_ids, for all launches: from the object, as from a program binary;
 *           CL_OUT_OF_RESOURCES where that cannot be compiled */
cl_int ocl_module_load_part(struct ocl_code *code, cl_device_id device, enum ocl_module_part part,
			    struct gpu_module *plain, struct gpu_module **module_out,
			    struct bytes *log);

#endif
