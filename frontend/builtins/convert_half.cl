/* convert_half*. */
#include "frontend/builtins/convert.h"

#define ROUND(mode, S, letters, constraint) \
	HELPER half to_half_##mode(S x) \
	{ \
		ushort bits; \
		__asm__("cvt." #mode ".f16." letters " %0, %1;" : "=h"(bits) : constraint(x)); \
		return as_type(half, bits); \
	}
#define ROUND_REAL(S, letters, constraint) \
	ROUND(rn, S, letters, constraint) \
	ROUND(rz, S, letters, constraint) \
	ROUND(rp, S, letters, constraint) \
	ROUND(rm, S, letters, constraint)
ROUND_REAL(float, "f32", "f")
ROUND_REAL(double, "f64", "d")

/*
 * Integers: halves end below 2^16, so whatever is farther out may stand at 2^17, and a number of so
 * few bits is a float without rounding.
 */
#define FAR 0x20000
#define NEAR_unsigned(x) ((x) > FAR ? FAR : (int)(x))
#define NEAR_signed(x) ((x) < -FAR ? -FAR : (x) > FAR ? FAR : (int)(x))
#define ROUND_INTEGER(mode, S, near) \
	HELPER half to_half_##mode(S x) \
	{ \
		return to_half_##mode((float)near(x)); \
	}
#define ROUND_INTEGERS(S, near) \
	ROUND_INTEGER(rn, S, near) \
	ROUND_INTEGER(rz, S, near) \
	ROUND_INTEGER(rp, S, near) \
	ROUND_INTEGER(rm, S, near)
ROUND_INTEGERS(char, (int))
ROUND_INTEGERS(uchar, (int))
ROUND_INTEGERS(short, (int))
ROUND_INTEGERS(ushort, (int))
ROUND_INTEGERS(int, NEAR_signed)
ROUND_INTEGERS(uint, NEAR_unsigned)
ROUND_INTEGERS(long, NEAR_signed)
ROUND_INTEGERS(ulong, NEAR_unsigned)

#define TO_HALF_ROUNDED(S, suffix, mode) \
	PURE half convert_half##suffix(S x) \
	{ \
		return to_half_##mode(x); \
	} \
	HALVES(half, S, suffix)
#define TO_HALF(S) \
	TO_HALF_ROUNDED(S, , rn) \
	TO_HALF_ROUNDED(S, _rte, rn) \
	TO_HALF_ROUNDED(S, _rtz, rz) \
	TO_HALF_ROUNDED(S, _rtp, rp) \
	TO_HALF_ROUNDED(S, _rtn, rm)
TO_HALF(char)
TO_HALF(uchar)
TO_HALF(short)
TO_HALF(ushort)
TO_HALF(int)
TO_HALF(uint)
TO_HALF(long)
TO_HALF(ulong)
TO_HALF(float)
TO_HALF(double)
EXACT(half, half)
