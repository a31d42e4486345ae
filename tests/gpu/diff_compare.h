/* Compares what two drivers made of the same programs. */
#ifndef CULVERT_TESTS_GPU_DIFF_COMPARE_H
#define CULVERT_TESTS_GPU_DIFF_COMPARE_H

#include "tests/gpu/diff_program.h"

struct diff_counts {
	unsigned programs, differing, failed;
	uint64_t results, different;
};

/* Compares one program's slots (DIFF_LANES rows each; NULL: that driver failed) and
 * prints the culprits: the values that differ though all that they come from is
 * equal.  Approximate results are compared each with the exact ones. */
void diff_compare(const struct diff_program *program, uint64_t seed, const uint64_t *a,
		  const uint64_t *b, struct diff_counts *counts);

/* Prints how often each instruction was the culprit. */
void diff_compare_summary(const struct diff_counts *counts);

#endif
