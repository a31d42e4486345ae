/* A CUDA graph of the commands of a part of a command buffer (command_part.h), with all that enqueueing it needs.
 *
 * The addresses and arrays of memory on a device never change, so a graph stays valid.  The descriptors of images are
 * written while it is made, in a separate stream, after which its launches run.  Each kernel in the graph that prints
 * has a buffer, which is emptied in the graph, and whose output is copied after each launch of the graph.  Each kernel
 * with a barrier of the grid (cl_culvert_grid_barrier) has a counter, which the graph sets to 0 before the kernel.
 *
 * Thread-safety: reference-counted.  One thread at a time makes and revises a graph.  Several threads may run it at
 * once; if it prints, one after the other (running). */
#ifndef CULVERT_ICD_COMMAND_GRAPH_H
#define CULVERT_ICD_COMMAND_GRAPH_H

#include "icd/memory/stream_set.h"
#include "icd/order/command.h"

struct _cl_mutable_command_khr;

struct ocl_recorded {
	struct _cl_mutable_command_khr *handle; /* owned; NULL: it is not a kernel launch */
	struct ocl_command *command;     /* owned */
	uint32_t queue;                  /* the index of its queue in those of the command buffer */
	uint32_t part;                   /* the index of its part; set when the command buffer is finalized */
	uint32_t *after;                 /* owned: positions of the commands that it follows, each once */
	uint32_t after_count;
	uint32_t named_by;               /* a later command that has it in its after, while that list is made */
	uint32_t first_node, node_count; /* its nodes in the CUDA graph that was made last */
};

/* Whether the command at position is in its after. */
bool ocl_recorded_follows(const struct ocl_recorded *recorded, uint32_t position);

/* The commands of one part, in the order of their recording. */
struct ocl_recorded_list {
	struct ocl_recorded *all;        /* the commands of the whole command buffer */
	const uint32_t *positions;       /* which of them these are */
	uint32_t count;
};

struct ocl_graph_print {
	struct ocl_code *code;           /* of the kernel that prints; the command holds a reference */
	gpu_address buffer;              /* owned: the output */
};

struct ocl_command_graph {
	atomic_uint refs;
	struct gpu_device *device;
	const struct gpu_share *share;   /* of the queue's device; NULL: all of it */
	struct gpu_graph *cuda_graph;    /* owned */
	struct ocl_access *accesses;     /* owned array, without references to its mems; guarded by the buffer's lock */
	uint32_t access_count;
	cl_mem *mirrored;                /* owned array: the images that launches use through mirrors;
					  * the commands hold them */
	uint32_t mirrored_count;
	struct ocl_stream_set **stream_sets;  /* owned array: those of the kernels' modules, which the kernels hold */
	uint32_t stream_set_count;
	bool indirect;                   /* a kernel may access any USM of the context */
	struct gpu_event *ready;         /* owned: happens when the images' descriptors are written; NULL: they are */
	struct ocl_graph_print *prints;  /* owned: for each kernel that prints */
	uint32_t print_count;
	gpu_address *counters;           /* owned, as what they name: one for each kernel with a grid barrier */
	uint32_t counter_count;
	struct ocl_stream_set counting;  /* the streams in which such kernels may run */
	bool running;                    /* a thread runs a graph that prints; guarded by the buffer's lock */
	/* Owned: happens when the output of the last run is copied; or NULL.  Used by the thread that set running. */
	struct gpu_event *printed;
};

/* queue: that of the commands.  CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_command_graph_make(cl_command_queue queue, const struct ocl_recorded_list *list,
			      struct ocl_command_graph **graph_out);
void ocl_command_graph_unref(struct ocl_command_graph *graph);     /* NULL is fine */

/* Whether no enqueued command still waits to run the graph. */
bool ocl_command_graph_is_idle(const struct ocl_command_graph *graph);
/* Whether a graph that was made with before can be changed to the command that is recorded now: that needs the same
 * nodes. */
bool ocl_recorded_is_like(const struct ocl_recorded *recorded, const struct ocl_command *before);
/* Changes an idle graph of list so that later runs use those commands at positions that are in its part as they are now
 * (ocl_recorded_is_like).  accesses_out: the accesses of all commands of list, which the caller stores in the graph. */
cl_int ocl_command_graph_revise(struct ocl_command_graph *graph, const struct ocl_recorded_list *list,
				const uint32_t *positions, uint32_t position_count,
				struct ocl_access **accesses_out, uint32_t *access_count_out);

/* Puts a launch of the graph into stream, one of queue's.  A graph that prints may wait: then no lock may be held. */
cl_int ocl_command_graph_run(struct ocl_command_graph *graph, cl_command_queue queue,
			     struct gpu_stream *stream);

#endif
