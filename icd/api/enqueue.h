/* Checks that the clEnqueue* functions share.
 *
 * Thread-safe: the functions only read. */
#ifndef CULVERT_ICD_ENQUEUE_H
#define CULVERT_ICD_ENQUEUE_H

#include "icd/order/queue.h"

/* What a command does with a buffer on behalf of the host. */
enum enqueue_host { ENQUEUE_HOST_NOTHING, ENQUEUE_HOST_READS, ENQUEUE_HOST_WRITES };

/* CL_INVALID_MEM_OBJECT unless mem is a buffer, an image, or either; CL_INVALID_CONTEXT when its context is not the
 * queue's. */
cl_int enqueue_check_mem(cl_command_queue queue, cl_mem mem);
cl_int enqueue_check_image(cl_command_queue queue, cl_mem mem);
cl_int enqueue_check_any(cl_command_queue queue, cl_mem mem);
/* For all commands with images: CL_INVALID_OPERATION when the queue's device does not support images,
 * CL_INVALID_IMAGE_SIZE when it does not support the image's size. */
cl_int enqueue_check_image_device(cl_command_queue queue, const struct _cl_mem *image);
/* CL_INVALID_VALUE when the range is not within mem. */
cl_int enqueue_check_range(const struct _cl_mem *mem, size_t offset_B, size_t size_B);
/* CL_INVALID_OPERATION when the flags of mem forbid it. */
cl_int enqueue_check_host(const struct _cl_mem *mem, enum enqueue_host host);
/* For the target of a copy or a fill: CL_INVALID_OPERATION when it was created with CL_MEM_IMMUTABLE_EXT
 * (cl_ext_immutable_memory_objects). */
cl_int enqueue_check_target(const struct _cl_mem *mem);
/* CL_INVALID_VALUE for flags of a map that exclude each other, CL_INVALID_OPERATION when mem's flags forbid the map. */
cl_int enqueue_check_map_flags(const struct _cl_mem *mem, cl_map_flags flags);
/* CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_CONTEXT, CL_INVALID_EVENT. */
static inline cl_int enqueue_check_list(cl_command_queue queue, cl_uint count,
					const cl_event *events)
{
	/* Most commands have no wait list. */
	return count || events ? ocl_wait_list_check(queue->context, OCL_WAIT_PLAIN, count, events) : CL_SUCCESS;
}

/* Make commands that can be enqueued or recorded.  They check everything except the queue and the wait list, and return
 * the errors of the clEnqueue* function. */
cl_int enqueue_make_copy(struct ocl_command *command, struct ocl_access accesses[2],
			 cl_command_queue queue, cl_mem from, cl_mem to, size_t from_B, size_t to_B,
			 size_t size_B);
cl_int enqueue_make_fill(struct ocl_command *command, struct ocl_access accesses[1],
			 cl_command_queue queue, cl_mem mem, const void *pattern, size_t pattern_B,
			 size_t offset_B, size_t size_B);

/* One side of a box copy. */
struct enqueue_side {
	cl_mem mem;
	const size_t *origin;
	size_t row_pitch_B, slice_pitch_B;
};
cl_int enqueue_make_copy_rect(struct ocl_command *command, struct ocl_access accesses[2],
			      cl_command_queue queue, const struct enqueue_side *from,
			      const struct enqueue_side *to, const size_t *region);

cl_int enqueue_make_fill_image(struct ocl_command *command, struct ocl_access accesses[1],
			       cl_command_queue queue, cl_mem image, const void *color,
			       const size_t *origin, const size_t *region);
cl_int enqueue_make_copy_image(struct ocl_command *command, struct ocl_access accesses[2],
			       cl_command_queue queue, cl_mem from, cl_mem to,
			       const size_t *from_origin, const size_t *to_origin,
			       const size_t *region);

/* A copy between a box of an image and a buffer. */
struct enqueue_image_buffer {
	cl_mem image, buffer;
	const size_t *origin, *region;
	size_t offset_B;
};
cl_int enqueue_make_image_buffer(struct ocl_command *command, struct ocl_access accesses[2],
				 cl_command_queue queue, const struct enqueue_image_buffer *given,
				 bool to_image);

#endif
