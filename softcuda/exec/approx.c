/* The approximate instructions.  The PTX ISA limits their error and defines their results for zeros, infinities and
 * NaN.  Computed in double and rounded once they are well within the limits, and the C library has the same special
 * values. */
#include "config.h"

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

APPROX(ex2_approx, exp2(x))
APPROX(lg2_approx, log2(x))
APPROX(sin_approx, sin(x))
APPROX(cos_approx, cos(x))
APPROX(rcp_approx, 1.0 / x)
APPROX(rsqrt_approx, 1.0 / sqrt(x))
APPROX(sqrt_approx, sqrt(x))
APPROX_VARIANT(tanh_approx, SAME, SAME, tanh(x))

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
