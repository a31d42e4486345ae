/* Command buffers (cl_khr_command_buffer): commands recorded once, enqueued often.
 *
 * Recording keeps each command as a deferred one would be kept, with what it comes
 * after.  Finalizing makes a CUDA graph of them, an edge for each "after", and adds up
 * what they touch.  Enqueueing is then one command like any other: its accesses bring
 * the bytes of all to the device, and its operation is one launch of the graph.
 *
 * Addresses of buffers on a device never change, so a graph stays good.
 *
 * Thread-safe: the lock guards the recording; what finalizing makes is immutable. */
#ifndef CULVERT_ICD_COMMAND_BUFFER_H
#define CULVERT_ICD_COMMAND_BUFFER_H

#include "icd/command.h"
#include "icd/khr_command_buffer.h"

extern const struct object_type ocl_command_buffer_type;

struct ocl_recorded {
	struct ocl_command *command;     /* owned */
	uint32_t *after;                 /* owned: positions of earlier commands, each once */
	uint32_t after_count;
	uint32_t named_by;               /* a later command, while its list is made */
	uint32_t first_node, node_count; /* in the graph */
};

enum ocl_recording { OCL_RECORDING, OCL_FINALIZING, OCL_EXECUTABLE };

struct _cl_command_buffer_khr {
	struct object base;
	cl_command_queue queue;          /* ref held */
	cl_command_buffer_properties_khr *properties; /* owned, with the final 0; or NULL */
	size_t property_count;
	struct lock lock;                /* guards all below until it is executable */
	enum ocl_recording state;        /* read under the lock */
	struct ocl_recorded *commands;   /* owned */
	uint32_t count, capacity;
	uint32_t barrier;                /* 1 + the last barrier's position; 0: none */
	/* From finalizing on. */
	struct gpu_graph *graph;         /* owned */
	struct ocl_access *accesses;     /* owned, but for the mems, which the commands keep */
	uint32_t access_count;
	struct ocl_build **builds;       /* owned, but for the builds: the kernels' */
	uint32_t build_count;
};

/* properties: checked, or NULL. */
cl_int ocl_command_buffer_create(cl_command_queue queue,
				 const cl_command_buffer_properties_khr *properties,
				 cl_command_buffer_khr *buffer_out);

struct ocl_sync_list {
	cl_uint count;
	const cl_sync_point_khr *points;
};

/* Takes a copy of command, which is the caller's.
 * CL_INVALID_OPERATION: it is finalized; CL_INVALID_SYNC_POINT_WAIT_LIST_KHR. */
cl_int ocl_command_buffer_record(cl_command_buffer_khr buffer, const struct ocl_command *command,
				 const struct ocl_sync_list *list, cl_sync_point_khr *point_out);

/* CL_INVALID_OPERATION: it was finalized before. */
cl_int ocl_command_buffer_finalize(cl_command_buffer_khr buffer);
enum ocl_recording ocl_command_buffer_state(cl_command_buffer_khr buffer);

/* queue: of the same device and context as the buffer's own. */
cl_int ocl_command_buffer_enqueue(cl_command_buffer_khr buffer, cl_command_queue queue,
				  cl_uint count, const cl_event *events, cl_event *event_out);

#endif
