/* What -cl-unsafe-math-optimizations makes of the bounds in single precision.
 *
 * Thread-safety: constants and functions of their arguments. */
#ifndef CULVERT_TESTS_ULP_RELAXED_H
#define CULVERT_TESTS_ULP_RELAXED_H

#include "tests/ulp/function.h"

struct relaxed {
	const char *name;
	const char *bound;              /* for the page */
	/* The greatest error allowed, absolute; unit: exact's unit in the last place. */
	double (*allowed)(const struct arguments *arguments, double exact, double unit);
	const char *source;             /* ... in OpenCL C of x, r and u, if of one argument */
};

extern const struct relaxed relaxed_bounds[];
extern const size_t relaxed_count;

/* NULL: the full profile's bound holds. */
const struct relaxed *relaxed_find(const char *name);

#endif
