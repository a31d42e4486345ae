#include "config.h"

#include "icd/order/native.h"

#include "icd/order/queue.h"

#include <stdlib.h>
#include <string.h>

void ocl_native_unref(struct ocl_native *native)
{
	if (atomic_fetch_sub_explicit(&native->refs, 1, memory_order_acq_rel) != 1)
		return;
	for (uint32_t i = 0; i < native->count; i++)
		object_unref(native->buffers[i].mem);
	free(native->arguments);
	free(native);
}

/* Gets the host memory of a buffer, whose address the function finds in place of the buffer's handle. */
static cl_int buffer_take(struct ocl_native_buffer *buffer, cl_mem mem, const void *location,
			  const unsigned char *arguments, size_t size_B)
{
	const uintptr_t at = (uintptr_t)location, start = (uintptr_t)arguments;
	void *shadow = NULL;
	/* OpenCL 3.0 API, 5.10: locations point into the arguments. */
	if (at < start || size_B < sizeof(void *) || at - start > size_B - sizeof(void *))
		return CL_INVALID_VALUE;
	buffer->at_B = at - start;
	if (!mem)
		return CL_SUCCESS;
	cl_int error = ocl_storage_shadow(mem->storage, mem->origin_B, mem->origin_B + mem->size_B,
					  &shadow);
	if (error)
		return error;
	object_ref(mem);
	buffer->mem = mem;
	buffer->pointer = (unsigned char *)shadow + mem->origin_B;
	return CL_SUCCESS;
}

cl_int ocl_native_create(void (CL_CALLBACK *function)(void *), const void *arguments,
			 size_t size_B, uint32_t count, const cl_mem *mems,
			 const void *const *locations, struct ocl_native **native_out)
{
	struct ocl_native *native = calloc(1, sizeof(*native) +
						      count * sizeof(native->buffers[0]));
	if (!native)
		return CL_OUT_OF_HOST_MEMORY;
	atomic_init(&native->refs, 1);
	native->function = function;
	native->arguments = arguments ? malloc(size_B) : NULL;
	cl_int error = arguments && !native->arguments ? CL_OUT_OF_HOST_MEMORY : CL_SUCCESS;
	if (native->arguments)
		memcpy(native->arguments, arguments, size_B);
	for (; native->count < count && !error; native->count++)
		error = buffer_take(&native->buffers[native->count], mems[native->count],
				    locations[native->count], arguments, size_B);
	if (error)
		ocl_native_unref(native);
	else
		*native_out = native;
	return error;
}

/* --- the command ------------------------------------------------------------------------------ */

/* A native function may only read immutable memory. */
static enum ocl_access_mode mode_of(const struct _cl_mem *mem)
{
	return ocl_mem_is_immutable(mem) ? OCL_ACCESS_READ : OCL_ACCESS_UPDATE;
}

static cl_int buffers_bring(const struct ocl_command *command, struct gpu_stream *stream)
{
	const struct ocl_native *native = command->u.native;
	for (uint32_t i = 0; i < native->count; i++) {
		const struct _cl_mem *mem = native->buffers[i].mem;
		if (!mem)
			continue;
		cl_int error = ocl_storage_host_acquire(
			mem->storage, command->queue->device_index, stream, mem->origin_B,
			mem->origin_B + mem->size_B, mode_of(mem));
		if (error)
			return error;
	}
	return ocl_command_stream_wait(stream);
}

static cl_int buffers_commit(const struct ocl_native *native)
{
	cl_int error = CL_SUCCESS;
	for (uint32_t i = 0; i < native->count && !error; i++) {
		const struct _cl_mem *mem = native->buffers[i].mem;
		if (mem && !ocl_mem_is_immutable(mem))
			error = ocl_storage_host_commit(mem->storage, mem->origin_B,
							mem->origin_B + mem->size_B);
	}
	return error;
}

static cl_int native_run(struct ocl_command *command, struct gpu_stream *stream)
{
	const struct ocl_native *native = command->u.native;
	cl_int error = buffers_bring(command, stream);
	if (error)
		return error;
	for (uint32_t i = 0; i < native->count; i++)
		memcpy((unsigned char *)native->arguments + native->buffers[i].at_B,
		       &native->buffers[i].pointer, sizeof(void *));
	lock_assert_none();
	native->function(native->arguments);
	return buffers_commit(native);
}

static enum ocl_delay native_delay(const struct ocl_command *command)
{
	(void)command;
	return OCL_DELAY_GPU;
}

static void native_retain(struct ocl_command *command)
{
	atomic_fetch_add_explicit(&command->u.native->refs, 1, memory_order_relaxed);
}

static void native_release(struct ocl_command *command)
{
	ocl_native_unref(command->u.native);
}

const struct ocl_command_kind ocl_command_native = {
	.run = native_run, .delay = native_delay,
	.retain = native_retain, .release = native_release,
};
