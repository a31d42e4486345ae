/* The compiler of softcuda's kernels, for unit tests, which softcuda looks for where the program lies. */
#ifndef CULVERT_TESTS_SOFT_COMPILER_H
#define CULVERT_TESTS_SOFT_COMPILER_H

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* Puts a link to the build's compiler beside the tests; false: it was not built, or there can be no link. */
static inline bool soft_find_compiler(void)
{
	static const char name[] = "culvert-softcuda-compile", link_name[] = "tests/unit/culvert-softcuda-compile";
	char target[PATH_MAX];
	if (!realpath(name, target))
		return false;
	return !symlink(target, link_name) || !access(link_name, R_OK);
}

#endif
