/* NVIDIA's PTX compiler as a shared object of its own, libculvert-ptxcompiler.so.
 *
 * The library comes as an archive of 90 MB alone; linked, it is 41 MB that a process
 * needs only when it compiles for a GPU and no cache has the code.  So it is loaded
 * then (cubin.c), and where Culvert was built without it the driver compiles.
 * ptx_compiler.c fills the table. */
#ifndef CULVERT_BACKEND_PTX_COMPILER_H
#define CULVERT_BACKEND_PTX_COMPILER_H

#include <nvPTXCompiler.h>
#include <stddef.h>

struct be_ptx_compiler {
	const char *build_name;          /* CULVERT_BUILD: the two files must be of one */
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
