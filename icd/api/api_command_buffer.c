/* Creating, finalizing, enqueueing and querying command buffers (cl_khr_command_buffer). */
#include "config.h"

#include "icd/api/enqueue.h"
#include "icd/graph/command_remap.h"
#include "icd/object/info_rows.h"

static const cl_command_buffer_flags_khr known_flags = CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR |
						       CL_COMMAND_BUFFER_MUTABLE_KHR |
						       CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR;

/* clCreateCommandBufferKHR: CL_INVALID_VALUE for a property that is invalid or given twice.  All devices synchronize
 * with each other without the host (CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR), so that the flag
 * CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR demands nothing more. */
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
	return CL_SUCCESS;
}

/* "CL_INVALID_COMMAND_QUEUE if any command-queue in queues is not a valid command-queue", "CL_INVALID_CONTEXT if all
 * the command-queues in queues do not have the same OpenCL context". */
static cl_int queues_check(cl_uint count, const cl_command_queue *queues)
{
	if (!count || !queues)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < count; i++)
		if (object_check(queues[i], &ocl_queue_type))
			return CL_INVALID_COMMAND_QUEUE;
	for (cl_uint i = 1; i < count; i++)
		if (queues[i]->context != queues[0]->context)
			return CL_INVALID_CONTEXT;
	return CL_SUCCESS;
}

CL_API_ENTRY cl_command_buffer_khr CL_API_CALL clCreateCommandBufferKHR(
	cl_uint num_queues, const cl_command_queue *queues,
	const cl_command_buffer_properties_khr *properties, cl_int *errcode_ret)
{
	cl_command_buffer_khr buffer = NULL;
	cl_command_buffer_flags_khr flags = 0;
	bool keeps_groups = false;
	cl_int error = queues_check(num_queues, queues);
	if (!error)
		error = properties_read(properties, &flags, &keeps_groups);
	if (!error)
		error = ocl_command_buffer_create(num_queues, queues, properties, flags, keeps_groups,
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

/* The queues to run on: those that were passed instead of the recorded ones.  Every queue is compatible, because all
 * properties that our queues can have are supported. */
static cl_int queues_choose(cl_command_buffer_khr buffer, cl_uint count, const cl_command_queue *queues,
			    const cl_command_queue **queues_out)
{
	/* clEnqueueCommandBufferKHR: CL_INVALID_VALUE for a list without a number, a number
	 * without a list, or another number than the buffer was created with. */
	if (!queues != !count || (count && count != buffer->queue_count))
		return CL_INVALID_VALUE;
	*queues_out = count ? queues : buffer->queues;
	for (cl_uint i = 0; i < count; i++)
		if (object_check(queues[i], &ocl_queue_type))
			return CL_INVALID_COMMAND_QUEUE;
	for (cl_uint i = 0; i < count; i++)
		if (queues[i]->device != buffer->queues[i]->device)
			return CL_INVALID_DEVICE;
	for (cl_uint i = 0; i < count; i++)
		if (queues[i]->context != buffer->queues[i]->context)
			return CL_INVALID_CONTEXT;
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCommandBufferKHR(
	cl_uint num_queues, cl_command_queue *queues, cl_command_buffer_khr command_buffer,
	cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
{
	const cl_command_queue *chosen = NULL;
	cl_int error = object_check(command_buffer, &ocl_command_buffer_type);
	if (!error)
		error = queues_choose(command_buffer, num_queues, queues, &chosen);
	if (!error && ocl_command_buffer_state(command_buffer) != OCL_EXECUTABLE)
		error = CL_INVALID_OPERATION;
	if (!error)
		error = enqueue_check_list(chosen[0], num_events_in_wait_list, event_wait_list);
	return error ? error : ocl_command_buffer_enqueue(command_buffer, chosen,
							  num_events_in_wait_list,
							  event_wait_list, event);
}

cl_command_buffer_khr CL_API_CALL ocl_remap_command_buffer(
	cl_command_buffer_khr command_buffer, cl_bool automatic, cl_uint num_queues, const cl_command_queue *queues,
	cl_uint num_handles, const cl_mutable_command_khr *handles, cl_mutable_command_khr *handles_ret,
	cl_int *errcode_ret)
{
	const struct ocl_remap_handles list = {num_handles, handles, handles_ret};
	cl_command_buffer_khr buffer = NULL;
	cl_int error = object_check(command_buffer, &ocl_command_buffer_type);
	if (!error)
		error = queues_check(num_queues, queues);
	if (!error && queues[0]->context != command_buffer->queues[0]->context)
		error = CL_INVALID_CONTEXT;
	/* CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR is not supported. */
	if (!error && automatic)
		error = CL_INVALID_OPERATION;
	if (!error && (num_queues != command_buffer->queue_count || !handles != !num_handles ||
		       !handles_ret != !num_handles))
		error = CL_INVALID_VALUE;
	if (!error)
		error = ocl_command_buffer_remap(command_buffer, queues, &list, &buffer);
	if (errcode_ret)
		*errcode_ret = error;
	return buffer;
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
