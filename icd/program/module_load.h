/* Loads the parts of a module.  Only module.c uses it.
 *
 * Thread-safe; slow, so no lock may be held. */
#ifndef CULVERT_ICD_MODULE_LOAD_H
#define CULVERT_ICD_MODULE_LOAD_H

#include "icd/compile/job.h"
#include "icd/program/module.h"

/* What a compiler needs to know of a device. */
struct ocl_target ocl_target_of(cl_device_id device);

/* Loads a part of an executable's module on device.  plain: the module of the part PLAIN; NULL when that is loaded.
 *   PLAIN   the code for launches that start at work-group 0, if it is split; otherwise for all
 *   STARTS  of split code: for other launches.  The driver compiles it, and keeps it in its cache; its work-groups
 *           may be as large as those of plain
 *   WIDE    of code with narrow_ids: for all launches.  It is compiled from the object, as a program binary is;
 *           CL_OUT_OF_RESOURCES where that fails */
cl_int ocl_module_load_part(struct ocl_code *code, cl_device_id device, enum ocl_module_part part,
			    struct gpu_module *plain, struct gpu_module **module_out,
			    struct bytes *log);

#endif
