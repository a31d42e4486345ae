/*
 * The geometric functions, OpenCL C 3.0, 6.15.5.
 *
 * length, distance and normalize may neither overflow nor lose precision where their result is
 * representable, so the plain sum of squares is used where it is well inside the range, and a
 * scaled way otherwise.
 */
#include "frontend/builtins/builtin.h"

PURE float fma(float, float, float);
PURE double fma(double, double, double);
PURE float fabs(float);
PURE double fabs(double);
PURE float copysign(float, float);
PURE double copysign(double, double);
PURE float fmax(float, float);
PURE double fmax(double, double);
PURE float sqrt(float);
PURE double sqrt(double);
PURE float rsqrt(float);
PURE double rsqrt(double);
PURE float half_sqrt(float);
PURE float half_rsqrt(float);

#define DOT(T) \
	PURE T dot(T x, T y) \
	{ \
		return x * y; \
	} \
	PURE T dot(T##2 x, T##2 y) \
	{ \
		return fma(x.y, y.y, x.x * y.x); \
	} \
	PURE T dot(T##3 x, T##3 y) \
	{ \
		return fma(x.z, y.z, fma(x.y, y.y, x.x * y.x)); \
	} \
	PURE T dot(T##4 x, T##4 y) \
	{ \
		return fma(x.w, y.w, fma(x.z, y.z, fma(x.y, y.y, x.x * y.x))); \
	}
DOT(float)
DOT(double)

/* a*b - c*d with one rounding more than an exact one: cancellation does no harm (Kahan). */
#define CROSS(T) \
	HELPER T determinant(T a, T b, T c, T d) \
	{ \
		T cd = c * d; \
		T rest = fma(-c, d, cd); \
		return fma(a, b, -cd) + rest; \
	} \
	PURE T##3 cross(T##3 p, T##3 q) \
	{ \
		return (T##3)(determinant(p.y, q.z, p.z, q.y), determinant(p.z, q.x, p.x, q.z), \
			      determinant(p.x, q.y, p.y, q.x)); \
	} \
	PURE T##4 cross(T##4 p, T##4 q) \
	{ \
		return (T##4)(cross(p.xyz, q.xyz), 0); \
	}
CROSS(float)
CROSS(double)

/* The greatest magnitude among the components; NaN counts as nothing. */
#define GREATEST(T) \
	HELPER T greatest(T##2 p) \
	{ \
		return fmax(fabs(p.x), fabs(p.y)); \
	} \
	HELPER T greatest(T##3 p) \
	{ \
		return fmax(greatest(p.xy), fabs(p.z)); \
	} \
	HELPER T greatest(T##4 p) \
	{ \
		return fmax(greatest(p.lo), greatest(p.hi)); \
	}
GREATEST(float)
GREATEST(double)

/* A power of two near 1/m; scaling by it is exact.  m is finite and not zero. */
HELPER float scale_for(float m)
{
	int exponent = (int)(as_type(uint, m) >> 23);

	exponent = exponent > 252 ? 252 : exponent < 2 ? 2 : exponent;
	return as_type(float, (254 - exponent) << 23);
}
HELPER double scale_for(double m)
{
	long exponent = (long)(as_type(ulong, m) >> 52);

	exponent = exponent > 2044 ? 2044 : exponent < 2 ? 2 : exponent;
	return as_type(double, (2046 - exponent) << 52);
}

/* An infinity becomes 1 and anything finite 0, with the sign kept; NaN stays. */
#define INFINITE_PARTS(T) \
	HELPER T infinite_part(T x) \
	{ \
		T sign = copysign((T)1, x); \
		return x != x ? x : fabs(x) == (T)__builtin_inff() ? sign : sign * 0; \
	} \
	HELPER T##2 infinite_part(T##2 p) \
	{ \
		return (T##2)(infinite_part(p.x), infinite_part(p.y)); \
	} \
	HELPER T##3 infinite_part(T##3 p) \
	{ \
		return (T##3)(infinite_part(p.xy), infinite_part(p.z)); \
	} \
	HELPER T##4 infinite_part(T##4 p) \
	{ \
		return (T##4)(infinite_part(p.lo), infinite_part(p.hi)); \
	}
INFINITE_PARTS(float)
INFINITE_PARTS(double)

/*
 * LOW and HIGH bound the sums of squares that are exact enough as they are: none of the squares
 * that matter has gone subnormal.
 */
#define LENGTHS(V, T, LOW, HIGH) \
	PURE T length(V p) \
	{ \
		T squares = dot(p, p), m, scale; \
		if (squares > LOW && squares < HIGH) \
			return sqrt(squares); \
		m = greatest(p); \
		if (m == (T)__builtin_inff()) \
			return m; \
		if (m == 0) \
			return squares; \
		scale = scale_for(m); \
		p *= scale; \
		return sqrt(dot(p, p)) / scale; \
	} \
	PURE T distance(V p, V q) \
	{ \
		return length(p - q); \
	} \
	PURE V normalize(V p) \
	{ \
		T squares = dot(p, p), m; \
		if (squares > LOW && squares < HIGH) \
			return p * rsqrt(squares); \
		m = greatest(p); \
		if (m == (T)__builtin_inff()) \
			p = infinite_part(p); \
		else if (m == 0 && squares == 0) \
			return p; \
		else \
			p *= scale_for(m); \
		return p * rsqrt(dot(p, p)); \
	}
#define LENGTHS_OF(T, LOW, HIGH) \
	LENGTHS(T##2, T, LOW, HIGH) LENGTHS(T##3, T, LOW, HIGH) LENGTHS(T##4, T, LOW, HIGH) \
	PURE T length(T p) \
	{ \
		return fabs(p); \
	} \
	PURE T distance(T p, T q) \
	{ \
		return fabs(p - q); \
	} \
	PURE T normalize(T p) \
	{ \
		return p == 0 || p != p ? p : copysign((T)1, p); \
	}
LENGTHS_OF(float, 0x1p-96f, 0x1p+127f)
LENGTHS_OF(double, 0x1p-900, 0x1p+1023)

#define FAST_LENGTHS(V) \
	PURE float fast_length(V p) \
	{ \
		return half_sqrt(dot(p, p)); \
	} \
	PURE float fast_distance(V p, V q) \
	{ \
		return fast_length(p - q); \
	} \
	/* 6.15.5: below the least normal number the vector itself may come back. */ \
	PURE V fast_normalize(V p) \
	{ \
		float squares = dot(p, p); \
		return squares < 0x1p-126f ? p : p * half_rsqrt(squares); \
	}
FAST_LENGTHS(float2)
FAST_LENGTHS(float3)
FAST_LENGTHS(float4)

PURE float fast_length(float p)
{
	return fabs(p);
}
PURE float fast_distance(float p, float q)
{
	return fabs(p - q);
}
PURE float fast_normalize(float p)
{
	return normalize(p);
}

/*
 * In half precision everything is done in float, whose range holds all squares of halves and all
 * sums of them, and rounded once.
 */
#define HALF_SCALARS(V, F) \
	PURE half dot(V p, V q) \
	{ \
		return (half)dot(F(p), F(q)); \
	} \
	PURE half length(V p) \
	{ \
		return (half)length(F(p)); \
	} \
	PURE half distance(V p, V q) \
	{ \
		return (half)distance(F(p), F(q)); \
	}
#define TO_FLOAT(p) ((float)(p))
#define TO_FLOAT2(p) __builtin_convertvector(p, float2)
#define TO_FLOAT3(p) __builtin_convertvector(p, float3)
#define TO_FLOAT4(p) __builtin_convertvector(p, float4)
HALF_SCALARS(half, TO_FLOAT)
HALF_SCALARS(half2, TO_FLOAT2)
HALF_SCALARS(half3, TO_FLOAT3)
HALF_SCALARS(half4, TO_FLOAT4)

PURE half normalize(half p)
{
	return (half)normalize((float)p);
}
#define HALF_VECTORS(V, f) \
	PURE V normalize(V p) \
	{ \
		return __builtin_convertvector(normalize(f(p)), V); \
	}
HALF_VECTORS(half2, TO_FLOAT2)
HALF_VECTORS(half3, TO_FLOAT3)
HALF_VECTORS(half4, TO_FLOAT4)

PURE half3 cross(half3 p, half3 q)
{
	return __builtin_convertvector(cross(TO_FLOAT3(p), TO_FLOAT3(q)), half3);
}
PURE half4 cross(half4 p, half4 q)
{
	return __builtin_convertvector(cross(TO_FLOAT4(p), TO_FLOAT4(q)), half4);
}
