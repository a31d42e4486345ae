/* CUDA's run-time compiler, as the twin: CUDA C++ to machine code, and that to functions of the
 * GPU; where there is none, to machine code alone, which BENCH_ARCH says for which.  By dlopen:
 * BENCH_NVRTC names the library, BENCH_CUDA the driver. */
#include "config.h"

#include "tests/bench/build/builder.h"
#include "tests/bench/bench.h"

#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct builder_facts builder_facts = {
	.program = "#define KERNEL extern \"C\" __global__ void\n"
		   "#define GLOBAL\n"
		   "#define ID (blockIdx.x * blockDim.x + threadIdx.x)\n",
	.ending = ".cu",
	.salt_type = "__device__ int",
	.keeps = false,
};

static struct {
	int (*nvrtcVersion)(int *, int *);
	int (*nvrtcCreateProgram)(void **, const char *, const char *, int, const char *const *,
				  const char *const *);
	int (*nvrtcCompileProgram)(void *, int, const char *const *);
	int (*nvrtcGetCUBINSize)(void *, size_t *);
	int (*nvrtcGetCUBIN)(void *, char *);
	int (*nvrtcGetProgramLogSize)(void *, size_t *);
	int (*nvrtcGetProgramLog)(void *, char *);
	int (*nvrtcDestroyProgram)(void **);
} nvrtc;

/* NULL: there is no GPU. */
static struct {
	CUresult (*cuInit)(unsigned);
	CUresult (*cuDeviceGet)(CUdevice *, int);
	CUresult (*cuDevicePrimaryCtxRetain)(CUcontext *, CUdevice);
	CUresult (*cuCtxSetCurrent)(CUcontext);
	CUresult (*cuModuleLoadData)(CUmodule *, const void *);
	CUresult (*cuModuleGetFunctionCount)(unsigned *, CUmodule);
	CUresult (*cuModuleEnumerateFunctions)(CUfunction *, unsigned, CUmodule);
	CUresult (*cuFuncLoad)(CUfunction);
	CUresult (*cuModuleUnload)(CUmodule);
} driver;

enum { KERNELS = 256 };

static char architecture[64], include[4096];
static bool found;
static CUcontext context;

static void *open_library(void)
{
	static const char *const names[] = {
		"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
		"/usr/local/cuda/lib64/libnvrtc.so", "/usr/local/cuda/lib/libnvrtc.so",
	};
	const char *named = getenv("BENCH_NVRTC");
	void *library = named ? dlopen(named, RTLD_NOW) : NULL;
	for (size_t i = 0; !named && !library && i < sizeof(names) / sizeof(names[0]); i++)
		library = dlopen(names[i], RTLD_NOW);
	return library;
}

/* POSIX lets a function's address travel in a void pointer. */
static bool resolve(void *library, const char *name, void *function_out)
{
	void *address = dlsym(library, name);
	memcpy(function_out, &address, sizeof(address));
	return address != NULL;
}

static void open_driver(void)
{
	const char *named = getenv("BENCH_CUDA");
	void *library = dlopen(named ? named : "libcuda.so.1", RTLD_NOW);
	CUdevice device;
	bool whole = library != NULL;
#define RESOLVE(name) whole = whole && resolve(library, #name, &driver.name)
	RESOLVE(cuInit);
	RESOLVE(cuDeviceGet);
	RESOLVE(cuDevicePrimaryCtxRetain);
	RESOLVE(cuCtxSetCurrent);
	RESOLVE(cuModuleLoadData);
	RESOLVE(cuModuleGetFunctionCount);
	RESOLVE(cuModuleEnumerateFunctions);
	RESOLVE(cuFuncLoad);
	RESOLVE(cuModuleUnload);
#undef RESOLVE
	if (!whole || driver.cuInit(0) || driver.cuDeviceGet(&device, 0) ||
	    driver.cuDevicePrimaryCtxRetain(&context, device))
		context = NULL;
}

void builder_open(void)
{
	void *library = open_library();
	open_driver();
	const char *arch = getenv("BENCH_ARCH");
	found = library != NULL;
#define RESOLVE(name) found = found && resolve(library, #name, &nvrtc.name)
	RESOLVE(nvrtcVersion);
	RESOLVE(nvrtcCreateProgram);
	RESOLVE(nvrtcCompileProgram);
	RESOLVE(nvrtcGetCUBINSize);
	RESOLVE(nvrtcGetCUBIN);
	RESOLVE(nvrtcGetProgramLogSize);
	RESOLVE(nvrtcGetProgramLog);
	RESOLVE(nvrtcDestroyProgram);
#undef RESOLVE
	snprintf(architecture, sizeof(architecture), "--gpu-architecture=%s", arch ? arch : "sm_90");
	/* The toolkit's headers, for kernels that include them. */
	const char *headers = getenv("CUDA_HOME");
	snprintf(include, sizeof(include), "-I%s/include", headers ? headers : "/usr/local/cuda");
}

const char *builder_missing(void)
{
	return found ? NULL : "there is no libnvrtc";
}

void builder_close(void)
{
}

void builder_rows_begin(const char *bench_name)
{
	char version[48];
	int major = 0, minor = 0;
	if (found)
		nvrtc.nvrtcVersion(&major, &minor);
	snprintf(version, sizeof(version), "NVRTC %d.%d%s", major, minor,
		 context ? " and the driver" : "");
	rows_begin(bench_name, "CUDA", architecture + strlen("--gpu-architecture="), version);
}

static void print_log(void *program, int code)
{
	size_t size_B = 0;
	char *log = NULL;
	if (program && !nvrtc.nvrtcGetProgramLogSize(program, &size_B) &&
	    (log = calloc(1, size_B + 1)))
		nvrtc.nvrtcGetProgramLog(program, log);
	fprintf(stderr, "NVRTC: %d: %s\n", code, log ? log : "");
	free(log);
}

/* As our program builds do: all functions, and not when they are first launched.  0: good. */
static int load(const void *code_object, CUmodule *module)
{
	CUfunction functions[KERNELS];
	unsigned count = 0;
	CUresult result = driver.cuCtxSetCurrent(context);
	if (!result)
		result = driver.cuModuleLoadData(module, code_object);
	if (!result)
		result = driver.cuModuleGetFunctionCount(&count, *module);
	if (!result)
		result = count > KERNELS ? CUDA_ERROR_INVALID_VALUE
					 : driver.cuModuleEnumerateFunctions(functions, count,
									     *module);
	for (unsigned i = 0; i < count && !result; i++)
		result = driver.cuFuncLoad(functions[i]);
	if (result)
		fprintf(stderr, "loading what NVRTC made: %d\n", (int)result);
	return (int)result;
}

double builder_ms(const char *source, bool newest)
{
	(void)newest;  /* it has one */
	const char *options[] = {architecture, include, "-default-device"};
	size_t size_B = 0;
	char *code_object = NULL;
	void *program = NULL;
	CUmodule module = NULL;
	if (!found)
		return -1;
	const double start_us = bench_us();
	int code = nvrtc.nvrtcCreateProgram(&program, source, "program.cu", 0, NULL, NULL);
	if (!code)
		code = nvrtc.nvrtcCompileProgram(program, 3, options);
	if (!code)
		code = nvrtc.nvrtcGetCUBINSize(program, &size_B);
	if (!code && (code_object = malloc(size_B + 1)))
		code = nvrtc.nvrtcGetCUBIN(program, code_object);
	const int unloaded = !code && context ? load(code_object, &module) : 0;
	const double took_ms = (bench_us() - start_us) / 1e3;
	if (code)
		print_log(program, code);
	if (module)
		driver.cuModuleUnload(module);
	free(code_object);
	if (program)
		nvrtc.nvrtcDestroyProgram(&program);
	return code || unloaded ? -1 : took_ms;
}
