/* Creating, finalizing, enqueueing and querying command buffers (cl_khr_command_buffer). */
#include "config.h"

#include "icd/api/enqueue.h"
#include "icd/graph/command_buffer.h"
#include "icd/object/info_rows.h"

static const cl_command_buffer_flags_khr known_flags = CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR |
						       CL_COMMAND_BUFFER_MUTABLE_KHR |
						       CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR;

/* clCreateCommandBufferKHR: CL_INVALID_VALUE for a property that is invalid or given twice, CL_INVALID_PROPERTY for
 * one that is valid but not supported: queues of several devices. */
static cl_int properties_read(const cl_command_buffer_properties_khr *list,
			      cl_command_buffer_flags_khr *flags_out, bool *keeps_groups_out)
{
	const cl_bitfield asserts = OCL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS;
	unsigned seen = 0;
	*flags_out = 0;
	*keeps_groups_out = false;
	for (; list && list[0]; list += 2) {
		const unsigned bit = list[0] == CL_COMMAND_BUFFER_FLAGS_KHR ? 1 : 2;
		const cl_bitfield known = bit == 1 ? known_flags : asserts;
		if ((bit == 2 && list[0] != OCL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS) ||
		    seen & bit || list[1] & ~known)
			return CL_INVALID_VALUE;
		seen |= bit;
		if (bit == 1)
			*flags_out = list[1];
		else
			*keeps_groups_out = list[1];
	}
	return *flags_out & CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR ? CL_INVALID_PROPERTY
								   : CL_SUCCESS;
}

CL_API_ENTRY cl_command_buffer_khr CL_API_CALL clCreateCommandBufferKHR(
	cl_uint num_queues, const cl_command_queue *queues,
	const cl_command_buffer_properties_khr *properties, cl_int *errcode_ret)
{
	cl_command_buffer_khr buffer = NULL;
	cl_command_buffer_flags_khr flags = 0;
	bool keeps_groups = false;
	/* Without cl_khr_command_buffer_multi_device there is one queue. */
	cl_int error = num_queues == 1 && queues ? object_check(queues[0], &ocl_queue_type)
						 : CL_INVALID_VALUE;
	if (!error)
		error = properties_read(properties, &flags, &keeps_groups);
	if (!error)
		error = ocl_command_buffer_create(queues[0], properties, flags, keeps_groups,
						  &buffer);
	if (errcode_ret)
		*errcode_ret = error;
	return buffer;
}

CL_API_ENTRY cl_int CL_API_CALL clRetainCommandBufferKHR(cl_command_buffer_khr command_buffer)
{
	return object_retain(command_buffer, &ocl_command_buffer_type);
}

/* An enqueued command has a reference to the command buffer until it is in a stream; launches of the CUDA graph
 * continue after the graph is destroyed. */
CL_API_ENTRY cl_int CL_API_CALL clReleaseCommandBufferKHR(cl_command_buffer_khr command_buffer)
{
	return object_release(command_buffer, &ocl_command_buffer_type);
}

CL_API_ENTRY cl_int CL_API_CALL clFinalizeCommandBufferKHR(cl_command_buffer_khr command_buffer)
{
	cl_int error = object_check(command_buffer, &ocl_command_buffer_type);
	return error ? error : ocl_command_buffer_finalize(command_buffer);
}

/* The queue to run on: the one that was passed instead of the recorded one.  Every queue is compatible, because all
 * properties that our queues can have are supported. */
static cl_int queue_choose(cl_command_buffer_khr buffer, cl_uint count,
			   const cl_command_queue *queues, cl_command_queue *queue_out)
{
	*queue_out = buffer->queue;
	/* clEnqueueCommandBufferKHR: CL_INVALID_VALUE for a list without a number, a number
	 * without a list, or another number than the buffer was created with. */
	if (!queues != !count || count > 1)
		return CL_INVALID_VALUE;
	if (!count)
		return CL_SUCCESS;
	cl_int error = object_check(queues[0], &ocl_queue_type);
	if (!error && queues[0]->device != buffer->queue->device)
		error = CL_INVALID_DEVICE;
	if (!error && queues[0]->context != buffer->queue->context)
		error = CL_INVALID_CONTEXT;
	*queue_out = queues[0];
	return error;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCommandBufferKHR(
	cl_uint num_queues, cl_command_queue *queues, cl_command_buffer_khr command_buffer,
	cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
{
	cl_command_queue queue = NULL;
	cl_int error = object_check(command_buffer, &ocl_command_buffer_type);
	if (!error)
		error = queue_choose(command_buffer, num_queues, queues, &queue);
	if (!error && ocl_command_buffer_state(command_buffer) != OCL_EXECUTABLE)
		error = CL_INVALID_OPERATION;
	if (!error)
		error = enqueue_check_list(queue, num_events_in_wait_list, event_wait_list);
	return error ? error : ocl_command_buffer_enqueue(command_buffer, queue,
							  num_events_in_wait_list,
							  event_wait_list, event);
}

static cl_command_buffer_state_khr state_of(cl_command_buffer_khr buffer)
{
	switch (ocl_command_buffer_state(buffer)) {
	case OCL_EXECUTABLE:
		return CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR;
	case OCL_FINALIZED:
		return OCL_COMMAND_BUFFER_STATE_FINALIZED;
	default:
		return CL_COMMAND_BUFFER_STATE_RECORDING_KHR;
	}
}

CL_API_ENTRY cl_int CL_API_CALL clGetCommandBufferInfoKHR(
	cl_command_buffer_khr buffer, cl_command_buffer_info_khr param_name,
	size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
	const struct info_out *out =
		&(const struct info_out){param_value_size, param_value, param_value_size_ret};
	cl_int error = object_check(buffer, &ocl_command_buffer_type);
	if (error)
		return error;
	switch (param_name) {
#include "icd/graph/command_buffer_info.def"
	default:
		return CL_INVALID_VALUE;
	}
}
