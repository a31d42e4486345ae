/* The interface of the compiler of kernels, which is a shared library of its own, libculvert-softcuda-jit.so.
 *
 * The library is separate because LLVM is large and takes time to load: a process that only interprets kernels does
 * not load it.  exec/tier.c opens it with own_library_open, and does not use a library of another build.
 *
 * All functions are thread-safe. */
#ifndef CULVERT_SOFTCUDA_EXEC_COMPILER_H
#define CULVERT_SOFTCUDA_EXEC_COMPILER_H

#include "base/bytes.h"
#include "softcuda/exec/compiled.h"

struct compiler {
	const char *build_name;   /* CULVERT_BUILD */
	/* Compiles a kernel of a program, for launches whose blocks have one dimension, or a first dimension that is a
	 * multiple of `rows`, a power of two up to 32.  Returns NULL, with the reason in why, if it cannot be
	 * compiled: the interpreter has to run the kernel.  The caller owns the result until release. */
	const struct compiled *(*compile)(const struct compiled_host *host, const struct soft_program *program,
					  const struct code *code, uint32_t rows, struct bytes *why);
	/* Frees compiled code, which no thread may be running. */
	void (*release)(const struct compiled *compiled);
};

/* The only symbol that the library exports is culvert_softcuda_jit, a const struct compiler. */

#endif
