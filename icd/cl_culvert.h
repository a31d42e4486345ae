/* Extensions of Culvert's own.  Their texts: docs/cl_culvert_*.md. */
#ifndef CL_CULVERT_H
#define CL_CULVERT_H

#include <CL/cl.h>

/* --- cl_culvert_grid_barrier -------------------------------------------------------------- */

#define CL_CULVERT_GRID_BARRIER_EXTENSION_NAME "cl_culvert_grid_barrier"

/* clGetKernelSubGroupInfo; size_t[]: a work-group size -> size_t: the work-groups of that size
 * that the device runs at once.  The number is of no range of the registry's. */
#define CL_KERNEL_MAX_RESIDENT_WORK_GROUPS_CULVERT 0x43550001

#endif
