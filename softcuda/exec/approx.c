/* The approximate instructions.  The PTX ISA limits their error and defines their results for zeros, infinities and
 * NaN.  Computed in double and rounded once they are well within the limits, and the C library has the same special
 * values. */
#include "config.h"

#include "softcuda/exec/approx.h"
#include "softcuda/exec/half.h"
#include "softcuda/exec/real.h"
#include "softcuda/exec/table.h"

/* x is the operand as a double, exact. */
#define APPROX_VARIANT(name, in, out, expression)                             \
	OP_HEAD(name)                                                         \
	{                                                                     \
		const lane_f32 *a = OPERAND(const lane_f32, 1);               \
		uint32_t result[LANES];                                       \
		for (unsigned l = 0; l < LANES; l++) {                        \
			const double x = in(a[l]);                            \
			result[l] = result_f32(out((float)(expression)));     \
		}                                                             \
		op_put_32(OPERAND(void, 0), result, mask);                    \
		return FLOW_NEXT;                                             \
	}
#define SAME(x) (x)
#define APPROX(name, expression)                                              \
	APPROX_VARIANT(name, SAME, SAME, expression)                          \
	APPROX_VARIANT(name##_ftz, ftz_f32, ftz_f32, expression)

APPROX(sin_approx, sin(x))
APPROX(cos_approx, cos(x))
APPROX(rcp_approx, 1.0 / x)
APPROX(rsqrt_approx, 1.0 / sqrt(x))
APPROX(sqrt_approx, sqrt(x))
APPROX_VARIANT(tanh_approx, SAME, SAME, tanh(x))

/* --- ex2 and lg2: approx.h has the method ---------- */

/* The polynomials do not need that it is rounded once. */
#ifdef __FMA__
#define SUM_OF_PRODUCT(a, b, c) __builtin_fma(a, b, c)
#else
#define SUM_OF_PRODUCT(a, b, c) ((a) * (b) + (c))
#endif
#define TERM_OF_X(coefficient) sum = SUM_OF_PRODUCT(sum, x, coefficient);

static inline float limited(float x)
{
	x = x < -(float)APPROX_EX2_MOST ? -(float)APPROX_EX2_MOST : x;
	return x > (float)APPROX_EX2_MOST ? (float)APPROX_EX2_MOST : x;
}

static inline __attribute__((always_inline)) double near_ex2(float operand)
{
	const double all = operand, whole = all + APPROX_WHOLE, x = all - (whole - APPROX_WHOLE);
	double sum = 0;
	APPROX_EX2(TERM_OF_X)
	return f64_bits(bits_f64(SUM_OF_PRODUCT(sum, x, 1.0)) + (bits_f64(whole) << 52));
}

static inline __attribute__((always_inline)) double near_lg2(float operand)
{
	const uint64_t bits = bits_f64(operand) + APPROX_TO_ONE;
	const double exponent = f64_bits(bits >> 52 | APPROX_ADDED) - (0x1p52 + 1023);
	const double x = f64_bits((bits & APPROX_FRACTION) + APPROX_ROOT_HALF) - 1;
	double sum = 0;
	APPROX_LG2(TERM_OF_X)
	return SUM_OF_PRODUCT(sum, x, exponent);
}

/* The result of lg2 for infinity and NaN, zeros, and negative numbers, or else y. */
static inline float special_lg2(float x, float y)
{
	y = x < INFINITY ? y : x;
	y = x < 0 ? NAN : y;
	return x == 0 ? -INFINITY : y;
}

static inline bool in_doubt(double value)
{
	return (((uint32_t)bits_f64(value) + (APPROX_DOUBT - APPROX_MIDDLE)) & APPROX_REST) < 2 * APPROX_DOUBT;
}

#define ANY(x, y) (y)

/* The loops are apart since compilers do not make vectors of all of it in one. */
#define NEAR_VARIANT(name, in_out, range, near, special, exact)               \
	OP_HEAD(name)                                                         \
	{                                                                     \
		const lane_f32 *a = OPERAND(const lane_f32, 1);               \
		float operand[LANES];                                         \
		double value[LANES];                                          \
		uint32_t result[LANES], doubt = 0;                            \
		for (unsigned l = 0; l < LANES; l++)                          \
			operand[l] = range(in_out(a[l]));                     \
		for (unsigned l = 0; l < LANES; l++) {                        \
			value[l] = near(operand[l]);                          \
			doubt |= in_doubt(value[l]);                          \
		}                                                             \
		for (unsigned l = 0; doubt && l < LANES; l++)                 \
			if (in_doubt(value[l]))                               \
				value[l] = exact(operand[l]);                 \
		for (unsigned l = 0; l < LANES; l++)                          \
			result[l] = result_f32(in_out(special(operand[l], (float)value[l]))); \
		op_put_32(OPERAND(void, 0), result, mask);                    \
		return FLOW_NEXT;                                             \
	}
#define NEAR(name, range, near, special, exact)                               \
	NEAR_VARIANT(name, SAME, range, near, special, exact)                 \
	NEAR_VARIANT(name##_ftz, ftz_f32, range, near, special, exact)

NEAR(ex2_approx, limited, near_ex2, ANY, exp2)
NEAR(lg2_approx, SAME, near_lg2, special_lg2, log2)

/* --- quotients ---------- */

#define QUOTIENT(name, in, out)                                               \
	OP_HEAD(name)                                                         \
	{                                                                     \
		const lane_f32 *a = OPERAND(const lane_f32, 1);               \
		const lane_f32 *b = OPERAND(const lane_f32, 2);               \
		uint32_t result[LANES];                                       \
		for (unsigned l = 0; l < LANES; l++)                          \
			result[l] = result_f32(out(in(a[l]) / in(b[l])));     \
		op_put_32(OPERAND(void, 0), result, mask);                    \
		return FLOW_NEXT;                                             \
	}

QUOTIENT(div_approx, SAME, SAME)
QUOTIENT(div_approx_ftz, ftz_f32, ftz_f32)

/* --- f64 and halves ---------- */

/* The f64 ones give 20 bits or so: the low word of operand and result is zero, so
 * that a NaN with its payload there is an infinity, and subnormals are flushed. */
static inline double high_word(double x)
{
	uint64_t bits = bits_f64(x);
	bits &= UINT64_C(0xffffffff00000000);
	if (!(bits & UINT64_C(0x7ff0000000000000)))
		bits &= UINT64_C(1) << 63;
	return f64_bits(bits);
}

static inline uint64_t high_word_result(double x)
{
	return x != x ? UINT64_C(0x7fffffff00000000) : bits_f64(high_word(x));
}

OP_UNARY(rcp_approx_f64, lane_f64, 64, high_word_result(1.0 / high_word(a[l])))
OP_UNARY(rsqrt_approx_f64_ftz, lane_f64, 64, high_word_result(1.0 / sqrt(high_word(a[l]))))
OP_UNARY(rsqrt_approx_f64, lane_f64, 64, result_f64(1.0 / sqrt(a[l]), a[l], 0, 0))

#define HALF_RESULT(expression) half_from_f64(expression, HALF_RN)
#define BFLOAT_RESULT(expression) bfloat_from_f64(expression, HALF_RN)
OP_UNARY(ex2_f16, lane_u16, 16, HALF_RESULT(exp2(half_to_f64(a[l]))))
OP_UNARY(tanh_f16, lane_u16, 16, HALF_RESULT(tanh(half_to_f64(a[l]))))
OP_UNARY(ex2_bf16, lane_u16, 16, BFLOAT_RESULT(exp2(bfloat_to_f64(a[l]))))
OP_UNARY(tanh_bf16, lane_u16, 16, BFLOAT_RESULT(tanh(bfloat_to_f64(a[l]))))
#define BOTH_HALVES(f) \
	(f((uint16_t)a[l]) | (uint32_t)f((uint16_t)(a[l] >> 16)) << 16)
#define EX2_F16(x) HALF_RESULT(exp2(half_to_f64(x)))
#define TANH_F16(x) HALF_RESULT(tanh(half_to_f64(x)))
#define EX2_BF16(x) BFLOAT_RESULT(exp2(bfloat_to_f64(x)))
#define TANH_BF16(x) BFLOAT_RESULT(tanh(bfloat_to_f64(x)))
OP_UNARY(ex2_f16x2, lane_u32, 32, BOTH_HALVES(EX2_F16))
OP_UNARY(tanh_f16x2, lane_u32, 32, BOTH_HALVES(TANH_F16))
OP_UNARY(ex2_bf16x2, lane_u32, 32, BOTH_HALVES(EX2_BF16))
OP_UNARY(tanh_bf16x2, lane_u32, 32, BOTH_HALVES(TANH_BF16))

#define ROWS(name, fn) {name ".f32", "ww", fn}, {name ".ftz.f32", "ww", fn##_ftz}

static const struct op_row rows[] = {
	ROWS("ex2.approx", ex2_approx), ROWS("lg2.approx", lg2_approx),
	ROWS("sin.approx", sin_approx), ROWS("cos.approx", cos_approx),
	ROWS("rcp.approx", rcp_approx), ROWS("rsqrt.approx", rsqrt_approx),
	ROWS("sqrt.approx", sqrt_approx), {"tanh.approx.f32", "ww", tanh_approx},
	{"div.approx.f32", "www", div_approx}, {"div.approx.ftz.f32", "www", div_approx_ftz},
	{"div.full.f32", "www", div_approx}, {"div.full.ftz.f32", "www", div_approx_ftz},
	{"rcp.approx.ftz.f64", "ll", rcp_approx_f64},
	{"rsqrt.approx.ftz.f64", "ll", rsqrt_approx_f64_ftz},
	{"rsqrt.approx.f64", "ll", rsqrt_approx_f64},
	{"ex2.approx.f16", "hh", ex2_f16}, {"ex2.approx.f16x2", "ww", ex2_f16x2},
	{"ex2.approx.ftz.f16", "hh", ex2_f16}, {"ex2.approx.ftz.f16x2", "ww", ex2_f16x2},
	{"ex2.approx.ftz.bf16", "hh", ex2_bf16}, {"ex2.approx.ftz.bf16x2", "ww", ex2_bf16x2},
	{"tanh.approx.f16", "hh", tanh_f16}, {"tanh.approx.f16x2", "ww", tanh_f16x2},
	{"tanh.approx.bf16", "hh", tanh_bf16}, {"tanh.approx.bf16x2", "ww", tanh_bf16x2}
};

EXEC_TABLE_HOT(exec_rows_approx)
