/* Copies between images, and between images and buffers (OpenCL 3.0 API, 5.3.3, 5.3.4). */
#include "config.h"

#include "icd/api/enqueue.h"

/* Adds the image to the command's accesses.  A write of the whole image need not keep its old contents. */
static void touch_image(struct ocl_command *command, cl_mem image, const struct ocl_image_box *box,
			bool writes)
{
	const bool whole = !image->image->linear && ocl_image_box_is_whole(image, box);
	ocl_command_touch(command, image, 0, image->size_B,
			  !writes ? OCL_ACCESS_READ : whole ? OCL_ACCESS_WRITE
							    : OCL_ACCESS_UPDATE);
}

/* --- image to image ------------------------------------------------------------------- */

/* OpenCL 3.0 API, 5.3.3 (clEnqueueCopyImage): CL_MEM_COPY_OVERLAP when source and target are the same image, or
 * images that share their memory, and the regions overlap. */
static bool boxes_overlap(const struct _cl_mem *from, const struct _cl_mem *to,
			  const struct ocl_image_box *a, const struct ocl_image_box *b)
{
	const bool shared = from->storage == to->storage && !from->image->linear && !to->image->linear;
	const bool same = (from == to || shared) && a->level == b->level;
	for (unsigned i = 0; i < 3 && same; i++)
		if (a->origin[i] >= b->origin[i] + b->region[i] ||
		    b->origin[i] >= a->origin[i] + a->region[i])
			return false;
	return same;
}

static cl_int images_check(cl_command_queue queue, cl_mem from, cl_mem to)
{
	cl_int error = enqueue_check_image(queue, from);
	if (!error)
		error = enqueue_check_image(queue, to);
	if (!error)
		error = enqueue_check_target(to);
	if (!error)
		error = enqueue_check_image_device(queue, from);
	if (!error)
		error = enqueue_check_image_device(queue, to);
	if (error)
		return error;
	/* 5.3.3: CL_IMAGE_FORMAT_MISMATCH unless both have the same format. */
	const cl_image_format *a = &from->image->format, *b = &to->image->format;
	return a->image_channel_order == b->image_channel_order &&
	       a->image_channel_data_type == b->image_channel_data_type
		       ? CL_SUCCESS : CL_IMAGE_FORMAT_MISMATCH;
}

cl_int enqueue_make_copy_image(struct ocl_command *command, struct ocl_access accesses[2],
			       cl_command_queue queue, cl_mem from, cl_mem to,
			       const size_t *from_origin, const size_t *to_origin,
			       const size_t *region)
{
	struct ocl_image_transfer *transfer = &command->u.image;
	cl_int error = images_check(queue, from, to);
	if (!error)
		error = ocl_image_box_take(from, from_origin, region, &transfer->box);
	if (!error)
		error = ocl_image_box_take(to, to_origin, region, &transfer->target);
	if (!error && boxes_overlap(from, to, &transfer->box, &transfer->target))
		error = CL_MEM_COPY_OVERLAP;
	if (error)
		return error;
	ocl_command_init(command, &ocl_command_image_copy, queue, CL_COMMAND_COPY_IMAGE, accesses);
	touch_image(command, from, &transfer->box, false);
	touch_image(command, to, &transfer->target, true);
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueCopyImage(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_image,
		   const size_t *src_origin, const size_t *dst_origin, const size_t *region,
		   cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
		   cl_event *event)
{
	struct ocl_access accesses[2];
	struct ocl_command command;
	cl_int error = object_check(command_queue, &ocl_queue_type);
	if (!error)
		error = enqueue_check_list(command_queue, num_events_in_wait_list,
					   event_wait_list);
	if (!error)
		error = enqueue_make_copy_image(&command, accesses, command_queue, src_image,
						dst_image, src_origin, dst_origin, region);
	return error ? error : ocl_queue_enqueue(&command, false, num_events_in_wait_list,
						 event_wait_list, event);
}

/* --- images and buffers --------------------------------------------------------------- */

static cl_int buffer_copy_check(cl_command_queue queue, const struct enqueue_image_buffer *given,
				bool to_image)
{
	cl_int error = enqueue_check_image(queue, given->image);
	if (!error)
		error = enqueue_check_mem(queue, given->buffer);
	if (!error)
		error = enqueue_check_target(to_image ? given->image : given->buffer);
	/* 5.3.4: CL_INVALID_MEM_OBJECT for a 1D image buffer and the buffer from which it was created. */
	if (!error && given->image->type == CL_MEM_OBJECT_IMAGE1D_BUFFER &&
	    given->image->parent == given->buffer)
		error = CL_INVALID_MEM_OBJECT;
	return error ? error : enqueue_check_image_device(queue, given->image);
}

/* 5.3.4: rows and slices of the box follow each other in the buffer without gaps. */
cl_int enqueue_make_image_buffer(struct ocl_command *command, struct ocl_access accesses[2],
				 cl_command_queue queue, const struct enqueue_image_buffer *given,
				 bool to_image)
{
	struct ocl_image_transfer *transfer = &command->u.image;
	cl_int error = buffer_copy_check(queue, given, to_image);
	if (!error)
		error = ocl_image_box_take(given->image, given->origin, given->region,
					   &transfer->box);
	if (error)
		return error;
	const uint64_t *region = transfer->box.region;
	transfer->row_pitch_B = region[0] * given->image->image->texel_B;
	transfer->slice_pitch_B = region[1] * transfer->row_pitch_B;
	const size_t size_B = region[2] * transfer->slice_pitch_B;
	error = enqueue_check_range(given->buffer, given->offset_B, size_B);
	if (error)
		return error;
	if (to_image)
		ocl_command_init(command, &ocl_command_buffer_to_image, queue,
				 CL_COMMAND_COPY_BUFFER_TO_IMAGE, accesses);
	else
		ocl_command_init(command, &ocl_command_image_to_buffer, queue,
				 CL_COMMAND_COPY_IMAGE_TO_BUFFER, accesses);
	ocl_command_touch(command, given->buffer, given->offset_B, size_B,
			  to_image ? OCL_ACCESS_READ : OCL_ACCESS_WRITE);
	touch_image(command, given->image, &transfer->box, to_image);
	return CL_SUCCESS;
}

static cl_int image_buffer_enqueue(cl_command_queue queue,
				   const struct enqueue_image_buffer *given, bool to_image,
				   cl_uint count, const cl_event *events, cl_event *event)
{
	struct ocl_access accesses[2];
	struct ocl_command command;
	cl_int error = object_check(queue, &ocl_queue_type);
	if (!error)
		error = enqueue_check_list(queue, count, events);
	if (!error)
		error = enqueue_make_image_buffer(&command, accesses, queue, given, to_image);
	return error ? error : ocl_queue_enqueue(&command, false, count, events, event);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueCopyImageToBuffer(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_buffer,
			   const size_t *src_origin, const size_t *region, size_t dst_offset,
			   cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
			   cl_event *event)
{
	const struct enqueue_image_buffer given = {src_image, dst_buffer, src_origin, region,
						   dst_offset};
	return image_buffer_enqueue(command_queue, &given, false, num_events_in_wait_list,
				    event_wait_list, event);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueCopyBufferToImage(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_image,
			   size_t src_offset, const size_t *dst_origin, const size_t *region,
			   cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
			   cl_event *event)
{
	const struct enqueue_image_buffer given = {dst_image, src_buffer, dst_origin, region,
						   src_offset};
	return image_buffer_enqueue(command_queue, &given, true, num_events_in_wait_list,
				    event_wait_list, event);
}
