/* Creating and querying pipes (OpenCL 3.0 API, 5.4). */
#include "config.h"

#include "icd/memory/mem.h"
#include "icd/object/device.h"
#include "icd/object/info_rows.h"

/* 5.4.1: "Only CL_MEM_READ_WRITE and CL_MEM_HOST_NO_ACCESS can be specified"; flags of 0 mean both. */
static cl_int flags_take(cl_mem_flags *flags)
{
	if (*flags & ~(cl_mem_flags)(CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS))
		return CL_INVALID_VALUE;
	if (!*flags)
		*flags = CL_MEM_HOST_NO_ACCESS;
	*flags |= CL_MEM_READ_WRITE;
	return CL_SUCCESS;
}

/* 5.4.1: CL_INVALID_PIPE_SIZE for a packet size of 0 or above CL_DEVICE_PIPE_MAX_PACKET_SIZE, or for 0 packets.
 * There is no limit for the whole pipe; if no device can allocate it, the error is that of a failed allocation. */
static cl_int size_check(cl_context context, cl_uint packet_B, cl_uint max_packets)
{
	if (!packet_B || packet_B > OCL_PIPE_PACKET_MAX_B || !max_packets)
		return CL_INVALID_PIPE_SIZE;
	const uint64_t size_B = ocl_mem_pipe_B(packet_B, max_packets);
	for (cl_uint i = 0; i < context->device_count; i++)
		if (size_B <= ocl_device_max_alloc_B(context->devices[i]))
			return CL_SUCCESS;
	return CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

CL_API_ENTRY cl_mem CL_API_CALL
clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint pipe_packet_size,
	     cl_uint pipe_max_packets, const cl_pipe_properties *properties, cl_int *errcode_ret)
{
	cl_mem pipe = NULL;
	cl_int error = object_check(context, &ocl_context_type);
	if (!error)
		error = flags_take(&flags);
	/* 5.4.1: CL_INVALID_VALUE "if properties is not NULL". */
	if (!error && properties)
		error = CL_INVALID_VALUE;
	if (!error)
		error = size_check(context, pipe_packet_size, pipe_max_packets);
	if (!error)
		error = ocl_mem_create_pipe(context, flags, pipe_packet_size, pipe_max_packets,
					    &pipe);
	if (errcode_ret)
		*errcode_ret = error;
	return pipe;
}

CL_API_ENTRY cl_int CL_API_CALL clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name,
					      size_t param_value_size, void *param_value,
					      size_t *param_value_size_ret)
{
	const struct info_out *out =
		&(const struct info_out){param_value_size, param_value, param_value_size_ret};
	cl_int error = object_check(pipe, &ocl_mem_type);
	if (!error && pipe->type != CL_MEM_OBJECT_PIPE)
		error = CL_INVALID_MEM_OBJECT;
	if (error)
		return error;
	switch (param_name) {
#include "icd/memory/pipe_info.def"
	default:
		return CL_INVALID_VALUE;
	}
}
