/* Integer arithmetic, logic and shifts that have one result lane by lane. */
#include "config.h"

#include "softcuda/exec/table.h"

static inline uint64_t high_u64(uint64_t a, uint64_t b)
{
	uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
	uint64_t low = al * bl, middle = ah * bl + (low >> 32);
	uint64_t other = al * bh + (uint32_t)middle;
	return ah * bh + (middle >> 32) + (other >> 32);
}

static inline uint64_t high_s64(uint64_t a, uint64_t b)
{
	return high_u64(a, b) - ((int64_t)a < 0 ? b : 0) - ((int64_t)b < 0 ? a : 0);
}

static inline uint32_t high_u32(uint32_t a, uint32_t b)
{
	return (uint32_t)((uint64_t)a * b >> 32);
}

static inline uint32_t high_s32(uint32_t a, uint32_t b)
{
	return (uint32_t)((uint64_t)((int64_t)(int32_t)a * (int32_t)b) >> 32);
}

static inline uint16_t high_u16(uint16_t a, uint16_t b)
{
	return (uint16_t)((uint32_t)a * b >> 16);
}

static inline uint16_t high_s16(uint16_t a, uint16_t b)
{
	return (uint16_t)((uint32_t)((int32_t)(int16_t)a * (int16_t)b) >> 16);
}

/* By zero quotient and rest are all ones, as on hardware; the ISA promises nothing. */
#define DIVISIONS(n)                                                                  \
	static inline uint##n##_t quotient_u##n(uint##n##_t a, uint##n##_t b)         \
	{                                                                             \
		return b ? (uint##n##_t)(a / b) : (uint##n##_t)-1;                    \
	}                                                                             \
	static inline uint##n##_t rest_u##n(uint##n##_t a, uint##n##_t b)             \
	{                                                                             \
		return b ? (uint##n##_t)(a % b) : (uint##n##_t)-1;                    \
	}                                                                             \
	static inline uint##n##_t quotient_s##n(uint##n##_t a, uint##n##_t b)         \
	{                                                                             \
		if (!b || b == (uint##n##_t)-1)                                       \
			return b ? (uint##n##_t)(0u - a) : (uint##n##_t)-1;           \
		return (uint##n##_t)((int##n##_t)a / (int##n##_t)b);                  \
	}                                                                             \
	static inline uint##n##_t rest_s##n(uint##n##_t a, uint##n##_t b)             \
	{                                                                             \
		if (!b || b == (uint##n##_t)-1)                                       \
			return b ? 0 : (uint##n##_t)-1;                               \
		return (uint##n##_t)((int##n##_t)a % (int##n##_t)b);                  \
	}

DIVISIONS(16)
DIVISIONS(32)
DIVISIONS(64)

#define S(n, x) ((int##n##_t)(x))

/* The amount of a shift is 32 bits wide, whatever is shifted. */
#define OP_SHIFT(name, lanes, put, expression)                                \
	OP_HEAD(name)                                                         \
	{                                                                     \
		const lanes *a = OPERAND(const lanes, 1);                     \
		const lane_u32 *b = OPERAND(const lane_u32, 2);               \
		OP_RESULT(put, expression)                                    \
	}

#define INTEGERS(n)                                                                   \
	OP_BINARY(add_##n, lane_u##n, n, a[l] + b[l])                                 \
	OP_BINARY(sub_##n, lane_u##n, n, a[l] - b[l])                                 \
	OP_BINARY(mul_lo_##n, lane_u##n, n, (uint64_t)a[l] * b[l])                    \
	OP_BINARY(mul_hi_u##n, lane_u##n, n, high_u##n(a[l], b[l]))                   \
	OP_BINARY(mul_hi_s##n, lane_u##n, n, high_s##n(a[l], b[l]))                   \
	OP_TERNARY(mad_lo_##n, lane_u##n, n, (uint64_t)a[l] * b[l] + c[l])            \
	OP_TERNARY(mad_hi_u##n, lane_u##n, n, high_u##n(a[l], b[l]) + c[l])           \
	OP_TERNARY(mad_hi_s##n, lane_u##n, n, high_s##n(a[l], b[l]) + c[l])           \
	OP_TERNARY(sad_u##n, lane_u##n, n,                                            \
		   c[l] + (a[l] < b[l] ? b[l] - a[l] : a[l] - b[l]))                  \
	OP_TERNARY(sad_s##n, lane_u##n, n,                                            \
		   c[l] + (S(n, a[l]) < S(n, b[l]) ? b[l] - a[l] : a[l] - b[l]))      \
	OP_BINARY(div_u##n, lane_u##n, n, quotient_u##n(a[l], b[l]))                  \
	OP_BINARY(div_s##n, lane_u##n, n, quotient_s##n(a[l], b[l]))                  \
	OP_BINARY(rem_u##n, lane_u##n, n, rest_u##n(a[l], b[l]))                      \
	OP_BINARY(rem_s##n, lane_u##n, n, rest_s##n(a[l], b[l]))                      \
	OP_BINARY(min_u##n, lane_u##n, n, a[l] < b[l] ? a[l] : b[l])                  \
	OP_BINARY(max_u##n, lane_u##n, n, a[l] > b[l] ? a[l] : b[l])                  \
	OP_BINARY(min_s##n, lane_s##n, n, a[l] < b[l] ? a[l] : b[l])                  \
	OP_BINARY(max_s##n, lane_s##n, n, a[l] > b[l] ? a[l] : b[l])                  \
	OP_UNARY(abs_s##n, lane_u##n, n, S(n, a[l]) < 0 ? 0u - a[l] : a[l])           \
	OP_UNARY(neg_s##n, lane_u##n, n, 0u - a[l])                                   \
	OP_BINARY(and_##n, lane_u##n, n, a[l] & b[l])                                 \
	OP_BINARY(or_##n, lane_u##n, n, a[l] | b[l])                                  \
	OP_BINARY(xor_##n, lane_u##n, n, a[l] ^ b[l])                                 \
	OP_UNARY(not_##n, lane_u##n, n, ~a[l])                                        \
	OP_UNARY(cnot_##n, lane_u##n, n, a[l] == 0)                                   \
	OP_SHIFT(shl_##n, lane_u##n, n, b[l] < n ? (uint64_t)a[l] << (b[l] & 63) : 0) \
	OP_SHIFT(shr_u##n, lane_u##n, n, b[l] < n ? (uint64_t)a[l] >> (b[l] & 63) : 0) \
	OP_SHIFT(shr_s##n, lane_s##n, n, (int64_t)a[l] >> (b[l] < n ? b[l] : n - 1))

INTEGERS(16)
INTEGERS(32)
INTEGERS(64)

/* r is wider than a and b; c, if any, is as wide as r. */
#define WIDE(name, lanes, put, wide, addend)                                  \
	OP_HEAD(name)                                                         \
	{                                                                     \
		const lanes *a = OPERAND(const lanes, 1);                     \
		const lanes *b = OPERAND(const lanes, 2);                     \
		const lane_u##put *c = OPERAND(const lane_u##put, addend);    \
		OP_RESULT(put, (OP_UINT_##put)((wide)a[l] * (wide)b[l]) +     \
			  ((addend) == 3 ? c[l] : 0))                         \
	}

WIDE(mul_wide_u16, lane_u16, 32, uint32_t, 1)
WIDE(mul_wide_s16, lane_s16, 32, int32_t, 1)
WIDE(mul_wide_u32, lane_u32, 64, uint64_t, 1)
WIDE(mul_wide_s32, lane_s32, 64, int64_t, 1)
WIDE(mad_wide_u16, lane_u16, 32, uint32_t, 3)
WIDE(mad_wide_s16, lane_s16, 32, int32_t, 3)
WIDE(mad_wide_u32, lane_u32, 64, uint64_t, 3)
WIDE(mad_wide_s32, lane_s32, 64, int64_t, 3)

static inline int32_t saturate(int64_t value)
{
	return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

OP_BINARY(add_sat, lane_s32, 32, saturate((int64_t)a[l] + b[l]))
OP_BINARY(sub_sat, lane_s32, 32, saturate((int64_t)a[l] - b[l]))
OP_TERNARY(mad_hi_sat, lane_s32, 32,
	   saturate((int64_t)(int32_t)high_s32((uint32_t)a[l], (uint32_t)b[l]) + c[l]))

#define LOW_24_U(x) ((uint64_t)((x) & 0xffffffu))
#define LOW_24_S(x) ((int64_t)((int32_t)((uint32_t)(x) << 8) >> 8))
OP_BINARY(mul24_lo_u, lane_u32, 32, LOW_24_U(a[l]) * LOW_24_U(b[l]))
OP_BINARY(mul24_hi_u, lane_u32, 32, LOW_24_U(a[l]) * LOW_24_U(b[l]) >> 16)
OP_BINARY(mul24_lo_s, lane_u32, 32, LOW_24_S(a[l]) * LOW_24_S(b[l]))
OP_BINARY(mul24_hi_s, lane_u32, 32, LOW_24_S(a[l]) * LOW_24_S(b[l]) >> 16)
OP_TERNARY(mad24_lo_u, lane_u32, 32, LOW_24_U(a[l]) * LOW_24_U(b[l]) + c[l])
OP_TERNARY(mad24_hi_u, lane_u32, 32, (LOW_24_U(a[l]) * LOW_24_U(b[l]) >> 16) + c[l])
OP_TERNARY(mad24_lo_s, lane_u32, 32, (uint64_t)(LOW_24_S(a[l]) * LOW_24_S(b[l])) + c[l])
OP_TERNARY(mad24_hi_s, lane_u32, 32,
	   (uint64_t)(LOW_24_S(a[l]) * LOW_24_S(b[l]) >> 16) + c[l])
OP_TERNARY(mad24_hi_sat, lane_s32, 32,
	   saturate((int32_t)((uint64_t)(LOW_24_S(a[l]) * LOW_24_S(b[l])) >> 16) + (int64_t)c[l]))

/* Two 16-bit lanes in 32 bits. */
#define PAIRED(name, type, expression)                                        \
	static inline uint16_t name##_half(type x, type y)                    \
	{                                                                     \
		return (uint16_t)(expression);                                \
	}                                                                     \
	OP_BINARY(name, lane_u32, 32,                                         \
		  name##_half((type)a[l], (type)b[l]) |                       \
		  (uint32_t)name##_half((type)(a[l] >> 16), (type)(b[l] >> 16)) << 16)

PAIRED(add_16x2, uint16_t, x + y)
PAIRED(min_u16x2, uint16_t, x < y ? x : y)
PAIRED(max_u16x2, uint16_t, x > y ? x : y)
PAIRED(min_s16x2, int16_t, x < y ? x : y)
PAIRED(max_s16x2, int16_t, x > y ? x : y)
OP_BINARY(min_relu_s32, lane_s32, 32, (a[l] < b[l] ? a[l] : b[l]) < 0 ? 0 :
	  (a[l] < b[l] ? a[l] : b[l]))
OP_BINARY(max_relu_s32, lane_s32, 32, (a[l] > b[l] ? a[l] : b[l]) < 0 ? 0 :
	  (a[l] > b[l] ? a[l] : b[l]))

static enum flow and_pred(struct warp *warp, const struct op *op, uint32_t mask)
{
	op_put_predicate(OPERAND(void, 0), op_predicate(warp, op->x[1]) &
			 op_predicate(warp, op->x[2]), mask);
	return FLOW_NEXT;
}

static enum flow or_pred(struct warp *warp, const struct op *op, uint32_t mask)
{
	op_put_predicate(OPERAND(void, 0), op_predicate(warp, op->x[1]) |
			 op_predicate(warp, op->x[2]), mask);
	return FLOW_NEXT;
}

static enum flow xor_pred(struct warp *warp, const struct op *op, uint32_t mask)
{
	op_put_predicate(OPERAND(void, 0), op_predicate(warp, op->x[1]) ^
			 op_predicate(warp, op->x[2]), mask);
	return FLOW_NEXT;
}

static enum flow not_pred(struct warp *warp, const struct op *op, uint32_t mask)
{
	op_put_predicate(OPERAND(void, 0), ~op_predicate(warp, op->x[1]), mask);
	return FLOW_NEXT;
}

#define BOTH(name, n, shape, fn) {name ".u" #n, shape, fn}, {name ".s" #n, shape, fn}
#define EACH(name, n, shape, fn) {name ".u" #n, shape, fn##_u##n}, \
				 {name ".s" #n, shape, fn##_s##n}
#define ROWS(n, w)                                                            \
	BOTH("add", n, w w w, add_##n), BOTH("sub", n, w w w, sub_##n),       \
	BOTH("mul.lo", n, w w w, mul_lo_##n), EACH("mul.hi", n, w w w, mul_hi), \
	BOTH("mad.lo", n, w w w w, mad_lo_##n), EACH("mad.hi", n, w w w w, mad_hi), \
	EACH("sad", n, w w w w, sad), EACH("div", n, w w w, div),             \
	EACH("rem", n, w w w, rem), EACH("min", n, w w w, min),               \
	EACH("max", n, w w w, max), {"abs.s" #n, w w, abs_s##n},              \
	{"neg.s" #n, w w, neg_s##n}, {"and.b" #n, w w w, and_##n},            \
	{"or.b" #n, w w w, or_##n}, {"xor.b" #n, w w w, xor_##n},             \
	{"not.b" #n, w w, not_##n}, {"cnot.b" #n, w w, cnot_##n},             \
	{"shl.b" #n, w w "w", shl_##n}, {"shr.b" #n, w w "w", shr_u##n},      \
	EACH("shr", n, w w "w", shr)

static const struct op_row rows[] = {
	ROWS(16, "h"), ROWS(32, "w"), ROWS(64, "l"),
	{"mul.wide.u16", "whh", mul_wide_u16}, {"mul.wide.s16", "whh", mul_wide_s16},
	{"mul.wide.u32", "lww", mul_wide_u32}, {"mul.wide.s32", "lww", mul_wide_s32},
	{"mad.wide.u16", "whhw", mad_wide_u16}, {"mad.wide.s16", "whhw", mad_wide_s16},
	{"mad.wide.u32", "lwwl", mad_wide_u32}, {"mad.wide.s32", "lwwl", mad_wide_s32},
	{"add.sat.s32", "www", add_sat}, {"sub.sat.s32", "www", sub_sat},
	{"mad.hi.sat.s32", "wwww", mad_hi_sat},
	{"mul24.lo.u32", "www", mul24_lo_u}, {"mul24.hi.u32", "www", mul24_hi_u},
	{"mul24.lo.s32", "www", mul24_lo_s}, {"mul24.hi.s32", "www", mul24_hi_s},
	{"mad24.lo.u32", "wwww", mad24_lo_u}, {"mad24.hi.u32", "wwww", mad24_hi_u},
	{"mad24.lo.s32", "wwww", mad24_lo_s}, {"mad24.hi.s32", "wwww", mad24_hi_s},
	{"mad24.hi.sat.s32", "wwww", mad24_hi_sat},
	{"add.u16x2", "www", add_16x2}, {"add.s16x2", "www", add_16x2},
	{"min.u16x2", "www", min_u16x2}, {"max.u16x2", "www", max_u16x2},
	{"min.s16x2", "www", min_s16x2}, {"max.s16x2", "www", max_s16x2},
	{"min.relu.s32", "www", min_relu_s32}, {"max.relu.s32", "www", max_relu_s32},
	{"and.pred", "ppp", and_pred}, {"or.pred", "ppp", or_pred},
	{"xor.pred", "ppp", xor_pred}, {"not.pred", "pp", not_pred}
};

EXEC_TABLE_HOT(exec_rows_integer)
