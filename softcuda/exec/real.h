/* Small pieces of f32 and f64 arithmetic that several handler files share. */
#ifndef CULVERT_SOFTCUDA_EXEC_REAL_H
#define CULVERT_SOFTCUDA_EXEC_REAL_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define NAN_32 0x7fffffffu
#define NAN_64 UINT64_C(0xfff8000000000000)
#define LEAST_32 0x00800000u      /* the least normal f32 */

static inline uint32_t bits_f32(float x)
{
	uint32_t bits;
	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static inline float f32_bits(uint32_t bits)
{
	float x;
	memcpy(&x, &bits, sizeof(x));
	return x;
}

static inline uint64_t bits_f64(double x)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static inline double f64_bits(uint64_t bits)
{
	double x;
	memcpy(&x, &bits, sizeof(x));
	return x;
}

/* Subnormals to zero of the same sign. */
static inline float ftz_f32(float x)
{
	uint32_t bits = bits_f32(x);
	return f32_bits(bits & 0x7f800000 ? bits : bits & 0x80000000);
}

/* To [0, 1]; NaN to 0. */
static inline float sat_f32(float x)
{
	return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f;
}

static inline double sat_f64(double x)
{
	return x > 0 ? (x < 1 ? x : 1.0) : 0.0;
}

/* A f32 result as bits: every NaN is the one NaN. */
static inline uint32_t result_f32(float x)
{
	return x != x ? NAN_32 : bits_f32(x);
}

/* A flushed f32 result of which the exact value is at hand too: hardware tells what
 * is subnormal before it rounds. */
static inline uint32_t flush_least(uint32_t result, double exact)
{
	bool lifted = (result & 0x7fffffff) == LEAST_32 && fabs(exact) < 0x1p-126;
	return lifted ? result & 0x80000000 : result;
}

/* A f64 result as bits: an operand's NaN goes on, quiet; a new one is NAN_64.  Of
 * several the addend's (c) goes first; without one, c is a once more.  Hardware
 * takes another now and then, as its compiler swaps the operands. */
static inline uint64_t result_f64(double x, double a, double b, double c)
{
	const uint64_t quiet = UINT64_C(0x0008000000000000);
	if (x == x)
		return bits_f64(x);
	return c != c ? bits_f64(c) | quiet : b != b ? bits_f64(b) | quiet :
	       a != a ? bits_f64(a) | quiet : NAN_64;
}

#endif
