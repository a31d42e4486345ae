/* The integer functions, OpenCL C 3.0, 6.15.3. */
#include "frontend/builtins/builtin.h"

/*
 * What follows is written on whole vectors where the operators do the work; `n` is empty for the
 * scalar.  The casts undo the promotion of small scalars to int.
 */
#define BOTH_SIGNS(n, T, U, BITS) \
	PURE T##n hadd(T##n x, T##n y) \
	{ \
		return (T##n)((T##n)(x >> 1) + (T##n)(y >> 1) + (T##n)(x & y & (T##n)1)); \
	} \
	PURE T##n rhadd(T##n x, T##n y) \
	{ \
		return (T##n)((T##n)(x >> 1) + (T##n)(y >> 1) + (T##n)((x | y) & (T##n)1)); \
	} \
	PURE T##n max(T##n x, T##n y) \
	{ \
		return x < y ? y : x; \
	} \
	PURE T##n min(T##n x, T##n y) \
	{ \
		return y < x ? y : x; \
	} \
	PURE T##n clamp(T##n x, T##n low, T##n high) \
	{ \
		return min(max(x, low), high); \
	}

#define SIGNED(n, T, U, BITS, MAX) \
	BOTH_SIGNS(n, T, U, BITS) \
	PURE U##n abs(T##n x) \
	{ \
		U##n bits = as_type(U##n, x); \
		return x < (T##n)0 ? (U##n)-bits : bits; \
	} \
	PURE U##n abs_diff(T##n x, T##n y) \
	{ \
		U##n up = (U##n)(as_type(U##n, x) - as_type(U##n, y)); \
		return x > y ? up : (U##n)-up; \
	}

#define SATURATING(n, T, U, BITS, MAX) \
	PURE T##n add_sat(T##n x, T##n y) \
	{ \
		T##n sum = as_type(T##n, (U##n)(as_type(U##n, x) + as_type(U##n, y))); \
		T##n limit = (T##n)((x >> (BITS - 1)) ^ (T##n)MAX); \
		return ((x ^ sum) & (y ^ sum)) < (T##n)0 ? limit : sum; \
	} \
	PURE T##n sub_sat(T##n x, T##n y) \
	{ \
		T##n rest = as_type(T##n, (U##n)(as_type(U##n, x) - as_type(U##n, y))); \
		T##n limit = (T##n)((x >> (BITS - 1)) ^ (T##n)MAX); \
		return ((x ^ y) & (x ^ rest)) < (T##n)0 ? limit : rest; \
	}

#define UNSIGNED(n, U, BITS) \
	BOTH_SIGNS(n, U, U, BITS) \
	PURE U##n abs(U##n x) \
	{ \
		return x; \
	} \
	PURE U##n abs_diff(U##n x, U##n y) \
	{ \
		return x > y ? (U##n)(x - y) : (U##n)(y - x); \
	} \
	PURE U##n add_sat(U##n x, U##n y) \
	{ \
		U##n sum = (U##n)(x + y); \
		return sum < x ? (U##n)~(U##n)0 : sum; \
	} \
	PURE U##n sub_sat(U##n x, U##n y) \
	{ \
		return x < y ? (U##n)0 : (U##n)(x - y); \
	}

#define WITH_SCALAR(n, T) \
	PURE T##n max(T##n x, T y) \
	{ \
		return max(x, (T##n)y); \
	} \
	PURE T##n min(T##n x, T y) \
	{ \
		return min(x, (T##n)y); \
	} \
	PURE T##n clamp(T##n x, T low, T high) \
	{ \
		return clamp(x, (T##n)low, (T##n)high); \
	}

#define ARITHMETIC(S, U, BITS, MAX) \
	SIGNED(, S, U, BITS, MAX) \
	FOR_VECTORS(SIGNED, S, U, BITS, MAX) \
	UNSIGNED(, U, BITS) \
	FOR_VECTORS(UNSIGNED, U, BITS) \
	FOR_VECTORS(WITH_SCALAR, S) \
	FOR_VECTORS(WITH_SCALAR, U)
ARITHMETIC(char, uchar, 8, 0x7f)
ARITHMETIC(short, ushort, 16, 0x7fff)
ARITHMETIC(int, uint, 32, 0x7fffffff)
ARITHMETIC(long, ulong, 64, 0x7fffffffffffffffl)

#define SATURATINGS(T, U, BITS, MAX) \
	SATURATING(, T, U, BITS, MAX) \
	FOR_VECTORS(SATURATING, T, U, BITS, MAX)
SATURATINGS(char, uchar, 8, 0x7f)
SATURATINGS(short, ushort, 16, 0x7fff)
SATURATINGS(long, ulong, 64, 0x7fffffffffffffffl)
/* PTX has it for int alone: one instruction from sm_120 on and five before, where the above has seven. */
#define SATURATING_INT(operation) \
	PURE int operation##_sat(int x, int y) \
	{ \
		int result; \
		__asm__(#operation ".sat.s32 %0, %1, %2;" : "=r"(result) : "r"(x), "r"(y)); \
		return result; \
	} \
	VECTORS_2(int, operation##_sat, int, int)
SATURATING_INT(add)
SATURATING_INT(sub)

#define ROTATE(n, T, U, BITS) \
	PURE T##n rotate(T##n x, T##n count) \
	{ \
		U##n bits = as_type(U##n, x); \
		U##n left = as_type(U##n, count) & (U##n)(BITS - 1); \
		U##n right = (U##n)-left & (U##n)(BITS - 1); \
		return as_type(T##n, (U##n)((U##n)(bits << left) | (U##n)(bits >> right))); \
	}
#define ROTATES(T, U, BITS) \
	ROTATE(, T, U, BITS) \
	FOR_VECTORS(ROTATE, T, U, BITS)
ROTATES(char, uchar, 8)
ROTATES(uchar, uchar, 8)
ROTATES(short, ushort, 16)
ROTATES(ushort, ushort, 16)
ROTATES(long, ulong, 64)
ROTATES(ulong, ulong, 64)
/* As shifts it would be torn by whatever else shifts what is rotated.  Not for 64 bits: libnvvm does
 * not take the count of those modulo 64. */
#define ROTATE_INTRINSIC(T) \
	PURE T rotate(T x, T count) \
	{ \
		return as_type(T, __builtin_rotateleft32(as_type(uint, x), as_type(uint, count))); \
	} \
	VECTORS_2(T, rotate, T, T)
ROTATE_INTRINSIC(int)
ROTATE_INTRINSIC(uint)

/* Counts of bits: clz and ctz of zero are the width (6.15.3). */
HELPER int leading_zeros(uint x)
{
	return x ? __builtin_clz(x) : 32;
}
HELPER int leading_zeros(ulong x)
{
	return x ? __builtin_clzl(x) : 64;
}
/* The bits below the lowest one; the hardware has no other way to count them. */
HELPER int trailing_zeros(uint x)
{
	return __builtin_popcount(~x & (x - 1));
}
HELPER int trailing_zeros(ulong x)
{
	return __builtin_popcountl(~x & (x - 1));
}

/* W is an unsigned type that holds U with BITS of its 8 * sizeof(W). */
#define COUNTS(T, U, W, BITS) \
	PURE T clz(T x) \
	{ \
		return (T)(leading_zeros((W)as_type(U, x)) - ((int)sizeof(W) * 8 - BITS)); \
	} \
	PURE T ctz(T x) \
	{ \
		int zeros = trailing_zeros((W)as_type(U, x)); \
		return (T)(zeros < BITS ? zeros : BITS); \
	} \
	PURE T popcount(T x) \
	{ \
		return (T)(sizeof(W) == 8 ? __builtin_popcountl(as_type(U, x)) : \
					    __builtin_popcount((uint)as_type(U, x))); \
	} \
	VECTORS_1(T, clz, T) \
	VECTORS_1(T, ctz, T) \
	VECTORS_1(T, popcount, T)
COUNTS(char, uchar, uint, 8)
COUNTS(uchar, uchar, uint, 8)
COUNTS(short, ushort, uint, 16)
COUNTS(ushort, ushort, uint, 16)
COUNTS(int, uint, uint, 32)
COUNTS(uint, uint, uint, 32)
COUNTS(long, ulong, ulong, 64)
COUNTS(ulong, ulong, ulong, 64)

/* Products with a type W that holds them whole. */
#define MUL_HI_IN(T, W, BITS) \
	PURE T mul_hi(T x, T y) \
	{ \
		return (T)(((W)x * (W)y) >> BITS); \
	}
MUL_HI_IN(char, int, 8)
MUL_HI_IN(uchar, uint, 8)
MUL_HI_IN(short, int, 16)
MUL_HI_IN(ushort, uint, 16)

#define MAD_SAT_IN(T, W, MIN, MAX) \
	PURE T mad_sat(T a, T b, T c) \
	{ \
		W sum = (W)a * (W)b + (W)c; \
		return (T)(sum < (W)MIN ? (W)MIN : sum > (W)MAX ? (W)MAX : sum); \
	}
MAD_SAT_IN(char, int, -0x80, 0x7f)
MAD_SAT_IN(uchar, uint, 0, 0xff)
MAD_SAT_IN(short, int, -0x8000, 0x7fff)
MAD_SAT_IN(ushort, uint, 0, 0xffff)
MAD_SAT_IN(int, long, -0x80000000l, 0x7fffffff)
MAD_SAT_IN(uint, ulong, 0, 0xffffffff)

/* An instruction each.  Of 32 bits, products in 64 bits of which the upper half is taken give the same, but up to sm_90
 * libnvvm follows chains of them in loops for a time that grows with 4 to the power of their length.
 * By name: Clang's own builtins for 64 bits take long long, which has 128 bits in OpenCL C. */
#define MUL_HI(T, NAME) \
	EXTERN_PURE T nvvm_mulhi_##T(T, T) __asm__("llvm.nvvm.mulhi." NAME); \
	PURE T mul_hi(T x, T y) \
	{ \
		return nvvm_mulhi_##T(x, y); \
	}
MUL_HI(int, "i")
MUL_HI(uint, "ui")
MUL_HI(long, "ll")
MUL_HI(ulong, "ull")

/* In 128 bits: the sum fits in 64 when its upper half is only the sign of the lower. */
PURE long mad_sat(long a, long b, long c)
{
	ulong low = (ulong)a * (ulong)b;
	ulong sum = low + (ulong)c;
	long high = mul_hi(a, b) + (c >> 63) + (sum < low);

	if (high == (long)sum >> 63)
		return (long)sum;
	return high < 0 ? -0x7fffffffffffffffl - 1 : 0x7fffffffffffffffl;
}

PURE ulong mad_sat(ulong a, ulong b, ulong c)
{
	ulong low = a * b;
	ulong sum = low + c;

	return mul_hi(a, b) != 0 || sum < low ? ~0ul : sum;
}

#define MAD_HI(n, T) \
	PURE T##n mad_hi(T##n a, T##n b, T##n c) \
	{ \
		return (T##n)(mul_hi(a, b) + c); \
	}
#define PRODUCTS(T) \
	VECTORS_2(T, mul_hi, T, T) \
	VECTORS_3(T, mad_sat, T, T, T) \
	MAD_HI(, T) \
	FOR_VECTORS(MAD_HI, T)
PRODUCTS(char)
PRODUCTS(uchar)
PRODUCTS(short)
PRODUCTS(ushort)
PRODUCTS(int)
PRODUCTS(uint)
PRODUCTS(long)
PRODUCTS(ulong)

/* No 24-bit multiplier here is worth using. The low 32 bits of the product are the result, and
 * the sum wraps: U is T without sign, as a signed product that overflows is undefined in C, and
 * optimised code and code that is not would differ. */
#define PRODUCTS_24(n, T, U) \
	PURE T##n mul24(T##n x, T##n y) \
	{ \
		return __builtin_astype(__builtin_astype(x, U##n) * __builtin_astype(y, U##n), \
					T##n); \
	} \
	PURE T##n mad24(T##n x, T##n y, T##n z) \
	{ \
		return __builtin_astype(__builtin_astype(x, U##n) * __builtin_astype(y, U##n) + \
						__builtin_astype(z, U##n), \
					T##n); \
	}
PRODUCTS_24(, int, uint)
PRODUCTS_24(, uint, uint)
FOR_VECTORS(PRODUCTS_24, int, uint)
FOR_VECTORS(PRODUCTS_24, uint, uint)

/* R is twice as wide as T and has its sign; U is T without sign. */
#define UPSAMPLE_SCALAR(R, T, U, BITS) \
	PURE R upsample(T high, U low) \
	{ \
		return (R)((R)((R)high << BITS) | (R)low); \
	}
#define UPSAMPLE_VECTOR(n, R, T, U, BITS) \
	PURE R##n upsample(T##n high, U##n low) \
	{ \
		return (__builtin_convertvector(high, R##n) << (R##n)BITS) | \
		       __builtin_convertvector(low, R##n); \
	}
#define UPSAMPLE(R, T, U, BITS) \
	UPSAMPLE_SCALAR(R, T, U, BITS) \
	FOR_VECTORS(UPSAMPLE_VECTOR, R, T, U, BITS)
UPSAMPLE(short, char, uchar, 8)
UPSAMPLE(ushort, uchar, uchar, 8)
UPSAMPLE(int, short, ushort, 16)
UPSAMPLE(uint, ushort, ushort, 16)
UPSAMPLE(long, int, uint, 32)
UPSAMPLE(ulong, uint, uint, 32)
