/* Reading, writing, filling and mapping images (OpenCL 3.0 API, 5.3.3, 5.3.5, 5.3.6). */
#include "config.h"

#include "icd/api/enqueue.h"
#include "icd/memory/image_format.h"

/* The checks that all commands with one image share. */
static cl_int image_check(cl_command_queue queue, cl_mem image, const size_t origin[3],
			  const size_t region[3], cl_uint count, const cl_event *events,
			  struct ocl_image_box *box_out)
{
	cl_int error = object_check(queue, &ocl_queue_type);
	if (!error)
		error = enqueue_check_image(queue, image);
	if (!error)
		error = enqueue_check_list(queue, count, events);
	if (!error)
		error = enqueue_check_image_device(queue, image);
	return error ? error : ocl_image_box_take(image, origin, region, box_out);
}

/* A write of the whole image need not keep its old contents; any other write keeps the rest. */
static enum ocl_access_mode write_mode(const struct _cl_mem *image,
				       const struct ocl_image_box *box)
{
	return !image->image->linear && ocl_image_box_is_whole(image, box) ? OCL_ACCESS_WRITE
									   : OCL_ACCESS_UPDATE;
}

static void touch(struct ocl_command *command, cl_mem image, enum ocl_access_mode mode)
{
	ocl_command_touch(command, image, 0, image->size_B, mode);
}

/* --- reads and writes ----------------------------------------------------------------- */

struct host_transfer {
	cl_mem image;
	const size_t *origin, *region;
	size_t row_pitch_B, slice_pitch_B;
	const void *pointer;
};

static cl_int transfer_take(struct ocl_command *command, struct host_transfer *given,
			    enum enqueue_host host, cl_uint count, const cl_event *events)
{
	struct ocl_image_transfer *transfer = &command->u.image;
	cl_int error = image_check(command->queue, given->image, given->origin, given->region,
				   count, events, &transfer->box);
	/* 5.3.3: CL_INVALID_VALUE without a pointer. */
	if (!error && !given->pointer)
		error = CL_INVALID_VALUE;
	if (!error)
		error = ocl_image_pitches_take(given->image, given->region, &given->row_pitch_B,
					       &given->slice_pitch_B);
	if (!error)
		error = enqueue_check_host(given->image, host);
	if (error)
		return error;
	const uint64_t *region = transfer->box.region;
	transfer->row_pitch_B = given->row_pitch_B;
	transfer->slice_pitch_B = given->slice_pitch_B;
	transfer->plan = gpu_transfer_plan_box(
		command->queue->device->gpu, given->pointer,
		(region[2] - 1) * transfer->slice_pitch_B +
			(region[1] - 1) * transfer->row_pitch_B +
			region[0] * given->image->image->texel_B);
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueReadImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_read,
		   const size_t *origin, const size_t *region, size_t row_pitch, size_t slice_pitch,
		   void *ptr, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
		   cl_event *event)
{
	struct host_transfer given = {image, origin, region, row_pitch, slice_pitch, ptr};
	struct ocl_access accesses[1];
	struct ocl_command command;
	ocl_command_init(&command, &ocl_command_image_read, command_queue, CL_COMMAND_READ_IMAGE,
			 accesses);
	cl_int error = transfer_take(&command, &given, ENQUEUE_HOST_READS,
				     num_events_in_wait_list, event_wait_list);
	if (error)
		return error;
	command.u.image.host.to = ptr;
	touch(&command, image, OCL_ACCESS_READ);
	return ocl_queue_enqueue(&command, blocking_read, num_events_in_wait_list,
				 event_wait_list, event);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueWriteImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_write,
		    const size_t *origin, const size_t *region, size_t input_row_pitch,
		    size_t input_slice_pitch, const void *ptr, cl_uint num_events_in_wait_list,
		    const cl_event *event_wait_list, cl_event *event)
{
	struct host_transfer given = {image,           origin,            region,
				      input_row_pitch, input_slice_pitch, ptr};
	struct ocl_access accesses[1];
	struct ocl_command command;
	ocl_command_init(&command, &ocl_command_image_write, command_queue, CL_COMMAND_WRITE_IMAGE,
			 accesses);
	cl_int error = transfer_take(&command, &given, ENQUEUE_HOST_WRITES,
				     num_events_in_wait_list, event_wait_list);
	if (error)
		return error;
	command.u.image.host.from = ptr;
	touch(&command, image, write_mode(image, &command.u.image.box));
	return ocl_queue_enqueue(&command, blocking_write, num_events_in_wait_list,
				 event_wait_list, event);
}

/* --- fills ---------------------------------------------------------------------------- */

cl_int enqueue_make_fill_image(struct ocl_command *command, struct ocl_access accesses[1],
			       cl_command_queue queue, cl_mem image, const void *color,
			       const size_t *origin, const size_t *region)
{
	struct ocl_image_transfer *transfer = &command->u.image;
	cl_int error = enqueue_check_image(queue, image);
	if (!error)
		error = enqueue_check_target(image);
	if (!error)
		error = enqueue_check_image_device(queue, image);
	if (!error)
		error = ocl_image_box_take(image, origin, region, &transfer->box);
	/* 5.3.5: CL_INVALID_VALUE without a color. */
	if (!error && !color)
		error = CL_INVALID_VALUE;
	if (error)
		return error;
	ocl_command_init(command, &ocl_command_image_fill, queue, CL_COMMAND_FILL_IMAGE, accesses);
	ocl_image_format_pack(&image->image->format, color, transfer->texel);
	touch(command, image, write_mode(image, &transfer->box));
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueFillImage(cl_command_queue command_queue, cl_mem image, const void *fill_color,
		   const size_t *origin, const size_t *region, cl_uint num_events_in_wait_list,
		   const cl_event *event_wait_list, cl_event *event)
{
	struct ocl_access accesses[1];
	struct ocl_command command;
	cl_int error = object_check(command_queue, &ocl_queue_type);
	if (!error)
		error = enqueue_check_list(command_queue, num_events_in_wait_list,
					   event_wait_list);
	if (!error)
		error = enqueue_make_fill_image(&command, accesses, command_queue, image,
						fill_color, origin, region);
	return error ? error : ocl_queue_enqueue(&command, false, num_events_in_wait_list,
						 event_wait_list, event);
}

/* --- maps ----------------------------------------------------------------------------- */

static void *map_return(cl_int error, void *pointer, cl_int *errcode_ret)
{
	if (errcode_ret)
		*errcode_ret = error;
	return error ? NULL : pointer;
}

/* 5.3.6: CL_INVALID_VALUE without a place for the row pitch, or for the slice pitch of an
 * image that has one. */
static cl_int map_pitches_check(const struct _cl_mem *image, const size_t *row_pitch,
				const size_t *slice_pitch)
{
	const bool sliced = image->image->depth || image->image->array_size;
	return !row_pitch || (sliced && !slice_pitch) ? CL_INVALID_VALUE : CL_SUCCESS;
}

static cl_int map_begin(cl_mem image, cl_map_flags flags, const struct ocl_image_box *box,
			struct ocl_command *command)
{
	cl_int error = ocl_mem_map_image(image, flags, box, &command->u.map);
	/* A map that invalidates its region does not need the image's contents on the device. */
	if (!error && !(flags & CL_MAP_WRITE_INVALIDATE_REGION))
		touch(command, image, OCL_ACCESS_READ);
	return error;
}

CL_API_ENTRY void * CL_API_CALL
clEnqueueMapImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_map,
		  cl_map_flags map_flags, const size_t *origin, const size_t *region,
		  size_t *image_row_pitch, size_t *image_slice_pitch,
		  cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event,
		  cl_int *errcode_ret)
{
	struct ocl_access accesses[1];
	struct ocl_command command;
	struct ocl_image_box box;
	cl_int error = image_check(command_queue, image, origin, region, num_events_in_wait_list,
				   event_wait_list, &box);
	if (!error)
		error = enqueue_check_map_flags(image, map_flags);
	if (!error)
		error = map_pitches_check(image, image_row_pitch, image_slice_pitch);
	if (error)
		return map_return(error, NULL, errcode_ret);
	ocl_command_init(&command, &ocl_command_image_map, command_queue, CL_COMMAND_MAP_IMAGE,
			 accesses);
	error = map_begin(image, map_flags, &box, &command);
	if (error)
		return map_return(error, NULL, errcode_ret);
	struct ocl_map *map = command.u.map;
	void *pointer = map->pointer;
	/* 5.3.6: the slice pitch of an image without slices is 0. */
	*image_row_pitch = map->row_pitch_B;
	if (image_slice_pitch)
		*image_slice_pitch = image->image->depth || image->image->array_size
					     ? map->slice_pitch_B : 0;
	error = ocl_queue_enqueue(&command, blocking_map, num_events_in_wait_list,
				  event_wait_list, event);
	/* The map was put into the image's list of maps before its command was enqueued. */
	if (error)
		ocl_mem_map_undo(map);
	ocl_map_unref(map);
	return map_return(error, pointer, errcode_ret);
}
