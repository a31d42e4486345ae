/* The compiler of kernels as a shared object of its own, libculvert-softcuda-jit.so.
 *
 * LLVM is large, and takes time to load: a process whose kernels are interpreted does without.  The file is opened by
 * name from where libculvert-softcuda.so lies; of another build it is not used.
 *
 * Thread-safe. */
#ifndef CULVERT_SOFTCUDA_EXEC_COMPILER_H
#define CULVERT_SOFTCUDA_EXEC_COMPILER_H

#include "base/bytes.h"
#include "softcuda/exec/compiled.h"

struct compiler {
	const char *build_name;   /* CULVERT_BUILD */
	/* Compiles an entry of a program for blocks whose first dimension is a multiple of `rows`, a power of two up to
	 * 32.  NULL, with the reason in why: the interpreter has to run it. */
	const struct compiled *(*compile)(const struct compiled_host *host, const struct soft_program *program,
					  const struct code *code, uint32_t rows, struct bytes *why);
	/* Gives back the code, which nobody runs any more. */
	void (*release)(const struct compiled *compiled);
};

/* The one symbol that the file exports is culvert_softcuda_jit, a struct compiler. */

#endif
