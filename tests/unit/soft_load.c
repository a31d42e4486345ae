/* Whether the software CUDA driver takes PTX: soft_load SM FILE..., loaded to a device of
 * that compute capability.  Exit status: 0, or 1, and what it says is printed. */
#include "config.h"

#include "base/bytes.h"

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

static bool read_file(const char *path, struct bytes *text)
{
	char part[4096];
	size_t size_B;
	FILE *file = fopen(path, "r");
	if (!file)
		return false;
	while ((size_B = fread(part, 1, sizeof(part), file)) > 0)
		bytes_append(text, part, size_B);
	fclose(file);
	return !bytes_failed(text);
}

static bool load(const char *path)
{
	static char log[8192];
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {log, (void *)(uintptr_t)sizeof(log)};
	struct bytes text = BYTES_INIT;
	CUmodule module;
	CUresult result = CUDA_ERROR_FILE_NOT_FOUND;
	log[0] = '\0';
	if (read_file(path, &text))
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
