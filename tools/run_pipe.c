#include "config.h"

#include "tools/run_pipe.h"

#include "tools/tool.h"

#include <stdlib.h>
#include <string.h>

/* Packets are compared by their size alone: what is in them does not matter here. */
static const char source[] =
	"typedef struct { uchar bytes[PACKET_B]; } packet;\n"
	"kernel void put(write_only pipe packet to, global const packet *from, uint count,\n"
	"                global uint *done)\n"
	"{\n"
	"	uint i = 0;\n"
	"	while (i < count) {\n"
	"		packet one = from[i];\n"
	"		if (write_pipe(to, &one))\n"
	"			break;\n"
	"		i++;\n"
	"	}\n"
	"	*done = i;\n"
	"}\n"
	"kernel void get(read_only pipe packet from, global packet *to, uint count,\n"
	"                global uint *done)\n"
	"{\n"
	"	uint i = 0;\n"
	"	packet one;\n"
	"	for (; i < count && !read_pipe(from, &one); i++)\n"
	"		to[i] = one;\n"
	"	*done = i;\n"
	"}\n";

bool run_pipe_is_empty(struct run_pipe *pipe, const struct element *element, const char *word,
		       bool *good_out)
{
	static const char start[] = "pipe:";
	uint64_t packets = 0, packet_B = element->kind == 'V' ? 0 : element->size_B;
	if (strncmp(word, start, strlen(start)))
		return false;
	char *copy = strdup(word + strlen(start)), *colon = copy ? strchr(copy, ':') : NULL;
	if (colon)
		*colon = '\0';
	/* Of OpenCL's own types the size is known. */
	*good_out = copy && tool_number(copy, &packets) && packets && packets <= 1u << 30 &&
		    (!colon || (!packet_B && tool_number(colon + 1, &packet_B))) && packet_B &&
		    packet_B <= 1024;
	free(copy);
	pipe->packets = (cl_uint)packets;
	pipe->packet_B = (cl_uint)packet_B;
	return true;
}

static cl_int build(struct run_pipe *pipe, const struct opencl *opencl, cl_context context,
		    cl_device_id device)
{
	const cl_icd_dispatch *call = opencl->call;
	const char *text = source;
	char options[64];
	cl_int error;
	snprintf(options, sizeof(options), "-cl-std=CL3.0 -DPACKET_B=%u", (unsigned)pipe->packet_B);
	pipe->program = call->clCreateProgramWithSource(context, 1, &text, NULL, &error);
	return error ? error
		     : call->clBuildProgram(pipe->program, 1, &device, options, NULL, NULL);
}

/* Runs put or get over count packets in a buffer, and sets *count to how many went over. */
static cl_int move(const struct run_pipe *pipe, const struct opencl *opencl, cl_context context,
		   cl_command_queue queue, const char *name, cl_mem memory, cl_mem packets,
		   cl_uint *count)
{
	const cl_icd_dispatch *call = opencl->call;
	const size_t one = 1;
	cl_int error, unset = CL_SUCCESS;
	cl_mem done = call->clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(*count), NULL, &error);
	cl_kernel kernel = error ? NULL : call->clCreateKernel(pipe->program, name, &error);
	if (kernel) {
		unset |= call->clSetKernelArg(kernel, 0, sizeof(memory), &memory);
		unset |= call->clSetKernelArg(kernel, 1, sizeof(packets), &packets);
		unset |= call->clSetKernelArg(kernel, 2, sizeof(*count), count);
		unset |= call->clSetKernelArg(kernel, 3, sizeof(done), &done);
		error = unset ? CL_INVALID_KERNEL_ARGS
			      : call->clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0,
							     NULL, NULL);
	}
	if (!error)
		error = call->clEnqueueReadBuffer(queue, done, CL_TRUE, 0, sizeof(*count), count, 0,
						  NULL, NULL);
	if (kernel)
		call->clReleaseKernel(kernel);
	if (done)
		call->clReleaseMemObject(done);
	return error;
}

static cl_int put(const struct run_pipe *pipe, const struct opencl *opencl, cl_context context,
		  cl_command_queue queue, cl_mem memory, const struct bytes *value)
{
	cl_int error;
	cl_uint count = (cl_uint)(value->size_B / pipe->packet_B);
	cl_mem packets = opencl->call->clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
						      value->size_B, value->data, &error);
	if (error)
		return error;
	error = move(pipe, opencl, context, queue, "put", memory, packets, &count);
	opencl->call->clReleaseMemObject(packets);
	return !error && count != value->size_B / pipe->packet_B ? CL_OUT_OF_RESOURCES : error;
}

cl_mem run_pipe_create(struct run_pipe *pipe, const struct opencl *opencl, cl_context context,
		       cl_device_id device, cl_command_queue queue, const struct bytes *value,
		       cl_int *error_out)
{
	cl_mem memory = opencl->call->clCreatePipe(context, CL_MEM_READ_WRITE, pipe->packet_B,
						   pipe->packets, NULL, error_out);
	if (memory)
		*error_out = build(pipe, opencl, context, device);
	if (memory && !*error_out && value->size_B)
		*error_out = put(pipe, opencl, context, queue, memory, value);
	return memory;
}

cl_int run_pipe_read(struct run_pipe *pipe, const struct opencl *opencl, cl_context context,
		     cl_command_queue queue, cl_mem memory, struct bytes *value)
{
	const cl_icd_dispatch *call = opencl->call;
	const size_t size_B = (size_t)pipe->packet_B * pipe->packets;
	cl_uint count = pipe->packets;
	cl_int error;
	char *data = malloc(size_B);
	cl_mem packets = call->clCreateBuffer(context, CL_MEM_READ_WRITE, size_B, NULL, &error);
	if (!data)
		error = CL_OUT_OF_HOST_MEMORY;
	if (!error)
		error = move(pipe, opencl, context, queue, "get", memory, packets, &count);
	if (!error && count)
		error = call->clEnqueueReadBuffer(queue, packets, CL_TRUE, 0,
						  (size_t)count * pipe->packet_B, data, 0, NULL, NULL);
	if (packets)
		call->clReleaseMemObject(packets);
	bytes_finish(value);
	if (!error)
		bytes_append(value, data, (size_t)count * pipe->packet_B);
	free(data);
	return error;
}

void run_pipe_finish(struct run_pipe *pipe, const struct opencl *opencl)
{
	if (pipe->program)
		opencl->call->clReleaseProgram(pipe->program);
	pipe->program = NULL;
}
