/* f32 and f64 arithmetic rounded to nearest even, as the host does it. */
#include "config.h"

#include "softcuda/exec/real.h"
#include "softcuda/exec/table.h"

#define SAME(x) (x)

/* Four variants of a f32 handler: as is, .ftz, .sat, .ftz.sat.  expression takes
 * x, y, z; in flushes operands, out flushes and clamps the result. */
#define F32_VARIANT(name, form, in, out, expression)                          \
	OP_HEAD(name)                                                         \
	{                                                                     \
		const lane_f32 *a = OPERAND(const lane_f32, 1);               \
		const lane_f32 *b = OPERAND(const lane_f32, (form) > 1 ? 2 : 1); \
		const lane_f32 *c = OPERAND(const lane_f32, (form) > 2 ? 3 : 1); \
		uint32_t result[LANES];                                       \
		for (unsigned l = 0; l < LANES; l++) {                        \
			const float x = in(a[l]), y = in(b[l]), z = in(c[l]); \
			(void)y;                                              \
			(void)z;                                              \
			result[l] = result_f32(out(expression));              \
		}                                                             \
		op_put_32(OPERAND(void, 0), result, mask);                    \
		return FLOW_NEXT;                                             \
	}
#define FLUSH_SAT(x) sat_f32(ftz_f32(x))
#define F32(name, form, expression, wide)                                     \
	F32_VARIANT(name##_f32, form, SAME, SAME, expression)                 \
	F32_VARIANT(name##_f32_sat, form, SAME, sat_f32, expression)          \
	F32_FLUSHED(name##_f32_ftz, form, ftz_f32, expression, wide)          \
	F32_FLUSHED(name##_f32_ftz_sat, form, FLUSH_SAT, expression, wide)
#define F32_SUM(name, form, expression)                                       \
	F32_VARIANT(name##_f32, form, SAME, SAME, expression)                 \
	F32_VARIANT(name##_f32_ftz, form, ftz_f32, ftz_f32, expression)       \
	F32_VARIANT(name##_f32_sat, form, SAME, sat_f32, expression)          \
	F32_VARIANT(name##_f32_ftz_sat, form, ftz_f32, FLUSH_SAT, expression)

/* .ftz of products and quotients: a result that only rounding lifts to the least
 * normal number was subnormal.  wide is the expression again, in double. */
#define F32_FLUSHED(name, form, out, expression, wide)                        \
	OP_HEAD(name)                                                         \
	{                                                                     \
		const lane_f32 *a = OPERAND(const lane_f32, 1);               \
		const lane_f32 *b = OPERAND(const lane_f32, (form) > 1 ? 2 : 1); \
		const lane_f32 *c = OPERAND(const lane_f32, (form) > 2 ? 3 : 1); \
		uint32_t result[LANES], least = 0;                            \
		for (unsigned l = 0; l < LANES; l++) {                        \
			const float x = ftz_f32(a[l]), y = ftz_f32(b[l]);     \
			const float z = ftz_f32(c[l]);                        \
			(void)y;                                              \
			(void)z;                                              \
			result[l] = result_f32(out(expression));              \
			least |= (result[l] & 0x7fffffff) == LEAST_32;        \
		}                                                             \
		for (unsigned l = 0; least && l < LANES; l++) {               \
			const double x = ftz_f32(a[l]), y = ftz_f32(b[l]);    \
			const double z = ftz_f32(c[l]);                       \
			(void)y;                                              \
			(void)z;                                              \
			result[l] = flush_least(result[l], wide);             \
		}                                                             \
		op_put_32(OPERAND(void, 0), result, mask);                    \
		return FLOW_NEXT;                                             \
	}

#define F64(name, form, expression)                                           \
	OP_HEAD(name##_f64)                                                   \
	{                                                                     \
		const lane_f64 *a = OPERAND(const lane_f64, 1);               \
		const lane_f64 *b = OPERAND(const lane_f64, (form) > 1 ? 2 : 1); \
		const lane_f64 *c = OPERAND(const lane_f64, (form) > 2 ? 3 : 1); \
		uint64_t result[LANES];                                       \
		for (unsigned l = 0; l < LANES; l++) {                        \
			const double x = a[l], y = b[l], z = c[l];            \
			result[l] = result_f64(expression, x, y, z);          \
		}                                                             \
		op_put_64(OPERAND(void, 0), result, mask);                    \
		return FLOW_NEXT;                                             \
	}

F32_SUM(add, 2, x + y)
F32_SUM(sub, 2, x - y)
F32(mul, 2, x * y, x * y)
F32_VARIANT(div_f32, 2, SAME, SAME, x / y)
F32_FLUSHED(div_f32_ftz, 2, ftz_f32, x / y, x / y)
F32_VARIANT(rcp_f32, 1, SAME, SAME, 1.0f / x)
F32_FLUSHED(rcp_f32_ftz, 1, ftz_f32, 1.0f / x, 1.0 / x)
F32_VARIANT(sqrt_f32, 1, SAME, SAME, sqrtf(x))
F32_VARIANT(sqrt_f32_ftz, 1, ftz_f32, ftz_f32, sqrtf(x))
F64(add, 2, x + y)
F64(sub, 2, x - y)
F64(mul, 2, x * y)
F64(div, 2, x / y)
F64(rcp, 1, 1.0 / x)
F64(sqrt, 1, sqrt(x))

/* One instruction where the level of the processor has it, else a call for each lane. */
F32_VARIANT(fma_f32, 3, SAME, SAME, fmaf(x, y, z))
F64(fma, 3, fma(x, y, z))
F32_FLUSHED(fma_f32_ftz, 3, ftz_f32, fmaf(x, y, z), x * y + z)
F32_VARIANT(fma_f32_sat, 3, SAME, sat_f32, fmaf(x, y, z))
F32_FLUSHED(fma_f32_ftz_sat, 3, FLUSH_SAT, fmaf(x, y, z), x * y + z)

/* -0 is less than +0; a NaN loses, or wins in the .NaN variants. */
static inline float least(float x, float y)
{
	if (x != x || y != y)
		return x != x ? y : x;
	return x == y ? f32_bits(bits_f32(x) | bits_f32(y)) : x < y ? x : y;
}

static inline float greatest(float x, float y)
{
	if (x != x || y != y)
		return x != x ? y : x;
	return x == y ? f32_bits(bits_f32(x) & bits_f32(y)) : x > y ? x : y;
}

static inline double least_f64(double x, double y)
{
	if (x != x || y != y)
		return x != x ? y : x;
	return x == y ? f64_bits(bits_f64(x) | bits_f64(y)) : x < y ? x : y;
}

static inline double greatest_f64(double x, double y)
{
	if (x != x || y != y)
		return x != x ? y : x;
	return x == y ? f64_bits(bits_f64(x) & bits_f64(y)) : x > y ? x : y;
}

static inline float signed_by(float value, float x, float y)
{
	uint32_t sign = (bits_f32(x) ^ bits_f32(y)) & 0x80000000;
	return f32_bits((bits_f32(value) & 0x7fffffff) | sign);
}

#define F32_PLAIN_FTZ(name, expression)                                       \
	F32_VARIANT(name##_f32, 2, SAME, SAME, expression)                    \
	F32_VARIANT(name##_f32_ftz, 2, ftz_f32, ftz_f32, expression)

F32_PLAIN_FTZ(min, least(x, y))
F32_PLAIN_FTZ(max, greatest(x, y))
F32_PLAIN_FTZ(min_nan, x != x || y != y ? NAN : least(x, y))
F32_PLAIN_FTZ(max_nan, x != x || y != y ? NAN : greatest(x, y))
F32_PLAIN_FTZ(min_xorsign, signed_by(least(fabsf(x), fabsf(y)), x, y))
F32_PLAIN_FTZ(max_xorsign, signed_by(greatest(fabsf(x), fabsf(y)), x, y))
F32_PLAIN_FTZ(min_nan_xorsign,
	      x != x || y != y ? NAN : signed_by(least(fabsf(x), fabsf(y)), x, y))
F32_PLAIN_FTZ(max_nan_xorsign,
	      x != x || y != y ? NAN : signed_by(greatest(fabsf(x), fabsf(y)), x, y))
F64(min, 2, least_f64(x, y))
F64(max, 2, greatest_f64(x, y))

/* Of three. */
#define F32_THREE(name, expression)                                           \
	F32_VARIANT(name##_f32, 3, SAME, SAME, expression)                    \
	F32_VARIANT(name##_f32_ftz, 3, ftz_f32, ftz_f32, expression)
#define ANY_NAN (x != x || y != y || z != z)

F32_THREE(min3, least(least(x, y), z))
F32_THREE(max3, greatest(greatest(x, y), z))
F32_THREE(min3_nan, ANY_NAN ? NAN : least(least(x, y), z))
F32_THREE(max3_nan, ANY_NAN ? NAN : greatest(greatest(x, y), z))

/* Two f32 in 64 bits. */
#define F32_PAIR(name, form, in, out, expression)                             \
	OP_HEAD(name)                                                         \
	{                                                                     \
		const lane_f32 *a = OPERAND(const lane_f32, 1);               \
		const lane_f32 *b = OPERAND(const lane_f32, 2);               \
		const lane_f32 *c = OPERAND(const lane_f32, (form) > 2 ? 3 : 1); \
		uint32_t result[2 * LANES];                                   \
		uint64_t pairs[LANES];                                        \
		for (unsigned l = 0; l < 2 * LANES; l++) {                    \
			const float x = in(a[l]), y = in(b[l]), z = in(c[l]); \
			(void)z;                                              \
			result[l] = result_f32(out(expression));              \
		}                                                             \
		memcpy(pairs, result, sizeof(pairs));                         \
		op_put_64(OPERAND(void, 0), pairs, mask);                     \
		return FLOW_NEXT;                                             \
	}
#define F32_PAIRS(name, form, expression)                                     \
	F32_PAIR(name##_f32x2, form, SAME, SAME, expression)                  \
	F32_PAIR(name##_f32x2_ftz, form, ftz_f32, ftz_f32, expression)

F32_PAIRS(add, 2, x + y)
F32_PAIRS(sub, 2, x - y)
F32_PAIRS(mul, 2, x * y)
F32_PAIRS(fma, 3, fmaf(x, y, z))

/* These are arithmetic: a NaN becomes the one NaN, in f64 it keeps its sign. */
F32_VARIANT(abs_f32, 1, SAME, SAME, fabsf(x))
F32_VARIANT(abs_f32_ftz, 1, ftz_f32, SAME, fabsf(x))
F32_VARIANT(neg_f32, 1, SAME, SAME, -x)
F32_VARIANT(neg_f32_ftz, 1, ftz_f32, SAME, -x)
F64(abs, 1, fabs(x))
F64(neg, 1, -x)
/* copysign: the first operand gives the sign. */
OP_BINARY(copysign_f32, lane_u32, 32, (a[l] & 0x80000000) | (b[l] & 0x7fffffff))
OP_BINARY(copysign_f64, lane_u64, 64,
	  (a[l] & UINT64_C(1) << 63) | (b[l] & ~(UINT64_C(1) << 63)))

/* testp: zero counts as normal. */
#define TEST(name, n, expression)                                             \
	OP_HEAD(name)                                                         \
	{                                                                     \
		const lane_u##n *a = OPERAND(const lane_u##n, 1);             \
		uint32_t result = 0;                                          \
		for (unsigned l = 0; l < LANES; l++) {                        \
			const uint##n##_t top = EXPONENT_##n;                 \
			uint##n##_t x = a[l] & ~((uint##n##_t)1 << (n - 1));  \
			result |= (expression) ? 1u << l : 0;                 \
		}                                                             \
		op_put_predicate(OPERAND(void, 0), result, mask);             \
		return FLOW_NEXT;                                             \
	}
#define EXPONENT_32 0x7f800000u
#define EXPONENT_64 UINT64_C(0x7ff0000000000000)
#define TESTS(n)                                                              \
	TEST(test_finite_##n, n, x < top)                                     \
	TEST(test_infinite_##n, n, x == top)                                  \
	TEST(test_number_##n, n, x <= top)                                    \
	TEST(test_nan_##n, n, x > top)                                        \
	TEST(test_normal_##n, n, x < top && ((x & top) || !x))                \
	TEST(test_subnormal_##n, n, x < top && !(x & top) && x)

TESTS(32)
TESTS(64)

/* Names with and without .rn mean one thing; plain mul and add only allow what
 * we do not do, to be fused. */
#define ROWS_F32(name, shape, fn)                                             \
	{name ".f32", shape, fn##_f32}, {name ".ftz.f32", shape, fn##_f32_ftz}, \
	{name ".sat.f32", shape, fn##_f32_sat},                               \
	{name ".ftz.sat.f32", shape, fn##_f32_ftz_sat}
#define TEST_ROWS(n, shape)                                                   \
	{"testp.finite.f" #n, shape, test_finite_##n},                        \
	{"testp.infinite.f" #n, shape, test_infinite_##n},                    \
	{"testp.number.f" #n, shape, test_number_##n},                        \
	{"testp.notanumber.f" #n, shape, test_nan_##n},                       \
	{"testp.normal.f" #n, shape, test_normal_##n},                        \
	{"testp.subnormal.f" #n, shape, test_subnormal_##n}

#define THREE_ROWS(name, fn)                                                  \
	{name ".f32/4", "wwww", fn##_f32}, {name ".ftz.f32/4", "wwww", fn##_f32_ftz}
#define PAIR_ROWS(name, shape, fn)                                            \
	{name ".f32x2", shape, fn##_f32x2}, {name ".ftz.f32x2", shape, fn##_f32x2_ftz}

static const struct op_row rows[] = {
	ROWS_F32("add", "www", add), ROWS_F32("add.rn", "www", add),
	ROWS_F32("sub", "www", sub), ROWS_F32("sub.rn", "www", sub),
	ROWS_F32("mul", "www", mul), ROWS_F32("mul.rn", "www", mul),
	ROWS_F32("fma.rn", "wwww", fma), ROWS_F32("mad.rn", "wwww", fma),
	ROWS_F32("mad", "wwww", fma),
	{"div.rn.f32", "www", div_f32}, {"div.rn.ftz.f32", "www", div_f32_ftz},
	{"rcp.rn.f32", "ww", rcp_f32}, {"rcp.rn.ftz.f32", "ww", rcp_f32_ftz},
	{"sqrt.rn.f32", "ww", sqrt_f32}, {"sqrt.rn.ftz.f32", "ww", sqrt_f32_ftz},
	{"add.f64", "lll", add_f64}, {"add.rn.f64", "lll", add_f64},
	{"sub.f64", "lll", sub_f64}, {"sub.rn.f64", "lll", sub_f64},
	{"mul.f64", "lll", mul_f64}, {"mul.rn.f64", "lll", mul_f64},
	{"fma.rn.f64", "llll", fma_f64}, {"mad.rn.f64", "llll", fma_f64},
	{"div.rn.f64", "lll", div_f64}, {"rcp.rn.f64", "ll", rcp_f64},
	{"sqrt.rn.f64", "ll", sqrt_f64},
	{"min.f32", "www", min_f32}, {"min.ftz.f32", "www", min_f32_ftz},
	{"max.f32", "www", max_f32}, {"max.ftz.f32", "www", max_f32_ftz},
	{"min.NaN.f32", "www", min_nan_f32}, {"max.NaN.f32", "www", max_nan_f32},
	{"min.ftz.NaN.f32", "www", min_nan_f32_ftz}, {"max.ftz.NaN.f32", "www", max_nan_f32_ftz},
	{"min.xorsign.abs.f32", "www", min_xorsign_f32},
	{"max.xorsign.abs.f32", "www", max_xorsign_f32},
	{"min.ftz.xorsign.abs.f32", "www", min_xorsign_f32_ftz},
	{"max.ftz.xorsign.abs.f32", "www", max_xorsign_f32_ftz},
	{"min.NaN.xorsign.abs.f32", "www", min_nan_xorsign_f32},
	{"max.NaN.xorsign.abs.f32", "www", max_nan_xorsign_f32},
	{"min.ftz.NaN.xorsign.abs.f32", "www", min_nan_xorsign_f32_ftz},
	{"max.ftz.NaN.xorsign.abs.f32", "www", max_nan_xorsign_f32_ftz},
	{"min.f64", "lll", min_f64}, {"max.f64", "lll", max_f64},
	THREE_ROWS("min", min3), THREE_ROWS("max", max3), {"min.NaN.f32/4", "wwww", min3_nan_f32},
	{"max.NaN.f32/4", "wwww", max3_nan_f32},
	{"min.ftz.NaN.f32/4", "wwww", min3_nan_f32_ftz},
	{"max.ftz.NaN.f32/4", "wwww", max3_nan_f32_ftz},
	PAIR_ROWS("add", "lll", add), PAIR_ROWS("add.rn", "lll", add),
	PAIR_ROWS("sub", "lll", sub), PAIR_ROWS("sub.rn", "lll", sub),
	PAIR_ROWS("mul", "lll", mul), PAIR_ROWS("mul.rn", "lll", mul),
	PAIR_ROWS("fma.rn", "llll", fma),
	{"abs.f32", "ww", abs_f32}, {"abs.ftz.f32", "ww", abs_f32_ftz},
	{"neg.f32", "ww", neg_f32}, {"neg.ftz.f32", "ww", neg_f32_ftz},
	{"abs.f64", "ll", abs_f64}, {"neg.f64", "ll", neg_f64},
	{"copysign.f32", "www", copysign_f32}, {"copysign.f64", "lll", copysign_f64},
	TEST_ROWS(32, "pw"), TEST_ROWS(64, "pl")
};

EXEC_TABLE_HOT(exec_rows_float)
