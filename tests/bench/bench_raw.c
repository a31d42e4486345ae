#include "config.h"

#include "tests/bench/bench_raw.h"

#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CALLS(CALL)                                                                            \
	CALL(cuInit, (unsigned))                                                               \
	CALL(cuDeviceGet, (CUdevice *, int))                                                   \
	CALL(cuDeviceGetCount, (int *))                                                        \
	CALL(cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice))                                \
	CALL(cuDevicePrimaryCtxRelease_v2, (CUdevice))                                         \
	CALL(cuCtxSetCurrent, (CUcontext))                                                     \
	CALL(cuCtxEnablePeerAccess, (CUcontext, unsigned))                                     \
	CALL(cuModuleLoadDataEx, (CUmodule *, const void *, unsigned, CUjit_option *, void **)) \
	CALL(cuModuleGetFunction, (CUfunction *, CUmodule, const char *))                      \
	CALL(cuModuleUnload, (CUmodule))                                                       \
	CALL(cuStreamCreateWithPriority, (CUstream *, unsigned, int))                          \
	CALL(cuStreamSynchronize, (CUstream))                                                  \
	CALL(cuStreamDestroy_v2, (CUstream))                                                   \
	CALL(cuEventCreate, (CUevent *, unsigned))                                             \
	CALL(cuEventRecord, (CUevent, CUstream))                                               \
	CALL(cuEventDestroy_v2, (CUevent))                                                     \
	CALL(cuLaunchKernel, (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,    \
			      unsigned, unsigned, CUstream, void **, void **))                 \
	CALL(cuMemAlloc_v2, (CUdeviceptr *, size_t))                                           \
	CALL(cuMemFree_v2, (CUdeviceptr))                                                      \
	CALL(cuMemAllocAsync, (CUdeviceptr *, size_t, CUstream))                               \
	CALL(cuMemFreeAsync, (CUdeviceptr, CUstream))                                          \
	CALL(cuMemHostAlloc, (void **, size_t, unsigned))                                      \
	CALL(cuMemFreeHost, (void *))                                                          \
	CALL(cuMemcpyHtoDAsync_v2, (CUdeviceptr, const void *, size_t, CUstream))              \
	CALL(cuMemcpyDtoHAsync_v2, (void *, CUdeviceptr, size_t, CUstream))                    \
	CALL(cuMemcpyPeerAsync, (CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t, CUstream))

static struct {
#define CALL(name, parameters) CUresult (*name) parameters;
	CALLS(CALL)
#undef CALL
} cu;

static void *library;
static CUdevice device;
static CUcontext context;
static CUstream stream;

static const char empty[] = ".version 6.4\n.target sm_70\n.address_size 64\n"
			    ".visible .entry empty()\n{\n ret;\n}\n";

static double now_ns(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static bool calls_find(void)
{
#define CALL(name, parameters) *(void **)&cu.name = dlsym(library, #name);
	CALLS(CALL)
#undef CALL
#define CALL(name, parameters) if (!cu.name) return false;
	CALLS(CALL)
#undef CALL
	return true;
}

bool raw_start(void)
{
	const char *path = getenv("BENCH_CUDA");
	library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	return library && calls_find() && !cu.cuInit(0) && !cu.cuDeviceGet(&device, 0) &&
	       !cu.cuDevicePrimaryCtxRetain(&context, device) && !cu.cuCtxSetCurrent(context) &&
	       !cu.cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0);
}

void raw_end(void)
{
	(void)cu.cuStreamDestroy_v2(stream);
	(void)cu.cuCtxSetCurrent(NULL);
	(void)cu.cuDevicePrimaryCtxRelease_v2(device);
}

double raw_launch_ns(unsigned count, bool with_record)
{
	CUmodule module;
	CUfunction function;
	CUevent event;
	double start_ns = 0, spent_ns = -1;
	if (cu.cuModuleLoadDataEx(&module, empty, 0, NULL, NULL))
		return -1;
	if (cu.cuModuleGetFunction(&function, module, "empty") ||
	    cu.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING))
		goto unload;
	for (unsigned i = 0; i < 2 * count; i++) {
		if (i == count)
			start_ns = now_ns();
		if (i % 500 == 0 && cu.cuStreamSynchronize(stream))
			goto destroy;
		if (cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL) ||
		    (with_record && cu.cuEventRecord(event, stream)))
			goto destroy;
	}
	spent_ns = (now_ns() - start_ns) / count;
destroy:
	(void)cu.cuStreamSynchronize(stream);
	(void)cu.cuEventDestroy_v2(event);
unload:
	(void)cu.cuModuleUnload(module);
	return spent_ns;
}

static void *host_memory(size_t size_B, bool pinned)
{
	void *memory = NULL;
	if (pinned && cu.cuMemHostAlloc(&memory, size_B, 0))
		return NULL;
	if (!pinned)
		memory = malloc(size_B);
	if (memory)
		memset(memory, 1, size_B);
	return memory;
}

double raw_copy_GBps(size_t size_B, bool to_device, bool pinned, unsigned count)
{
	CUdeviceptr memory;
	CUresult result = CUDA_SUCCESS;
	double start_ns = 0;
	if (cu.cuMemAlloc_v2(&memory, size_B))
		return -1;
	void *host = host_memory(size_B, pinned);
	for (unsigned i = 0; host && i <= count && !result; i++) {
		if (i == 1)
			start_ns = now_ns();
		result = to_device ? cu.cuMemcpyHtoDAsync_v2(memory, host, size_B, stream)
				   : cu.cuMemcpyDtoHAsync_v2(host, memory, size_B, stream);
		if (!result)
			result = cu.cuStreamSynchronize(stream);
	}
	const double spent_ns = now_ns() - start_ns;
	if (pinned && host)
		(void)cu.cuMemFreeHost(host);
	else
		free(host);
	(void)cu.cuMemFree_v2(memory);
	return host && !result ? (double)size_B * count / spent_ns : -1;
}

double raw_alloc_ns(size_t size_B, unsigned count)
{
	CUresult result = CUDA_SUCCESS;
	double start_ns = 0;
	for (unsigned i = 0; i < 2 * count && !result; i++) {
		CUdeviceptr memory;
		if (i == count)
			start_ns = now_ns();
		result = cu.cuMemAllocAsync(&memory, size_B, stream);
		if (!result)
			result = cu.cuMemFreeAsync(memory, stream);
	}
	return result ? -1 : (now_ns() - start_ns) / count;
}

/* Both devices' contexts are retained by the caller. */
static double peer_measure(CUcontext other, size_t size_B, unsigned count)
{
	CUdeviceptr here = 0, there = 0;
	CUresult result = cu.cuMemAlloc_v2(&here, size_B);
	(void)cu.cuCtxEnablePeerAccess(other, 0);
	(void)cu.cuCtxSetCurrent(other);
	(void)cu.cuCtxEnablePeerAccess(context, 0);
	if (!result)
		result = cu.cuMemAlloc_v2(&there, size_B);
	(void)cu.cuCtxSetCurrent(context);
	double start_ns = 0;
	for (unsigned i = 0; i <= count && !result; i++) {
		if (i == 1)
			start_ns = now_ns();
		result = i % 2 ? cu.cuMemcpyPeerAsync(here, context, there, other, size_B, stream)
			       : cu.cuMemcpyPeerAsync(there, other, here, context, size_B, stream);
		if (!result)
			result = cu.cuStreamSynchronize(stream);
	}
	const double spent_ns = now_ns() - start_ns;
	(void)cu.cuMemFree_v2(here);
	(void)cu.cuMemFree_v2(there);
	return result ? -1 : (double)size_B * count / spent_ns;
}

double raw_peer_GBps(size_t size_B, unsigned count)
{
	int devices = 0;
	CUdevice second;
	CUcontext other;
	if (cu.cuDeviceGetCount(&devices) || devices < 2 || cu.cuDeviceGet(&second, 1) ||
	    cu.cuDevicePrimaryCtxRetain(&other, second))
		return -1;
	const double GBps = peer_measure(other, size_B, count);
	(void)cu.cuDevicePrimaryCtxRelease_v2(second);
	return GBps;
}
