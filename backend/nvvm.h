/* libnvvm as a loaded library: between nvvm_find.c, which finds it, and nvvm.c,
 * which uses it.
 *
 * Thread-safe: once found, the library stays and its description never changes. */
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

	char id[4352];                   /* what be_nvvm_id tells */
	char build[128];                 /* its build id; "" when its file cannot be read */
	int ir_major, ir_minor, debug_major, debug_minor;
};

/* The library, found now if it was not found before; NULL when there is none,
 * with every place that was tried, and why it failed there, in log. */
const struct nvvm_library *be_nvvm_library(struct bytes *log);

/* Appends the build id of the library that be_nvvm_library would look at first, without
 * loading it.  False when that cannot be told, or there is none. */
bool be_nvvm_library_build(struct bytes *text);

/* The library when it was found already, else NULL. */
const struct nvvm_library *be_nvvm_library_found(void);

#endif
