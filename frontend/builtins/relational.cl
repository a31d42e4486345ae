/* The relational functions, OpenCL C 3.0, 6.15.6: scalars give 1 or 0, vectors -1 or 0. */
#include "frontend/builtins/builtin.h"

/*
 * V is the argument's type, R the result's, I the integer view of V, and the rest that view's
 * masks.  A comparison gives 1 for a scalar and -1 in each lane of a vector without our help.
 */
#define COMPARE(V, R, I, INF, SIGN, LEAST) \
	PURE R isequal(V x, V y) \
	{ \
		return x == y; \
	} \
	PURE R isnotequal(V x, V y) \
	{ \
		return x != y; \
	} \
	PURE R isgreater(V x, V y) \
	{ \
		return x > y; \
	} \
	PURE R isgreaterequal(V x, V y) \
	{ \
		return x >= y; \
	} \
	PURE R isless(V x, V y) \
	{ \
		return x < y; \
	} \
	PURE R islessequal(V x, V y) \
	{ \
		return x <= y; \
	} \
	PURE R islessgreater(V x, V y) \
	{ \
		return (x < y) | (x > y); \
	} \
	PURE R isordered(V x, V y) \
	{ \
		return (x == x) & (y == y); \
	} \
	PURE R isunordered(V x, V y) \
	{ \
		return (x != x) | (y != y); \
	} \
	PURE R isnan(V x) \
	{ \
		return x != x; \
	} \
	PURE R isfinite(V x) \
	{ \
		return (as_type(I, x) & (I)~SIGN) < (I)INF; \
	} \
	PURE R isinf(V x) \
	{ \
		return (as_type(I, x) & (I)~SIGN) == (I)INF; \
	} \
	PURE R isnormal(V x) \
	{ \
		I magnitude = as_type(I, x) & (I)~SIGN; \
		return (magnitude < (I)INF) & (magnitude >= (I)LEAST); \
	} \
	PURE R signbit(V x) \
	{ \
		return as_type(I, x) < (I)0; \
	}
#define COMPARE_WIDE(n, T, I, INF, SIGN, LEAST) COMPARE(T##n, I##n, I##n, INF, SIGN, LEAST)

#define F16_MASKS 0x7c00, ((short)0x8000), 0x0400
#define F32_MASKS 0x7f800000, ((int)0x80000000), 0x00800000
#define F64_MASKS 0x7ff0000000000000l, ((long)0x8000000000000000ul), 0x0010000000000000l
#define COMPARE_(...) COMPARE(__VA_ARGS__)
#define COMPARE_WIDE_(...) COMPARE_WIDE(__VA_ARGS__)
COMPARE_(half, int, short, F16_MASKS)
COMPARE_(float, int, int, F32_MASKS)
COMPARE_(double, int, long, F64_MASKS)
FOR_VECTORS(COMPARE_WIDE_, half, short, F16_MASKS)
FOR_VECTORS(COMPARE_WIDE_, float, int, F32_MASKS)
FOR_VECTORS(COMPARE_WIDE_, double, long, F64_MASKS)

/* any and all look at the most significant bit of each component. */
#define ANY_ALL(T) \
	PURE int any(T x) \
	{ \
		return x < 0; \
	} \
	PURE int all(T x) \
	{ \
		return x < 0; \
	} \
	PURE int any(T##2 x) \
	{ \
		return any((T)(x.x | x.y)); \
	} \
	PURE int all(T##2 x) \
	{ \
		return all((T)(x.x & x.y)); \
	} \
	PURE int any(T##3 x) \
	{ \
		return any((T)(x.x | x.y | x.z)); \
	} \
	PURE int all(T##3 x) \
	{ \
		return all((T)(x.x & x.y & x.z)); \
	} \
	ANY_ALL_HALVES(T##4) ANY_ALL_HALVES(T##8) ANY_ALL_HALVES(T##16)
#define ANY_ALL_HALVES(V) \
	PURE int any(V x) \
	{ \
		return any(x.lo | x.hi); \
	} \
	PURE int all(V x) \
	{ \
		return all(x.lo & x.hi); \
	}
ANY_ALL(char)
ANY_ALL(short)
ANY_ALL(int)
ANY_ALL(long)

/* V with its signed and unsigned integer views S and U. */
#define CHOOSE(V, S, U) \
	PURE V bitselect(V a, V b, V c) \
	{ \
		U mask = as_type(U, c); \
		return as_type(V, (U)((as_type(U, a) & ~mask) | (as_type(U, b) & mask))); \
	}
/* A scalar condition is true when not zero, a vector's lane by its most significant bit. */
#define SELECT_SCALAR(T, S, U) \
	CHOOSE(T, S, U) \
	PURE T select(T a, T b, S c) \
	{ \
		return c ? b : a; \
	} \
	PURE T select(T a, T b, U c) \
	{ \
		return c ? b : a; \
	}
#define SELECT_VECTOR(n, T, S, U) \
	CHOOSE(T##n, S##n, U##n) \
	PURE T##n select(T##n a, T##n b, S##n c) \
	{ \
		return c < (S##n)0 ? b : a; \
	} \
	PURE T##n select(T##n a, T##n b, U##n c) \
	{ \
		return as_type(S##n, c) < (S##n)0 ? b : a; \
	}
#define SELECT(T, S, U) SELECT_SCALAR(T, S, U) FOR_VECTORS(SELECT_VECTOR, T, S, U)
SELECT(char, char, uchar)
SELECT(uchar, char, uchar)
SELECT(short, short, ushort)
SELECT(ushort, short, ushort)
SELECT(int, int, uint)
SELECT(uint, int, uint)
SELECT(long, long, ulong)
SELECT(ulong, long, ulong)
SELECT(half, short, ushort)
SELECT(float, int, uint)
SELECT(double, long, ulong)
