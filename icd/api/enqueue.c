#include "config.h"

#include "icd/api/enqueue.h"

cl_int enqueue_check_any(cl_command_queue queue, cl_mem mem)
{
	cl_int error = object_check(mem, &ocl_mem_type);
	if (!error && mem->context != queue->context)
		error = CL_INVALID_CONTEXT;
	return error;
}

cl_int enqueue_check_mem(cl_command_queue queue, cl_mem mem)
{
	cl_int error = object_check(mem, &ocl_mem_type);
	if (!error && !ocl_mem_is_buffer(mem))
		error = CL_INVALID_MEM_OBJECT;
	return error ? error : enqueue_check_any(queue, mem);
}

cl_int enqueue_check_image(cl_command_queue queue, cl_mem mem)
{
	cl_int error = object_check(mem, &ocl_mem_type);
	if (!error && !mem->image)
		error = CL_INVALID_MEM_OBJECT;
	return error ? error : enqueue_check_any(queue, mem);
}

cl_int enqueue_check_image_device(cl_command_queue queue, const struct _cl_mem *image)
{
	if (!queue->device->images)
		return CL_INVALID_OPERATION;
	return ocl_image_fits(image, queue->device);
}

cl_int enqueue_check_range(const struct _cl_mem *mem, size_t offset_B, size_t size_B)
{
	const bool within = offset_B <= mem->size_B && size_B <= mem->size_B - offset_B;
	return within ? CL_SUCCESS : CL_INVALID_VALUE;
}

cl_int enqueue_check_host(const struct _cl_mem *mem, enum enqueue_host host)
{
	if (host == ENQUEUE_HOST_READS &&
	    mem->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS))
		return CL_INVALID_OPERATION;
	if (host == ENQUEUE_HOST_WRITES &&
	    mem->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS | OCL_MEM_IMMUTABLE))
		return CL_INVALID_OPERATION;
	return CL_SUCCESS;
}

cl_int enqueue_check_target(const struct _cl_mem *mem)
{
	return ocl_mem_is_immutable(mem) ? CL_INVALID_OPERATION : CL_SUCCESS;
}
