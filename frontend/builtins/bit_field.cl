/*
 * Extended bit operations, cl_khr_extended_bit_ops (OpenCL C 3.0, 6.15.3.1).
 *
 * Offsets and counts are mostly literals, so all is written in terms that fold.  OpenCL takes the
 * amount of a shift modulo the width, which makes the cases of no bits and all bits harmless.
 */
#include "frontend/builtins/builtin.h"

#define BIT_FIELDS(S, U, bits) \
	PURE U bitfield_extract_unsigned(U base, uint offset, uint count) \
	{ \
		uint spare = bits - count; \
		return count ? (U)((U)(base << (spare - offset)) >> spare) : (U)0; \
	} \
	PURE S bitfield_extract_signed(S base, uint offset, uint count) \
	{ \
		uint spare = bits - count; \
		return count ? (S)((S)(base << (spare - offset)) >> spare) : (S)0; \
	} \
	PURE U bitfield_extract_unsigned(S base, uint offset, uint count) \
	{ \
		return bitfield_extract_unsigned((U)base, offset, count); \
	} \
	PURE S bitfield_extract_signed(U base, uint offset, uint count) \
	{ \
		return bitfield_extract_signed((S)base, offset, count); \
	} \
	PURE U bitfield_insert(U base, U insert, uint offset, uint count) \
	{ \
		U mask = (U)((U)((U)~(U)0 >> (bits - count)) << offset); \
		return count ? (U)((base & ~mask) | ((U)(insert << offset) & mask)) : base; \
	} \
	PURE S bitfield_insert(S base, S insert, uint offset, uint count) \
	{ \
		return (S)bitfield_insert((U)base, (U)insert, offset, count); \
	} \
	PURE U bit_reverse(U base) \
	{ \
		return __builtin_bitreverse##bits(base); \
	} \
	PURE S bit_reverse(S base) \
	{ \
		return (S)bit_reverse((U)base); \
	} \
	EXTRACT_VECTORS(U, bitfield_extract_unsigned, U) \
	EXTRACT_VECTORS(U, bitfield_extract_unsigned, S) \
	EXTRACT_VECTORS(S, bitfield_extract_signed, U) \
	EXTRACT_VECTORS(S, bitfield_extract_signed, S) \
	INSERT_VECTORS(U) \
	INSERT_VECTORS(S) \
	VECTORS_1(U, bit_reverse, U) \
	VECTORS_1(S, bit_reverse, S)

#define EXTRACT_VECTORS(R, f, A) \
	PURE R##2 f(A##2 x, uint o, uint c) { return (R##2)(f(x.x, o, c), f(x.y, o, c)); } \
	PURE R##3 f(A##3 x, uint o, uint c) \
	{ \
		return (R##3)(f(x.x, o, c), f(x.y, o, c), f(x.z, o, c)); \
	} \
	PURE R##4 f(A##4 x, uint o, uint c) { return (R##4)(f(x.lo, o, c), f(x.hi, o, c)); } \
	PURE R##8 f(A##8 x, uint o, uint c) { return (R##8)(f(x.lo, o, c), f(x.hi, o, c)); } \
	PURE R##16 f(A##16 x, uint o, uint c) { return (R##16)(f(x.lo, o, c), f(x.hi, o, c)); }
#define INSERT(T, n, low, high) \
	PURE T##n bitfield_insert(T##n x, T##n y, uint offset, uint count) \
	{ \
		return (T##n)(bitfield_insert(x.low, y.low, offset, count), \
			      bitfield_insert(x.high, y.high, offset, count)); \
	}
#define INSERT_VECTORS(T) \
	INSERT(T, 2, x, y) \
	INSERT(T, 3, xy, z) \
	INSERT(T, 4, lo, hi) \
	INSERT(T, 8, lo, hi) \
	INSERT(T, 16, lo, hi)
BIT_FIELDS(char, uchar, 8)
BIT_FIELDS(short, ushort, 16)
BIT_FIELDS(int, uint, 32)
BIT_FIELDS(long, ulong, 64)
