/* NVIDIA's PTX compiler as a shared library, libculvert-ptxcompiler.so.
 *
 * NVIDIA provides it only as a static library of 90 MB.  Linked, it has 41 MB, which a process needs only when it
 * compiles for a GPU and the cache does not have the code.  It is loaded then (cubin.c); if Culvert was built without
 * it, the driver compiles the PTX.  ptx_compiler.c fills the table, which is constant. */
#ifndef CULVERT_BACKEND_PTX_COMPILER_H
#define CULVERT_BACKEND_PTX_COMPILER_H

#include <nvPTXCompiler.h>
#include <stddef.h>

struct be_ptx_compiler {
	const char *build_name;          /* CULVERT_BUILD: both libraries must be from the same build */
	nvPTXCompileResult (*create)(nvPTXCompilerHandle *, size_t, const char *);
	nvPTXCompileResult (*destroy)(nvPTXCompilerHandle *);
	nvPTXCompileResult (*compile)(nvPTXCompilerHandle, int, const char *const *);
	nvPTXCompileResult (*program_size)(nvPTXCompilerHandle, size_t *);
	nvPTXCompileResult (*program)(nvPTXCompilerHandle, void *);
	nvPTXCompileResult (*error_log_size)(nvPTXCompilerHandle, size_t *);
	nvPTXCompileResult (*error_log)(nvPTXCompilerHandle, char *);
	nvPTXCompileResult (*info_log_size)(nvPTXCompilerHandle, size_t *);
	nvPTXCompileResult (*info_log)(nvPTXCompilerHandle, char *);
};

/* The one symbol that libculvert-ptxcompiler.so exports. */
extern const struct be_ptx_compiler culvert_ptx_compiler;

#endif
