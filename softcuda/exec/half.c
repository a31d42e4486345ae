#include "config.h"

#include "softcuda/exec/half.h"

#include "softcuda/exec/real.h"
#include "softcuda/exec/table.h"

double half_to_f64(uint16_t bits)
{
	uint64_t sign = (uint64_t)(bits & 0x8000) << 48;
	uint32_t exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
	if (exponent == 31)
		return f64_bits(sign | UINT64_C(0x7ff) << 52 | (uint64_t)fraction << 42);
	if (exponent)
		return f64_bits(sign | (uint64_t)(exponent + 1008) << 52 |
				(uint64_t)fraction << 42);
	double value = fraction * 0x1p-24;
	return sign ? -value : value;
}

/* To a format of so many exponent and fraction bits.  Any double, one rounding. */
static uint16_t narrow(double value, unsigned exponent_bits, unsigned fraction_bits,
		       enum half_rounding rounding)
{
	uint64_t bits = bits_f64(value);
	bool negative = bits >> 63;
	int bias = (1 << (exponent_bits - 1)) - 1, exponent = (int)(bits >> 52 & 0x7ff) - 1023;
	uint16_t sign = (uint16_t)(negative ? 0x8000 : 0);
	uint16_t infinity = (uint16_t)(((1u << exponent_bits) - 1) << fraction_bits);
	bool outward = rounding == (negative ? HALF_RM : HALF_RP);
	if (value != value)
		return 0x7fff;
	if (exponent == 1024)
		return sign | infinity;
	uint64_t significand = bits & ((UINT64_C(1) << 52) - 1);
	if (exponent > -1023)
		significand |= UINT64_C(1) << 52;
	else
		exponent = -1022;
	/* Drop so many bits that the rest counts units of the last place. */
	int lowest = 1 - bias;
	int drop = 52 - (int)fraction_bits + (exponent < lowest ? lowest - exponent : 0);
	int64_t scale = exponent < lowest ? 0 : exponent + bias - 1;
	drop = drop > 62 ? 62 : drop;
	uint64_t kept = significand >> drop, lost = significand & ((UINT64_C(1) << drop) - 1);
	uint64_t tie = UINT64_C(1) << (drop - 1);
	if (rounding == HALF_RN ? lost > tie || (lost == tie && kept & 1) : outward && lost)
		kept++;
	/* The hidden bit, and a carry out of the fraction, count in the exponent. */
	uint64_t result = ((uint64_t)scale << fraction_bits) + kept;
	if (exponent > bias || result >= infinity)
		result = rounding == HALF_RN || outward ? infinity : infinity - 1u;
	return (uint16_t)(sign | result);
}

uint16_t half_from_f64(double value, enum half_rounding rounding)
{
	return narrow(value, 5, 10, rounding);
}

uint16_t bfloat_from_f64(double value, enum half_rounding rounding)
{
	return narrow(value, 8, 7, rounding);
}

/* a + b with the last bit odd when bits were lost: so that the rounding to a
 * narrow format that follows sees on which side of a tie it is. */
static double sum_to_odd(double a, double b)
{
	double sum = a + b;
	double part = sum - a;
	double error = (a - (sum - part)) + (b - part);
	uint64_t bits = bits_f64(sum);
	if (error == 0 || error != error || bits & 1)
		return sum;
	return f64_bits((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

static double flush_half(double x)
{
	return fabs(x) < 0x1p-14 ? copysign(0, x) : x;
}

static double keep(double x)
{
	return x;
}

static double relu(double x)
{
	return x > 0 ? x : x != x ? x : 0;
}

static double least(double x, double y)
{
	if (x != x || y != y)
		return x != x ? y : x;
	return x == y ? (signbit(x) ? x : y) : x < y ? x : y;
}

static double greatest(double x, double y)
{
	if (x != x || y != y)
		return x != x ? y : x;
	return x == y ? (signbit(x) ? y : x) : x > y ? x : y;
}

static uint16_t to_half(double x)
{
	return narrow(x, 5, 10, HALF_RN);
}

static uint16_t to_half_ftz(double x)
{
	uint16_t bits = to_half(x);
	return bits & 0x7c00 ? bits : bits & 0x8000;
}

static uint16_t to_bfloat(double x)
{
	return narrow(x, 8, 7, HALF_RN);
}

/* Of a format: name, element by element, alone and in pairs. */
#define HALF_OP(name, form, read, in, write, expression)                              \
	static uint16_t name##_one(uint16_t p, uint16_t q, uint16_t r)                \
	{                                                                             \
		const double x = in(read(p)), y = in(read(q)), z = in(read(r));       \
		(void)y;                                                              \
		(void)z;                                                              \
		return write(expression);                                             \
	}                                                                             \
	OP_HEAD(name)                                                                 \
	{                                                                             \
		const lane_u16 *a = OPERAND(const lane_u16, 1);                       \
		const lane_u16 *b = OPERAND(const lane_u16, (form) > 1 ? 2 : 1);      \
		const lane_u16 *c = OPERAND(const lane_u16, (form) > 2 ? 3 : 1);      \
		OP_RESULT(16, name##_one(a[l], b[l], c[l]))                           \
	}                                                                             \
	OP_HEAD(name##x2)                                                             \
	{                                                                             \
		const lane_u32 *a = OPERAND(const lane_u32, 1);                       \
		const lane_u32 *b = OPERAND(const lane_u32, (form) > 1 ? 2 : 1);      \
		const lane_u32 *c = OPERAND(const lane_u32, (form) > 2 ? 3 : 1);      \
		OP_RESULT(32, name##_one((uint16_t)a[l], (uint16_t)b[l], (uint16_t)c[l]) | \
			  (uint32_t)name##_one((uint16_t)(a[l] >> 16),                \
				(uint16_t)(b[l] >> 16), (uint16_t)(c[l] >> 16)) << 16) \
	}
#define F16(name, form, expression)                                                   \
	HALF_OP(name##_f16, form, half_to_f64, keep, to_half, expression)             \
	HALF_OP(name##_ftz_f16, form, half_to_f64, flush_half, to_half_ftz, expression)
#define F16_SAT(name, form, expression)                                               \
	F16(name, form, expression)                                                   \
	HALF_OP(name##_sat_f16, form, half_to_f64, keep, to_half, sat_f64(expression)) \
	HALF_OP(name##_ftz_sat_f16, form, half_to_f64, flush_half, to_half_ftz,       \
		sat_f64(expression))
#define BF16(name, form, expression)                                                  \
	HALF_OP(name##_bf16, form, bfloat_to_f64, keep, to_bfloat, expression)

F16_SAT(add, 2, sum_to_odd(x, y))
F16_SAT(sub, 2, sum_to_odd(x, -y))
F16_SAT(mul, 2, x * y)
F16_SAT(fma, 3, sum_to_odd(x * y, z))
F16(fma_relu, 3, relu(sum_to_odd(x * y, z)))
F16(min, 2, least(x, y))
F16(max, 2, greatest(x, y))
F16(min_nan, 2, x != x || y != y ? NAN : least(x, y))
F16(max_nan, 2, x != x || y != y ? NAN : greatest(x, y))
BF16(add, 2, sum_to_odd(x, y))
BF16(sub, 2, sum_to_odd(x, -y))
BF16(mul, 2, x * y)
BF16(fma, 3, sum_to_odd(x * y, z))
BF16(fma_relu, 3, relu(sum_to_odd(x * y, z)))
BF16(min, 2, least(x, y))
BF16(max, 2, greatest(x, y))
BF16(min_nan, 2, x != x || y != y ? NAN : least(x, y))
BF16(max_nan, 2, x != x || y != y ? NAN : greatest(x, y))

static double signed_by(double value, double x, double y)
{
	return value != value ? value : copysign(value, signbit(x) != signbit(y) ? -1 : 1);
}

F16(min_xorsign, 2, signed_by(least(fabs(x), fabs(y)), x, y))
F16(max_xorsign, 2, signed_by(greatest(fabs(x), fabs(y)), x, y))
F16(min_nan_xorsign, 2, x != x || y != y ? NAN : signed_by(least(fabs(x), fabs(y)), x, y))
F16(max_nan_xorsign, 2, x != x || y != y ? NAN : signed_by(greatest(fabs(x), fabs(y)), x, y))
BF16(min_xorsign, 2, signed_by(least(fabs(x), fabs(y)), x, y))
BF16(max_xorsign, 2, signed_by(greatest(fabs(x), fabs(y)), x, y))
BF16(min_nan_xorsign, 2, x != x || y != y ? NAN : signed_by(least(fabs(x), fabs(y)), x, y))
BF16(max_nan_xorsign, 2, x != x || y != y ? NAN : signed_by(greatest(fabs(x), fabs(y)), x, y))

#define FLUSH_16(x) ((uint16_t)((x) & 0x7c00 ? (x) : (x) & 0x8000))
/* Signs are arithmetic too: a NaN becomes the one NaN. */
static inline uint16_t unless_nan(uint16_t x, uint16_t infinity, uint16_t result)
{
	return (x & 0x7fff) > infinity ? 0x7fff : result;
}

#define INFINITY_f16 0x7c00
#define INFINITY_bf16 0x7f80
#define NEGATIVE(x, type) unless_nan((uint16_t)(x), INFINITY_##type, (uint16_t)((x) ^ 0x8000))
#define MAGNITUDE(x, type) unless_nan((uint16_t)(x), INFINITY_##type, (uint16_t)((x) & 0x7fff))
#define SIGN_OP(name, type, of)                                                       \
	OP_UNARY(name##_##type, lane_u16, 16, of(a[l], type))                         \
	OP_UNARY(name##_##type##x2, lane_u32, 32,                                     \
		 of(a[l], type) | (uint32_t)of(a[l] >> 16, type) << 16)

SIGN_OP(neg, f16, NEGATIVE)
SIGN_OP(abs, f16, MAGNITUDE)
SIGN_OP(neg, bf16, NEGATIVE)
SIGN_OP(abs, bf16, MAGNITUDE)
OP_UNARY(neg_ftz_f16, lane_u16, 16, NEGATIVE(FLUSH_16(a[l]), f16))
OP_UNARY(abs_ftz_f16, lane_u16, 16, MAGNITUDE(FLUSH_16(a[l]), f16))
OP_UNARY(neg_ftz_f16x2, lane_u32, 32,
	 NEGATIVE(FLUSH_16(a[l] & 0xffff), f16) |
	 (uint32_t)NEGATIVE(FLUSH_16(a[l] >> 16), f16) << 16)
OP_UNARY(abs_ftz_f16x2, lane_u32, 32,
	 MAGNITUDE(FLUSH_16(a[l] & 0xffff), f16) |
	 (uint32_t)MAGNITUDE(FLUSH_16(a[l] >> 16), f16) << 16)

#define PAIR(text, mods, fn, type, h, w)                                              \
	{text mods "." #type, h, fn##_##type}, {text mods "." #type "x2", w, fn##_##type##x2}
#define ROWS(text, fn, h, w)                                                          \
	PAIR(text, "", fn, f16, h, w), PAIR(text, ".ftz", fn##_ftz, f16, h, w),       \
	PAIR(text, "", fn, bf16, h, w)
#define ROWS_SAT(text, fn, h, w)                                                      \
	ROWS(text, fn, h, w), PAIR(text, ".sat", fn##_sat, f16, h, w),                \
	PAIR(text, ".ftz.sat", fn##_ftz_sat, f16, h, w)

static const struct op_row rows[] = {
	ROWS_SAT("add", add, "hhh", "www"), ROWS_SAT("add.rn", add, "hhh", "www"),
	ROWS_SAT("sub", sub, "hhh", "www"), ROWS_SAT("sub.rn", sub, "hhh", "www"),
	ROWS_SAT("mul", mul, "hhh", "www"), ROWS_SAT("mul.rn", mul, "hhh", "www"),
	ROWS_SAT("fma.rn", fma, "hhhh", "wwww"),
	PAIR("fma.rn", ".relu", fma_relu, f16, "hhhh", "wwww"),
	PAIR("fma.rn", ".ftz.relu", fma_relu_ftz, f16, "hhhh", "wwww"),
	PAIR("fma.rn", ".relu", fma_relu, bf16, "hhhh", "wwww"),
	ROWS("min", min, "hhh", "www"), ROWS("max", max, "hhh", "www"),
	ROWS("min.NaN", min_nan, "hhh", "www"), ROWS("max.NaN", max_nan, "hhh", "www"),
	PAIR("min.ftz", ".NaN", min_nan_ftz, f16, "hhh", "www"),
	PAIR("max.ftz", ".NaN", max_nan_ftz, f16, "hhh", "www"),
	ROWS("min.xorsign.abs", min_xorsign, "hhh", "www"),
	ROWS("max.xorsign.abs", max_xorsign, "hhh", "www"),
	ROWS("min.NaN.xorsign.abs", min_nan_xorsign, "hhh", "www"),
	ROWS("max.NaN.xorsign.abs", max_nan_xorsign, "hhh", "www"),
	PAIR("min.ftz", ".xorsign.abs", min_xorsign_ftz, f16, "hhh", "www"),
	PAIR("max.ftz", ".xorsign.abs", max_xorsign_ftz, f16, "hhh", "www"),
	PAIR("min.ftz", ".NaN.xorsign.abs", min_nan_xorsign_ftz, f16, "hhh", "www"),
	PAIR("max.ftz", ".NaN.xorsign.abs", max_nan_xorsign_ftz, f16, "hhh", "www"),
	PAIR("neg", ".ftz", neg_ftz, f16, "hh", "ww"), PAIR("abs", ".ftz", abs_ftz, f16, "hh", "ww"),
	PAIR("neg", "", neg, f16, "hh", "ww"), PAIR("neg", "", neg, bf16, "hh", "ww"),
	PAIR("abs", "", abs, f16, "hh", "ww"), PAIR("abs", "", abs, bf16, "hh", "ww")
};

EXEC_TABLE(exec_rows_half)
