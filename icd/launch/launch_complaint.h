/* What a person is told of a launch that failed: complaint.h for launches, which know more.
 *
 * Thread-safe.  No lock may be held, for the application is called. */
#ifndef CULVERT_ICD_LAUNCH_COMPLAINT_H
#define CULVERT_ICD_LAUNCH_COMPLAINT_H

#include "icd/launch/launch.h"

/* Of sizes, and of arguments that are not there; nothing of other errors. */
void ocl_complain_launch(const char *call, cl_command_queue queue, cl_kernel kernel,
			 const struct ocl_ndrange *range, cl_int error);

#endif
