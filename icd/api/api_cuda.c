/* CUDA's handles of OpenCL objects, and CUDA work between OpenCL commands (cl_culvert_cuda_interop:
 * docs/cl_culvert_cuda_interop.md). */
#include "config.h"

#include "icd/api/enqueue.h"
#include "icd/include/cuda_interop.h"
#include "icd/object/platform.h"

#include <stdlib.h>

enum { OWN_BUFFERS = 16 };

static cl_int device_check(const struct _cl_context *context, cl_device_id device,
			   uint32_t *position_out)
{
	cl_int error = ocl_device_check(device);
	if (error)
		return error;
	if (ocl_context_device_index(context, device) < 0)
		return CL_INVALID_DEVICE;
	*position_out = ocl_context_place(context, device);
	return CL_SUCCESS;
}

cl_int CL_API_CALL clGetCudaContextCULVERT(cl_context context, cl_device_id device,
					   void **cuda_context, int *cuda_device)
{
	void *cu_context = NULL;
	uint32_t position;
	int cu_device = 0;
	cl_int error = object_check(context, &ocl_context_type);
	if (!error)
		error = device_check(context, device, &position);
	if (!error)
		error = gpu_device_cuda(device->gpu, &cu_context, &cu_device);
	if (error)
		return error;
	if (cuda_context)
		*cuda_context = cu_context;
	if (cuda_device)
		*cuda_device = cu_device;
	return CL_SUCCESS;
}

cl_int CL_API_CALL clGetCudaStreamCULVERT(cl_command_queue queue, void **cuda_stream)
{
	cl_int error = object_check(queue, &ocl_queue_type);
	if (!error && !cuda_stream)
		error = CL_INVALID_VALUE;
	/* An out-of-order queue has many streams; there is no stream that later commands follow. */
	if (!error && queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
		error = CL_INVALID_OPERATION;
	if (error)
		return error;
	*cuda_stream = gpu_stream_cuda(queue->lanes.groups[OCL_LANES_WORK].lanes[0].stream);
	return CL_SUCCESS;
}

cl_int CL_API_CALL clGetCudaEventCULVERT(cl_event event, void **cuda_event)
{
	cl_int error = object_check(event, &ocl_event_type);
	if (!error && !cuda_event)
		error = CL_INVALID_VALUE;
	/* A user event is set by the host and has no CUDA event; a command that waits in its queue's line has none
	 * yet. */
	if (!error && (!event->queue || !ocl_event_is_settled(event) || !event->done))
		error = CL_INVALID_OPERATION;
	if (error)
		return error;
	*cuda_event = gpu_event_cuda(event->done);
	return CL_SUCCESS;
}

cl_int CL_API_CALL clGetCudaPointerCULVERT(cl_mem buffer, cl_device_id device,
					   cl_ulong *cuda_pointer)
{
	gpu_address address;
	uint32_t position;
	cl_int error = object_check(buffer, &ocl_mem_type);
	if (!error && buffer->type != CL_MEM_OBJECT_BUFFER)
		error = CL_INVALID_MEM_OBJECT;
	if (!error)
		error = device_check(buffer->context, device, &position);
	if (!error && !cuda_pointer)
		error = CL_INVALID_VALUE;
	if (!error)
		error = ocl_storage_place(buffer->storage, position, &address, NULL);
	if (error)
		return error;
	atomic_store(&buffer->storage->shown, true);
	*cuda_pointer = address + buffer->origin_B;
	return CL_SUCCESS;
}

cl_int CL_API_CALL clGetCudaModuleCULVERT(cl_program program, cl_device_id device,
					  void **cuda_module)
{
	struct ocl_code *code;
	struct ocl_module *executable;
	struct gpu_module *module;
	cl_uint index = 0;
	cl_int error = object_check(program, &ocl_program_type);
	if (!error && !cuda_module)
		error = CL_INVALID_VALUE;
	if (error)
		return error;
	while (index < program->device_count && program->devices[index] != device)
		index++;
	if (index == program->device_count)
		return CL_INVALID_DEVICE;
	if (!ocl_program_executable(program, index, &code, &executable))
		return CL_INVALID_PROGRAM_EXECUTABLE;
	/* The application launches these kernels itself and may let grids start anywhere. */
	error = ocl_module_open(executable, OCL_MODULE_STARTS, &module);
	if (!error)
		*cuda_module = gpu_module_cuda(module);
	ocl_module_unref(executable);
	ocl_code_unref(code);
	return error;
}

cl_int CL_API_CALL clGetCudaFunctionCULVERT(cl_kernel kernel, cl_device_id device,
					    void **cuda_function)
{
	const struct ocl_kernel_code *code;
	struct gpu_function *function;
	uint32_t position;
	cl_int error = object_check(kernel, &ocl_kernel_type);
	if (!error)
		error = device_check(kernel->program->context, device, &position);
	if (!error && !cuda_function)
		error = CL_INVALID_VALUE;
	if (!error)
		error = ocl_kernel_code_for(kernel, device, &code);
	if (!error)
		error = ocl_kernel_part(kernel, code, OCL_MODULE_STARTS, &function);
	if (error)
		return error;
	*cuda_function = gpu_function_cuda(function);
	return CL_SUCCESS;
}

static cl_int adoption_check(cl_context context, cl_device_id device, cl_mem_flags flags,
			     size_t size_B, cl_ulong pointer, uint32_t *position_out)
{
	const cl_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
	cl_int error = object_check(context, &ocl_context_type);
	if (!error)
		error = device_check(context, device, position_out);
	if (error)
		return error;
	if (flags & ~access || flags & (flags - 1))
		return CL_INVALID_VALUE;
	if (!size_B)
		return CL_INVALID_BUFFER_SIZE;
	/* The address is aligned for the largest vector of OpenCL C, which has 128 bytes. */
	if (!pointer || pointer % sizeof(cl_long16) ||
	    !gpu_memory_is_there(device->gpu, pointer, size_B))
		return CL_INVALID_VALUE;
	return CL_SUCCESS;
}

cl_mem CL_API_CALL clCreateBufferFromCudaPointerCULVERT(cl_context context, cl_device_id device,
							cl_mem_flags flags, size_t size,
							cl_ulong cuda_pointer,
							cl_int *errcode_ret)
{
	cl_mem mem = NULL;
	uint32_t position;
	cl_int error = adoption_check(context, device, flags, size, cuda_pointer, &position);
	if (!error)
		error = ocl_mem_create_at(context, flags ? flags : CL_MEM_READ_WRITE, size,
					  position, cuda_pointer, &mem);
	if (errcode_ret)
		*errcode_ret = error;
	return mem;
}

/* --- work among commands --------------------------------------------------------------------- */

struct call {
	const struct ocl_command *command;
	cl_ulong *pointers;
};

static void call_make(void *cu_stream, void *data)
{
	const struct call *call = data;
	const struct ocl_cuda_work *work = &call->command->u.cuda_work;
	work->work(cu_stream, call->pointers, work->data);
}

static cl_int cuda_work_run(struct ocl_command *command, struct gpu_stream *stream)
{
	cl_ulong own[OWN_BUFFERS];
	struct call call = {command, own};
	lock_assert_none();
	if (command->access_count > OWN_BUFFERS)
		call.pointers = malloc(command->access_count * sizeof(*call.pointers));
	if (!call.pointers)
		return CL_OUT_OF_HOST_MEMORY;
	for (uint32_t i = 0; i < command->access_count; i++)
		call.pointers[i] = command->accesses[i].at.address;
	const cl_int error = gpu_call(stream, call_make, &call);
	if (call.pointers != own)
		free(call.pointers);
	return error;
}

/* The command calls a function of the application, which must not happen under a lock. */
static enum ocl_delay cuda_work_delay(const struct ocl_command *command)
{
	(void)command;
	return OCL_DELAY_SHORT;
}

static const struct ocl_command_kind cuda_work = {
	.run = cuda_work_run, .delay = cuda_work_delay,
};

static cl_int uses_touch(struct ocl_command *command, cl_uint count, const cl_mem *buffers,
			 const cl_mem_flags *uses)
{
	for (cl_uint i = 0; i < count; i++) {
		cl_int error = enqueue_check_mem(command->queue, buffers[i]);
		if (error)
			return error;
		if (uses && uses[i] != CL_MEM_READ_ONLY && uses[i] != CL_MEM_READ_WRITE)
			return CL_INVALID_VALUE;
		const bool reads = uses && uses[i] == CL_MEM_READ_ONLY;
		if (!reads && ocl_mem_is_immutable(buffers[i]))
			return CL_INVALID_OPERATION;
		ocl_command_touch(command, buffers[i], 0, buffers[i]->size_B,
				  reads ? OCL_ACCESS_READ : OCL_ACCESS_UPDATE);
	}
	return CL_SUCCESS;
}

cl_int CL_API_CALL clEnqueueCudaWorkCULVERT(cl_command_queue queue, cl_cuda_work_culvert work,
					    void *user_data, cl_uint num_buffers,
					    const cl_mem *buffers, const cl_mem_flags *uses,
					    cl_uint num_events_in_wait_list,
					    const cl_event *event_wait_list, cl_event *event)
{
	struct ocl_access own[OWN_BUFFERS], *accesses = own;
	struct ocl_command command;
	cl_int error = object_check(queue, &ocl_queue_type);
	if (!error && (!work || !num_buffers != !buffers))
		error = CL_INVALID_VALUE;
	if (!error)
		error = enqueue_check_list(queue, num_events_in_wait_list, event_wait_list);
	if (error)
		return error;
	if (num_buffers > OWN_BUFFERS)
		accesses = malloc(num_buffers * sizeof(*accesses));
	if (!accesses)
		return CL_OUT_OF_HOST_MEMORY;
	ocl_command_init(&command, &cuda_work, queue, CL_COMMAND_NATIVE_KERNEL, accesses);
	command.u.cuda_work = (struct ocl_cuda_work){work, user_data};
	error = uses_touch(&command, num_buffers, buffers, uses);
	if (!error)
		error = ocl_queue_enqueue(&command, false, num_events_in_wait_list,
					  event_wait_list, event);
	if (accesses != own)
		free(accesses);
	return error;
}
