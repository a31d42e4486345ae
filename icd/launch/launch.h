/* Kernel launches: the checks of an NDRange, the choice of a work-group size,
 * and the parameters of the entry as frontend/kernel_abi.h describes them.
 *
 * Thread-safe: works on the caller's command. */
#ifndef CULVERT_ICD_LAUNCH_H
#define CULVERT_ICD_LAUNCH_H

#include "icd/order/command.h"

/* An NDRange as the application gave it. */
struct ocl_ndrange {
	cl_uint work_dim;
	const size_t *offset;            /* NULL: 0 */
	const size_t *global;            /* NULL: no work-items */
	const size_t *local;             /* NULL: the driver chooses it */
};

/* clEnqueueNDRangeKernel's parameters: the handles are valid, the wait list is checked. */
struct ocl_launch_call {
	cl_command_queue queue;
	cl_kernel kernel;
	cl_command_type type;
	struct ocl_ndrange range;
	cl_uint wait_count;
	const cl_event *waits;
	cl_event *event_out;             /* NULL: the application does not want an event */
};

/* Checks everything except the wait list (OpenCL 3.0 API, 5.10) and enqueues the launch.  A launch that equals an
 * earlier one skips the checks that the earlier one passed (launch_memo.h). */
cl_int ocl_launch_enqueue(const struct ocl_launch_call *call);

/* Room for the accesses of most kernels. */
enum { OCL_LAUNCH_ACCESSES = 16 };

/* Checks everything except the wait list (OpenCL 3.0 API, 5.10) and makes command a launch, or a marker when there are
 * no work-items.  The accesses are stored in own, or in allocated memory if they do not fit; ocl_launch_finish frees
 * that once the command is enqueued. */
cl_int ocl_launch_init(struct ocl_command *command, struct ocl_access own[OCL_LAUNCH_ACCESSES],
		       cl_command_queue queue, cl_kernel kernel, cl_command_type type,
		       const struct ocl_ndrange *range);
void ocl_launch_finish(struct ocl_command *command, const struct ocl_access *own);

/* Finds again what a launch that was kept accesses, by its arguments and the kernel's indirect memory.  Stored as by
 * ocl_launch_init.  CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_launch_find_accesses(struct ocl_command *command,
				struct ocl_access own[OCL_LAUNCH_ACCESSES]);

/* The number of CUDA grids that the launch needs, each of which is a node of a graph. */
uint32_t ocl_launch_grids(const struct ocl_launch *launch);
/* Marks a launch as recorded in a command buffer; called after ocl_launch_init. */
void ocl_launch_record(struct ocl_command *command);
/* Launches a kernel that prints, with a buffer for the output that the caller owns. */
cl_int ocl_launch_put_printing(struct ocl_command *command, struct gpu_sink sink,
			       gpu_address buffer);

/* The local size that a launch of range without a local size would choose.  Makes the checks of ocl_launch_init. */
cl_int ocl_launch_suggest(cl_command_queue queue, cl_kernel kernel,
			  const struct ocl_ndrange *range, size_t *local_out);

#endif
