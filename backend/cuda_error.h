/* From CUresult to cl_int: the one place where an error of the driver gets its
 * OpenCL code and its fate, and where it is logged, once, at its birth.
 *
 * Thread-safe. */
#ifndef CULVERT_BACKEND_CUDA_ERROR_H
#define CULVERT_BACKEND_CUDA_ERROR_H

#include <CL/cl.h>
#include <cuda.h>

struct gpu_device;

enum gpu_fate { GPU_FATE_RETRY, GPU_FATE_CALLER, GPU_FATE_BUG, GPU_FATE_LOST };

struct gpu_error {
	CUresult cu_result;
	const char *name;
	cl_int code;
	enum gpu_fate fate;
};

/* Never NULL; results that the table does not know share one row, named
 * "unknown error". */
const struct gpu_error *gpu_error_find(CUresult cu_result);

/* Logs the failure and marks device (may be NULL) as lost when it is. */
cl_int gpu_error_born(struct gpu_device *device, CUresult cu_result, const char *call,
		      const char *file, int line);

/* For what loads modules and looks into them: all codes of the table. */
static inline cl_int gpu_check_module(struct gpu_device *device, CUresult cu_result,
				      const char *call, const char *file, int line)
{
	return cu_result == CUDA_SUCCESS ? CL_SUCCESS
					 : gpu_error_born(device, cu_result, call, file, line);
}

/* For everything else: any call of OpenCL may come to call the driver, and most list
 * nothing but CL_OUT_OF_RESOURCES for what fails there. */
static inline cl_int gpu_check_result(struct gpu_device *device, CUresult cu_result,
				      const char *call, const char *file, int line)
{
	if (cu_result == CUDA_SUCCESS)
		return CL_SUCCESS;
	(void)gpu_error_born(device, cu_result, call, file, line);
	return CL_OUT_OF_RESOURCES;
}

/* Makes the call; CL_SUCCESS or the code of its failure.  CUDA_ERROR_NOT_READY
 * is no failure: calls that may answer so are compared before. */
#define gpu_check(device, call) gpu_check_result((device), (call), #call, __FILE__, __LINE__)

#endif
