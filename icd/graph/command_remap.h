/* Copies of command buffers for other queues (cl_khr_command_buffer_multi_device, clRemapCommandBufferKHR). */
#ifndef CULVERT_ICD_COMMAND_REMAP_H
#define CULVERT_ICD_COMMAND_REMAP_H

#include "icd/graph/command_buffer.h"

/* Launches of a command buffer, and where the handles of their copies are returned. */
struct ocl_remap_handles {
	cl_uint count;
	const cl_mutable_command_khr *given;
	cl_mutable_command_khr *copies;  /* written only if all succeeds */
};

/* Makes a command buffer with the commands, dependencies and state of buffer, for queues, one for each of buffer's own
 * and of its context, which may be of other devices.  CL_INVALID_VALUE: a handle is not of a launch of buffer; the
 * errors of recording a launch for the device of the new queue; CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY.
 *
 * Thread-safe. */
cl_int ocl_command_buffer_remap(cl_command_buffer_khr buffer, const cl_command_queue *queues,
				const struct ocl_remap_handles *handles, cl_command_buffer_khr *buffer_out);

#endif
