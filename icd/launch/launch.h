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
	const size_t *global;            /* NULL: nothing to do */
	const size_t *local;             /* NULL: chosen here */
};

/* clEnqueueNDRangeKernel's parameters: the handles are valid, the wait list is checked. */
struct ocl_launch_call {
	cl_command_queue queue;
	cl_kernel kernel;
	cl_command_type type;
	struct ocl_ndrange range;
	cl_uint wait_count;
	const cl_event *waits;
	cl_event *event_out;             /* NULL: nobody asks for one */
};

/* Checks everything but the wait list (OpenCL 3.0 API, 5.10) and enqueues it; launches that come again skip
 * what the last one's checks have shown (launch_memo.h). */
cl_int ocl_launch_enqueue(const struct ocl_launch_call *call);

enum { OCL_LAUNCH_ACCESSES = 16 };

/* Checks everything but the wait list (OpenCL 3.0 API, 5.10) and makes command a
 * launch, or a marker when there are no work-items.  own has room for the accesses
 * of most kernels; ocl_launch_finish, once the command is enqueued, gives back what
 * more was taken. */
cl_int ocl_launch_init(struct ocl_command *command, struct ocl_access own[OCL_LAUNCH_ACCESSES],
		       cl_command_queue queue, cl_kernel kernel, cl_command_type type,
		       const struct ocl_ndrange *range);
void ocl_launch_finish(struct ocl_command *command, const struct ocl_access *own);

/* For a launch that somebody kept: what it accesses with its arguments and the kernel's indirect memory, in own
 * or, where that has no room, in memory that ocl_launch_finish frees.  CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_launch_find_accesses(struct ocl_command *command,
				struct ocl_access own[OCL_LAUNCH_ACCESSES]);

/* How many grids it is, and so how many nodes of a graph. */
uint32_t ocl_launch_grids(const struct ocl_launch *launch);
/* Not kernels with barriers of the grid, whose launches count in a word of their stream. */
bool ocl_launch_can_record(const struct abi_kernel *abi);
/* For a launch that is recorded, after ocl_launch_init: it does not wait in any line. */
void ocl_launch_record(struct ocl_command *command);
/* Of a kernel that prints, into a buffer of the caller's. */
cl_int ocl_launch_put_printing(struct ocl_command *command, struct gpu_sink sink,
			       gpu_address buffer);

/* What a launch of range would choose if range says no local size, with the checks of
 * ocl_launch_init. */
cl_int ocl_launch_suggest(cl_command_queue queue, cl_kernel kernel,
			  const struct ocl_ndrange *range, size_t *local_out);

#endif
