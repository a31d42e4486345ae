/* The compiler of kernels, for the process that runs them.
 *
 * Kernels are compiled by the program culvert-softcuda-compile (softcuda/jit) in processes of its own, which this
 * process does not notice (base/spawn.h): LLVM is not loaded here, and whatever it does there, be it that it crashes,
 * hangs or uses up the memory, the kernel is interpreted.  A process compiles one kernel at a time and is kept for the
 * next; it ends when it was idle for a while, and when this process ends.  Machine code is written to pages that are
 * made executable afterwards, and not writable then.
 *
 * Thread-safe, for different compilations; no lock may be held. */
#ifndef CULVERT_SOFTCUDA_EXEC_COMPILER_H
#define CULVERT_SOFTCUDA_EXEC_COMPILER_H

#include "base/bytes.h"
#include "softcuda/exec/compiled.h"

#include <stdbool.h>
#include <stdint.h>

/* Finds the machine code of a kernel that this or another process has compiled before for such launches
 * (compilation_start), in the cache (exec/code_cache.h).  The caller owns it until compiled_release.  NULL if it is not
 * there or cannot be used. */
const struct compiled *compilation_find(const struct soft_program *program, const struct code *code, uint32_t rows,
					bool watched);

/* A kernel that is being compiled. */
struct compilation;

/* Whether as many kernels are being compiled as should be at a time.  Takes the answers that have come for compilations
 * whose owners have not asked since. */
bool compiler_is_busy(void);

/* Has a kernel of a program compiled for launches whose blocks have one dimension, or a first dimension that is a
 * multiple of `rows`, a power of two up to 32; watched: for those that tell a watcher of accesses (exec/watch.h).  The
 * caller owns the result until compilation_finish.  NULL, with the reason in why, if no process could be given the
 * kernel. */
struct compilation *compilation_start(const struct soft_program *program, const struct code *code, uint32_t rows,
				      bool watched, struct bytes *why);
/* Whether the compilation has ended, and takes its answer; with block set, waits for that, unless another thread takes
 * the answer now. */
bool compilation_ended(struct compilation *compilation, bool block);
/* Frees a compilation that has ended.  Returns the machine code, which the caller owns until compiled_release; or NULL,
 * with the reason in why, if there is none: the interpreter has to run the kernel.  *refused_out: whether a compiler of
 * this build answered that it does not compile this kernel; otherwise, the reason may be one for other kernels, too. */
const struct compiled *compilation_finish(struct compilation *compilation, bool *refused_out, struct bytes *why);
/* Ends a compilation whose result nobody needs. */
void compilation_drop(struct compilation *compilation);

/* Frees machine code, which no thread may be running. */
void compiled_release(const struct compiled *compiled);

/* Ends the processes that are idle. */
void compiler_shutdown(void);

#endif
