/* The commands of a command buffer as they were at one time, drawn as a CUDA graph, with
 * what enqueueing that takes.
 *
 * Addresses and arrays of memory on a device never change, so a graph stays good.
 * Descriptors of images are written while it is drawn, in a stream of their own that its
 * launches come after.  A launch that prints has a buffer of its own in the graph, which is
 * emptied there and whose output is taken behind each launch of the graph.
 *
 * Thread-safety: a graph is counted; it is made and revised by one thread.  It may be run
 * by many at once, one after another if it prints (running). */
#ifndef CULVERT_ICD_COMMAND_GRAPH_H
#define CULVERT_ICD_COMMAND_GRAPH_H

#include "icd/order/command.h"

struct _cl_mutable_command_khr;

struct ocl_recorded {
	struct _cl_mutable_command_khr *handle; /* owned; NULL: no launch */
	struct ocl_command *command;     /* owned */
	uint32_t *after;                 /* owned: positions of earlier commands, each once */
	uint32_t after_count;
	uint32_t named_by;               /* a later command, while its list is made */
	uint32_t first_node, node_count; /* in the graph drawn last */
};

struct ocl_graph_print {
	struct ocl_code *code;           /* a kernel's, which the command keeps */
	gpu_address buffer;              /* owned */
};

struct ocl_command_graph {
	atomic_uint refs;
	struct gpu_device *device;
	struct gpu_graph *cuda_graph;         /* owned */
	struct ocl_access *accesses;     /* owned, but for the mems; guarded by the buffer's lock */
	uint32_t access_count;
	struct ocl_module **modules;     /* owned array; kernels keep the modules */
	uint32_t module_count;
	bool indirect;                   /* it may use any USM */
	struct gpu_event *ready;         /* owned: the images can be used; NULL: they can */
	struct ocl_graph_print *prints;  /* owned */
	uint32_t print_count;
	bool running;                    /* guarded by the buffer's lock; its thread has the next */
	struct gpu_event *printed;       /* owned: all output of the last run is taken; or NULL */
};

/* queue: what it was recorded for.  CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_command_graph_make(cl_command_queue queue, struct ocl_recorded *commands, uint32_t count,
			      struct ocl_command_graph **graph_out);
void ocl_command_graph_unref(struct ocl_command_graph *graph);     /* NULL is fine */

/* Whether nothing that is enqueued still waits in line to run it. */
bool ocl_command_graph_is_idle(const struct ocl_command_graph *graph);
/* Whether the graph can be changed from before to what is recorded now: it has the nodes. */
bool ocl_recorded_is_like(const struct ocl_recorded *recorded, const struct ocl_command *before);
/* Of an idle graph: later runs use the commands at positions as they are now, which are
 * like those before.  accesses_out: what all of count commands touch, for the caller to
 * put into the graph. */
cl_int ocl_command_graph_revise(struct ocl_command_graph *graph, struct ocl_recorded *commands,
				uint32_t count, const uint32_t *positions, uint32_t position_count,
				struct ocl_access **accesses_out, uint32_t *access_count_out);

/* Puts all of it into stream, one of queue's.  A graph that prints may wait: no lock may
 * be held. */
cl_int ocl_command_graph_run(struct ocl_command_graph *graph, cl_command_queue queue,
			     struct gpu_stream *stream);

#endif
