#include "config.h"

#include "backend/cuda_error.h"

#include "backend/gpu_internal.h"
#include "base/log.h"

#include <string.h>

static const struct gpu_error rows[] = {
#define CUDA_ERROR_ROW(result, code, fate) {result, #result, code, GPU_FATE_##fate},
#include "backend/cuda_error.def"
#undef CUDA_ERROR_ROW
};

static const struct gpu_error unknown = {
	CUDA_ERROR_UNKNOWN, "unknown error", CL_OUT_OF_RESOURCES, GPU_FATE_CALLER};

const struct gpu_error *gpu_error_find(CUresult cu_result)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].cu_result == cu_result)
			return &rows[i];
	return &unknown;
}

static enum log_level level_of(const struct gpu_error *error)
{
	/* The driver is being unloaded at the end of the process, which is no error to report. */
	if (error->cu_result == CUDA_ERROR_DEINITIALIZED)
		return LOG_LEVEL_TRACE;
	switch (error->fate) {
	case GPU_FATE_RETRY:
		return LOG_LEVEL_WARN;
	case GPU_FATE_CALLER:
		return error == &unknown ? LOG_LEVEL_ERR : LOG_LEVEL_INFO;
	case GPU_FATE_BUG:
	case GPU_FATE_LOST:
		break;
	}
	return LOG_LEVEL_ERR;
}

static atomic_bool driver_ended;

bool gpu_driver_has_ended(void)
{
	return atomic_load_explicit(&driver_ended, memory_order_relaxed);
}

void gpu_device_lose(struct gpu_device *device, cl_int code)
{
	int alive = CL_SUCCESS;
	atomic_compare_exchange_strong(&device->lost, &alive, code);
}

cl_int gpu_error_born(struct gpu_device *device, CUresult cu_result, const char *call,
		      const char *file, int line)
{
	const struct gpu_error *error = gpu_error_find(cu_result);
	enum log_level level = level_of(error);
	/* In the message "cuda.cuMemAlloc_v2(&address, size_B)" becomes the function's name. */
	const char *name = strncmp(call, "cuda.", 5) ? call : call + 5;
	if (log_enabled(level))
		log_write(level, file, line, "%.*s: %s (%d)%s", (int)strcspn(name, "("), name,
			  error->name, (int)cu_result,
			  error->fate == GPU_FATE_LOST ? ", the device is lost" : "");
	if (cu_result == CUDA_ERROR_DEINITIALIZED)
		atomic_store_explicit(&driver_ended, true, memory_order_relaxed);
	if (device && error->fate == GPU_FATE_LOST)
		gpu_device_lose(device, error->code);
	return error->code;
}
