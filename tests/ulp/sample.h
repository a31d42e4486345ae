/* Where functions are measured.  The same numbers every time.  Thread-safe. */
#ifndef CULVERT_TESTS_ULP_SAMPLE_H
#define CULVERT_TESTS_ULP_SAMPLE_H

#include "tests/builtins/number.h"
#include "tests/ulp/function.h"

/* How many numbers half has. */
#define SAMPLE_HALVES (UINT64_C(1) << 16)

/* Fills data, of `count` elements, with argument number `which` (0 to 2) of the points from `first`
 * on.  all: point number n is the number whose bits are n.  An int argument is TYPE_INT. */
void sample_fill(enum type type, enum type argument, unsigned which, bool all, uint64_t first,
		 size_t count, void *data);

#endif
