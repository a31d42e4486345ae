#include "config.h"

#include "tests/bench/cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cuda_calls cu;
struct cuda cuda;

static void find_calls(void)
{
	const char *path = getenv("BENCH_CUDA");
	void *library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library)
		bench_fail(__FILE__, __LINE__, dlerror(), 0);
#define CALL(name, parameters)                                            \
	*(void **)(void *)&cu.name = dlsym(library, #name);               \
	if (!cu.name)                                                     \
		bench_fail(__FILE__, __LINE__, "no " #name, 0);
#include "tests/bench/cuda_calls.def"
#undef CALL
}

/* NULL: there is no such file. */
static char *read_code(const char *ending)
{
	char path[4096];
	char *code = NULL;
	long size_B = 0;
	snprintf(path, sizeof(path), "%s/kernels.%s", bench.code ? bench.code : ".", ending);
	FILE *file = fopen(path, "rb");
	if (file && !fseek(file, 0, SEEK_END))
		size_B = ftell(file);
	if (size_B > 0)
		code = calloc(1, (size_t)size_B + 1);
	if (code) {
		rewind(file);
		if (fread(code, 1, (size_t)size_B, file) != (size_t)size_B)
			bench_fail(__FILE__, __LINE__, path, 0);
	}
	if (file)
		fclose(file);
	return code;
}

static CUmodule load_code(void)
{
	CUmodule module = NULL;
	char *cubin = read_code("cubin"), *ptx = read_code("ptx");
	if (!cubin && !ptx)
		bench_fail(__FILE__, __LINE__, "no kernels.cubin and no kernels.ptx", 0);
	if (!cubin || cu.cuModuleLoadData(&module, cubin)) {
		if (!ptx)
			bench_fail(__FILE__, __LINE__, "kernels.cubin is for another GPU", 0);
		CU_OK(cu.cuModuleLoadData(&module, ptx));
	}
	free(cubin);
	free(ptx);
	return module;
}

void cuda_use(unsigned device)
{
	CU_OK(cu.cuCtxSetCurrent(cuda.contexts[device]));
}

void cuda_open(const char *bench_name, unsigned devices_limit)
{
	char name[256] = "", driver[32];
	CUdevice device;
	int count = 0, version = 0;
	find_calls();
	CU_OK(cu.cuInit(0));
	CU_OK(cu.cuDeviceGetCount(&count));
	CU_OK(cu.cuDriverGetVersion(&version));
	if (devices_limit > CUDA_DEVICES)
		devices_limit = CUDA_DEVICES;
	cuda.device_count = (unsigned)count < devices_limit ? (unsigned)count : devices_limit;
	if (!cuda.device_count)
		bench_fail(__FILE__, __LINE__, "no device", count);
	for (unsigned i = 0; i < cuda.device_count; i++) {
		CU_OK(cu.cuDeviceGet(&device, (int)i));
		CU_OK(cu.cuDevicePrimaryCtxRetain(&cuda.contexts[i], device));
		cuda_use(i);
		cuda.modules[i] = load_code();
	}
	cuda_use(0);
	CU_OK(cu.cuDeviceGet(&device, 0));
	CU_OK(cu.cuDeviceGetName(name, sizeof(name), device));
	snprintf(driver, sizeof(driver), "CUDA %d.%d", version / 1000, version % 1000 / 10);
	rows_begin(bench_name, "CUDA", name, driver);
}

int cuda_close(void)
{
	for (unsigned i = 0; i < cuda.device_count; i++) {
		CUdevice device;
		cuda_use(i);
		CU_OK(cu.cuModuleUnload(cuda.modules[i]));
		CU_OK(cu.cuDeviceGet(&device, (int)i));
		CU_OK(cu.cuCtxSetCurrent(NULL));
		CU_OK(cu.cuDevicePrimaryCtxRelease_v2(device));
	}
	return rows_end();
}

CUfunction cuda_function(unsigned device, const char *name)
{
	CUfunction function;
	CU_OK(cu.cuModuleGetFunction(&function, cuda.modules[device], name));
	return function;
}

CUstream cuda_stream(void)
{
	CUstream stream;
	CU_OK(cu.cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0));
	return stream;
}

CUevent cuda_event(void)
{
	CUevent event;
	CU_OK(cu.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	return event;
}

CUdeviceptr cuda_memory(size_t size_B)
{
	CUdeviceptr memory;
	CU_OK(cu.cuMemAlloc_v2(&memory, size_B));
	return memory;
}

void cuda_launch(CUstream stream, CUfunction function, size_t global, size_t local,
		 void **arguments)
{
	CU_OK(cu.cuLaunchKernel(function, (unsigned)(global / local), 1, 1, (unsigned)local, 1, 1,
				0, stream, arguments, NULL));
}

unsigned char *cuda_host(size_t size_B, bool pinned)
{
	void *bytes = NULL;
	if (pinned)
		CU_OK(cu.cuMemHostAlloc(&bytes, size_B, 0));
	else
		bytes = malloc(size_B);
	if (!bytes)
		bench_fail(__FILE__, __LINE__, "malloc", 0);
	memset(bytes, 1, size_B);
	return bytes;
}

void cuda_host_end(unsigned char *bytes, bool pinned)
{
	if (pinned)
		CU_OK(cu.cuMemFreeHost(bytes));
	else
		free(bytes);
}
