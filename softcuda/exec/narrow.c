/* cvt to and from the formats that only tensor units compute with: tf32, and the
 * 8-bit floats in pairs. */
#include "config.h"

#include "softcuda/exec/convert.h"
#include "softcuda/exec/half.h"
#include "softcuda/exec/real.h"
#include "softcuda/exec/table.h"

/* f32 with 10 digits of the fraction left.  "The internal layout of tf32 format is
 * implementation defined" (PTX ISA 8.1, 5.2.3), so NaN are as on a GPU: .rna only
 * cuts them, which makes an infinity of some; .rn and .rz give one NaN. */
static uint32_t to_tf32(uint32_t bits, unsigned mode)
{
	enum { LOST = 13 };
	uint32_t half = 1u << (LOST - 1), rounding = mode & CONVERT_ROUNDING;
	if ((bits & 0x7fffffff) > 0x7f800000 &&
	    (rounding != CONVERT_RNA || mode & CONVERT_SATFINITE))
		return NAN_32 & ~((1u << LOST) - 1);
	if (mode & CONVERT_RELU && bits >> 31)
		return 0;
	if ((bits & 0x7f800000) != 0x7f800000)
		bits += rounding == CONVERT_RNA ? half :
			rounding == CONVERT_RN ? half - 1 + (bits >> LOST & 1) : 0;
	if (mode & CONVERT_SATFINITE && (bits & 0x7fffffff) >> LOST == 0x7f800000 >> LOST)
		bits = (bits & 0x80000000) | (0x7f7fffff & ~((1u << LOST) - 1));
	return bits & ~((1u << LOST) - 1);
}

OP_UNARY(cvt_tf32_f32, lane_u32, 32, to_tf32(a[l], op->mode))

struct small {
	int fraction_bits, bias;
	double largest;
};
static const struct small e4m3 = {3, 7, 448}, e5m2 = {2, 15, 57344};

/* To the nearest, ties to even; what is too large becomes the largest. */
static uint8_t to_small(double x, const struct small *small, unsigned mode)
{
	int exponent, lowest = 1 - small->bias;
	uint8_t sign = signbit(x) ? 0x80 : 0;
	if (x != x)
		return 0x7f;
	if (mode & CONVERT_RELU && sign)
		return 0;
	x = fabs(x) < small->largest ? fabs(x) : small->largest;
	frexp(x, &exponent);
	exponent = exponent - 1 < lowest || x == 0 ? lowest : exponent - 1;
	/* In units of the last place; the hidden bit counts in the exponent. */
	double units = nearbyint(ldexp(x, small->fraction_bits - exponent));
	unsigned scale = (unsigned)(exponent - lowest);
	return (uint8_t)(sign | ((scale << small->fraction_bits) + (unsigned)units));
}

static double from_small(uint8_t bits, const struct small *small)
{
	int exponent = (bits & 0x7f) >> small->fraction_bits;
	int fraction = bits & ((1 << small->fraction_bits) - 1);
	bool top = small->bias == 15 && exponent == 31;
	double x = exponent ? ldexp(fraction + (1 << small->fraction_bits),
				    exponent - small->bias - small->fraction_bits) :
		   ldexp(fraction, 1 - small->bias - small->fraction_bits);
	if (small->bias == 7 ? (bits & 0x7f) == 0x7f : top && fraction)
		return NAN;
	x = top ? INFINITY : x;
	return bits & 0x80 ? -x : x;
}

double e4m3_to_f64(uint8_t bits)
{
	return from_small(bits, &e4m3);
}

double e5m2_to_f64(uint8_t bits)
{
	return from_small(bits, &e5m2);
}

static uint16_t half_of_small(uint8_t bits, const struct small *small, unsigned mode)
{
	uint16_t half = half_from_f64(from_small(bits, small), HALF_RN);
	return mode & CONVERT_RELU && half >> 15 ? 0 : half;
}

/* The first operand becomes the high byte. */
#define SMALL(name)                                                                        \
	OP_BINARY(cvt_##name##x2_f32, lane_f32, 16,                                        \
		  to_small(b[l], &name, op->mode) | to_small(a[l], &name, op->mode) << 8)  \
	OP_UNARY(cvt_##name##x2_f16x2, lane_u32, 16,                                       \
		 to_small(half_to_f64((uint16_t)a[l]), &name, op->mode) |                  \
			 to_small(half_to_f64((uint16_t)(a[l] >> 16)), &name, op->mode) << 8) \
	OP_UNARY(cvt_f16x2_##name##x2, lane_u16, 32,                                       \
		 half_of_small((uint8_t)a[l], &name, op->mode) |                           \
			 (uint32_t)half_of_small((uint8_t)(a[l] >> 8), &name, op->mode) << 16)

SMALL(e4m3)
SMALL(e5m2)

#define SMALL_ROWS(name)                                                                   \
	{"_cvt." #name "x2.f32", "hww", cvt_##name##x2_f32},                               \
	{"_cvt." #name "x2.f16x2", "hw", cvt_##name##x2_f16x2},                            \
	{"_cvt.f16x2." #name "x2", "wh", cvt_f16x2_##name##x2}

static const struct op_row rows[] = {
	{"_cvt.tf32.f32", "ww", cvt_tf32_f32}, SMALL_ROWS(e4m3), SMALL_ROWS(e5m2)
};

EXEC_TABLE(exec_rows_narrow)
