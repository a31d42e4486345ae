#include "config.h"

#include "tests/ulp/function.h"

#include <math.h>
#include <mpfr.h>

#define RN MPFR_RNDN
enum { DIGITS = 64 };

/* With an argument within half of its integer, which is exact. */
static double fast_sinpi(double x)
{
	double whole = rint(x), sine = sin(M_PI * (x - whole));
	return fmod(whole, 2) == 0 ? sine : -sine;
}

static double fast_cospi(double x)
{
	double whole = rint(x), rest = fabs(x - whole);
	double cosine = rest < 0.25 ? cos(M_PI * rest) : sin(M_PI * (0.5 - rest));
	return fmod(whole, 2) == 0 ? cosine : -cosine;
}

/* OpenCL C 3.0, 7.5.1: pow's conventions for these give NaN in powr. */
static int powr_is_nan(double x, double y)
{
	return isnan(x) || isnan(y) || x < 0 || (y == 0 && (x == 0 || isinf(x))) ||
	       (x == 1 && isinf(y));
}

static double fast_powr(double x, double y)
{
	return powr_is_nan(x, y) ? NAN : pow(fabs(x), y);
}

static void exact_powr(mpfr_t result, mpfr_t x, mpfr_t y)
{
	if (powr_is_nan(mpfr_get_d(x, RN), mpfr_get_d(y, RN))) {
		mpfr_set_nan(result);
		return;
	}
	mpfr_abs(x, x, RN);
	mpfr_pow(result, x, y, RN);
}

/* IEEE 754-2019, 9.2.1: of -0 it is minus infinity; MPFR has infinity. */
static void exact_rsqrt(mpfr_t result, mpfr_t x)
{
	if (mpfr_zero_p(x))
		mpfr_set_inf(result, mpfr_signbit(x) ? -1 : 1);
	else
		mpfr_rec_sqrt(result, x, RN);
}

static void exact_rint(mpfr_t result, mpfr_t x)
{
	mpfr_rint(result, x, RN);
}

/* 7.5.1: rootn(x, 0) is NaN, and so is an even root of a number below zero. */
static void exact_rootn(mpfr_t result, mpfr_t x, int n)
{
	if (n == 0 || (n % 2 == 0 && !mpfr_zero_p(x) && mpfr_signbit(x)))
		mpfr_set_nan(result);
	else
		mpfr_rootn_si(result, x, n, RN);
}

#define ULP(name, call, letters, in_half, in_float, in_double, fast, exact) \
	static double name##_fast(const struct arguments *a) \
	{ \
		const double x = a->x, y = a->y, z = a->z; \
		const int n = a->n; \
		(void)x, (void)y, (void)z, (void)n; \
		return fast; \
	} \
	static long double name##_exact(const struct arguments *a) \
	{ \
		mpfr_t R, X, Y, Z; \
		const int n = a->n; \
		mpfr_inits2(DIGITS, R, X, Y, Z, (mpfr_ptr)0); \
		mpfr_set_d(X, a->x, RN); \
		mpfr_set_d(Y, a->y, RN); \
		mpfr_set_d(Z, a->z, RN); \
		(void)n; \
		exact; \
		long double result = mpfr_get_ld(R, RN); \
		mpfr_clears(R, X, Y, Z, (mpfr_ptr)0); \
		return result; \
	}
#include "tests/ulp/functions.def"
#undef ULP

#define ULP(name, call, letters, in_half, in_float, in_double, fast, exact) \
	{#name, call, letters, {in_half, in_float, in_double}, name##_fast, name##_exact},
const struct function functions[] = {
#include "tests/ulp/functions.def"
};
#undef ULP

const size_t function_count = sizeof(functions) / sizeof(functions[0]);
