/* The common functions, OpenCL C 3.0, 6.15.4. */
#include "frontend/builtins/builtin.h"

/* Here a fused multiply-add is only better. */
#pragma OPENCL FP_CONTRACT ON

#define REALS(M) M(half, h) M(float, f) M(double, )
#define SIZES(M, T, S) M(T, T, S) M(T##2, T, S) M(T##3, T, S) M(T##4, T, S) M(T##8, T, S) \
	M(T##16, T, S)
#define WIDE_SIZES(M, T, S) M(T##2, T, S) M(T##3, T, S) M(T##4, T, S) M(T##8, T, S) M(T##16, T, S)

#define FUNCTIONS(V, T, S) \
	PURE V degrees(V x) \
	{ \
		return x * (V)0x1.ca5dc1a63c1f8p+5##S; \
	} \
	PURE V radians(V x) \
	{ \
		return x * (V)0x1.1df46a2529d39p-6##S; \
	} \
	PURE V max(V x, V y) \
	{ \
		return x < y ? y : x; \
	} \
	PURE V min(V x, V y) \
	{ \
		return y < x ? y : x; \
	} \
	PURE V mix(V x, V y, V a) \
	{ \
		return x + (y - x) * a; \
	} \
	PURE V step(V edge, V x) \
	{ \
		return x < edge ? (V)0.0##S : (V)1.0##S; \
	} \
	PURE V sign(V x) \
	{ \
		return x > (V)0.0##S ? (V)1.0##S : \
		       x < (V)0.0##S ? (V)-1.0##S : x != x ? (V)0.0##S : x; \
	}

#define DEFINE(T, S) SIZES(FUNCTIONS, T, S)
REALS(DEFINE)

/* After max and min: a NaN x gives low, as fmin(fmax(x, low), high) would. */
PURE half fmax(half, half);
PURE half fmin(half, half);
PURE float fmax(float, float);
PURE float fmin(float, float);
PURE double fmax(double, double);
PURE double fmin(double, double);

#define CLAMP(T) \
	PURE T clamp(T x, T low, T high) \
	{ \
		return fmin(fmax(x, low), high); \
	} \
	VECTORS_3(T, clamp, T, T, T)
CLAMP(half)
CLAMP(float)
CLAMP(double)

#define SMOOTHSTEP(V, T, S) \
	PURE V smoothstep(V edge0, V edge1, V x) \
	{ \
		V t = clamp((x - edge0) / (edge1 - edge0), (V)0.0##S, (V)1.0##S); \
		return t * t * ((V)3.0##S - (V)2.0##S * t); \
	}
#define DEFINE_SMOOTHSTEP(T, S) SIZES(SMOOTHSTEP, T, S)
REALS(DEFINE_SMOOTHSTEP)

#define WITH_SCALARS(V, T, S) \
	PURE V clamp(V x, T low, T high) \
	{ \
		return clamp(x, (V)low, (V)high); \
	} \
	PURE V max(V x, T y) \
	{ \
		return max(x, (V)y); \
	} \
	PURE V min(V x, T y) \
	{ \
		return min(x, (V)y); \
	} \
	PURE V mix(V x, V y, T a) \
	{ \
		return mix(x, y, (V)a); \
	} \
	PURE V step(T edge, V x) \
	{ \
		return step((V)edge, x); \
	} \
	PURE V smoothstep(T edge0, T edge1, V x) \
	{ \
		return smoothstep((V)edge0, (V)edge1, x); \
	}
#define DEFINE_WITH_SCALARS(T, S) WIDE_SIZES(WITH_SCALARS, T, S)
REALS(DEFINE_WITH_SCALARS)
