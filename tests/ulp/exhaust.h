/* Functions of one float at every number there is.
 *
 * The device looks by itself: it compares with its own double-precision function, whose error is
 * measured elsewhere and is below a millionth of a float's.  Where it finds the greatest errors is
 * then measured against MPFR.  Thread-safety: none. */
#ifndef CULVERT_TESTS_ULP_EXHAUST_H
#define CULVERT_TESTS_ULP_EXHAUST_H

#include "tests/ulp/measure.h"

/* Whether a function has one float argument. */
bool exhaust_can(const struct measurement *measurement);

/* Finds the worst arguments among every stride-th number, and returns how many bits it wrote to
 * `worst_out`, which has room for EXHAUST_MOST; 0 after a failure, which family_fail was told. */
enum { EXHAUST_MOST = 1 << 18 };
size_t exhaust(struct device *device, const struct measurement *measurement, uint64_t stride,
	       uint32_t *worst_out);

#endif
