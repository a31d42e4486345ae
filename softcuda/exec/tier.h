/* The decision which kernels run as machine code, and when they are compiled.
 *
 * At first the interpreter runs a kernel.  Once the threads that launch the kernel have spent half a millisecond of
 * processor time in its launches, the cache is searched for its machine code (exec/code_cache.h).  If it is not there,
 * and those threads have spent about as much processor time as the compiler would need, the next one that is about to
 * begin a work-group, or behind a barrier, has the kernel compiled by another process (exec/compiler.h), and continues.
 * Work-groups that begin, or pass a barrier, once there is machine code run it, also those of launches that run
 * already.  CULVERT_SOFT_JIT is "off" (kernels are never compiled), "on", "always" (a kernel is compiled before its
 * first work-group), or "late" (so, too, but the interpreter runs work-groups to their first barriers, for tests).  A
 * kernel that cannot be compiled is always interpreted; so are cooperative launches, and those with a watcher that
 * needs to know more than machine code tells (exec/watch.h).  Either all launches of a process are checked, or none is
 * (CULVERT_SOFT_CHECK), so that all machine code of a process is of one kind.
 *
 * All functions are thread-safe for different jobs, tier_look also for one job.  A program's tiers live as long as the
 * program. */
#ifndef CULVERT_SOFTCUDA_EXEC_TIER_H
#define CULVERT_SOFTCUDA_EXEC_TIER_H

#include "softcuda/exec/warp.h"

/* The number of shapes of blocks; a kernel is compiled separately for each.  Blocks of one dimension have
 * two shapes: one for whole warps, and one for other lengths.  Otherwise the shape is the largest of 1, 4, 8, 16 and
 * 32 that divides the block's first dimension. */
enum { TIER_SHAPES = 7 };

/* How far the compilation of a kernel for one shape is. */
enum tier_step {
	TIER_STEP_NONE,           /* nothing was done */
	TIER_STEP_HELD,           /* a thread looks for the kernel in the cache, begins to compile it,
				   * or looks whether that has ended */
	TIER_STEP_MISSED,         /* the cache does not have it */
	TIER_STEP_BEGUN,          /* another process compiles the kernel */
	TIER_STEP_ENDED           /* there is machine code, or the kernel cannot be compiled */
};

/* The state of one kernel of a program. */
struct tier {
	atomic_uint_fast64_t spent_ns;    /* processor time of the launching threads, interpreted */
	/* For exec/launch.c: the least number of work-groups of launches with which other threads are to help at once,
	 * or 0; how many long launches the launching thread runs alone before it tries that again, and ran before. */
	atomic_uint_fast64_t shared_count;
	atomic_uint alone_left, alone_most;
	struct tier_shape {
		_Atomic(const struct compiled *) compiled;
		atomic_int step;          /* enum tier_step */
		struct compilation *compilation;  /* while it has begun; belongs to the thread that holds it */
	} shapes[TIER_SHAPES];
};

/* The caller calls tier_begin before the first work-group of a launch, and tier_end after the last has ended. */
void tier_begin(struct job *job);
void tier_end(struct job *job);
/* The caller calls tier_look before each work-group of a launch, and may do so meanwhile.  tier_look sets job->compiled
 * once there is machine code, and compiles the kernel when that is due. */
void tier_look(struct job *job);

/* Frees the machine code of a program, which no thread may be running, and ends compilations of its kernels. */
void tier_finish(const struct soft_program *program);

/* Counts for tests and CULVERT_SOFT_COUNT: kernels compiled, kernels found in the cache, kernels that the compiler
 * refused; and bytes of machine code that exist now. */
struct tier_counts {
	atomic_uint_fast64_t compiled, found, refused, code_B;
};
extern struct tier_counts tier_counts;

#endif
