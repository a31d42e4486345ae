/* Which kernels run as machine code, and from when on.
 *
 * A kernel begins in the interpreter.  Once the interpreter has spent about as much time on it as the compiler would,
 * it is compiled, on the thread that is about to begin one of its work-groups, and the work-groups that begin from then
 * on run as machine code, also those of the launch that runs.  CULVERT_SOFT_JIT says "off" (never), "on", or "always"
 * (before its first work-group).  A kernel that the compiler does not take stays with the interpreter.
 *
 * The compiler is a library of its own, libculvert-softcuda-jit.so (exec/compiler.h), which is loaded when the first kernel
 * is to be compiled; without it all kernels are interpreted.  Launches that somebody looks on at, and cooperative ones,
 * are interpreted.
 *
 * Thread-safe.  A program's tiers live as long as the program. */
#ifndef CULVERT_SOFTCUDA_EXEC_TIER_H
#define CULVERT_SOFTCUDA_EXEC_TIER_H

#include "softcuda/exec/warp.h"

/* Blocks are told apart by how many work-items of consecutive warps lie side by side in the first dimension: 1, 4, 8,
 * 16 or 32 of them. */
enum { TIER_SHAPES = 5 };

/* Of an entry. */
struct tier {
	atomic_uint_fast64_t spent_ns;    /* by the interpreter */
	struct tier_shape {
		_Atomic(const struct compiled *) compiled;
		atomic_bool taken;        /* somebody compiles it, or it is done, or it cannot be */
	} shapes[TIER_SHAPES];
};

/* A launch begins, before its first work-group; it is over. */
void tier_begin(struct job *job);
void tier_end(struct job *job);
/* A work-group of the launch is about to begin: job->compiled is what it runs. */
void tier_look(struct job *job);

/* Gives back the machine code of a program that nobody runs any more. */
void tier_finish(const struct soft_program *program);

/* For tests: how many kernels have been compiled, how many the compiler refused, and the bytes of machine code now. */
struct tier_counts {
	atomic_uint_fast64_t compiled, refused, code_B;
};
extern struct tier_counts tier_counts;

#endif
