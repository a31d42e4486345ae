/* Runs a test again for lower levels of x86-64 than the processor's.  One thread. */
#ifndef CULVERT_TESTS_SOFT_LEVELS_H
#define CULVERT_TESTS_SOFT_LEVELS_H

#include "softcuda/exec/level.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* A level is chosen once in a process, so each of the lower ones has one: the test with the argument "alone", for which
 * it must not call this. */
static inline void soft_run_lower_levels(const char *program)
{
	static const char *const names[] = {"baseline", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
	for (unsigned level = 0; level + 1 < exec_level_count(); level++) {
		int status = 1;
		const pid_t child = fork();
		if (!child) {
			setenv("CULVERT_SOFT_LEVEL", names[level], 1);
			execl(program, program, "alone", (char *)NULL);
			_exit(99);
		}
		CHECK(child > 0 && waitpid(child, &status, 0) == child && !status);
	}
}

#endif
