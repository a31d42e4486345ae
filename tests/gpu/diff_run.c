#include "config.h"

#include "tests/gpu/diff_run.h"

#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Loading a module costs most of the time: several programs share one. */
enum { BATCH = 10 };

#define FUNCTIONS(F)                                                          \
	F(init, "cuInit", (unsigned))                                         \
	F(retain, "cuDevicePrimaryCtxRetain", (CUcontext *, CUdevice))        \
	F(set_current, "cuCtxSetCurrent", (CUcontext))                        \
	F(synchronize, "cuCtxSynchronize", (void))                            \
	F(load, "cuModuleLoadDataEx", (CUmodule *, const void *, unsigned, CUjit_option *, \
				       void **))                              \
	F(unload, "cuModuleUnload", (CUmodule))                               \
	F(function, "cuModuleGetFunction", (CUfunction *, CUmodule, const char *)) \
	F(take, "cuMemAlloc_v2", (CUdeviceptr *, size_t))                     \
	F(write, "cuMemcpyHtoD_v2", (CUdeviceptr, const void *, size_t))      \
	F(read, "cuMemcpyDtoH_v2", (void *, CUdeviceptr, size_t))             \
	F(fill, "cuMemsetD8_v2", (CUdeviceptr, unsigned char, size_t))        \
	F(launch, "cuLaunchKernel", (CUfunction, unsigned, unsigned, unsigned, unsigned, \
				     unsigned, unsigned, unsigned, CUstream, void **, void **))

static struct {
#define F(name, symbol, parameters) CUresult (*name) parameters;
	FUNCTIONS(F)
#undef F
} cuda;

static CUdeviceptr input, output, scratch;
enum { OUTPUT_B = DIFF_LANES * DIFF_VALUES * 8, INPUT_B = DIFF_LANES * DIFF_INPUTS * 8 };

static bool open_driver(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return false;
	}
#define F(name, symbol, parameters)                                           \
	*(void **)(void *)&cuda.name = dlsym(library, symbol);                \
	if (!cuda.name) {                                                     \
		fprintf(stderr, "%s has no %s\n", path, symbol);              \
		return false;                                                 \
	}
	FUNCTIONS(F)
#undef F
	CUcontext context;
	CUresult result = cuda.init(0);
	if (!result)
		result = cuda.retain(&context, 0);
	if (!result)
		result = cuda.set_current(context);
	if (!result)
		result = cuda.take(&input, INPUT_B);
	if (!result)
		result = cuda.take(&output, OUTPUT_B);
	if (!result)
		result = cuda.take(&scratch, DIFF_LANES * DIFF_SCRATCH_B);
	if (result)
		fprintf(stderr, "%s: error %d\n", path, result);
	return !result;
}

static CUresult run_program(CUmodule module, const struct diff_program *program, uint64_t seed,
			    struct bytes *results)
{
	static uint64_t inputs[DIFF_LANES][DIFF_INPUTS];
	CUfunction function;
	char name[16];
	uint32_t stride = 8 * (program->count - DIFF_INPUTS);
	size_t size_B = (size_t)stride * DIFF_LANES;
	void *parameters[] = {&input, &output, &scratch, &stride};
	for (unsigned l = 0; l < DIFF_LANES; l++)
		for (unsigned i = 0; i < DIFF_INPUTS; i++)
			inputs[l][i] = diff_program_input(program, seed, l, i);
	snprintf(name, sizeof(name), "p%u", program->index);
	CUresult result = cuda.function(&function, module, name);
	if (!result)
		result = cuda.write(input, inputs, sizeof(inputs));
	if (!result)
		result = cuda.fill(output, 0xcd, size_B);
	if (!result)
		result = cuda.fill(scratch, 0, DIFF_LANES * DIFF_SCRATCH_B);
	if (!result)
		result = cuda.launch(function, DIFF_LANES / DIFF_GROUP, 1, 1, DIFF_GROUP, 1, 1, 0,
				     NULL, parameters, NULL);
	if (!result)
		result = cuda.synchronize();
	void *data = malloc(size_B);
	if (!result && !data)
		result = CUDA_ERROR_OUT_OF_MEMORY;
	if (!result)
		result = cuda.read(data, output, size_B);
	uint32_t status = result;
	bytes_append(results, &status, sizeof(status));
	if (!result)
		bytes_append(results, data, size_B);
	else
		fprintf(stderr, "program %u: the launch gave %d\n", program->index, result);
	free(data);
	return result;
}

static CUresult load(const struct bytes *text, CUmodule *module)
{
	static char log[8192];
	log[0] = '\0';
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {log, (void *)(uintptr_t)(sizeof(log) - 1)};
	CUresult result = cuda.load(module, bytes_string(text), 2, options, values);
	if (result)
		fprintf(stderr, "loading gave %d: %s\n", result, log);
	return result;
}

static bool run_batch(uint64_t seed, unsigned first, unsigned count, unsigned sm,
		      struct bytes *results)
{
	static struct diff_program programs[BATCH];
	struct bytes text = BYTES_INIT;
	CUmodule module = NULL;
	bool made = true;
	diff_program_header(&text, sm);
	for (unsigned i = 0; i < count; i++) {
		made &= diff_program_make(&programs[i], seed, first + i, sm);
		bytes_append(&text, bytes_string(&programs[i].text), programs[i].text.size_B);
	}
	made &= !bytes_failed(&text);
	uint32_t status = made ? load(&text, &module) : CUDA_ERROR_OUT_OF_MEMORY;
	for (unsigned i = 0; i < count; i++) {
		if (status)
			bytes_append(results, &status, sizeof(status));
		else
			run_program(module, &programs[i], seed, results);
	}
	for (unsigned i = 0; i < count; i++)
		diff_program_finish(&programs[i]);
	if (module)
		cuda.unload(module);
	bytes_finish(&text);
	return made;
}

bool diff_run(const char *driver_path, uint64_t seed, unsigned first, unsigned count, unsigned sm,
	      struct bytes *results)
{
	if (!open_driver(driver_path))
		return false;
	for (unsigned i = 0; i < count; i += BATCH)
		if (!run_batch(seed, first + i, count - i < BATCH ? count - i : BATCH, sm, results))
			return false;
	return !bytes_failed(results);
}
