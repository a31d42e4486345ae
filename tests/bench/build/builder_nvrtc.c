/* CUDA's run-time compiler, as the twin: CUDA C++ to machine code, not loaded.  By dlopen:
 * BENCH_NVRTC names the library, BENCH_ARCH the GPU. */
#include "config.h"

#include "tests/bench/build/builder.h"
#include "tests/bench/bench.h"

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

static char architecture[64], include[4096];
static bool found;

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

void builder_open(void)
{
	void *library = open_library();
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
	char version[32];
	int major = 0, minor = 0;
	if (found)
		nvrtc.nvrtcVersion(&major, &minor);
	snprintf(version, sizeof(version), "NVRTC %d.%d", major, minor);
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

double builder_ms(const char *source)
{
	const char *options[] = {architecture, include, "-default-device"};
	size_t size_B = 0;
	char *code_object = NULL;
	void *program = NULL;
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
	const double took_ms = (bench_us() - start_us) / 1e3;
	if (code)
		print_log(program, code);
	free(code_object);
	if (program)
		nvrtc.nvrtcDestroyProgram(&program);
	return code ? -1 : took_ms;
}
