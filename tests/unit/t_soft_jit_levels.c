/* Protects: kernels as machine code for processors of lower levels of x86-64 than this one: vectors of 4 or 8 elements
 * instead of 16, and no fused multiply-add.  For each level of CULVERT_SOFT_LEVEL, t_soft_jit compares random kernels
 * with the interpreter; t_soft_exec compares the interpreter with expected values at each level.  What LLVM is given is
 * the same for the baseline and for v2, so that each of these has two kernels.
 *
 * SOFT_JIT_SEED and SOFT_JIT_KERNELS: see t_soft_jit.c. */
#include "config.h"

#include "softcuda/exec/level.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const level_names[] = {"baseline", "x86-64-v2", "x86-64-v3", "x86-64-v4"};

/* A level is chosen once in a process.  used: the name of the level that is to be used. */
static void run_level(const char *name, const char *used, unsigned number, bool kernels)
{
	static const struct { const char *seed, *count; } random[] = {{"2", "2"}, {"4", "2"}, {"1", "4"}, {"1", "4"}};
	int status = 1;
	const pid_t child = fork();
	if (!child) {
		setenv("CULVERT_SOFT_LEVEL", name, 1);
		setenv("SOFT_JIT_SEED", random[number].seed, 0);
		setenv("SOFT_JIT_KERNELS", random[number].count, 0);
		CHECK_EQ(exec_level_number(), number);
		CHECK(!strcmp(exec_level()->name, used));
		fflush(stdout);
		if (!test_failures && kernels)
			execl("tests/unit/t_soft_jit", "t_soft_jit", "random", (char *)NULL);
		_exit(test_failures || kernels);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child && !status);
}

static void lower_levels(void)
{
	for (unsigned level = 0; level + 1 < exec_level_count(); level++)
		run_level(level_names[level], level_names[level], level, true);
}

/* What the processor does not have is not used.  Of the level that is, t_soft_jit itself compares the kernels. */
static void unknown_level(void)
{
	const unsigned best = exec_level_count() - 1;
	run_level("x86-64-v9", level_names[best], best, false);
}

TEST_MAIN(TEST(lower_levels), TEST(unknown_level))
