/* Whether the software CUDA driver takes PTX: soft_load SM FILE..., loaded to a device of
 * that compute capability.  Exit status: 0, or 1, and what it says is printed. */
#include "config.h"

#include "base/bytes.h"

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

static bool load(const char *path)
{
	static char log[8192];
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {log, (void *)(uintptr_t)sizeof(log)};
	struct bytes text = BYTES_INIT;
	CUmodule module;
	CUresult result = CUDA_ERROR_FILE_NOT_FOUND;
	log[0] = '\0';
	if (!bytes_read_file(&text, path))
		result = cuModuleLoadDataEx(&module, bytes_string(&text), 2, options, values);
	if (result == CUDA_SUCCESS)
		result = cuModuleUnload(module);
	else
		printf("%s: %d: %s\n", path, (int)result, log);
	bytes_finish(&text);
	return result == CUDA_SUCCESS;
}

int main(int count, char **words)
{
	CUcontext context;
	int status = 0;
	if (count < 3 || setenv("CULVERT_SOFT_SM", words[1], 1) || cuInit(0) != CUDA_SUCCESS ||
	    cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS ||
	    cuCtxSetCurrent(context) != CUDA_SUCCESS) {
		fputs("usage: soft_load SM FILE...\n", stderr);
		return 1;
	}
	for (int i = 2; i < count; i++)
		status |= !load(words[i]);
	return status | (cuDevicePrimaryCtxRelease(0) != CUDA_SUCCESS);
}
