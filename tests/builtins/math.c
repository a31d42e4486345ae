/* The math functions against the C library's in long double. */
#include "config.h"

#include "tests/builtins/call.h"

#include <limits.h>
#include <math.h>

#define PI 3.14159265358979323846264338327950288L
/* What is rounded once must be rounded in the function's own type. */
#define IN_TYPE(in_half, in_float, in_double) \
	(call->type == TYPE_HALF ? (long double)(in_half) : \
	 call->type == TYPE_FLOAT ? (long double)(in_float) : (long double)(in_double))

/* 7.5.1: sinpi of an integer is a zero with x's sign. */
static long double sinpi_exact(long double x)
{
	if (isinf(x))
		return NAN;
	long double rest = fmodl(x, 2), turned = rest;
	if (rest == truncl(rest))
		return copysignl(0, x);
	if (fabsl(rest) > 0.5L)
		turned = copysignl(1, rest) - rest;
	if (fabsl(rest) > 1.5L)
		turned = rest - copysignl(2, rest);
	return sinl(PI * turned);
}

/* 7.5.1: cospi(n + 0.5) is +0. */
static long double cospi_exact(long double x)
{
	if (isinf(x))
		return NAN;
	long double rest = fabsl(fmodl(x, 2));
	if (rest == 0.5L || rest == 1.5L)
		return 0;
	if (rest > 1)
		rest = 2 - rest;
	return rest < 0.25L ? cosl(PI * rest) :
	       rest > 0.75L ? -cosl(PI * (1 - rest)) : sinl(PI * (0.5L - rest));
}

/* 7.5.1: of an even integer a zero with its sign, of an odd one with the other; infinite halfway
 * between, positive after an even integer. */
static long double tanpi_exact(long double x)
{
	if (isinf(x) || isnan(x))
		return NAN;
	long double rest = fmodl(x, 2), magnitude = fabsl(rest);
	if (magnitude == 0 || magnitude == 1)
		return copysignl(0, magnitude == 0 ? x : -x);
	if (magnitude == 0.5L || magnitude == 1.5L)
		return (rest == 0.5L || rest == -1.5L) ? INFINITY : -INFINITY;
	return sinpi_exact(rest) / cospi_exact(rest);
}

/* 7.5.1: the conventions that make pow 1 are NaN here, and so is a negative x. */
static long double powr_exact(long double x, long double y)
{
	if (x < 0 || isnan(x) || isnan(y) || (x == 0 && y == 0) || (isinf(x) && y == 0) ||
	    (x == 1 && isinf(y)))
		return NAN;
	return powl(fabsl(x), y);
}

static long double nextafter_half(long double x, long double y)
{
	uint16_t bits;
	if (isnan(x) || isnan(y))
		return NAN;
	if (x == y)
		return y;
	if (x == 0)
		return copysignl(0x1p-24L, y);
	number_store(TYPE_HALF, &bits, 0, number_from_real(x));
	bits = (uint16_t)(bits + ((x < y) == (x > 0) ? 1 : -1));
	return number_load(TYPE_HALF, &bits, 0).real;
}

static long double rootn_exact(long double x, int n)
{
	bool odd = n % 2 != 0;
	if (n == 0 || isnan(x) || (x < 0 && !odd))
		return NAN;
	if (x == 0)
		return n < 0 ? (odd ? copysignl(INFINITY, x) : INFINITY) : odd ? x : 0;
	return copysignl(powl(fabsl(x), 1.0L / n), x);
}

static void ilogb_exact(struct call *call, long double x)
{
	int value = x == 0 ? INT_MIN : isfinite(x) ? ilogbl(x) : INT_MAX;
	call->result = number_from_bits(TYPE_INT, (uint64_t)(int64_t)value);
}

/* 7.5.1: fract(-0) is -0 and fract of an infinity a zero of its sign; below 1 always. */
static void fract_exact(struct call *call, long double x)
{
	long double below_1 = IN_TYPE(0x1.ffcp-1L, 0x1.fffffep-1L, 0x1.fffffffffffffp-1L);
	call->second.real = floorl(x);
	call->result.real = x - floorl(x);
	if (x == 0 || isinf(x))
		call->result.real = copysignl(0, x);
	else if (!isnan(x))
		call->result.real = fminl(real_round(call->type, call->result.real, ROUND_NEAREST),
					  below_1);
}

static void frexp_exact(struct call *call, long double x)
{
	int exponent = 0;
	call->result.real = frexpl(x, &exponent);
	call->second = number_from_bits(TYPE_INT, (uint64_t)(int64_t)exponent);
	call->any_second = !isfinite(x);
}

/* The sign of gamma is not defined at its poles; 7.5.1 asks for 0 there, C for nothing. */
static void lgamma_exact(struct call *call, long double x)
{
	bool negative = x < 0 && floorl(x) != x && fmodl(floorl(x), 2) != 0;
	call->result.real = lgammal(x);
	call->absolute = 16 * real_unit(call->type, 1);
	call->second = number_from_bits(TYPE_INT, negative ? UINT64_MAX : 1);
	call->any_second = !isfinite(x) || (x <= 0 && floorl(x) == x);
}

/* C leaves the result at a negative integer open; a pole's sign is that of its zero. */
static void tgamma_exact(struct call *call, long double x)
{
	call->result.real = x < 0 && floorl(x) == x ? NAN : tgammal(x);
}

static void magnitudes_exact(struct call *call, long double x, long double y, bool greater)
{
	long double mx = greater ? fabsl(x) : -fabsl(x), my = greater ? fabsl(y) : -fabsl(y);
	call->result.real = mx > my ? x : my > mx ? y : greater ? fmaxl(x, y) : fminl(x, y);
	call->any_zero_sign = x == 0 && y == 0;
}

/* The lower seven bits of the quotient with its sign. */
static void remquo_exact(struct call *call, long double x, long double y)
{
	call->result.real = remainderl(x, y);
	call->any_second = !isfinite(x) || isnan(y) || y == 0;
	if (call->any_second)
		return;
	/* x mod 128y is exact and leaves the seven bits alone; the rest decides the rounding. */
	long double ax = fabsl(x), ay = fabsl(y), part = isinf(y) ? ax : fmodl(ax, 128 * ay);
	long double left = remainderl(ax, ay), quotient = rintl((part - left) / ay);
	int64_t bits = isinf(y) ? 0 : (int64_t)quotient & 0x7f;
	bits = !signbit(x) == !signbit(y) ? bits : -bits;
	call->second = number_from_bits(TYPE_INT, (uint64_t)bits);
}

#define MATH(name, signature, mixed, half_ulps, float_ulps, double_ulps, ...) MATH_AT(__LINE__, __VA_ARGS__)
#define MATH_AT(line, ...) MATH_AT_(line, __VA_ARGS__)
#define MATH_AT_(line, ...) \
	static void reference_##line(struct call *call) \
	{ \
		long double x = call->a[0].real, y = call->a[1].real, z = call->a[2].real; \
		int n = (int)call->a[1].s; \
		(void)x, (void)y, (void)z, (void)n; \
		__VA_ARGS__; \
	}
#include "tests/builtins/math.def"
#undef MATH

#define NAMED(line) NAMED_(line)
#define NAMED_(line) reference_##line
#define MATH(name, signature, mixed, half_ulps, float_ulps, double_ulps, ...) \
	{#name, signature, mixed, TYPES_REAL, {float_ulps, double_ulps, half_ulps}, NAMED(__LINE__)},
static const struct function functions[] = {
#include "tests/builtins/math.def"
};
#undef MATH

void math_family(struct device *device, const struct depth *depth)
{
	call_test(device, depth, functions, sizeof(functions) / sizeof(functions[0]), TYPES_FLOAT);
}

void math_double_family(struct device *device, const struct depth *depth)
{
	call_test(device, depth, functions, sizeof(functions) / sizeof(functions[0]), TYPES_DOUBLE);
}

void math_half_family(struct device *device, const struct depth *depth)
{
	call_test(device, depth, functions, sizeof(functions) / sizeof(functions[0]), TYPES_HALF);
}
