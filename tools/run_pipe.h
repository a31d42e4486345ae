/* Pipes of `culvert run`.  The host cannot reach into a pipe: kernels of our own fill and empty it.
 *
 *	pipe:N           an empty one with room for N packets
 *	pipe:N:BYTES     the same, of packets of a structure, which has so many bytes
 *
 * and for a pipe that the kernel reads, packets as the elements of a buffer are written. */
#ifndef CULVERT_TOOLS_RUN_PIPE_H
#define CULVERT_TOOLS_RUN_PIPE_H

#include "tools/element.h"
#include "tools/opencl.h"

struct run_pipe {
	cl_uint packet_B, packets;
	cl_program program;      /* reference */
};

/* Whether word is "pipe:..."; then packets and packet_B are set, or good_out false. */
bool run_pipe_is_empty(struct run_pipe *pipe, const struct element *element, const char *word,
		       bool *good_out);

/* Creates the pipe and writes the packets of value into it.  The pipe may be there with an error. */
cl_mem run_pipe_create(struct run_pipe *pipe, const struct opencl *opencl, cl_context context,
		       cl_device_id device, cl_command_queue queue, const struct bytes *value,
		       cl_int *error_out);
/* What is in the pipe, which is empty then. */
cl_int run_pipe_read(struct run_pipe *pipe, const struct opencl *opencl, cl_context context,
		     cl_command_queue queue, cl_mem memory, struct bytes *value);
void run_pipe_finish(struct run_pipe *pipe, const struct opencl *opencl);

#endif
