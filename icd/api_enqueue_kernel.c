/* Launches (OpenCL 3.0 API, 5.10). */
#include "config.h"

#include "icd/enqueue.h"
#include "icd/launch.h"

static cl_int launch_check(cl_command_queue queue, cl_kernel kernel, cl_uint count,
			   const cl_event *events)
{
	cl_int error = enqueue_check_queue(queue);
	if (!error)
		error = object_check(kernel, &ocl_kernel_type);
	if (!error && kernel->program->context != queue->context)
		error = CL_INVALID_CONTEXT;
	return error ? error : enqueue_check_list(queue, count, events);
}

static cl_int launch_enqueue(cl_command_queue queue, cl_kernel kernel, cl_command_type type,
			     const struct ocl_ndrange *range, cl_uint count,
			     const cl_event *events, cl_event *event)
{
	struct ocl_access own[OCL_LAUNCH_ACCESSES];
	struct ocl_command command;
	cl_int error = launch_check(queue, kernel, count, events);
	if (error)
		return error;
	error = ocl_launch_init(&command, own, queue, kernel, type, range);
	if (!error)
		error = ocl_queue_enqueue(&command, false, count, events, event);
	ocl_launch_finish(&command, own);
	return error;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueNDRangeKernel(
	cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,
	const size_t *global_work_offset, const size_t *global_work_size,
	const size_t *local_work_size, cl_uint num_events_in_wait_list,
	const cl_event *event_wait_list, cl_event *event)
{
	const struct ocl_ndrange range = {
		work_dim, global_work_offset, global_work_size, local_work_size,
	};
	return launch_enqueue(command_queue, kernel, CL_COMMAND_NDRANGE_KERNEL, &range,
			      num_events_in_wait_list, event_wait_list, event);
}

/* cl_khr_suggested_local_work_size: the errors of clEnqueueNDRangeKernel, with
 * CL_INVALID_GLOBAL_WORK_SIZE for a missing or empty range and CL_INVALID_VALUE for no place to
 * write to. */
CL_API_ENTRY cl_int CL_API_CALL clGetKernelSuggestedLocalWorkSizeKHR(
	cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,
	const size_t *global_work_offset, const size_t *global_work_size,
	size_t *suggested_local_work_size)
{
	const struct ocl_ndrange range = {work_dim, global_work_offset, global_work_size, NULL};
	cl_int error = launch_check(command_queue, kernel, 0, NULL);
	if (error)
		return error;
	if (!global_work_size)
		return CL_INVALID_GLOBAL_WORK_SIZE;
	if (!suggested_local_work_size)
		return CL_INVALID_VALUE;
	return ocl_launch_suggest(command_queue, kernel, &range, suggested_local_work_size);
}

/* One work-item (OpenCL 1.2, 5.8; deprecated in 2.0). */
CL_API_ENTRY cl_int CL_API_CALL clEnqueueTask(cl_command_queue command_queue, cl_kernel kernel,
					      cl_uint num_events_in_wait_list,
					      const cl_event *event_wait_list, cl_event *event)
{
	static const size_t one = 1;
	const struct ocl_ndrange range = {1, NULL, &one, &one};
	return launch_enqueue(command_queue, kernel, CL_COMMAND_TASK, &range,
			      num_events_in_wait_list, event_wait_list, event);
}

/* OpenCL 3.0 API, 5.10: CL_INVALID_OPERATION when the device does not have
 * CL_EXEC_NATIVE_KERNEL. */
CL_API_ENTRY cl_int CL_API_CALL clEnqueueNativeKernel(
	cl_command_queue command_queue, void(CL_CALLBACK *user_func)(void *), void *args,
	size_t cb_args, cl_uint num_mem_objects, const cl_mem *mem_list, const void **args_mem_loc,
	cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
{
	(void)user_func;
	(void)args;
	(void)cb_args;
	(void)num_mem_objects;
	(void)mem_list;
	(void)args_mem_loc;
	(void)num_events_in_wait_list;
	(void)event_wait_list;
	(void)event;
	cl_int error = enqueue_check_queue(command_queue);
	return error ? error : CL_INVALID_OPERATION;
}
