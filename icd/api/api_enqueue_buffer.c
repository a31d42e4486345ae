/* Reading, writing, copying and filling buffers (OpenCL 3.0 API, 5.2.2, 5.2.3). */
#include "config.h"

#include "icd/api/enqueue.h"
#include "icd/program/complaint.h"

#include <string.h>

/* The errors of clEnqueueReadBuffer and clEnqueueWriteBuffer, except those of the flags of mem. */
static cl_int transfer_check(cl_command_queue queue, cl_mem mem, size_t offset_B, size_t size_B,
			     const void *pointer, enum enqueue_host host, cl_uint count,
			     const cl_event *events)
{
	cl_int error = object_check(queue, &ocl_queue_type);
	if (!error)
		error = enqueue_check_mem(queue, mem);
	if (!error)
		error = enqueue_check_list(queue, count, events);
	/* 5.2.2: CL_INVALID_VALUE out of bounds or without a pointer. */
	if (error)
		return error;
	if (enqueue_check_range(mem, offset_B, size_B)) {
		ocl_complain_range(host == ENQUEUE_HOST_READS ? "clEnqueueReadBuffer"
							      : "clEnqueueWriteBuffer",
				   mem, offset_B, size_B);
		return CL_INVALID_VALUE;
	}
	return pointer ? enqueue_check_host(mem, host) : CL_INVALID_VALUE;
}

/* Adds the range to the command's accesses.  A command without bytes has nothing to do but keeps its place in the
 * queue and its event, as a marker. */
static void touch(struct ocl_command *command, cl_mem mem, size_t offset_B, size_t size_B,
		  enum ocl_access_mode mode)
{
	if (size_B)
		ocl_command_touch(command, mem, offset_B, size_B, mode);
	else
		command->kind = &ocl_command_marker;
}

static cl_int read_from_slot(cl_command_queue queue, struct gpu_slot *slot, void *to,
			     size_t size_B, cl_int error)
{
	if (!error)
		memcpy(to, gpu_slot_memory(slot), size_B);
	/* After another error the copy into the slot may still be in the stream; then the slot is not used again. */
	if (!error || error == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
		gpu_slot_release(queue->device->gpu, slot, NULL);
	return error;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBuffer(
	cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read, size_t offset,
	size_t size, void *ptr, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
	cl_event *event)
{
	struct ocl_access accesses[2];
	struct ocl_command command;
	cl_int error = transfer_check(command_queue, buffer, offset, size, ptr,
				      ENQUEUE_HOST_READS, num_events_in_wait_list,
				      event_wait_list);
	if (error)
		return error;
	ocl_command_init(&command, &ocl_command_read, command_queue, CL_COMMAND_READ_BUFFER,
			 accesses);
	const struct gpu_transfer transfer = {GPU_TO_HOST, ptr, size, blocking_read};
	struct gpu_slot *slot = NULL;
	if (size)
		command.u.transfer.plan =
			gpu_transfer_plan(command_queue->device->gpu, &transfer, &slot);
	command.u.transfer.host.to = slot ? gpu_slot_memory(slot) : ptr;
	command.u.transfer.size_B = size;
	touch(&command, buffer, offset, size, OCL_ACCESS_READ);
	error = ocl_queue_enqueue(&command, blocking_read, num_events_in_wait_list,
				  event_wait_list, event);
	return slot ? read_from_slot(command_queue, slot, ptr, size, error) : error;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBuffer(
	cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_write, size_t offset,
	size_t size, const void *ptr, cl_uint num_events_in_wait_list,
	const cl_event *event_wait_list, cl_event *event)
{
	struct ocl_access accesses[2];
	struct ocl_command command;
	cl_int error = transfer_check(command_queue, buffer, offset, size, ptr,
				      ENQUEUE_HOST_WRITES, num_events_in_wait_list,
				      event_wait_list);
	if (error)
		return error;
	ocl_command_init(&command, &ocl_command_write, command_queue, CL_COMMAND_WRITE_BUFFER,
			 accesses);
	const struct gpu_transfer transfer = {GPU_TO_DEVICE, ptr, size, blocking_write};
	if (size)
		command.u.transfer.plan =
			gpu_transfer_plan(command_queue->device->gpu, &transfer, NULL);
	command.u.transfer.host.from = ptr;
	command.u.transfer.size_B = size;
	touch(&command, buffer, offset, size, OCL_ACCESS_WRITE);
	return ocl_queue_enqueue(&command, blocking_write, num_events_in_wait_list,
				 event_wait_list, event);
}

static cl_int copy_check(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_B, size_t to_B,
			 size_t size_B)
{
	cl_int error = enqueue_check_mem(queue, from);
	if (!error)
		error = enqueue_check_mem(queue, to);
	if (!error)
		error = enqueue_check_target(to);
	if (!error)
		error = enqueue_check_range(from, from_B, size_B);
	if (!error)
		error = enqueue_check_range(to, to_B, size_B);
	if (error || from->storage != to->storage)
		return error;
	/* 5.2.2: CL_MEM_COPY_OVERLAP, also by way of sub-buffers of one buffer. */
	const uint64_t a_B = from->origin_B + from_B, b_B = to->origin_B + to_B;
	const uint64_t apart_B = a_B > b_B ? a_B - b_B : b_B - a_B;
	return apart_B < size_B ? CL_MEM_COPY_OVERLAP : CL_SUCCESS;
}

cl_int enqueue_make_copy(struct ocl_command *command, struct ocl_access accesses[2],
			 cl_command_queue queue, cl_mem from, cl_mem to, size_t from_B, size_t to_B,
			 size_t size_B)
{
	cl_int error = copy_check(queue, from, to, from_B, to_B, size_B);
	if (error)
		return error;
	ocl_command_init(command, &ocl_command_copy, queue, CL_COMMAND_COPY_BUFFER, accesses);
	command->u.transfer.size_B = size_B;
	touch(command, from, from_B, size_B, OCL_ACCESS_READ);
	touch(command, to, to_B, size_B, OCL_ACCESS_WRITE);
	return CL_SUCCESS;
}

/* For commands whose other arguments are checked later: checks the queue and the wait list. */
static cl_int queue_and_list_check(cl_command_queue queue, cl_uint count, const cl_event *events)
{
	cl_int error = object_check(queue, &ocl_queue_type);
	return error ? error : enqueue_check_list(queue, count, events);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBuffer(
	cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer, size_t src_offset,
	size_t dst_offset, size_t size, cl_uint num_events_in_wait_list,
	const cl_event *event_wait_list, cl_event *event)
{
	struct ocl_access accesses[2];
	struct ocl_command command;
	cl_int error = queue_and_list_check(command_queue, num_events_in_wait_list,
					    event_wait_list);
	if (!error)
		error = enqueue_make_copy(&command, accesses, command_queue, src_buffer,
					  dst_buffer, src_offset, dst_offset, size);
	if (error)
		return error;
	/* Not for recorded copies: those use fixed addresses on the device. */
	if (ocl_storage_copies_out(src_buffer->storage))
		accesses[0].mode = OCL_ACCESS_AFAR;
	return ocl_queue_enqueue(&command, false, num_events_in_wait_list, event_wait_list, event);
}

cl_int enqueue_make_fill(struct ocl_command *command, struct ocl_access accesses[1],
			 cl_command_queue queue, cl_mem mem, const void *pattern, size_t pattern_B,
			 size_t offset_B, size_t size_B)
{
	cl_int error = enqueue_check_mem(queue, mem);
	if (!error)
		error = enqueue_check_target(mem);
	if (!error)
		error = enqueue_check_range(mem, offset_B, size_B);
	if (error)
		return error;
	/* 5.2.3: CL_INVALID_VALUE without a pattern, unless its size is a power of two
	 * up to 128, or unless offset and size are multiples of that. */
	if (!pattern || !pattern_B || pattern_B > 128 || pattern_B & (pattern_B - 1) ||
	    offset_B % pattern_B || size_B % pattern_B)
		return CL_INVALID_VALUE;
	ocl_command_init(command, &ocl_command_fill, queue, CL_COMMAND_FILL_BUFFER, accesses);
	memcpy(command->u.fill.pattern, pattern, pattern_B);
	command->u.fill.pattern_B = (uint32_t)pattern_B;
	command->u.fill.size_B = size_B;
	touch(command, mem, offset_B, size_B, OCL_ACCESS_WRITE);
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillBuffer(
	cl_command_queue command_queue, cl_mem buffer, const void *pattern, size_t pattern_size,
	size_t offset, size_t size, cl_uint num_events_in_wait_list,
	const cl_event *event_wait_list, cl_event *event)
{
	struct ocl_access accesses[2];
	struct ocl_command command;
	cl_int error = queue_and_list_check(command_queue, num_events_in_wait_list,
					    event_wait_list);
	if (!error)
		error = enqueue_make_fill(&command, accesses, command_queue, buffer, pattern,
					  pattern_size, offset, size);
	if (error)
		return error;
	return ocl_queue_enqueue(&command, false, num_events_in_wait_list, event_wait_list, event);
}
