/*
 * The math functions of OpenCL C 3.0, 6.15.2, written once for both precisions.
 *
 * The includer defines
 *   REAL   the type: float or double
 *   BITS   the signed integer of its size; UBITS the unsigned one
 *   NV(f)  libdevice's name of f in this precision; PRECISE(f) the C library's
 *   C(x)   a literal in this precision
 *   INF_BITS, SIGN_BIT, QUIET_NAN_BITS, ONE_MINUS, INV_PI, INV_PI_REST
 *   HYPOT_ALONE    square root of half an ulp of the largest number, relative to it, twice
 *   EXACT_INT(n)  whether REAL holds the int n exactly
 *   IF_RELAXED(f, x...)  returns the relaxed form of f(x...), where that will do; or nothing
 *
 * libdevice's errors (its figures are those of CUDA's math API) are within the full profile's
 * bounds of 7.4 except where a function below does more than call it.
 */
#define FROM_LIBDEVICE_1(f) \
	EXTERN_PURE REAL NV(f)(REAL); \
	PURE REAL f(REAL x) \
	{ \
		return NV(f)(x); \
	} \
	VECTORS_1(REAL, f, REAL)

#define RELAXED_OR_LIBDEVICE_1(f) \
	EXTERN_PURE REAL NV(f)(REAL); \
	PURE REAL f(REAL x) \
	{ \
		IF_RELAXED(f, x) \
		return NV(f)(x); \
	} \
	VECTORS_1(REAL, f, REAL)

#define FROM_LIBDEVICE_2(f) \
	EXTERN_PURE REAL NV(f)(REAL, REAL); \
	PURE REAL f(REAL x, REAL y) \
	{ \
		return NV(f)(x, y); \
	} \
	VECTORS_2(REAL, f, REAL, REAL)

FROM_LIBDEVICE_1(acos)
FROM_LIBDEVICE_1(acosh)
FROM_LIBDEVICE_1(asin)
FROM_LIBDEVICE_1(asinh)
FROM_LIBDEVICE_1(atan)
FROM_LIBDEVICE_1(atanh)
FROM_LIBDEVICE_1(cbrt)
RELAXED_OR_LIBDEVICE_1(cos)
FROM_LIBDEVICE_1(cosh)
RELAXED_OR_LIBDEVICE_1(cospi)
FROM_LIBDEVICE_1(erf)
FROM_LIBDEVICE_1(erfc)
RELAXED_OR_LIBDEVICE_1(exp)
RELAXED_OR_LIBDEVICE_1(exp2)
RELAXED_OR_LIBDEVICE_1(exp10)
FROM_LIBDEVICE_1(expm1)
FROM_LIBDEVICE_1(fabs)
FROM_LIBDEVICE_1(lgamma)
/* By the hardware's logarithm it would be 3.25 ulp off below a half, where 7.4 allows 3. */
FROM_LIBDEVICE_1(log)
RELAXED_OR_LIBDEVICE_1(log2)
RELAXED_OR_LIBDEVICE_1(log10)
FROM_LIBDEVICE_1(log1p)
FROM_LIBDEVICE_1(logb)
FROM_LIBDEVICE_1(rint)
FROM_LIBDEVICE_1(round)
FROM_LIBDEVICE_1(rsqrt)
RELAXED_OR_LIBDEVICE_1(sin)
FROM_LIBDEVICE_1(sinh)
RELAXED_OR_LIBDEVICE_1(sinpi)
FROM_LIBDEVICE_1(sqrt)
RELAXED_OR_LIBDEVICE_1(tan)
RELAXED_OR_LIBDEVICE_1(tanh)
FROM_LIBDEVICE_1(tgamma)
FROM_LIBDEVICE_1(trunc)

FROM_LIBDEVICE_2(atan2)
FROM_LIBDEVICE_2(fdim)
FROM_LIBDEVICE_2(fmod)
FROM_LIBDEVICE_2(nextafter)
FROM_LIBDEVICE_2(remainder)

EXTERN_PURE REAL NV(pow)(REAL, REAL);
PURE REAL pow(REAL x, REAL y)
{
	IF_RELAXED(pow, x, y)
	return NV(pow)(x, y);
}
VECTORS_2(REAL, pow, REAL, REAL)

/* libdevice's rounds hypot(largest number, something small) up to infinity.  Below this ratio the
 * larger side alone is the result to half an ulp: hypot = a * sqrt(1 + r * r) < a * (1 + r * r / 2). */
EXTERN_PURE REAL NV(hypot)(REAL, REAL);
PURE REAL hypot(REAL x, REAL y)
{
	const REAL a = PRECISE(__builtin_fabs)(x), b = PRECISE(__builtin_fabs)(y);
	if (b <= a * HYPOT_ALONE)
		return a;
	if (a <= b * HYPOT_ALONE)
		return b;
	return NV(hypot)(x, y);
}
VECTORS_2(REAL, hypot, REAL, REAL)

/* What libnvvm has as one instruction needs no libdevice, which costs time to link. */
#define INSTRUCTION_1(f) \
	PURE REAL f(REAL x) \
	{ \
		return PRECISE(__builtin_##f)(x); \
	} \
	VECTORS_1(REAL, f, REAL)
INSTRUCTION_1(ceil)
INSTRUCTION_1(floor)

PURE REAL copysign(REAL x, REAL y)
{
	return PRECISE(__builtin_copysign)(x, y);
}
VECTORS_2(REAL, copysign, REAL, REAL)

PURE REAL fma(REAL a, REAL b, REAL c)
{
	return PRECISE(__builtin_fma)(a, b, c);
}
VECTORS_3(REAL, fma, REAL, REAL, REAL)

/* A fused mad is as fast as any other on these devices. */
PURE REAL mad(REAL a, REAL b, REAL c)
{
	return fma(a, b, c);
}
VECTORS_3(REAL, mad, REAL, REAL, REAL)

PURE REAL fmax(REAL x, REAL y)
{
	return PRECISE(__builtin_fmax)(x, y);
}
PURE REAL fmin(REAL x, REAL y)
{
	return PRECISE(__builtin_fmin)(x, y);
}
VECTORS_2(REAL, fmax, REAL, REAL)
VECTORS_2(REAL, fmin, REAL, REAL)

#define WITH_SCALAR(n, f, R) WITH_SCALAR_(n, f, R)
#define WITH_SCALAR_(n, f, R) \
	PURE R##n f(R##n x, R y) \
	{ \
		return f(x, (R##n)y); \
	}
FOR_VECTORS(WITH_SCALAR, fmax, REAL)
FOR_VECTORS(WITH_SCALAR, fmin, REAL)

HELPER BITS bits_of_magnitude(REAL x)
{
	return as_type(BITS, x) & ~SIGN_BIT;
}
HELPER int is_nan(REAL x)
{
	return bits_of_magnitude(x) > INF_BITS;
}
HELPER int is_infinite(REAL x)
{
	return bits_of_magnitude(x) == INF_BITS;
}
HELPER REAL signed_zero(REAL x)
{
	return as_type(REAL, as_type(BITS, x) & SIGN_BIT);
}
HELPER REAL quiet_nan(void)
{
	return as_type(REAL, QUIET_NAN_BITS);
}

PURE REAL maxmag(REAL x, REAL y)
{
	REAL mx = fabs(x), my = fabs(y);

	return mx > my ? x : my > mx ? y : fmax(x, y);
}
PURE REAL minmag(REAL x, REAL y)
{
	REAL mx = fabs(x), my = fabs(y);

	return mx < my ? x : my < mx ? y : fmin(x, y);
}
VECTORS_2(REAL, maxmag, REAL, REAL)
VECTORS_2(REAL, minmag, REAL, REAL)

/*
 * x / pi with the rest of 1/pi, so that only the rounding of the result is added to x's error.  The
 * rest may be negative, which would take the sign from a zero.
 */
HELPER REAL over_pi(REAL x)
{
	return copysign(fma(x, INV_PI, x * INV_PI_REST), x);
}
PURE REAL acospi(REAL x)
{
	return over_pi(acos(x));
}
/* For tiny arguments x * INV_PI_REST is subnormal or zero and no longer matters. */
PURE REAL asinpi(REAL x)
{
	return over_pi(asin(x));
}
PURE REAL atanpi(REAL x)
{
	return over_pi(atan(x));
}
PURE REAL atan2pi(REAL y, REAL x)
{
	return over_pi(atan2(y, x));
}
VECTORS_1(REAL, acospi, REAL)
VECTORS_1(REAL, asinpi, REAL)
VECTORS_1(REAL, atanpi, REAL)
VECTORS_2(REAL, atan2pi, REAL, REAL)

/*
 * Functions that are made of several have the full form under a name of their own: half precision
 * is made of it (math_f16.cl), and has no relaxed bounds.
 *
 * libdevice's sinpi and cospi are exact at multiples of 1/2, zeros' signs included.
 */
PURE REAL __culvert_full_tanpi(REAL x)
{
	return NV(sinpi)(x) / NV(cospi)(x);
}
PURE REAL tanpi(REAL x)
{
	IF_RELAXED(tanpi, x)
	return __culvert_full_tanpi(x);
}
VECTORS_1(REAL, tanpi, REAL)

PURE REAL nan(UBITS payload)
{
	return as_type(REAL, (UBITS)QUIET_NAN_BITS | (payload & (UBITS)~SIGN_BIT));
}
VECTORS_1(REAL, nan, UBITS)

extern __attribute__((const)) int NV(ilogb)(REAL);
/* FP_ILOGB0 is INT_MIN, FP_ILOGBNAN is INT_MAX, and an infinity gives INT_MAX (7.5.2). */
PURE int ilogb(REAL x)
{
	BITS magnitude = bits_of_magnitude(x);

	if (magnitude == 0)
		return -0x7fffffff - 1;
	return magnitude >= INF_BITS ? 0x7fffffff : NV(ilogb)(x);
}
VECTORS_1(int, ilogb, REAL)

#define WITH_INT(n, f, R) WITH_INT_(n, f, R)
#define WITH_INT_(n, f, R) \
	PURE R##n f(R##n x, int y) \
	{ \
		return f(x, (int##n)y); \
	}

extern __attribute__((const)) REAL NV(ldexp)(REAL, int);
PURE REAL ldexp(REAL x, int k)
{
	return NV(ldexp)(x, k);
}
VECTORS_2(REAL, ldexp, REAL, int)
FOR_VECTORS(WITH_INT, ldexp, REAL)

/*
 * An exponent that REAL rounds is split in two; the second factor is near 1 whenever the first is
 * neither zero nor infinite, for |log2 x| is then below 2^-15.  The sign is the integer's business.
 */
PURE REAL __culvert_full_pown(REAL x, int n)
{
	REAL high, power;

	if (EXACT_INT(n))
		return NV(pow)(x, (REAL)n);
	high = (REAL)n;
	power = NV(pow)(fabs(x), high);
	if (power != 0 && !is_infinite(power))
		power *= NV(pow)(fabs(x), (REAL)(n - (long)high));
	return n & 1 ? copysign(power, x) : power;
}
PURE REAL pown(REAL x, int n)
{
	IF_RELAXED(pown, x, n)
	return __culvert_full_pown(x, n);
}
VECTORS_2(REAL, pown, REAL, int)

/* 7.5.1: x is not negative, and the cases where pow gives 1 by convention are NaN here. */
PURE REAL __culvert_full_powr(REAL x, REAL y)
{
	if (x < 0 || is_nan(x) || is_nan(y))
		return quiet_nan();
	if ((x == 0 || is_infinite(x)) && y == 0)
		return quiet_nan();
	if (x == 1 && is_infinite(y))
		return quiet_nan();
	return NV(pow)(fabs(x), y);
}
PURE REAL powr(REAL x, REAL y)
{
	IF_RELAXED(powr, x, y)
	return __culvert_full_powr(x, y);
}
VECTORS_2(REAL, powr, REAL, REAL)

/*
 * 1/n is rounded, and an error of e in the exponent is one of e * ln x in the result: up to 88
 * units in the last place in float and 700 in double, so it is put right to first order.
 */
PURE REAL __culvert_full_rootn(REAL x, int n)
{
	REAL magnitude = fabs(x), reciprocal, rest, root;

	if (n == 0 || (x < 0 && !(n & 1)))
		return quiet_nan();
	reciprocal = C(1.0) / (REAL)n;
	rest = fma(-reciprocal, (REAL)n, C(1.0)) * reciprocal;
	root = NV(pow)(magnitude, reciprocal);
	if (rest != 0 && x != 0 && !is_infinite(x))
		root = fma(root, rest * NV(log)(magnitude), root);
	return n & 1 ? copysign(root, x) : root;
}
PURE REAL rootn(REAL x, int n)
{
	IF_RELAXED(rootn, x, n)
	return __culvert_full_rootn(x, n);
}
VECTORS_2(REAL, rootn, REAL, int)

/*
 * Functions with a second result.  The overload for __private memory is the function; the others
 * store what it leaves in a variable.
 */
#define OTHER_SPACES(n, f, R, P) OTHER_SPACES_(n, f, R, P)
#define OTHER_SPACES_(n, f, R, P) \
	BUILTIN R##n f(R##n x, __global P##n *out) \
	{ \
		P##n second; \
		R##n first = f(x, &second); \
		*out = second; \
		return first; \
	} \
	BUILTIN R##n f(R##n x, __local P##n *out) \
	{ \
		P##n second; \
		R##n first = f(x, &second); \
		*out = second; \
		return first; \
	}

#define VECTORS_1_OUT(f, R, P) VECTORS_1_OUT_(f, R, P)
#define VECTORS_1_OUT_(f, R, P) \
	BUILTIN R##2 f(R##2 x, __private P##2 *out) \
	{ \
		P a, b; \
		R##2 r = (R##2)(f(x.x, &a), f(x.y, &b)); \
		*out = (P##2)(a, b); \
		return r; \
	} \
	BUILTIN R##3 f(R##3 x, __private P##3 *out) \
	{ \
		P a, b, c; \
		R##3 r = (R##3)(f(x.x, &a), f(x.y, &b), f(x.z, &c)); \
		*out = (P##3)(a, b, c); \
		return r; \
	} \
	HALVES_OUT(4, 2, f, R, P) \
	HALVES_OUT(8, 4, f, R, P) \
	HALVES_OUT(16, 8, f, R, P) \
	OTHER_SPACES_(, f, R, P) \
	FOR_VECTORS(OTHER_SPACES, f, R, P)
#define HALVES_OUT(n, m, f, R, P) \
	BUILTIN R##n f(R##n x, __private P##n *out) \
	{ \
		P##m a, b; \
		R##n r = (R##n)(f(x.lo, &a), f(x.hi, &b)); \
		*out = (P##n)(a, b); \
		return r; \
	}

/* 7.5.1 gives signed zeros and infinities; the fraction never rounds up to 1. */
BUILTIN REAL fract(REAL x, __private REAL *out)
{
	REAL whole = floor(x);

	*out = whole;
	if (is_nan(x))
		return x;
	if (x == 0 || is_infinite(x))
		return signed_zero(x);
	return fmin(x - whole, ONE_MINUS);
}
VECTORS_1_OUT(fract, REAL, REAL)

BUILTIN REAL modf(REAL x, __private REAL *out)
{
	REAL whole = trunc(x);

	*out = whole;
	return is_infinite(x) ? signed_zero(x) : copysign(x - whole, x);
}
VECTORS_1_OUT(modf, REAL, REAL)

extern void NV(sincos)(REAL, REAL *, REAL *);
BUILTIN REAL __culvert_full_sincos(REAL x, __private REAL *out)
{
	REAL sine, cosine;

	NV(sincos)(x, &sine, &cosine);
	*out = cosine;
	return sine;
}
BUILTIN REAL sincos(REAL x, __private REAL *out)
{
	IF_RELAXED(sincos, x, out)
	return __culvert_full_sincos(x, out);
}
VECTORS_1_OUT(sincos, REAL, REAL)

extern REAL NV(frexp)(REAL, int *);
BUILTIN REAL frexp(REAL x, __private int *out)
{
	return NV(frexp)(x, out);
}
VECTORS_1_OUT(frexp, REAL, int)

/* gamma is negative between -1 and 0, between -3 and -2, and so on. */
BUILTIN REAL lgamma_r(REAL x, __private int *out)
{
	REAL whole = floor(x);
	int odd = whole != 2 * floor(whole * C(0.5));

	*out = x < 0 && whole != x && odd ? -1 : 1;
	return lgamma(x);
}
VECTORS_1_OUT(lgamma_r, REAL, int)

/*
 * Seven bits of the quotient, with its sign (6.15.2); libdevice gives three.  Taking x modulo 128 y
 * is exact and leaves a quotient that is small enough for one division: an error of one in it shows
 * in the sign or the size of the rest, which fma finds without rounding.
 */
BUILTIN REAL remquo(REAL x, REAL y, __private int *out)
{
	REAL divisor = fabs(y), rest = fabs(x), whole;
	int negative = (as_type(BITS, x) ^ as_type(BITS, y)) < 0, quotient;

	if (is_nan(x) || is_infinite(x) || is_nan(y) || y == 0) {
		*out = 0;
		return quiet_nan();
	}
	if (is_infinite(y)) {
		*out = 0;
		return x;
	}
	if (rest >= divisor * 128)
		rest = fmod(rest, divisor * 128);
	whole = rest;
	quotient = (int)(whole / divisor);
	rest = fma((REAL)-quotient, divisor, whole);
	if (rest < 0)
		rest = fma((REAL)-(--quotient), divisor, whole);
	else if (rest >= divisor)
		rest = fma((REAL)-(++quotient), divisor, whole);
	if (rest > divisor - rest || (rest == divisor - rest && (quotient & 1))) {
		quotient++;
		rest -= divisor;
	}
	quotient &= 0x7f;
	*out = negative ? -quotient : quotient;
	return as_type(BITS, x) < 0 ? -rest : rest;
}
#define REMQUO_HALVES(n, m, R) REMQUO_HALVES_(n, m, R)
#define REMQUO_HALVES_(n, m, R) \
	BUILTIN R##n remquo(R##n x, R##n y, __private int##n *out) \
	{ \
		int##m a, b; \
		R##n r = (R##n)(remquo(x.lo, y.lo, &a), remquo(x.hi, y.hi, &b)); \
		*out = (int##n)(a, b); \
		return r; \
	}
#define REMQUO_3(R) REMQUO_3_(R)
#define REMQUO_3_(R) \
	BUILTIN R##3 remquo(R##3 x, R##3 y, __private int3 *out) \
	{ \
		int a, b, c; \
		R##3 r = (R##3)(remquo(x.x, y.x, &a), remquo(x.y, y.y, &b), \
				remquo(x.z, y.z, &c)); \
		*out = (int3)(a, b, c); \
		return r; \
	}
#define REMQUO_SPACES(n, R) REMQUO_SPACES_(n, R)
#define REMQUO_SPACES_(n, R) \
	BUILTIN R##n remquo(R##n x, R##n y, __global int##n *out) \
	{ \
		int##n second; \
		R##n first = remquo(x, y, &second); \
		*out = second; \
		return first; \
	} \
	BUILTIN R##n remquo(R##n x, R##n y, __local int##n *out) \
	{ \
		int##n second; \
		R##n first = remquo(x, y, &second); \
		*out = second; \
		return first; \
	}
REMQUO_HALVES(2, , REAL)
REMQUO_3(REAL)
REMQUO_HALVES(4, 2, REAL)
REMQUO_HALVES(8, 4, REAL)
REMQUO_HALVES(16, 8, REAL)
REMQUO_SPACES(, REAL)
FOR_VECTORS(REMQUO_SPACES, REAL)
