/* The loaded libnvvm: nvvm_find.c finds it, and nvvm.c uses it.
 *
 * Thread-safe: once it was found, the library stays loaded and this description is constant. */
#ifndef CULVERT_BACKEND_NVVM_H
#define CULVERT_BACKEND_NVVM_H

#include "base/bytes.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

/* The libnvvm API, version 2. */
typedef struct nvvm_program *nvvm_handle;

enum nvvm_result {
	NVVM_SUCCESS = 0,
	NVVM_OUT_OF_MEMORY = 1,
	NVVM_PROGRAM_CREATION_FAILURE = 2,
	NVVM_INVALID_IR = 6,
	NVVM_INVALID_OPTION = 7
};

struct nvvm_library {
	int (*nvvmVersion)(int *major, int *minor);
	int (*nvvmIRVersion)(int *ir_major, int *ir_minor, int *debug_major, int *debug_minor);
	const char *(*nvvmGetErrorString)(int result);
	int (*nvvmCreateProgram)(nvvm_handle *program);
	int (*nvvmDestroyProgram)(nvvm_handle *program);
	int (*nvvmAddModuleToProgram)(nvvm_handle program, const char *data, size_t size_B,
				      const char *name);
	int (*nvvmLazyAddModuleToProgram)(nvvm_handle program, const char *data, size_t size_B,
					  const char *name);
	int (*nvvmCompileProgram)(nvvm_handle program, int count, const char **options);
	int (*nvvmVerifyProgram)(nvvm_handle program, int count, const char **options);
	int (*nvvmGetCompiledResultSize)(nvvm_handle program, size_t *size_B);
	int (*nvvmGetCompiledResult)(nvvm_handle program, char *text);
	int (*nvvmGetProgramLogSize)(nvvm_handle program, size_t *size_B);
	int (*nvvmGetProgramLog)(nvvm_handle program, char *text);

	char id[4352];                   /* be_nvvm_id */
	char build[128];                 /* its build id; "" if its file cannot be read */
	int ir_major, ir_minor, debug_major, debug_minor;
};

/* The library for devices with this compute capability, which is searched for if it was not found before.  NULL if
 * there is none, with each place that was tried, and the reason why it failed, in log. */
const struct nvvm_library *be_nvvm_library(unsigned sm, struct bytes *log);

/* Appends the build id of the library that be_nvvm_library would try first for BE_NVVM_SM_TURING and newer, without
 * loading it.  False if it has none or there is no library. */
bool be_nvvm_library_build(struct bytes *text);

/* The library for devices with this compute capability if it was found already; otherwise NULL. */
const struct nvvm_library *be_nvvm_library_found(unsigned sm);

/* The text of a module, or bitcode; data is NULL if there is none. */
struct nvvm_text {
	const char *data;
	size_t size_B;
};

struct be_codegen_options;

/* Compiles one module to PTX with options, but this optimization.  libdevice: bitcode that is added.  Returns an
 * nvvm_result; log gets the library's. */
int be_nvvm_text_compile(const struct nvvm_library *library, struct nvvm_text ir, struct nvvm_text libdevice,
			 const struct be_codegen_options *options, unsigned optimization, struct bytes *ptx_out,
			 struct bytes *log);

/* Asks the library whether it compiles for sm.  Returns NVVM_SUCCESS with what it lacks there in lacking_out
 * (NVVM_LACKS_..., base/codegen_choice.h), or another nvvm_result. */
int be_nvvm_probe(const struct nvvm_library *library, unsigned sm, unsigned *lacking_out);
bool be_nvvm_library_compiles(const struct nvvm_library *library, unsigned sm);

#endif
