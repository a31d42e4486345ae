/*
 * How convert_<type>[_sat][_<rounding>] is made, OpenCL C 3.0, 6.4.3; the .cl files beside this one
 * choose the destinations, so that a program reads only the part it needs.
 *
 * Without _sat a value that does not fit gives anything.  Integers do not round, so all their
 * rounding modes are one function with five names.
 */
#ifndef CULVERT_BUILTIN_CONVERT_H
#define CULVERT_BUILTIN_CONVERT_H

#include "frontend/builtins/builtin.h"

#define MIN_char (-0x80)
#define MAX_char 0x7f
#define MIN_uchar 0
#define MAX_uchar 0xff
#define MIN_short (-0x8000)
#define MAX_short 0x7fff
#define MIN_ushort 0
#define MAX_ushort 0xffff
#define MIN_int (-0x7fffffff - 1)
#define MAX_int 0x7fffffff
#define MIN_uint 0u
#define MAX_uint 0xffffffffu
#define MIN_long (-0x7fffffffffffffffl - 1)
#define MAX_long 0x7fffffffffffffffl
#define MIN_ulong 0ul
#define MAX_ulong 0xfffffffffffffffful

/*
 * NVVM's conversions by name: Clang's own builtins for them take long long, which has 128 bits in
 * OpenCL C.
 */
#define NVVM_CONVERT(T, name, S, mode) \
	EXTERN_PURE T nvvm_##name##_##mode(S) __asm__("llvm.nvvm." #name "." #mode);
#define NVVM_CONVERTS(T, name, S) \
	NVVM_CONVERT(T, name, S, rn) \
	NVVM_CONVERT(T, name, S, rz) \
	NVVM_CONVERT(T, name, S, rm) \
	NVVM_CONVERT(T, name, S, rp)
NVVM_CONVERTS(int, f2i, float)
NVVM_CONVERTS(uint, f2ui, float)
NVVM_CONVERTS(long, f2ll, float)
NVVM_CONVERTS(ulong, f2ull, float)
NVVM_CONVERTS(int, d2i, double)
NVVM_CONVERTS(uint, d2ui, double)
NVVM_CONVERTS(long, d2ll, double)
NVVM_CONVERTS(ulong, d2ull, double)
NVVM_CONVERTS(float, i2f, int)
NVVM_CONVERTS(float, ui2f, uint)
NVVM_CONVERTS(float, ll2f, long)
NVVM_CONVERTS(float, ull2f, ulong)
NVVM_CONVERTS(float, d2f, double)
NVVM_CONVERTS(double, ll2d, long)
NVVM_CONVERTS(double, ull2d, ulong)

/* The part of S's range that D holds as well. */
#define IS_SIGNED(T) ((T)-1 < (T)1)
#define VALUE_BITS(T) ((int)sizeof(T) * 8 - IS_SIGNED(T))
#define LOW(D, S) \
	(!IS_SIGNED(S) || !IS_SIGNED(D) ? (S)0 : \
	 sizeof(D) < sizeof(S)          ? (S)MIN_##D : \
					  (S)MIN_##S)
#define HIGH(D, S) (VALUE_BITS(D) < VALUE_BITS(S) ? (S)MAX_##D : (S)MAX_##S)
#define IN_RANGE(x, V, D, S) \
	(x < (V)LOW(D, S) ? (V)LOW(D, S) : x > (V)HIGH(D, S) ? (V)HIGH(D, S) : x)

/* One function, or its vectors, whose body is a cast: x is what is cast. */
#define CAST(f, D, S) \
	PURE D f(S x) \
	{ \
		return (D)x; \
	}
#define CAST_VECTOR(n, D, S, suffix) \
	PURE D##n CAT(CAT(convert_##D, n), suffix)(S##n x) \
	{ \
		return __builtin_convertvector(x, D##n); \
	}
#define CASTS(D, S, suffix) \
	CAST(convert_##D##suffix, D, S) \
	FOR_VECTORS(CAST_VECTOR, D, S, suffix)

/* Vectors by halves; the function's name carries the width. */
#define HALVES(D, S, suffix) \
	PURE D##2 convert_##D##2##suffix(S##2 x) \
	{ \
		return (D##2)(convert_##D##suffix(x.x), convert_##D##suffix(x.y)); \
	} \
	PURE D##3 convert_##D##3##suffix(S##3 x) \
	{ \
		return (D##3)(convert_##D##suffix(x.x), convert_##D##suffix(x.y), \
			      convert_##D##suffix(x.z)); \
	} \
	PURE D##4 convert_##D##4##suffix(S##4 x) \
	{ \
		return (D##4)(convert_##D##2##suffix(x.lo), convert_##D##2##suffix(x.hi)); \
	} \
	PURE D##8 convert_##D##8##suffix(S##8 x) \
	{ \
		return (D##8)(convert_##D##4##suffix(x.lo), convert_##D##4##suffix(x.hi)); \
	} \
	PURE D##16 convert_##D##16##suffix(S##16 x) \
	{ \
		return (D##16)(convert_##D##8##suffix(x.lo), convert_##D##8##suffix(x.hi)); \
	}

/* Integer to integer. */
#define SATURATE_VECTOR(n, D, S, suffix) \
	PURE D##n CAT(CAT(convert_##D, n), suffix)(S##n x) \
	{ \
		return __builtin_convertvector(IN_RANGE(x, S##n, D, S), D##n); \
	}
#define SATURATES(D, S, suffix) \
	PURE D convert_##D##suffix(S x) \
	{ \
		return (D)IN_RANGE(x, S, D, S); \
	} \
	FOR_VECTORS(SATURATE_VECTOR, D, S, suffix)
#define FROM_INTEGER(D, S) \
	CASTS(D, S, ) \
	CASTS(D, S, _rte) \
	CASTS(D, S, _rtz) \
	CASTS(D, S, _rtp) \
	CASTS(D, S, _rtn) \
	SATURATES(D, S, _sat) \
	SATURATES(D, S, _sat_rte) \
	SATURATES(D, S, _sat_rtz) \
	SATURATES(D, S, _sat_rtp) \
	SATURATES(D, S, _sat_rtn)

/*
 * Floating point to integer; a half is a float first, which changes nothing.  The hardware rounds as
 * told and saturates to W, the destination or the integer that holds it; but NaN, which _sat makes
 * 0, becomes W's least value when either side has 64 bits.
 */
#define NAN_TO_ZERO(x, S, W, y) \
	(sizeof(S) == 8 || sizeof(W) == 8 ? (x != x ? (W)0 : y) : y)
#define ROUNDED(D, S, W, letters, suffix, mode) \
	PURE D convert_##D##suffix(S x) \
	{ \
		return (D)(W)nvvm_##letters##_##mode(x); \
	} \
	HALVES(D, S, suffix)
#define ROUNDED_SATURATED(D, S, W, letters, suffix, mode) \
	PURE D convert_##D##suffix(S x) \
	{ \
		W y = (W)nvvm_##letters##_##mode(x); \
		y = NAN_TO_ZERO(x, S, W, y); \
		return (D)IN_RANGE(y, W, D, W); \
	} \
	HALVES(D, S, suffix)
#define FROM_REAL(D, S, W, letters) \
	CASTS(D, S, ) \
	ROUNDED(D, S, W, letters, _rte, rn) \
	CASTS(D, S, _rtz) \
	ROUNDED(D, S, W, letters, _rtp, rp) \
	ROUNDED(D, S, W, letters, _rtn, rm) \
	ROUNDED_SATURATED(D, S, W, letters, _sat, rz) \
	ROUNDED_SATURATED(D, S, W, letters, _sat_rte, rn) \
	ROUNDED_SATURATED(D, S, W, letters, _sat_rtz, rz) \
	ROUNDED_SATURATED(D, S, W, letters, _sat_rtp, rp) \
	ROUNDED_SATURATED(D, S, W, letters, _sat_rtn, rm)

/* All sources of an integer destination. */
#define TO_INTEGER(D, W, f2w, d2w) \
	FROM_INTEGER(D, char) \
	FROM_INTEGER(D, uchar) \
	FROM_INTEGER(D, short) \
	FROM_INTEGER(D, ushort) \
	FROM_INTEGER(D, int) \
	FROM_INTEGER(D, uint) \
	FROM_INTEGER(D, long) \
	FROM_INTEGER(D, ulong) \
	FROM_REAL(D, half, W, f2w) \
	FROM_REAL(D, float, W, f2w) \
	FROM_REAL(D, double, W, d2w)

/* A floating-point destination: what it holds exactly needs no rounding mode. */
#define EXACT(D, S) \
	CASTS(D, S, ) \
	CASTS(D, S, _rte) \
	CASTS(D, S, _rtz) \
	CASTS(D, S, _rtp) \
	CASTS(D, S, _rtn)
#define DIRECTED(D, S, letters, suffix, mode) \
	PURE D convert_##D##suffix(S x) \
	{ \
		return nvvm_##letters##_##mode(x); \
	} \
	HALVES(D, S, suffix)
#define INEXACT(D, S, letters) \
	CASTS(D, S, ) \
	CASTS(D, S, _rte) \
	DIRECTED(D, S, letters, _rtz, rz) \
	DIRECTED(D, S, letters, _rtp, rp) \
	DIRECTED(D, S, letters, _rtn, rm)

#endif
