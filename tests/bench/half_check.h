/* The matrices of group half, and whether a product of them is right: both sides share it. */
#ifndef CULVERT_TESTS_BENCH_HALF_CHECK_H
#define CULVERT_TESTS_BENCH_HALF_CHECK_H

#include "tests/bench/bench.h"

#include <math.h>
#include <stdlib.h>

#define HALF_ROW "product of halves, summed in float"
/* One after the other, so that the time to launch one is not measured. */
enum { HALF_LAUNCHES = 10 };

/* Of n x n elements each; owned. */
struct half_data {
	uint16_t *a, *b;
	float *c;
};

/* A multiple of 1/64 in [-1, 1), which is exact. */
static inline float half_value(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return (float)(*state >> 25) / 64.0f - 1.0f;
}

static inline uint16_t half_of(float value)
{
	int exponent;
	const float part = frexpf(fabsf(value), &exponent);
	const unsigned sign = value < 0 ? 0x8000 : 0;
	return (uint16_t)(sign |
			  (value != 0 ? (unsigned)(exponent + 14) << 10 | ((unsigned)(part * 2048) & 0x3ff) : 0));
}

static inline double half_as_double(uint16_t bits)
{
	const double size = bits & 0x7fff ? ldexp((bits & 0x3ff) | 0x400, (bits >> 10 & 31) - 25) : 0;
	return bits & 0x8000 ? -size : size;
}

static inline struct half_data half_make(size_t n)
{
	struct half_data data = {malloc(n * n * 2), malloc(n * n * 2), malloc(n * n * 4)};
	uint32_t state = 1;
	if (!data.a || !data.b || !data.c)
		bench_fail(__FILE__, __LINE__, "no memory", 0);
	for (size_t i = 0; i < n * n; i++) {
		data.a[i] = half_of(half_value(&state));
		data.b[i] = half_of(half_value(&state));
		data.c[i] = -1;
	}
	return data;
}

static inline void half_end(struct half_data *data)
{
	free(data->a);
	free(data->b);
	free(data->c);
}

/* Compares elements all over the product with sums in double; ends the program on one that rounding cannot explain. */
static inline void half_check(const struct half_data *data, size_t n)
{
	for (size_t i = 0; i < 256; i++) {
		const size_t row = i * 7919 % n, column = i * 104729 % n;
		double sum = 0;
		for (size_t k = 0; k < n; k++)
			sum += half_as_double(data->a[row * n + k]) * half_as_double(data->b[k * n + column]);
		if (!(fabs(sum - data->c[row * n + column]) < (double)n * 1e-6))
			bench_fail(__FILE__, __LINE__, "a wrong product", (int)i);
	}
}

/* TFLOP/s of all launches. */
static inline double half_rate(size_t n, double time_us)
{
	return 2.0 * (double)n * (double)n * (double)n * HALF_LAUNCHES / time_us * 1e-6;
}

#endif
