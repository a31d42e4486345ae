/* Commands with boxes of buffers (OpenCL 3.0 API, 5.2.2: clEnqueueReadBufferRect and similar functions). */
#include "config.h"

#include "icd/api/enqueue.h"

#include <stdlib.h>

/* One side of a transfer of a box: as the application gave it, and later with its pitches and bounds. */
struct box {
	const size_t *origin;
	size_t row_pitch_B, slice_pitch_B;
	uint64_t lo_B, hi_B;             /* first byte, and the one after the last */
};

/* a * b + c; false when that does not fit. */
static bool multiply_add(uint64_t a, uint64_t b, uint64_t c, uint64_t *result_out)
{
	if (b && a > (UINT64_MAX - c) / b)
		return false;
	*result_out = a * b + c;
	return true;
}

/* 5.2.2: CL_INVALID_VALUE when a pitch is neither 0 nor large enough, or a slice pitch is not a multiple of the row
 * pitch; 0 means the smallest pitch. */
static cl_int pitches_take(struct box *box, const size_t region[3])
{
	uint64_t tight_B;
	if (!box->row_pitch_B)
		box->row_pitch_B = region[0];
	if (box->row_pitch_B < region[0])
		return CL_INVALID_VALUE;
	if (!multiply_add(region[1], box->row_pitch_B, 0, &tight_B))
		return CL_INVALID_VALUE;
	if (!box->slice_pitch_B)
		box->slice_pitch_B = tight_B;
	if (box->slice_pitch_B < tight_B || box->slice_pitch_B % box->row_pitch_B)
		return CL_INVALID_VALUE;
	return CL_SUCCESS;
}

static cl_int bounds_take(struct box *box, const size_t region[3])
{
	const size_t *origin = box->origin;
	uint64_t last_B;
	if (!multiply_add(origin[1], box->row_pitch_B, origin[0], &box->lo_B) ||
	    !multiply_add(origin[2], box->slice_pitch_B, box->lo_B, &box->lo_B) ||
	    !multiply_add(region[1] - 1, box->row_pitch_B, region[0], &last_B) ||
	    !multiply_add(region[2] - 1, box->slice_pitch_B, last_B, &last_B) ||
	    last_B > UINT64_MAX - box->lo_B)
		return CL_INVALID_VALUE;
	box->hi_B = box->lo_B + last_B;
	return CL_SUCCESS;
}

static cl_int box_take(struct box *box, const size_t region[3])
{
	if (!box->origin || !region || !region[0] || !region[1] || !region[2])
		return CL_INVALID_VALUE;
	cl_int error = pitches_take(box, region);
	return error ? error : bounds_take(box, region);
}

static cl_int box_check(const struct _cl_mem *mem, const struct box *box)
{
	return box->hi_B <= mem->size_B ? CL_SUCCESS : CL_INVALID_VALUE;
}

/* Whether the box contains every byte between its first and its last. */
static bool box_is_solid(const struct box *box, const size_t region[3])
{
	const bool rows = region[1] == 1 || box->row_pitch_B == region[0];
	return rows && (region[2] == 1 || box->slice_pitch_B == region[0] * region[1]) &&
	       box->hi_B - box->lo_B == (uint64_t)region[0] * region[1] * region[2];
}

/* from_first: the rect's origin is relative to the box's first byte, where the command's access begins. */
static struct gpu_rect rect_of(const struct box *box, bool from_first)
{
	return (struct gpu_rect){
		.row_pitch_B = box->row_pitch_B,
		.slice_pitch_B = box->slice_pitch_B,
		.origin_B = from_first ? 0 : box->lo_B,
	};
}

static void touch(struct ocl_command *command, cl_mem mem, const struct box *box,
		  enum ocl_access_mode mode)
{
	ocl_command_touch(command, mem, box->lo_B, box->hi_B - box->lo_B, mode);
}

/* A write to a box with gaps keeps the bytes in the gaps. */
static enum ocl_access_mode write_mode(const struct box *box, const size_t region[3])
{
	return box_is_solid(box, region) ? OCL_ACCESS_WRITE : OCL_ACCESS_UPDATE;
}

static void region_set(struct ocl_command *command, const size_t region[3])
{
	for (unsigned i = 0; i < 3; i++)
		command->u.transfer.region_B[i] = region[i];
}

struct host_box {
	cl_mem mem;
	const size_t *region;
	const void *pointer;
	struct box buffer, host;
};

static cl_int host_box_check(cl_command_queue queue, struct host_box *work, enum enqueue_host host,
			     cl_uint count, const cl_event *events)
{
	cl_int error = object_check(queue, &ocl_queue_type);
	if (!error)
		error = enqueue_check_mem(queue, work->mem);
	if (!error)
		error = enqueue_check_list(queue, count, events);
	if (!error && !work->pointer)
		error = CL_INVALID_VALUE;
	if (!error)
		error = box_take(&work->buffer, work->region);
	if (!error)
		error = box_take(&work->host, work->region);
	if (!error)
		error = box_check(work->mem, &work->buffer);
	return error ? error : enqueue_check_host(work->mem, host);
}

static void host_box_fill(struct ocl_command *command, const struct host_box *work)
{
	command->u.transfer.plan = gpu_transfer_plan_box(
		command->queue->device->gpu, (const unsigned char *)work->pointer + work->host.lo_B,
		work->host.hi_B - work->host.lo_B);
	command->u.transfer.buffer = rect_of(&work->buffer, true);
	command->u.transfer.other = rect_of(&work->host, false);
	region_set(command, work->region);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBufferRect(
	cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read,
	const size_t *buffer_origin, const size_t *host_origin, const size_t *region,
	size_t buffer_row_pitch, size_t buffer_slice_pitch, size_t host_row_pitch,
	size_t host_slice_pitch, void *ptr, cl_uint num_events_in_wait_list,
	const cl_event *event_wait_list, cl_event *event)
{
	struct host_box work = {
		buffer, region, ptr,
		{buffer_origin, buffer_row_pitch, buffer_slice_pitch, 0, 0},
		{host_origin, host_row_pitch, host_slice_pitch, 0, 0},
	};
	struct ocl_access accesses[2];
	struct ocl_command command;
	cl_int error = host_box_check(command_queue, &work, ENQUEUE_HOST_READS,
				      num_events_in_wait_list, event_wait_list);
	if (error)
		return error;
	ocl_command_init(&command, &ocl_command_read_rect, command_queue,
			 CL_COMMAND_READ_BUFFER_RECT,
			 accesses);
	host_box_fill(&command, &work);
	command.u.transfer.host.to = ptr;
	touch(&command, buffer, &work.buffer, OCL_ACCESS_READ);
	return ocl_queue_enqueue(&command, blocking_read, num_events_in_wait_list,
				 event_wait_list, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBufferRect(
	cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_write,
	const size_t *buffer_origin, const size_t *host_origin, const size_t *region,
	size_t buffer_row_pitch, size_t buffer_slice_pitch, size_t host_row_pitch,
	size_t host_slice_pitch, const void *ptr, cl_uint num_events_in_wait_list,
	const cl_event *event_wait_list, cl_event *event)
{
	struct host_box work = {
		buffer, region, ptr,
		{buffer_origin, buffer_row_pitch, buffer_slice_pitch, 0, 0},
		{host_origin, host_row_pitch, host_slice_pitch, 0, 0},
	};
	struct ocl_access accesses[2];
	struct ocl_command command;
	cl_int error = host_box_check(command_queue, &work, ENQUEUE_HOST_WRITES,
				      num_events_in_wait_list, event_wait_list);
	if (error)
		return error;
	ocl_command_init(&command, &ocl_command_write_rect, command_queue,
			 CL_COMMAND_WRITE_BUFFER_RECT,
			 accesses);
	host_box_fill(&command, &work);
	command.u.transfer.host.from = ptr;
	touch(&command, buffer, &work.buffer, write_mode(&work.buffer, region));
	return ocl_queue_enqueue(&command, blocking_write, num_events_in_wait_list,
				 event_wait_list, event);
}

/* --- copies ------------------------------------------------------------------------------ */

struct copy_boxes {
	cl_mem from_mem, to_mem;
	const size_t *region;
	struct box from, to;
};

/* Whether [a, a + length) and [b, b + length) overlap when both repeat every period. */
static bool spans_meet(uint64_t a, uint64_t b, uint64_t length, uint64_t period)
{
	const uint64_t forward = (b + period - a % period) % period;
	return forward < length || period - forward < length;
}

/* 5.2.2: CL_MEM_COPY_OVERLAP when the boxes have a byte in common.  Both are in one buffer and have equal pitches;
 * therefore they overlap only if their bounds, their rows and their slices do. (Two sub-buffers may be used with
 * different pitches; 5.2.1 leaves it to the application that those do not overlap.) */
static bool boxes_overlap(const struct copy_boxes *work)
{
	const uint64_t from_B = work->from_mem->origin_B + work->from.lo_B;
	const uint64_t to_B = work->to_mem->origin_B + work->to.lo_B;
	const size_t *region = work->region;
	const uint64_t row_B = work->from.row_pitch_B, slice_B = work->from.slice_pitch_B;
	const uint64_t extent_B = work->from.hi_B - work->from.lo_B;
	const uint64_t apart_B = from_B > to_B ? from_B - to_B : to_B - from_B;
	if (apart_B >= extent_B || row_B != work->to.row_pitch_B ||
	    slice_B != work->to.slice_pitch_B)
		return false;
	/* The boxes are side by side within a row, or one above the other within a slice. */
	if (!spans_meet(from_B, to_B, region[0], row_B))
		return false;
	const uint64_t slice_span_B = (region[1] - 1) * row_B + region[0];
	return spans_meet(from_B, to_B, slice_span_B, slice_B);
}

static cl_int copy_boxes_check(cl_command_queue queue, struct copy_boxes *work)
{
	cl_int error = enqueue_check_mem(queue, work->from_mem);
	if (!error)
		error = enqueue_check_mem(queue, work->to_mem);
	if (!error)
		error = enqueue_check_target(work->to_mem);
	if (!error)
		error = box_take(&work->from, work->region);
	if (!error)
		error = box_take(&work->to, work->region);
	if (!error)
		error = box_check(work->from_mem, &work->from);
	if (!error)
		error = box_check(work->to_mem, &work->to);
	if (error || work->from_mem->storage != work->to_mem->storage)
		return error;
	/* 5.2.2: within one buffer the pitches must be the same. */
	if (work->from_mem == work->to_mem &&
	    (work->from.row_pitch_B != work->to.row_pitch_B ||
	     work->from.slice_pitch_B != work->to.slice_pitch_B))
		return CL_INVALID_VALUE;
	return boxes_overlap(work) ? CL_MEM_COPY_OVERLAP : CL_SUCCESS;
}

cl_int enqueue_make_copy_rect(struct ocl_command *command, struct ocl_access accesses[2],
			      cl_command_queue queue, const struct enqueue_side *from,
			      const struct enqueue_side *to, const size_t *region)
{
	struct copy_boxes work = {
		from->mem, to->mem, region,
		{from->origin, from->row_pitch_B, from->slice_pitch_B, 0, 0},
		{to->origin, to->row_pitch_B, to->slice_pitch_B, 0, 0},
	};
	cl_int error = copy_boxes_check(queue, &work);
	if (error)
		return error;
	ocl_command_init(command, &ocl_command_copy_rect, queue, CL_COMMAND_COPY_BUFFER_RECT,
			 accesses);
	command->u.transfer.buffer = rect_of(&work.from, true);
	command->u.transfer.other = rect_of(&work.to, true);
	region_set(command, region);
	touch(command, from->mem, &work.from, OCL_ACCESS_READ);
	touch(command, to->mem, &work.to, write_mode(&work.to, region));
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBufferRect(
	cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer,
	const size_t *src_origin, const size_t *dst_origin, const size_t *region,
	size_t src_row_pitch, size_t src_slice_pitch, size_t dst_row_pitch, size_t dst_slice_pitch,
	cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
{
	const struct enqueue_side from = {src_buffer, src_origin, src_row_pitch, src_slice_pitch};
	const struct enqueue_side to = {dst_buffer, dst_origin, dst_row_pitch, dst_slice_pitch};
	struct ocl_access accesses[2];
	struct ocl_command command;
	cl_int error = object_check(command_queue, &ocl_queue_type);
	if (!error)
		error = enqueue_check_list(command_queue, num_events_in_wait_list,
					   event_wait_list);
	if (!error)
		error = enqueue_make_copy_rect(&command, accesses, command_queue, &from, &to,
					       region);
	if (error)
		return error;
	/* As in clEnqueueCopyBuffer: not for recorded copies, which use fixed addresses on the device. */
	if (ocl_storage_copies_out(src_buffer->storage))
		accesses[0].mode = OCL_ACCESS_AFAR;
	return ocl_queue_enqueue(&command, false, num_events_in_wait_list, event_wait_list, event);
}
