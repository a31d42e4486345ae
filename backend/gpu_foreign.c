#include "config.h"

#include "backend/gpu_internal.h"

#include "backend/gpu_module.h"

cl_int gpu_device_cuda(struct gpu_device *device, void **cu_context_out, int *cu_device_out)
{
	cl_int error = gpu_device_use(device);
	if (error)
		return error;
	*cu_context_out = atomic_load(&device->cu_context);
	*cu_device_out = device->cu_device;
	return CL_SUCCESS;
}

void *gpu_stream_cuda(struct gpu_stream *stream)
{
	atomic_store(&stream->foreign, true);
	return stream->cu_stream;
}

void *gpu_event_cuda(struct gpu_event *event)
{
	return event->cu_event;
}

void *gpu_module_cuda(struct gpu_module *module)
{
	return module->cu_module;
}

void *gpu_function_cuda(struct gpu_function *function)
{
	return function->cu_function;
}

bool gpu_memory_is_there(struct gpu_device *device, gpu_address address, uint64_t size_B)
{
	CUmemorytype cu_type = (CUmemorytype)0;
	CUdeviceptr cu_start = 0;
	size_t range_B = 0;
	int ordinal = -1;
	CUpointer_attribute attributes[] = {
		CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
		CU_POINTER_ATTRIBUTE_RANGE_SIZE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
	};
	void *values[] = {&cu_type, &cu_start, &range_B, &ordinal};
	struct gpu_scope scope;
	if (gpu_enter(device, &scope))
		return false;
	const CUresult cu_result = cuda.cuPointerGetAttributes(4, attributes, values, address);
	gpu_leave(&scope);
	return cu_result == CUDA_SUCCESS && cu_type == CU_MEMORYTYPE_DEVICE &&
	       ordinal == device->cu_device && address >= cu_start &&
	       address - cu_start <= range_B && size_B <= range_B - (address - cu_start);
}

cl_int gpu_call(struct gpu_stream *stream, void (*function)(void *cu_stream, void *data),
		void *data)
{
	struct gpu_scope scope;
	cl_int error = gpu_enter(stream->device, &scope);
	if (error)
		return error;
	function(stream->cu_stream, data);
	/* The caller's context is made current again, whichever one the function has left current. */
	scope.changed = true;
	gpu_leave(&scope);
	gpu_stream_count(stream);
	return CL_SUCCESS;
}
