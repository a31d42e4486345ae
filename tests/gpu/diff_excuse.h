/* Why two drivers may differ in a value although all that it comes from is equal. */
#ifndef CULVERT_TESTS_GPU_DIFF_EXCUSE_H
#define CULVERT_TESTS_GPU_DIFF_EXCUSE_H

#include "tests/gpu/diff_program.h"

/* One lane of one value; from: bits of its sources, in their order. */
struct diff_case {
	const struct diff_program *program;
	unsigned value;
	uint64_t a, b;
	const uint64_t *from;
};

/* The reason, or NULL: the difference counts.  Thread-safe. */
const char *diff_excuse(const struct diff_case *difference);

#endif
