/* Command buffers (cl_khr_command_buffer): commands recorded once, enqueued often.
 *
 * Recording keeps a copy of each command, with references as in a deferred command, and the list of earlier commands
 * that it has to follow.  Finalizing makes a CUDA graph of the commands, with an edge for each entry of these lists,
 * and collects their accesses.  Enqueueing the buffer is then one command like any other: its accesses bring the
 * bytes of all commands to the device, and its operation is one launch of the graph.
 *
 * A buffer of several queues (cl_khr_command_buffer_multi_device) is divided into parts (command_part.h) with a graph
 * each, and enqueueing it enqueues a command for each part, with wait lists, and a marker that waits for all.
 *
 * The addresses of buffers on a device never change, so a graph stays valid.  Kernel launches can be changed between
 * enqueues (mutable_command.h): in the graph itself if no enqueued command still waits to launch it, otherwise in a
 * new graph.
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_COMMAND_BUFFER_H
#define CULVERT_ICD_COMMAND_BUFFER_H

#include "icd/graph/command_part.h"
#include "icd/include/khr_command_buffer.h"

extern const struct object_type ocl_command_buffer_type;

/* OCL_FINALIZED: finalized, but not all kernel arguments are set; with those it is OCL_EXECUTABLE. */
enum ocl_recording { OCL_RECORDING, OCL_FINALIZING, OCL_FINALIZED, OCL_EXECUTABLE };

struct _cl_command_buffer_khr {
	struct object base;
	cl_command_queue *queues;        /* owned array, with references; all have the same context */
	uint32_t queue_count;            /* at least 1 */
	cl_command_buffer_properties_khr *properties; /* owned, with the final 0; or NULL */
	size_t property_count;           /* with the final 0 */
	cl_command_buffer_flags_khr flags;
	bool keeps_groups;               /* changed launches will not have more work-groups; local sizes are given */
	struct lock lock;                /* guards all below */
	struct lock_condition idle;      /* signalled when busy, or the graph's running, becomes false */
	bool busy;                       /* a thread changes commands and graph, without the lock */
	enum ocl_recording state;
	struct ocl_recorded *commands;   /* owned; from finalizing on only the thread that set busy uses them */
	uint32_t count, capacity;        /* of commands */
	uint32_t barrier;                /* 1 + the position of the last barrier in commands; 0: none */
	uint32_t *last;                  /* owned: for each queue 1 + the position of its last command; 0: none */
	/* Owned: made when it is finalized.  The lock guards their graphs alone, which are NULL until it is
	 * executable. */
	struct ocl_command_part *parts;
	uint32_t part_count;
};

/* queues: checked, of one context.  properties: checked, or NULL; flags, keeps_groups: their meaning. */
cl_int ocl_command_buffer_create(cl_uint queue_count, const cl_command_queue *queues,
				 const cl_command_buffer_properties_khr *properties,
				 cl_command_buffer_flags_khr flags, bool keeps_groups,
				 cl_command_buffer_khr *buffer_out);

/* The sync points that a recorded command follows. */
struct ocl_sync_list {
	cl_uint count;
	const cl_sync_point_khr *points;
};

/* Records a copy of command, which stays the caller's, and whose queue is one of the buffer's.  On success the buffer
 * owns handle, which may be NULL. CL_INVALID_OPERATION: it is finalized; CL_INVALID_SYNC_POINT_WAIT_LIST_KHR. */
cl_int ocl_command_buffer_record(cl_command_buffer_khr buffer, const struct ocl_command *command,
				 const struct ocl_sync_list *list,
				 struct _cl_mutable_command_khr *handle,
				 cl_sync_point_khr *point_out);

/* Copies a command to be recorded, with references to all that it needs; NULL: out of memory. */
struct ocl_command *ocl_recorded_copy(const struct ocl_command *command);
void ocl_recorded_free(struct ocl_command *command);

/* CL_INVALID_OPERATION: it was finalized before. */
cl_int ocl_command_buffer_finalize(cl_command_buffer_khr buffer);
/* _change_begin and _change_end enclose a change of commands; _begin waits until no other thread changes them.
 * CL_INVALID_OPERATION: the buffer was not finalized. */
cl_int ocl_command_buffer_change_begin(cl_command_buffer_khr buffer);
/* Changes the graph, or makes a new one, so that later enqueues use the commands as they are now.  positions: of the
 * commands that were changed, each once; before[i]: what commands[positions[i]].command was before.  positions NULL:
 * a new graph is made. */
cl_int ocl_command_buffer_rebuild_graph(cl_command_buffer_khr buffer, const uint32_t *positions,
					struct ocl_command **before, uint32_t count);
void ocl_command_buffer_change_end(cl_command_buffer_khr buffer);

/* What a buffer has recorded.  Its commands, dependencies and handles do not change before _snapshot_end. */
struct ocl_command_snapshot {
	struct ocl_recorded *commands;   /* owned array of copies, without their own references */
	uint32_t count, barrier;         /* as in the buffer */
	enum ocl_recording state;        /* not OCL_FINALIZING */
};
/* Waits until no other thread changes or finalizes the buffer.  CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_command_buffer_snapshot_begin(cl_command_buffer_khr buffer, struct ocl_command_snapshot *snapshot);
void ocl_command_buffer_snapshot_end(cl_command_buffer_khr buffer, struct ocl_command_snapshot *snapshot);

enum ocl_recording ocl_command_buffer_state(cl_command_buffer_khr buffer);

/* The index of one of the buffer's queues, or the first of its indices if the buffer has it more than once. */
uint32_t ocl_command_buffer_queue_index(const struct _cl_command_buffer_khr *buffer,
					const struct _cl_command_queue *queue);
bool ocl_command_queue_is_in_order(const struct _cl_command_queue *queue);

/* queues: one for each of the buffer's own, with the same device and context.  If a command for one of several parts
 * cannot be enqueued, those before it run all the same. */
cl_int ocl_command_buffer_enqueue(cl_command_buffer_khr buffer, const cl_command_queue *queues,
				  cl_uint count, const cl_event *events, cl_event *event_out);

#endif
