/* The matrices of group matrix, and whether a product of them is right: both sides share it. */
#ifndef CULVERT_TESTS_BENCH_MATRIX_CHECK_H
#define CULVERT_TESTS_BENCH_MATRIX_CHECK_H

#include "tests/bench/bench.h"

#include <math.h>

/* In [-1, 1), the same each time. */
static inline void matrix_fill(float *values, size_t count, uint32_t state)
{
	for (size_t i = 0; i < count; i++) {
		state = state * 1664525u + 1013904223u;
		values[i] = (float)(state >> 8) / 8388608.0f - 1.0f;
	}
}

/* Compares elements all over the n x n product with sums in double; ends the program on
 * one that rounding cannot explain. */
static inline void matrix_check(const float *a, const float *b, const float *c, size_t n)
{
	for (size_t i = 0; i < 256; i++) {
		const size_t row = i * 7919 % n, column = i * 104729 % n;
		double sum = 0;
		for (size_t k = 0; k < n; k++)
			sum += (double)a[row * n + k] * b[k * n + column];
		if (!(fabs(sum - c[row * n + column]) < (double)n * 6e-8))
			bench_fail(__FILE__, __LINE__, "a wrong product", (int)i);
	}
}

#endif
