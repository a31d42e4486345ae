/* Converts errors of the CUDA driver (CUresult) to OpenCL error codes.  Only here a driver's error gets its code and
 * its fate, and is logged, once, where it occurs.
 *
 * Thread-safe. */
#ifndef CULVERT_BACKEND_CUDA_ERROR_H
#define CULVERT_BACKEND_CUDA_ERROR_H

#include <CL/cl.h>
#include <cuda.h>

struct gpu_device;

/* What an error means: RETRY: nothing has happened, and the call can be made again; CALLER: the caller's parameters are
 * wrong; BUG: Culvert's are; LOST: the device does not work any more. */
enum gpu_fate { GPU_FATE_RETRY, GPU_FATE_CALLER, GPU_FATE_BUG, GPU_FATE_LOST };

struct gpu_error {
	CUresult cu_result;
	const char *name;
	cl_int code;
	enum gpu_fate fate;
};

/* The row of a result; never NULL: results that the table does not contain share a row named "unknown error". */
const struct gpu_error *gpu_error_find(CUresult cu_result);

/* Logs an error, and marks device, which may be NULL, as lost if the fate is LOST.  Returns the error's code. */
cl_int gpu_error_born(struct gpu_device *device, CUresult cu_result, const char *call,
		      const char *file, int line);

/* For calls that load modules and find functions: returns the code of the table. */
static inline cl_int gpu_check_module(struct gpu_device *device, CUresult cu_result,
				      const char *call, const char *file, int line)
{
	return cu_result == CUDA_SUCCESS ? CL_SUCCESS
					 : gpu_error_born(device, cu_result, call, file, line);
}

/* For all other calls: returns CL_OUT_OF_RESOURCES, because most functions of OpenCL list no other error for failures
 * of the driver. */
static inline cl_int gpu_check_result(struct gpu_device *device, CUresult cu_result,
				      const char *call, const char *file, int line)
{
	if (cu_result == CUDA_SUCCESS)
		return CL_SUCCESS;
	(void)gpu_error_born(device, cu_result, call, file, line);
	return CL_OUT_OF_RESOURCES;
}

/* Makes a driver call; returns CL_SUCCESS or the code of its error.  Not for calls that may return
 * CUDA_ERROR_NOT_READY, which is no error. */
#define gpu_check(device, call) gpu_check_result((device), (call), #call, __FILE__, __LINE__)

#endif
