/* The parts of a command buffer: those of its commands that one queue runs as one CUDA graph.
 *
 * A buffer of one queue has one part.  With several queues (cl_khr_command_buffer_multi_device), a command that follows
 * one of another queue is in a later part than that one.  Each part follows whole parts, and the parts of different
 * queues run at the same time as far as they do not follow each other.
 *
 * Not thread-safe: the thread that finalizes the buffer makes the parts, which are constant from then on, except their
 * graphs (command_buffer.h). */
#ifndef CULVERT_ICD_COMMAND_PART_H
#define CULVERT_ICD_COMMAND_PART_H

#include "icd/graph/command_graph.h"

struct ocl_command_part {
	uint32_t queue;                  /* index of its queue in those of the buffer */
	uint32_t *positions;             /* owned: of its commands in the buffer, in the order of their recording */
	uint32_t count;                  /* of positions; not 0 */
	uint32_t *after;                 /* owned: indices of the parts that it follows, each once; all are earlier */
	uint32_t after_count;
	bool followed;                   /* another part follows it */
	struct ocl_command_graph *graph; /* a reference; NULL until the buffer is executable */
};

/* Makes the parts of commands, whose recorded.part it sets, in an order in which they can be enqueued.  queue_count:
 * how many queues the buffer has.  CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_command_parts_make(struct ocl_recorded *commands, uint32_t count, uint32_t queue_count,
			      struct ocl_command_part **parts_out, uint32_t *count_out);
/* Frees them with their references to graphs.  parts may be NULL. */
void ocl_command_parts_free(struct ocl_command_part *parts, uint32_t count);

#endif
