/* Launches (OpenCL 3.0 API, 5.10). */
#include "config.h"

#include "icd/api/enqueue.h"
#include "icd/launch/launch.h"

static inline cl_int launch_check(cl_command_queue queue, cl_kernel kernel, cl_uint count,
				  const cl_event *events)
{
	cl_int error = object_check(queue, &ocl_queue_type);
	if (!error)
		error = object_check(kernel, &ocl_kernel_type);
	if (!error && kernel->program->context != queue->context)
		error = CL_INVALID_CONTEXT;
	return error ? error : enqueue_check_list(queue, count, events);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueNDRangeKernel(
	cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,
	const size_t *global_work_offset, const size_t *global_work_size,
	const size_t *local_work_size, cl_uint num_events_in_wait_list,
	const cl_event *event_wait_list, cl_event *event)
{
	const struct ocl_launch_call call = {
		command_queue, kernel, CL_COMMAND_NDRANGE_KERNEL,
		{work_dim, global_work_offset, global_work_size, local_work_size},
		num_events_in_wait_list, event_wait_list, event,
	};
	cl_int error =
		launch_check(command_queue, kernel, num_events_in_wait_list, event_wait_list);
	return error ? error : ocl_launch_enqueue(&call);
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
	const struct ocl_launch_call call = {
		command_queue, kernel, CL_COMMAND_TASK, {1, NULL, &one, &one},
		num_events_in_wait_list, event_wait_list, event,
	};
	cl_int error =
		launch_check(command_queue, kernel, num_events_in_wait_list, event_wait_list);
	return error ? error : ocl_launch_enqueue(&call);
}

/* --- native kernels: OpenCL 3.0 API, 5.10 -------------------------------------------------- */

struct native_arguments {
	const void *data;
	size_t size_B;
	cl_uint count;
	const cl_mem *mems;
	const void *const *locations;
};

/* 5.10: CL_INVALID_VALUE for sizes and lists that do not fit each other,
 * CL_INVALID_MEM_OBJECT for a handle that is neither NULL nor a buffer. */
static cl_int native_check(cl_command_queue queue, const struct native_arguments *arguments)
{
	const bool lists = arguments->mems || arguments->locations;
	if (!arguments->data && (arguments->size_B || arguments->count))
		return CL_INVALID_VALUE;
	if (arguments->data && !arguments->size_B)
		return CL_INVALID_VALUE;
	if (arguments->count ? !arguments->mems || !arguments->locations : lists)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < arguments->count; i++)
		if (arguments->mems[i] && ocl_mem_check(arguments->mems[i], queue->context))
			return CL_INVALID_MEM_OBJECT;
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueNativeKernel(
	cl_command_queue command_queue, void(CL_CALLBACK *user_func)(void *), void *args,
	size_t cb_args, cl_uint num_mem_objects, const cl_mem *mem_list, const void **args_mem_loc,
	cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
{
	const struct native_arguments arguments = {
		args, cb_args, num_mem_objects, mem_list, (const void *const *)args_mem_loc,
	};
	struct ocl_command command;
	cl_int error = object_check(command_queue, &ocl_queue_type);
	if (!error && !user_func)
		error = CL_INVALID_VALUE;
	if (!error)
		error = native_check(command_queue, &arguments);
	if (!error)
		error = enqueue_check_list(command_queue, num_events_in_wait_list,
					   event_wait_list);
	if (error)
		return error;
	ocl_command_init(&command, &ocl_command_native, command_queue, CL_COMMAND_NATIVE_KERNEL,
			 NULL);
	error = ocl_native_create(user_func, args, cb_args, num_mem_objects, mem_list,
				  arguments.locations, &command.u.native);
	if (error)
		return error;
	error = ocl_queue_enqueue(&command, false, num_events_in_wait_list, event_wait_list, event);
	ocl_native_unref(command.u.native);
	return error;
}
