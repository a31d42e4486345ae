/*
 * The math functions in half precision, cl_khr_fp16 (OpenCL 3.0 Extension, 13.1.6).
 *
 * Most are single precision's, rounded once: its few units in the last place are 2^-13 of one of
 * half's, far inside 7.4's bounds for half.  What must be correctly rounded is, for either the
 * single precision result is exact (floor, fmod, frexp ...), or single precision has more than
 * twice half's digits and two, which makes a second rounding harmless (sqrt, fdim), or the hardware
 * rounds once itself (fma).
 */
#include "frontend/builtins/builtin.h"

/* g is what computes f in single precision. */
#define VIA_1(f, g) \
	PURE half f(half x) \
	{ \
		return (half)g((float)x); \
	} \
	VECTORS_1(half, f, half)
#define VIA_2(f, g) \
	PURE half f(half x, half y) \
	{ \
		return (half)g((float)x, (float)y); \
	} \
	VECTORS_2(half, f, half, half)
#define VIA_INT(f, g) \
	PURE half f(half x, int n) \
	{ \
		return (half)g((float)x, n); \
	} \
	VECTORS_2(half, f, half, int)

#define VIA_FLOAT_1(f) \
	PURE float f(float); \
	VIA_1(f, f)
#define VIA_FLOAT_2(f) \
	PURE float f(float, float); \
	VIA_2(f, f)
#define VIA_FLOAT_INT(f) \
	PURE float f(float, int); \
	VIA_INT(f, f)

/* Where float's function may be a relaxed one, which 7.4 has no bounds for in half. */
#define VIA_LIBDEVICE_1(name) \
	EXTERN_PURE float __nv_##name##f(float); \
	VIA_1(name, __nv_##name##f)
#define VIA_LIBDEVICE_2(name) \
	EXTERN_PURE float __nv_##name##f(float, float); \
	VIA_2(name, __nv_##name##f)
#define VIA_FULL_1(name) \
	PURE float __culvert_full_##name(float); \
	VIA_1(name, __culvert_full_##name)
#define VIA_FULL_2(name) \
	PURE float __culvert_full_##name(float, float); \
	VIA_2(name, __culvert_full_##name)
#define VIA_FULL_INT(name) \
	PURE float __culvert_full_##name(float, int); \
	VIA_INT(name, __culvert_full_##name)

VIA_FLOAT_1(acos)
VIA_FLOAT_1(acosh)
VIA_FLOAT_1(acospi)
VIA_FLOAT_1(asin)
VIA_FLOAT_1(asinh)
VIA_FLOAT_1(asinpi)
VIA_FLOAT_1(atan)
VIA_FLOAT_1(atanh)
VIA_FLOAT_1(atanpi)
VIA_FLOAT_1(cbrt)
VIA_FLOAT_1(ceil)
VIA_LIBDEVICE_1(cos)
VIA_FLOAT_1(cosh)
VIA_LIBDEVICE_1(cospi)
VIA_FLOAT_1(erf)
VIA_FLOAT_1(erfc)
VIA_LIBDEVICE_1(exp)
VIA_LIBDEVICE_1(exp2)
VIA_LIBDEVICE_1(exp10)
VIA_FLOAT_1(expm1)
VIA_FLOAT_1(floor)
VIA_FLOAT_1(lgamma)
VIA_LIBDEVICE_1(log)
VIA_LIBDEVICE_1(log2)
VIA_LIBDEVICE_1(log10)
VIA_FLOAT_1(log1p)
VIA_FLOAT_1(logb)
VIA_FLOAT_1(rint)
VIA_FLOAT_1(round)
VIA_FLOAT_1(rsqrt)
VIA_LIBDEVICE_1(sin)
VIA_FLOAT_1(sinh)
VIA_LIBDEVICE_1(sinpi)
VIA_LIBDEVICE_1(tan)
VIA_LIBDEVICE_1(tanh)
VIA_FULL_1(tanpi)
VIA_FLOAT_1(tgamma)
VIA_FLOAT_1(trunc)

VIA_FLOAT_2(atan2)
VIA_FLOAT_2(atan2pi)
VIA_FLOAT_2(fmax)
VIA_FLOAT_2(fmin)
VIA_FLOAT_2(fmod)
VIA_FLOAT_2(hypot)
VIA_FLOAT_2(maxmag)
VIA_FLOAT_2(minmag)
VIA_LIBDEVICE_2(pow)
VIA_FULL_2(powr)
VIA_FLOAT_2(remainder)

VIA_FLOAT_INT(ldexp)
VIA_FULL_INT(pown)
VIA_FULL_INT(rootn)

/* Not by way of the float overload, which may be an approximation. */
PURE half sqrt(half x)
{
	return (half)__nvvm_sqrt_rn_f((float)x);
}
VECTORS_1(half, sqrt, half)

/* A difference of halves that float has to round is rounded again without harm. */
VIA_FLOAT_2(fdim)

PURE half fabs(half x)
{
	return as_type(half, (ushort)(as_type(ushort, x) & 0x7fff));
}
VECTORS_1(half, fabs, half)

PURE half copysign(half x, half y)
{
	return as_type(half, (ushort)((as_type(ushort, x) & 0x7fff) |
				      (as_type(ushort, y) & 0x8000)));
}
VECTORS_2(half, copysign, half, half)

/* One rounding; two at a time in the hardware's pairs. */
PURE half fma(half a, half b, half c)
{
	ushort r;

	__asm__("fma.rn.f16 %0, %1, %2, %3;"
		: "=h"(r)
		: "h"(as_type(ushort, a)), "h"(as_type(ushort, b)), "h"(as_type(ushort, c)));
	return as_type(half, r);
}
PURE half2 fma(half2 a, half2 b, half2 c)
{
	uint r;

	__asm__("fma.rn.f16x2 %0, %1, %2, %3;"
		: "=r"(r)
		: "r"(as_type(uint, a)), "r"(as_type(uint, b)), "r"(as_type(uint, c)));
	return as_type(half2, r);
}
PURE half3 fma(half3 a, half3 b, half3 c)
{
	return (half3)(fma(a.xy, b.xy, c.xy), fma(a.z, b.z, c.z));
}
#define FMA_HALVES(V, f) \
	PURE V f(V a, V b, V c) \
	{ \
		return (V)(f(a.lo, b.lo, c.lo), f(a.hi, b.hi, c.hi)); \
	}
FMA_HALVES(half4, fma)
FMA_HALVES(half8, fma)
FMA_HALVES(half16, fma)

#define MAD(V) \
	PURE V mad(V a, V b, V c) \
	{ \
		return fma(a, b, c); \
	}
MAD(half)
MAD(half2)
MAD(half3)
MAD(half4)
MAD(half8)
MAD(half16)

#define WITH_SCALAR(n, f) \
	PURE half##n f(half##n x, half y) \
	{ \
		return f(x, (half##n)y); \
	}
FOR_VECTORS(WITH_SCALAR, fmax)
FOR_VECTORS(WITH_SCALAR, fmin)
#define WITH_INT(n, f) \
	PURE half##n f(half##n x, int k) \
	{ \
		return f(x, (int##n)k); \
	}
FOR_VECTORS(WITH_INT, ldexp)

PURE int ilogb(float);
PURE int ilogb(half x)
{
	return ilogb((float)x);
}
VECTORS_1(int, ilogb, half)

PURE half nan(ushort payload)
{
	return as_type(half, (ushort)(0x7e00 | (payload & 0x7fff)));
}
VECTORS_1(half, nan, ushort)

/* A half's bits grow with its magnitude; a step from zero is the least number with y's sign. */
PURE half nextafter(half x, half y)
{
	ushort bits = as_type(ushort, x);

	if (x != x || y != y)
		return x + y;
	if (x == y)
		return y;
	if (x == 0)
		return as_type(half, (ushort)((as_type(ushort, y) & 0x8000) | 1));
	bits += (x < y) == (x > 0) ? 1 : -1;
	return as_type(half, bits);
}
VECTORS_2(half, nextafter, half, half)

/*
 * Functions with a second result, which goes through a pointer to private memory, or by way of it
 * to another address space.
 */
#define OTHER_SPACE(n, f, P, space) \
	BUILTIN half##n f(half##n x, space P##n *out) \
	{ \
		P##n second; \
		half##n first = f(x, &second); \
		*out = second; \
		return first; \
	}
#define OTHER_SPACES(n, f, P) OTHER_SPACE(n, f, P, __global) OTHER_SPACE(n, f, P, __local)
#define HALVES_OUT(n, m, f, P) \
	BUILTIN half##n f(half##n x, __private P##n *out) \
	{ \
		P##m a, b; \
		half##n r = (half##n)(f(x.lo, &a), f(x.hi, &b)); \
		*out = (P##n)(a, b); \
		return r; \
	}
#define VECTORS_1_OUT(f, P) \
	HALVES_OUT(2, , f, P) \
	BUILTIN half3 f(half3 x, __private P##3 *out) \
	{ \
		P a, b, c; \
		half3 r = (half3)(f(x.x, &a), f(x.y, &b), f(x.z, &c)); \
		*out = (P##3)(a, b, c); \
		return r; \
	} \
	HALVES_OUT(4, 2, f, P) \
	HALVES_OUT(8, 4, f, P) \
	HALVES_OUT(16, 8, f, P) \
	OTHER_SPACES(, f, P) \
	FOR_VECTORS(OTHER_SPACES, f, P)

/* 7.5.1 gives signed zeros and infinities; the fraction never rounds up to 1. */
BUILTIN half fract(half x, __private half *out)
{
	half whole = floor(x), magnitude = fabs(x);

	*out = whole;
	if (x == 0 || magnitude == (half)__builtin_inff())
		return copysign((half)0, x);
	return x != x ? x : fmin(x - whole, (half)0x1.ffcp-1);
}
VECTORS_1_OUT(fract, half)

BUILTIN half modf(half x, __private half *out)
{
	half whole = trunc(x);

	*out = whole;
	return copysign(fabs(x) == (half)__builtin_inff() ? (half)0 : x - whole, x);
}
VECTORS_1_OUT(modf, half)

/* Float's other result, rounded where it is not an integer. */
#define VIA_FLOAT_OUT(f, g, F, P) \
	BUILTIN float g(float, __private F *); \
	BUILTIN half f(half x, __private P *out) \
	{ \
		F second; \
		half first = (half)g((float)x, &second); \
		*out = (P)second; \
		return first; \
	} \
	VECTORS_1_OUT(f, P)
VIA_FLOAT_OUT(frexp, frexp, int, int)
VIA_FLOAT_OUT(lgamma_r, lgamma_r, int, int)
VIA_FLOAT_OUT(sincos, __culvert_full_sincos, float, half)

BUILTIN float remquo(float, float, __private int *);
BUILTIN half remquo(half x, half y, __private int *out)
{
	return (half)remquo((float)x, (float)y, out);
}
#define REMQUO_SPACE(n, space) \
	BUILTIN half##n remquo(half##n x, half##n y, space int##n *out) \
	{ \
		int##n second; \
		half##n first = remquo(x, y, &second); \
		*out = second; \
		return first; \
	}
#define REMQUO_SPACES(n, ...) REMQUO_SPACE(n, __global) REMQUO_SPACE(n, __local)
#define REMQUO_HALVES(n, m) \
	BUILTIN half##n remquo(half##n x, half##n y, __private int##n *out) \
	{ \
		int##m a, b; \
		half##n r = (half##n)(remquo(x.lo, y.lo, &a), remquo(x.hi, y.hi, &b)); \
		*out = (int##n)(a, b); \
		return r; \
	}
REMQUO_HALVES(2, )
BUILTIN half3 remquo(half3 x, half3 y, __private int3 *out)
{
	int2 a;
	int b;
	half3 r = (half3)(remquo(x.xy, y.xy, &a), remquo(x.z, y.z, &b));

	*out = (int3)(a, b);
	return r;
}
REMQUO_HALVES(4, 2)
REMQUO_HALVES(8, 4)
REMQUO_HALVES(16, 8)
REMQUO_SPACES(, )
FOR_VECTORS(REMQUO_SPACES, )
