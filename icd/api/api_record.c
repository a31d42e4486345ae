/* Recording commands into a command buffer (cl_khr_command_buffer).  The checks are those of the clEnqueue*
 * functions, with sync points instead of events. */
#include "config.h"

#include "icd/graph/command_buffer.h"
#include "icd/launch/launch_complaint.h"
#include "icd/api/enqueue.h"
#include "icd/launch/launch.h"
#include "icd/graph/mutable_command.h"
#include "icd/api/record.h"

/* cl_khr_command_buffer_multi_device: "CL_INVALID_COMMAND_QUEUE if either command_queue is NULL and command_buffer was
 * created with more than one queue, or command_queue is not NULL and not a command-queue listed on command_buffer
 * creation", and "CL_INVALID_CONTEXT if command_queue is not NULL, and the context associated with command_queue and
 * command_buffer is not the same". */
static cl_int queue_choose(cl_command_buffer_khr buffer, cl_command_queue *queue)
{
	if (!*queue) {
		*queue = buffer->queues[0];
		return buffer->queue_count == 1 ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
	}
	cl_int error = object_check(*queue, &ocl_queue_type);
	if (error)
		return error;
	for (uint32_t i = 0; i < buffer->queue_count; i++)
		if (buffer->queues[i] == *queue)
			return CL_SUCCESS;
	return (*queue)->context == buffer->queues[0]->context ? CL_INVALID_COMMAND_QUEUE : CL_INVALID_CONTEXT;
}

static cl_int any_check(cl_command_buffer_khr buffer, cl_command_queue *queue,
			const struct ocl_sync_list *list)
{
	cl_int error = object_check(buffer, &ocl_command_buffer_type);
	if (error)
		return error;
	error = queue_choose(buffer, queue);
	if (error)
		return error;
	if (ocl_command_buffer_state(buffer) != OCL_RECORDING)
		return CL_INVALID_OPERATION;
	return !list->count == !list->points ? CL_SUCCESS : CL_INVALID_SYNC_POINT_WAIT_LIST_KHR;
}

cl_int ocl_record_check(cl_command_buffer_khr buffer, cl_command_queue *queue,
			const cl_command_properties_khr *properties,
			const struct ocl_sync_list *list, const void *mutable_handle)
{
	cl_int error = any_check(buffer, queue, list);
	if (!error && ((properties && properties[0]) || mutable_handle))
		error = CL_INVALID_VALUE;
	return error;
}

cl_int CL_API_CALL ocl_record_barrier(OCL_RECORD_FIRST, OCL_RECORD_LAST)
{
	const struct ocl_sync_list list = OCL_RECORD_LIST;
	struct ocl_command command;
	cl_int error = OCL_RECORD_CHECK;
	if (error)
		return error;
	ocl_command_init(&command, &ocl_command_marker, command_queue, CL_COMMAND_BARRIER,
			 NULL);
	command.joins = !list.count;
	command.bars = true;
	return ocl_command_buffer_record(command_buffer, &command, &list, NULL, sync_point);
}

cl_int CL_API_CALL ocl_record_copy_buffer(OCL_RECORD_FIRST, cl_mem src_buffer, cl_mem dst_buffer,
					  size_t src_offset, size_t dst_offset, size_t size,
					  OCL_RECORD_LAST)
{
	const struct ocl_sync_list list = OCL_RECORD_LIST;
	struct ocl_access accesses[2];
	struct ocl_command command;
	cl_int error = OCL_RECORD_CHECK;
	if (!error)
		error = enqueue_make_copy(&command, accesses, command_queue, src_buffer,
					  dst_buffer, src_offset, dst_offset, size);
	return error ? error : ocl_command_buffer_record(command_buffer, &command, &list,
							 NULL, sync_point);
}

cl_int CL_API_CALL ocl_record_copy_buffer_rect(OCL_RECORD_FIRST, cl_mem src_buffer,
					       cl_mem dst_buffer, const size_t *src_origin,
					       const size_t *dst_origin, const size_t *region,
					       size_t src_row_pitch, size_t src_slice_pitch,
					       size_t dst_row_pitch, size_t dst_slice_pitch,
					       OCL_RECORD_LAST)
{
	const struct enqueue_side from = {src_buffer, src_origin, src_row_pitch, src_slice_pitch};
	const struct enqueue_side to = {dst_buffer, dst_origin, dst_row_pitch, dst_slice_pitch};
	const struct ocl_sync_list list = OCL_RECORD_LIST;
	struct ocl_access accesses[2];
	struct ocl_command command;
	cl_int error = OCL_RECORD_CHECK;
	if (!error)
		error = enqueue_make_copy_rect(&command, accesses, command_queue, &from,
					       &to, region);
	return error ? error : ocl_command_buffer_record(command_buffer, &command, &list,
							 NULL, sync_point);
}

cl_int CL_API_CALL ocl_record_fill_buffer(OCL_RECORD_FIRST, cl_mem buffer, const void *pattern,
					  size_t pattern_size, size_t offset, size_t size,
					  OCL_RECORD_LAST)
{
	const struct ocl_sync_list list = OCL_RECORD_LIST;
	struct ocl_access accesses[1];
	struct ocl_command command;
	cl_int error = OCL_RECORD_CHECK;
	if (!error)
		error = enqueue_make_fill(&command, accesses, command_queue, buffer,
					  pattern, pattern_size, offset, size);
	return error ? error : ocl_command_buffer_record(command_buffer, &command, &list,
							 NULL, sync_point);
}

/* The properties of a recorded launch. */
struct launch_properties {
	cl_bitfield fields;              /* OCL_MUTABLE_* */
	bool waits_for_arguments;        /* the arguments may be set later */
	bool keeps_groups;
};

/* cl_khr_command_buffer_mutable_dispatch: CL_INVALID_VALUE for an invalid property.  All fields can be changed on
 * our devices. */
static cl_int properties_read(const cl_command_properties_khr *list,
			      struct launch_properties *properties)
{
	*properties = (struct launch_properties){.fields = OCL_MUTABLE_ALL};
	for (; list && list[0]; list += 2) {
		switch (list[0]) {
		case OCL_MUTABLE_DISPATCH_UPDATABLE_FIELDS:
			if (list[1] & ~(cl_bitfield)OCL_MUTABLE_ALL)
				return CL_INVALID_VALUE;
			properties->fields = list[1];
			properties->waits_for_arguments = list[1] & OCL_MUTABLE_ARGUMENTS;
			break;
		case OCL_MUTABLE_DISPATCH_ASSERTS:
			if (list[1] & ~(cl_bitfield)OCL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS)
				return CL_INVALID_VALUE;
			properties->keeps_groups = list[1];
			break;
		default:
			return CL_INVALID_VALUE;
		}
	}
	return CL_SUCCESS;
}

static cl_int launch_record(cl_command_buffer_khr buffer, cl_command_queue queue, cl_kernel kernel,
			    const struct ocl_ndrange *range,
			    const cl_command_properties_khr *list_of_properties,
			    const struct launch_properties *properties,
			    const struct ocl_sync_list *list, cl_sync_point_khr *point,
			    cl_mutable_command_khr *handle_out)
{
	struct _cl_mutable_command_khr *handle = NULL;
	struct ocl_access own[OCL_LAUNCH_ACCESSES];
	struct ocl_command command;
	cl_int error = ocl_launch_init(&command, own, queue, kernel,
				       CL_COMMAND_NDRANGE_KERNEL, range);
	const bool set = error != CL_INVALID_KERNEL_ARGS || !properties->waits_for_arguments;
	ocl_launch_record(&command);
	/* A launch without arguments is recorded as a marker until an update sets them. */
	if (!set) {
		command.kind = &ocl_command_marker;
		error = CL_SUCCESS;
	}
	if (error)
		ocl_complain_launch("clCommandNDRangeKernelKHR", queue, kernel, range,
				    error);
	else
		error = ocl_mutable_create(buffer, queue, kernel, range, list_of_properties,
					   properties->fields, set, &handle);
	if (!error)
		error = ocl_command_buffer_record(buffer, &command, list, handle, point);
	ocl_launch_finish(&command, own);
	if (error)
		object_unref(handle);
	else if (handle_out)
		*handle_out = handle;
	return error;
}

cl_int CL_API_CALL ocl_record_launch(OCL_RECORD_FIRST, cl_kernel kernel, cl_uint work_dim,
				     const size_t *global_work_offset,
				     const size_t *global_work_size, const size_t *local_work_size,
				     OCL_RECORD_LAST)
{
	const struct ocl_ndrange range = {
		work_dim, global_work_offset, global_work_size, local_work_size,
	};
	const struct ocl_sync_list list = OCL_RECORD_LIST;
	struct launch_properties read;
	cl_int error = any_check(command_buffer, &command_queue, &list);
	if (!error)
		error = object_check(kernel, &ocl_kernel_type);
	if (!error && kernel->program->context != command_queue->context)
		error = CL_INVALID_CONTEXT;
	if (!error)
		error = properties_read(properties, &read);
	/* A promise not to add work-groups (CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR) needs a local
	 * size. */
	if (!error && (read.keeps_groups || command_buffer->keeps_groups) && !local_work_size)
		error = CL_INVALID_VALUE;
	return error ? error : launch_record(command_buffer, command_queue, kernel, &range, properties, &read,
					     &list, sync_point, mutable_handle);
}
