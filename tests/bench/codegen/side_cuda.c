#include "config.h"

#include "tests/bench/codegen/twins.h"

#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define FUNCTIONS(F)                                                          \
	F(init, "cuInit", (unsigned))                                         \
	F(retain, "cuDevicePrimaryCtxRetain", (CUcontext *, CUdevice))        \
	F(set_current, "cuCtxSetCurrent", (CUcontext))                        \
	F(synchronize, "cuStreamSynchronize", (CUstream))                     \
	F(stream, "cuStreamCreate", (CUstream *, unsigned))                   \
	F(load, "cuModuleLoadData", (CUmodule *, const void *))               \
	F(unload, "cuModuleUnload", (CUmodule))                               \
	F(function, "cuModuleGetFunction", (CUfunction *, CUmodule, const char *)) \
	F(take, "cuMemAlloc_v2", (CUdeviceptr *, size_t))                     \
	F(give, "cuMemFree_v2", (CUdeviceptr))                                \
	F(write, "cuMemcpyHtoD_v2", (CUdeviceptr, const void *, size_t))      \
	F(read, "cuMemcpyDtoH_v2", (void *, CUdeviceptr, size_t))             \
	F(launch, "cuLaunchKernel", (CUfunction, unsigned, unsigned, unsigned, unsigned, \
				     unsigned, unsigned, unsigned, CUstream, void **, void **))

static struct {
#define F(name, symbol, parameters) CUresult (*name) parameters;
	FUNCTIONS(F)
#undef F
} cuda;

static struct {
	CUcontext context;
	CUstream stream;
	CUmodule module;
	CUfunction function;
	CUdeviceptr buffers[TWIN_ARGUMENTS];
	void *parameters[TWIN_ARGUMENTS];
	unsigned grid[2], block[2];
} now;

static bool good(CUresult result, const char *what)
{
	if (result)
		fprintf(stderr, "cuda: %s: error %d\n", what, (int)result);
	return !result;
}

static bool cuda_open(void)
{
	const char *path = getenv("TWIN_CUDA");
	void *library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return false;
	}
#define F(name, symbol, parameters)                                           \
	*(void **)(void *)&cuda.name = dlsym(library, symbol);                \
	if (!cuda.name) {                                                     \
		fprintf(stderr, "cuda: no %s\n", symbol);                     \
		return false;                                                 \
	}
	FUNCTIONS(F)
#undef F
	return good(cuda.init(0), "cuInit") && good(cuda.retain(&now.context, 0), "context") &&
	       good(cuda.set_current(now.context), "context") &&
	       good(cuda.stream(&now.stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
}

/* PoCL leaves its own context current. */
static bool enter(void)
{
	return good(cuda.set_current(now.context), "context");
}

static bool prepare_arguments(const struct twin *twin)
{
	for (unsigned i = 0; twin->arguments[i].kind; i++) {
		const struct argument *argument = &twin->arguments[i];
		now.parameters[i] = (void *)&argument->bits;
		if (!argument_is_buffer(argument))
			continue;
		now.parameters[i] = &now.buffers[i];
		if (!good(cuda.take(&now.buffers[i], argument->size_B), "cuMemAlloc") ||
		    !good(cuda.write(now.buffers[i], argument->data, argument->size_B), "copy"))
			return false;
	}
	return true;
}

static bool cuda_prepare(const struct twin *twin, const char *code_folder)
{
	size_t size_B;
	char *code = read_whole(code_folder, twin->name, ".cubin", &size_B);
	bool made = code && enter() && good(cuda.load(&now.module, code), "cuModuleLoadData") &&
		    good(cuda.function(&now.function, now.module, twin->name), twin->name);
	free(code);
	for (unsigned i = 0; i < 2; i++) {
		now.grid[i] = (unsigned)(twin->global[i] / twin->local[i]);
		now.block[i] = (unsigned)twin->local[i];
	}
	return made && prepare_arguments(twin);
}

static bool cuda_run(unsigned count)
{
	bool launched = enter();
	for (unsigned i = 0; i < count && launched; i++)
		launched = good(cuda.launch(now.function, now.grid[0], now.grid[1], 1, now.block[0],
					    now.block[1], 1, 0, now.stream, now.parameters, NULL),
				"cuLaunchKernel");
	return launched && good(cuda.synchronize(now.stream), "cuStreamSynchronize");
}

static bool cuda_reset(const struct twin *twin)
{
	if (!enter())
		return false;
	for (unsigned i = 0; twin->arguments[i].kind; i++) {
		const struct argument *argument = &twin->arguments[i];
		if (argument->kind == ARGUMENT_OUT &&
		    !good(cuda.write(now.buffers[i], argument->data, argument->size_B), "copy"))
			return false;
	}
	return true;
}

static bool cuda_fetch(const struct twin *twin, unsigned argument, void *to)
{
	return enter() && good(cuda.read(to, now.buffers[argument], twin->arguments[argument].size_B), "copy");
}

static void cuda_release(void)
{
	(void)enter();
	for (unsigned i = 0; i < TWIN_ARGUMENTS; i++) {
		if (now.buffers[i])
			good(cuda.give(now.buffers[i]), "cuMemFree");
		now.buffers[i] = 0;
	}
	if (now.module)
		good(cuda.unload(now.module), "cuModuleUnload");
	now.module = NULL;
}

const struct side side_cuda = {
	cuda_open, cuda_prepare, cuda_run, cuda_reset, cuda_fetch, cuda_release,
};
