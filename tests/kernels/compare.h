/* A kernel's value against the expected one.  Any thread. */
#ifndef CULVERT_TESTS_KERNELS_COMPARE_H
#define CULVERT_TESTS_KERNELS_COMPARE_H

#include "tests/kernels/expression.h"

#include <stdbool.h>

struct tolerance {
	double ulp;
	double absolute;
};

/* Integers by their bits in the type; reals within the tolerance of what was expected before
 * it was rounded. */
bool value_is_close(enum element_type type, struct value got, struct value expected,
		    const struct tolerance *tolerance);
void value_print(struct value value);

#endif
