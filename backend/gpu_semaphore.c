#include "config.h"

#include "backend/gpu_internal.h"

#include "base/log.h"

#include <stdlib.h>
#include <string.h>

struct gpu_semaphore {
	CUexternalSemaphore cu_semaphore;
};

static bool have_semaphores(void)
{
	return cuda.cuImportExternalSemaphore && cuda.cuSignalExternalSemaphoresAsync &&
	       cuda.cuWaitExternalSemaphoresAsync && cuda.cuDestroyExternalSemaphore;
}

/* An import that the driver refuses is an error of the application, whatever the driver's error is. */
static cl_int import(struct gpu_device *device, int fd, struct gpu_semaphore *semaphore)
{
	CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC handle;
	memset(&handle, 0, sizeof(handle));
	handle.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
	handle.handle.fd = fd;
	const CUresult cu_result =
		cuda.cuImportExternalSemaphore(&semaphore->cu_semaphore, &handle);
	if (cu_result == CUDA_SUCCESS)
		return CL_SUCCESS;
	if (cu_result == CUDA_ERROR_OUT_OF_MEMORY ||
	    gpu_error_find(cu_result)->fate == GPU_FATE_LOST)
		return gpu_check_result(device, cu_result, "cuImportExternalSemaphore", __FILE__,
					__LINE__);
	log_info("file descriptor %d is not a semaphore: %s", fd, gpu_error_find(cu_result)->name);
	return CL_INVALID_PROPERTY;
}

cl_int gpu_semaphore_import(struct gpu_device *device, int fd, struct gpu_semaphore **semaphore_out)
{
	struct gpu_scope scope;
	if (!have_semaphores())
		return CL_INVALID_PROPERTY;
	struct gpu_semaphore *semaphore = calloc(1, sizeof(*semaphore));
	if (!semaphore)
		return CL_OUT_OF_HOST_MEMORY;
	cl_int error = gpu_enter_new(device, &scope);
	if (!error) {
		error = import(device, fd, semaphore);
		gpu_leave(&scope);
	}
	if (error)
		free(semaphore);
	else
		*semaphore_out = semaphore;
	return error;
}

static void semaphore_free(struct gpu_device *device, void *object)
{
	struct gpu_semaphore *semaphore = object;
	struct gpu_scope scope;
	/* The semaphores of a lost device are freed with its context. */
	if (!gpu_enter(device, &scope)) {
		(void)gpu_check(device, cuda.cuDestroyExternalSemaphore(semaphore->cu_semaphore));
		gpu_leave(&scope);
	}
	free(semaphore);
}

void gpu_semaphore_release(struct gpu_device *device, struct gpu_semaphore *semaphore,
			   struct gpu_event *const *after, uint32_t count)
{
	struct gpu_scope scope;
	if (!semaphore)
		return;
	if (gpu_enter(device, &scope)) {
		semaphore_free(device, semaphore);
		return;
	}
	gpu_defer(device, semaphore_free, semaphore, after, count);
	gpu_leave(&scope);
}

cl_int gpu_semaphore_signal(struct gpu_stream *stream, struct gpu_semaphore *semaphore)
{
	struct gpu_device *device = stream->device;
	CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS binary;
	struct gpu_scope scope;
	cl_int error = gpu_enter(device, &scope);
	if (error)
		return error;
	memset(&binary, 0, sizeof(binary));
	error = gpu_check(device, cuda.cuSignalExternalSemaphoresAsync(&semaphore->cu_semaphore,
								       &binary, 1,
								       stream->cu_stream));
	if (!error)
		gpu_stream_count(stream);
	gpu_leave(&scope);
	return error;
}

cl_int gpu_semaphore_wait(struct gpu_stream *stream, struct gpu_semaphore *semaphore)
{
	struct gpu_device *device = stream->device;
	CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS binary;
	struct gpu_scope scope;
	cl_int error = gpu_enter(device, &scope);
	if (error)
		return error;
	memset(&binary, 0, sizeof(binary));
	error = gpu_check(device, cuda.cuWaitExternalSemaphoresAsync(&semaphore->cu_semaphore,
								     &binary, 1,
								     stream->cu_stream));
	if (!error)
		gpu_stream_count(stream);
	gpu_leave(&scope);
	return error;
}
