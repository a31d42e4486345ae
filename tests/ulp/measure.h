/* Runs one function at many points and finds where its result is farthest from the exact one.
 *
 * Thread-safety: one measurement at a time; it uses threads of its own. */
#ifndef CULVERT_TESTS_ULP_MEASURE_H
#define CULVERT_TESTS_ULP_MEASURE_H

#include "tests/builtins/device.h"
#include "tests/builtins/number.h"
#include "tests/ulp/function.h"
#include "tests/ulp/relaxed.h"

/* How a function was built: by the full profile's rules or with -cl-fast-relaxed-math. */
struct measurement {
	const struct function *function;
	enum type type;
	bool relaxed;
	/* Set: errors are parts of what it allows, and 1 is the bound.  NULL: they are in units in the
	 * last place.  An infinite one: NaN and a number. */
	const struct relaxed *bound;
	/* Results: */
	uint64_t points;
	long double error;
	struct number arguments[3];
	struct number got;
	long double exact;
};

struct depth_of_measure {
	uint64_t points;               /* where not all arguments are taken */
	/* Unary functions of float: where not 0, every stride-th number besides. */
	uint64_t stride;
	unsigned threads;
};

/* The arguments' types; returns how many there are. */
unsigned measure_arguments(const struct measurement *measurement, enum type types[3]);

/* false after a failure, which family_fail has been told. */
bool measure(struct device *device, const struct depth_of_measure *depth,
	     struct measurement *measurement);

#endif
