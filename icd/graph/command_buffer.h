/* Command buffers (cl_khr_command_buffer): commands recorded once, enqueued often.
 *
 * Recording keeps each command as a deferred one would be kept, with what it comes
 * after.  Finalizing makes a CUDA graph of them, an edge for each "after", and adds up
 * what they touch.  Enqueueing is then one command like any other: its accesses bring
 * the bytes of all to the device, and its operation is one launch of the graph.
 *
 * Addresses of buffers on a device never change, so a graph stays good.  Launches can be
 * changed between enqueues (mutable_command.h): in the graph itself while nothing that is
 * enqueued still waits to launch it, else in a new one.
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_COMMAND_BUFFER_H
#define CULVERT_ICD_COMMAND_BUFFER_H

#include "icd/graph/command_graph.h"
#include "icd/include/khr_command_buffer.h"

extern const struct object_type ocl_command_buffer_type;

/* FINALIZED: not all arguments are set. */
enum ocl_recording { OCL_RECORDING, OCL_FINALIZING, OCL_FINALIZED, OCL_EXECUTABLE };

struct _cl_command_buffer_khr {
	struct object base;
	cl_command_queue queue;          /* ref held */
	cl_command_buffer_properties_khr *properties; /* owned, with the final 0; or NULL */
	size_t property_count;
	cl_command_buffer_flags_khr flags;
	bool keeps_groups;               /* work-groups will not become more: local sizes are given */
	struct lock lock;                /* guards all below */
	struct lock_condition idle;      /* busy, or the graph's running, became false */
	bool busy;                       /* a thread changes commands and graph, without the lock */
	enum ocl_recording state;
	struct ocl_recorded *commands;   /* owned; from finalizing on whoever is busy has them */
	uint32_t count, capacity;
	uint32_t barrier;                /* 1 + the last barrier's position; 0: none */
	struct ocl_command_graph *graph;     /* a reference; NULL until it is executable */
};

/* properties: checked, or NULL; flags, keeps_groups: what they say. */
cl_int ocl_command_buffer_create(cl_command_queue queue,
				 const cl_command_buffer_properties_khr *properties,
				 cl_command_buffer_flags_khr flags, bool keeps_groups,
				 cl_command_buffer_khr *buffer_out);

struct ocl_sync_list {
	cl_uint count;
	const cl_sync_point_khr *points;
};

/* Takes a copy of command, which is the caller's, and handle, or NULL, if it succeeds.
 * CL_INVALID_OPERATION: it is finalized; CL_INVALID_SYNC_POINT_WAIT_LIST_KHR. */
cl_int ocl_command_buffer_record(cl_command_buffer_khr buffer, const struct ocl_command *command,
				 const struct ocl_sync_list *list,
				 struct _cl_mutable_command_khr *handle,
				 cl_sync_point_khr *point_out);

/* A copy of command to be recorded, with references to all that it needs; NULL: out of memory. */
struct ocl_command *ocl_recorded_copy(const struct ocl_command *command);
void ocl_recorded_free(struct ocl_command *command);

/* CL_INVALID_OPERATION: it was finalized before. */
cl_int ocl_command_buffer_finalize(cl_command_buffer_khr buffer);
/* Around a change of commands: begin waits for other threads' changes.
 * CL_INVALID_OPERATION: it was not finalized. */
cl_int ocl_command_buffer_change_begin(cl_command_buffer_khr buffer);
/* Brings what is enqueued later up to the commands.  before[i]: what
 * commands[positions[i]].command was, each once; positions NULL: nobody knows. */
cl_int ocl_command_buffer_rebuild_graph(cl_command_buffer_khr buffer, const uint32_t *positions,
					struct ocl_command **before, uint32_t count);
void ocl_command_buffer_change_end(cl_command_buffer_khr buffer);
enum ocl_recording ocl_command_buffer_state(cl_command_buffer_khr buffer);

/* queue: of the same device and context as the buffer's own. */
cl_int ocl_command_buffer_enqueue(cl_command_buffer_khr buffer, cl_command_queue queue,
				  cl_uint count, const cl_event *events, cl_event *event_out);

#endif
