/* Bit fields, permutations, dot products, and sums that carry. */
#include "config.h"

#include "softcuda/exec/table.h"
#include "softcuda/exec/warp.h"

#define QUATERNARY(name, ta, tb, tc, td, put, expression)                     \
	OP_HEAD(name)                                                         \
	{                                                                     \
		const ta *a = OPERAND(const ta, 1);                           \
		const tb *b = OPERAND(const tb, 2);                           \
		const tc *c = OPERAND(const tc, 3);                           \
		const td *d = OPERAND(const td, 4);                           \
		OP_RESULT(put, expression)                                    \
	}
#define FIELD(name, lanes, put, expression)                                   \
	OP_HEAD(name)                                                         \
	{                                                                     \
		const lanes *a = OPERAND(const lanes, 1);                     \
		const lane_u32 *b = OPERAND(const lane_u32, 2);               \
		const lane_u32 *c = OPERAND(const lane_u32, 3);               \
		OP_RESULT(put, expression)                                    \
	}

static inline uint64_t low_bits(uint32_t count)
{
	return count >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1;
}

/* Position and length of a field: 32-bit forms read their low bytes, 64-bit ones,
 * which hardware makes of shifts, all their bits. */
static inline uint32_t field_number(uint32_t x, uint32_t width)
{
	uint32_t number = width == 32 ? x & 0xff : x;
	return number > 255 ? 255 : number;
}

static inline uint64_t extract(uint64_t a, uint32_t b, uint32_t c, uint32_t width, bool is_signed)
{
	uint32_t position = field_number(b, width), length = field_number(c, width);
	uint32_t top = position + length - 1;
	if (!length)
		return 0;
	if (top > width - 1)
		top = width - 1;
	uint64_t field = position < width ? a >> position & low_bits(length) : 0;
	if (is_signed && a >> top & 1) {
		uint32_t have = position < width ? top - position + 1 : 0;
		field |= ~low_bits(have);
	}
	return field;
}

static inline uint64_t insert(uint64_t a, uint64_t b, uint32_t c, uint32_t d, uint32_t width)
{
	uint32_t position = field_number(c, width), length = field_number(d, width);
	if (position >= width || !length)
		return b;
	uint64_t field = low_bits(length) << position;
	return (b & ~field) | (a << position & field);
}

FIELD(bfe_u32, lane_u32, 32, extract(a[l], b[l], c[l], 32, false))
FIELD(bfe_s32, lane_u32, 32, extract(a[l], b[l], c[l], 32, true))
FIELD(bfe_u64, lane_u64, 64, extract(a[l], b[l], c[l], 64, false))
FIELD(bfe_s64, lane_u64, 64, extract(a[l], b[l], c[l], 64, true))
QUATERNARY(bfi_32, lane_u32, lane_u32, lane_u32, lane_u32, 32, insert(a[l], b[l], c[l], d[l], 32))
QUATERNARY(bfi_64, lane_u64, lane_u64, lane_u32, lane_u32, 64, insert(a[l], b[l], c[l], d[l], 64))

static inline uint32_t clz_32(uint32_t a)
{
	return a ? (uint32_t)__builtin_clz(a) : 32;
}

static inline uint32_t clz_64(uint64_t a)
{
	return a ? (uint32_t)__builtin_clzll(a) : 64;
}

static inline uint64_t reverse(uint64_t a)
{
	uint64_t r = 0;
	for (unsigned i = 0; i < 64; i++)
		r |= (a >> i & 1) << (63 - i);
	return r;
}

static inline uint32_t find_top(uint64_t a, bool is_signed, uint32_t width, bool shift_amount)
{
	if (is_signed && width == 32)
		a = (int32_t)a < 0 ? (uint32_t)~a : (uint32_t)a;
	else if (is_signed)
		a = (int64_t)a < 0 ? ~a : a;
	if (!a)
		return 0xffffffffu;
	uint32_t top = 63 - clz_64(a);
	return shift_amount ? width - 1 - top : top;
}

/* From 64-bit lanes to 32-bit ones the same macros do: put says the width. */
OP_UNARY(op_popc_32, lane_u32, 32, __builtin_popcount(a[l]))
OP_UNARY(op_popc_64, lane_u64, 32, __builtin_popcountll(a[l]))
OP_UNARY(op_clz_32, lane_u32, 32, clz_32(a[l]))
OP_UNARY(op_clz_64, lane_u64, 32, clz_64(a[l]))
OP_UNARY(brev_32, lane_u32, 32, reverse(a[l]) >> 32)
OP_UNARY(brev_64, lane_u64, 64, reverse(a[l]))
OP_UNARY(bfind_u32, lane_u32, 32, find_top(a[l], false, 32, false))
OP_UNARY(bfind_s32, lane_u32, 32, find_top(a[l], true, 32, false))
OP_UNARY(bfind_u64, lane_u64, 32, find_top(a[l], false, 64, false))
OP_UNARY(bfind_s64, lane_u64, 32, find_top(a[l], true, 64, false))
OP_UNARY(bfind_shift_u32, lane_u32, 32, find_top(a[l], false, 32, true))
OP_UNARY(bfind_shift_s32, lane_u32, 32, find_top(a[l], true, 32, true))
OP_UNARY(bfind_shift_u64, lane_u64, 32, find_top(a[l], false, 64, true))
OP_UNARY(bfind_shift_s64, lane_u64, 32, find_top(a[l], true, 64, true))

static inline uint32_t field_mask(uint32_t a, uint32_t b, bool wrap)
{
	if (wrap) {
		uint64_t run = low_bits(b & 31) << (a & 31);
		return (uint32_t)run;
	}
	return a >= 32 ? 0 : (uint32_t)(low_bits(b > 32 ? 32 : b) << a);
}

OP_BINARY(bmsk_clamp, lane_u32, 32, field_mask(a[l], b[l], false))
OP_BINARY(bmsk_wrap, lane_u32, 32, field_mask(a[l], b[l], true))

static inline uint32_t sign_or_zero(uint32_t a, uint32_t b, bool is_signed, bool wrap)
{
	uint32_t length = wrap ? b & 31 : b;
	if (length >= 32)
		return a;
	return (uint32_t)extract(a, 0, length, 32, is_signed);
}

OP_BINARY(szext_clamp_u32, lane_u32, 32, sign_or_zero(a[l], b[l], false, false))
OP_BINARY(szext_clamp_s32, lane_u32, 32, sign_or_zero(a[l], b[l], true, false))
OP_BINARY(szext_wrap_u32, lane_u32, 32, sign_or_zero(a[l], b[l], false, true))
OP_BINARY(szext_wrap_s32, lane_u32, 32, sign_or_zero(a[l], b[l], true, true))

/* The n-th set bit from base on; n < 0 looks downwards, 0 asks about base. */
static inline uint32_t find_nth(uint32_t mask, uint32_t base, int32_t n)
{
	int32_t step = n < 0 ? -1 : 1;
	int64_t left = n < 0 ? -(int64_t)n : n;
	if (n == 0)
		return base < 32 && (mask >> base & 1) ? base : 0xffffffffu;
	for (int64_t at = base; at >= 0 && at < 32; at += step)
		if ((mask >> at & 1) && --left == 0)
			return (uint32_t)at;
	return 0xffffffffu;
}

OP_TERNARY(fns, lane_u32, 32, find_nth(a[l], b[l], (int32_t)c[l]))

static inline uint32_t permute(uint32_t a, uint32_t b, uint32_t selector)
{
	uint64_t bytes = (uint64_t)b << 32 | a;
	uint32_t r = 0;
	for (unsigned i = 0; i < 4; i++) {
		uint32_t nibble = selector >> (4 * i) & 15;
		uint32_t byte = (uint32_t)(bytes >> (8 * (nibble & 7)) & 0xff);
		if (nibble & 8)
			byte = byte & 0x80 ? 0xff : 0;
		r |= byte << (8 * i);
	}
	return r;
}

static const uint16_t modes_f4e[4] = {0x3210, 0x4321, 0x5432, 0x6543};
static const uint16_t modes_b4e[4] = {0x5670, 0x6701, 0x7012, 0x0123};
static const uint16_t modes_rc8[4] = {0x0000, 0x1111, 0x2222, 0x3333};
static const uint16_t modes_ecl[4] = {0x3210, 0x3211, 0x3222, 0x3333};
static const uint16_t modes_ecr[4] = {0x0000, 0x1110, 0x2210, 0x3210};
static const uint16_t modes_rc16[4] = {0x1010, 0x3232, 0x1010, 0x3232};

OP_TERNARY(prmt, lane_u32, 32, permute(a[l], b[l], c[l]))
OP_TERNARY(prmt_f4e, lane_u32, 32, permute(a[l], b[l], modes_f4e[c[l] & 3]))
OP_TERNARY(prmt_b4e, lane_u32, 32, permute(a[l], b[l], modes_b4e[c[l] & 3]))
OP_TERNARY(prmt_rc8, lane_u32, 32, permute(a[l], b[l], modes_rc8[c[l] & 3]))
OP_TERNARY(prmt_ecl, lane_u32, 32, permute(a[l], b[l], modes_ecl[c[l] & 3]))
OP_TERNARY(prmt_ecr, lane_u32, 32, permute(a[l], b[l], modes_ecr[c[l] & 3]))
OP_TERNARY(prmt_rc16, lane_u32, 32, permute(a[l], b[l], modes_rc16[c[l] & 3]))

/* The table is a constant: bit i of it says what the inputs' bits i give. */
OP_HEAD(lop3)
{
	const lane_u32 *a = OPERAND(const lane_u32, 1);
	const lane_u32 *b = OPERAND(const lane_u32, 2);
	const lane_u32 *c = OPERAND(const lane_u32, 3);
	uint32_t table = *OPERAND(const lane_u32, 4);
	uint32_t result[LANES] = {0};
	for (unsigned i = 0; i < 8; i++) {
		if (!(table >> i & 1))
			continue;
		uint32_t na = i & 4 ? 0 : MASK_ALL, nb = i & 2 ? 0 : MASK_ALL;
		uint32_t nc = i & 1 ? 0 : MASK_ALL;
		for (unsigned l = 0; l < LANES; l++)
			result[l] |= (a[l] ^ na) & (b[l] ^ nb) & (c[l] ^ nc);
	}
	op_put_32(OPERAND(void, 0), result, mask);
	return FLOW_NEXT;
}

static inline uint64_t funnel(uint32_t a, uint32_t b)
{
	return (uint64_t)b << 32 | a;
}

#define CLAMP_32(x) ((x) > 32 ? 32 : (x))
OP_TERNARY(shf_l_wrap, lane_u32, 32, funnel(a[l], b[l]) << (c[l] & 31) >> 32)
OP_TERNARY(shf_r_wrap, lane_u32, 32, funnel(a[l], b[l]) >> (c[l] & 31))
OP_TERNARY(shf_l_clamp, lane_u32, 32, funnel(a[l], b[l]) << CLAMP_32(c[l]) >> 32)
OP_TERNARY(shf_r_clamp, lane_u32, 32, funnel(a[l], b[l]) >> CLAMP_32(c[l]))

#define BYTE_u(x, i) ((uint32_t)((x) >> (8 * (i)) & 0xff))
#define BYTE_s(x, i) ((uint32_t)(int32_t)(int8_t)((x) >> (8 * (i)) & 0xff))
#define HALF_u(x, i) ((uint32_t)((x) >> (16 * (i)) & 0xffff))
#define HALF_s(x, i) ((uint32_t)(int32_t)(int16_t)((x) >> (16 * (i)) & 0xffff))
#define DP4A(ta, tb)                                                          \
	OP_TERNARY(dp4a_##ta##tb, lane_u32, 32, c[l] +                        \
		   BYTE_##ta(a[l], 0) * BYTE_##tb(b[l], 0) +                  \
		   BYTE_##ta(a[l], 1) * BYTE_##tb(b[l], 1) +                  \
		   BYTE_##ta(a[l], 2) * BYTE_##tb(b[l], 2) +                  \
		   BYTE_##ta(a[l], 3) * BYTE_##tb(b[l], 3))
#define DP2A(name, ta, tb, first)                                             \
	OP_TERNARY(name##_##ta##tb, lane_u32, 32, c[l] +                      \
		   HALF_##ta(a[l], 0) * BYTE_##tb(b[l], first) +              \
		   HALF_##ta(a[l], 1) * BYTE_##tb(b[l], (first) + 1))
#define DOTS(ta, tb) DP4A(ta, tb) DP2A(dp2a_lo, ta, tb, 0) DP2A(dp2a_hi, ta, tb, 2)
DOTS(u, u)
DOTS(u, s)
DOTS(s, u)
DOTS(s, s)

/* Sums with a flag per lane.  The flag goes in only if uses, out only if sets.  It is the carry of an adder: a
 * difference sets it where there is no borrow, as on a GPU.  The code of libnvvm for quotients of 128-bit integers
 * depends on that: it reads with addc what subc.cc left. */
#define CARRY(name, n, value, carry_out, uses, sets)                          \
	OP_HEAD(name)                                                         \
	{                                                                     \
		const lane_u##n *a = OPERAND(const lane_u##n, 1);             \
		const lane_u##n *b = OPERAND(const lane_u##n, 2);             \
		uint##n##_t result[LANES];                                    \
		uint32_t flags = 0;                                           \
		for (unsigned l = 0; l < LANES; l++) {                        \
			uint##n##_t in = (uses) ? warp->carry >> l & 1 : 0;   \
			uint##n##_t x = a[l], y = b[l], r = (uint##n##_t)(value); \
			(void)in;                                             \
			result[l] = r;                                        \
			flags |= (carry_out) ? 1u << l : 0;                   \
		}                                                             \
		op_put_##n(OPERAND(void, 0), result, mask);                   \
		if (sets)                                                     \
			warp->carry = (warp->carry & ~mask) | (flags & mask); \
		return FLOW_NEXT;                                             \
	}
#define SUMS(n)                                                               \
	CARRY(add_cc_##n, n, x + y, r < x, false, true)                       \
	CARRY(addc_##n, n, x + y + in, false, true, false)                    \
	CARRY(addc_cc_##n, n, x + y + in, r < x || (in && r == x), true, true) \
	CARRY(sub_cc_##n, n, x - y, x >= y, false, true)                      \
	CARRY(subc_##n, n, x - y - !in, false, true, false)                   \
	CARRY(subc_cc_##n, n, x - y - !in, x > y || (in && x == y), true, true)

SUMS(32)
SUMS(64)

static inline uint64_t product_high(uint64_t a, uint64_t b, bool is_signed)
{
	uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
	uint64_t low = al * bl, middle = ah * bl + (low >> 32);
	uint64_t other = al * bh + (uint32_t)middle;
	uint64_t high = ah * bh + (middle >> 32) + (other >> 32);
	if (is_signed)
		high -= ((int64_t)a < 0 ? b : 0) + ((int64_t)b < 0 ? a : 0);
	return high;
}

static inline uint32_t product_high_32(uint32_t a, uint32_t b, bool is_signed)
{
	if (is_signed)
		return (uint32_t)((uint64_t)((int64_t)(int32_t)a * (int32_t)b) >> 32);
	return (uint32_t)((uint64_t)a * b >> 32);
}

#define PRODUCT_32(x, y, s) product_high_32(x, y, s)
#define PRODUCT_64(x, y, s) product_high(x, y, s)
#define MAD(name, n, product, uses, sets)                                     \
	OP_HEAD(name)                                                         \
	{                                                                     \
		const lane_u##n *a = OPERAND(const lane_u##n, 1);             \
		const lane_u##n *b = OPERAND(const lane_u##n, 2);             \
		const lane_u##n *c = OPERAND(const lane_u##n, 3);             \
		uint##n##_t result[LANES];                                    \
		uint32_t flags = 0;                                           \
		for (unsigned l = 0; l < LANES; l++) {                        \
			uint##n##_t in = (uses) ? warp->carry >> l & 1 : 0;   \
			uint##n##_t p = (uint##n##_t)(product);               \
			uint##n##_t r = p + c[l] + in;                        \
			result[l] = r;                                        \
			flags |= r < p || (in && r == p) ? 1u << l : 0;       \
		}                                                             \
		op_put_##n(OPERAND(void, 0), result, mask);                   \
		if (sets)                                                     \
			warp->carry = (warp->carry & ~mask) | (flags & mask); \
		return FLOW_NEXT;                                             \
	}
#define MADS(n)                                                               \
	MAD(mad_lo_cc_##n, n, a[l] * b[l], false, true)                       \
	MAD(madc_lo_##n, n, a[l] * b[l], true, false)                         \
	MAD(madc_lo_cc_##n, n, a[l] * b[l], true, true)                       \
	MAD(mad_hi_cc_u##n, n, PRODUCT_##n(a[l], b[l], false), false, true)   \
	MAD(mad_hi_cc_s##n, n, PRODUCT_##n(a[l], b[l], true), false, true)    \
	MAD(madc_hi_u##n, n, PRODUCT_##n(a[l], b[l], false), true, false)     \
	MAD(madc_hi_s##n, n, PRODUCT_##n(a[l], b[l], true), true, false)      \
	MAD(madc_hi_cc_u##n, n, PRODUCT_##n(a[l], b[l], false), true, true)   \
	MAD(madc_hi_cc_s##n, n, PRODUCT_##n(a[l], b[l], true), true, true)

MADS(32)
MADS(64)

#define BOTH(name, n, shape, fn) {name ".u" #n, shape, fn}, {name ".s" #n, shape, fn}
#define EACH(name, n, shape, fn) {name ".u" #n, shape, fn##_u##n}, \
				 {name ".s" #n, shape, fn##_s##n}
#define CARRY_ROWS(n, w)                                                      \
	BOTH("add.cc", n, w w w, add_cc_##n), BOTH("addc", n, w w w, addc_##n), \
	BOTH("addc.cc", n, w w w, addc_cc_##n), BOTH("sub.cc", n, w w w, sub_cc_##n), \
	BOTH("subc", n, w w w, subc_##n), BOTH("subc.cc", n, w w w, subc_cc_##n), \
	BOTH("mad.lo.cc", n, w w w w, mad_lo_cc_##n),                         \
	BOTH("madc.lo", n, w w w w, madc_lo_##n),                             \
	BOTH("madc.lo.cc", n, w w w w, madc_lo_cc_##n),                       \
	EACH("mad.hi.cc", n, w w w w, mad_hi_cc), EACH("madc.hi", n, w w w w, madc_hi), \
	EACH("madc.hi.cc", n, w w w w, madc_hi_cc)
#define DOT_ROWS(ta, tb)                                                      \
	{"dp4a." #ta "32." #tb "32", "wwww", dp4a_##ta##tb},                  \
	{"dp2a.lo." #ta "32." #tb "32", "wwww", dp2a_lo_##ta##tb},            \
	{"dp2a.hi." #ta "32." #tb "32", "wwww", dp2a_hi_##ta##tb}

static const struct op_row rows[] = {
	{"bfe.u32", "wwww", bfe_u32}, {"bfe.s32", "wwww", bfe_s32},
	{"bfe.u64", "llww", bfe_u64}, {"bfe.s64", "llww", bfe_s64},
	{"bfi.b32", "wwwww", bfi_32}, {"bfi.b64", "lllww", bfi_64},
	{"popc.b32", "ww", op_popc_32}, {"popc.b64", "wl", op_popc_64},
	{"clz.b32", "ww", op_clz_32}, {"clz.b64", "wl", op_clz_64},
	{"brev.b32", "ww", brev_32}, {"brev.b64", "ll", brev_64},
	EACH("bfind", 32, "ww", bfind), EACH("bfind", 64, "wl", bfind),
	EACH("bfind.shiftamt", 32, "ww", bfind_shift),
	EACH("bfind.shiftamt", 64, "wl", bfind_shift),
	{"bmsk.clamp.b32", "www", bmsk_clamp}, {"bmsk.wrap.b32", "www", bmsk_wrap},
	EACH("szext.clamp", 32, "www", szext_clamp), EACH("szext.wrap", 32, "www", szext_wrap),
	{"fns.b32", "wwww", fns}, {"prmt.b32", "wwww", prmt}, {"prmt.b32.f4e", "wwww", prmt_f4e},
	{"prmt.b32.b4e", "wwww", prmt_b4e}, {"prmt.b32.rc8", "wwww", prmt_rc8},
	{"prmt.b32.ecl", "wwww", prmt_ecl}, {"prmt.b32.ecr", "wwww", prmt_ecr},
	{"prmt.b32.rc16", "wwww", prmt_rc16}, {"lop3.b32", "wwwww", lop3},
	{"shf.l.wrap.b32", "wwww", shf_l_wrap}, {"shf.r.wrap.b32", "wwww", shf_r_wrap},
	{"shf.l.clamp.b32", "wwww", shf_l_clamp}, {"shf.r.clamp.b32", "wwww", shf_r_clamp},
	DOT_ROWS(u, u), DOT_ROWS(u, s), DOT_ROWS(s, u), DOT_ROWS(s, s),
	CARRY_ROWS(32, "w"), CARRY_ROWS(64, "l")
};

EXEC_TABLE_HOT(exec_rows_wide)
