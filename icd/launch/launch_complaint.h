/* Messages about launches that failed (icd/program/complaint.h), with sizes and arguments.
 *
 * Thread-safe.  No lock may be held, for the application is called. */
#ifndef CULVERT_ICD_LAUNCH_COMPLAINT_H
#define CULVERT_ICD_LAUNCH_COMPLAINT_H

#include "icd/launch/launch.h"

/* Explains errors in sizes and arguments that are not set; says nothing about other errors.  call: the name of the
 * OpenCL function. */
void ocl_complain_launch(const char *call, cl_command_queue queue, cl_kernel kernel,
			 const struct ocl_ndrange *range, cl_int error);

#endif
