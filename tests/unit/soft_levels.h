/* Runs a test of machine code in other processes, on lower levels of x86-64 than the processor's, among others.  One
 * thread. */
#ifndef CULVERT_TESTS_SOFT_LEVELS_H
#define CULVERT_TESTS_SOFT_LEVELS_H

#include "softcuda/exec/level.h"
#include "tests/unit/soft_compiler.h"
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs a program with an argument, and checks that it succeeds.  level: the value of CULVERT_SOFT_LEVEL; NULL: this
 * process' own. */
static inline void soft_run_program(const char *program, const char *argument, const char *level)
{
	int status = 1;
	const pid_t child = fork();
	if (!child) {
		if (level)
			setenv("CULVERT_SOFT_LEVEL", level, 1);
		execl(program, program, argument, (char *)NULL);
		_exit(99);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child && !status);
}

/* A level is chosen once in a process, so each of the lower ones has one: the test with the argument "alone".  For v2,
 * softcuda gives LLVM the same module as for the baseline, vectors of four elements; t_soft_jit_levels has kernels
 * for both. */
static inline void lower_levels(void)
{
	static const char *const names[] = {"baseline", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
	for (unsigned level = 0; level + 1 < exec_level_count(); level++)
		if (level != 1)
			soft_run_program("/proc/self/exe", "alone", names[level]);
}

/* The main function of a test whose kernels are all compiled: runs the cases on this level and, without an argument, on
 * the lower ones.  Returns the test's exit status. */
static inline int soft_run_on_levels(int argc, const struct test_case *cases, int count)
{
	static const struct test_case others[] = {TEST(lower_levels)};
	if (!soft_find_compiler() || setenv("CULVERT_SOFT_JIT", "always", 1) || setenv("CULVERT_CACHE", "off", 1)) {
		printf("culvert-softcuda-compile is not here\n");
		return 99;
	}
	int failed = test_run_all(cases, count);
	if (argc < 2)
		failed |= test_run_all(others, 1);
	soft_exec_shutdown();
	return failed;
}

#endif
