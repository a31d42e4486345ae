/* The functions that are measured, and what they give exactly.
 *
 * Thread-safety: all of it, each thread with its own MPFR cache. */
#ifndef CULVERT_TESTS_ULP_FUNCTION_H
#define CULVERT_TESTS_ULP_FUNCTION_H

#include <float.h>
#include <stddef.h>

_Static_assert(LDBL_MANT_DIG >= 64, "a long double has 11 bits more than a double, to measure errors in its ULP");

/* What there is no fast way to. */
#define UNKNOWN (-DBL_MAX)

/* Among the bounds. */
#define NONE (-1)       /* implementation-defined */
#define ABSENT (-2)     /* the function does not exist in this type */

struct arguments {
	double x, y, z;
	int n;
};

struct function {
	const char *name, *call;
	const char *arguments;          /* functions.def says which there are */
	double bounds[3];               /* half, float, double */
	/* Right to some units in the last place of a double; UNKNOWN where there is no fast way. */
	double (*fast)(const struct arguments *arguments);
	/* Rounded once to a long double. */
	long double (*exact)(const struct arguments *arguments);
};

extern const struct function functions[];
extern const size_t function_count;

#endif
