/* cvt between all pairs of types: "_cvt.<to>.<from>", modifiers in op->mode. */
#include "config.h"

#include "softcuda/exec/convert.h"

#include "softcuda/exec/half.h"
#include "softcuda/exec/real.h"
#include "softcuda/exec/table.h"

/* Integer to integer: extended or truncated; .sat saturates. */
static inline uint64_t clamp_signed(int64_t x, int64_t low, uint64_t high)
{
	return x < low ? (uint64_t)low : x > 0 && (uint64_t)x > high ? high : (uint64_t)x;
}

static inline uint64_t clamp_unsigned(uint64_t x, uint64_t high)
{
	return x > high ? high : x;
}

/* The limits of the integer types. */
#define LOW_u8 0
#define LOW_u16 0
#define LOW_u32 0
#define LOW_u64 0
#define LOW_s8 INT8_MIN
#define LOW_s16 INT16_MIN
#define LOW_s32 INT32_MIN
#define LOW_s64 INT64_MIN
#define HIGH_u8 UINT8_MAX
#define HIGH_u16 UINT16_MAX
#define HIGH_u32 UINT32_MAX
#define HIGH_u64 UINT64_MAX
#define HIGH_s8 INT8_MAX
#define HIGH_s16 INT16_MAX
#define HIGH_s32 INT32_MAX
#define HIGH_s64 INT64_MAX
/* The registers in which they are: 8-bit integers in 16 bits. */
#define LANES_u8 lane_u16
#define LANES_s8 lane_u16
#define LANES_u16 lane_u16
#define LANES_s16 lane_u16
#define LANES_u32 lane_u32
#define LANES_s32 lane_u32
#define LANES_u64 lane_u64
#define LANES_s64 lane_u64
#define C_u8 uint8_t
#define C_s8 int8_t
#define C_u16 uint16_t
#define C_s16 int16_t
#define C_u32 uint32_t
#define C_s32 int32_t
#define C_u64 uint64_t
#define C_s64 int64_t
#define CLAMP_u(x, to) clamp_unsigned(x, (uint64_t)HIGH_##to)
#define CLAMP_s(x, to) clamp_signed(x, LOW_##to, (uint64_t)HIGH_##to)

#define INTEGER(to, put, from, sign)                                          \
	OP_HEAD(cvt_##to##_##from)                                            \
	{                                                                     \
		const LANES_##from *a = OPERAND(const LANES_##from, 1);       \
		if (op->mode & CONVERT_SAT) {                                 \
			OP_RESULT(put, (C_##to)CLAMP_##sign((C_##from)a[l], to)) \
		} else {                                                      \
			OP_RESULT(put, (C_##to)(C_##from)a[l])                \
		}                                                             \
	}
#define FROM_INTEGERS(to, put)                                                \
	INTEGER(to, put, u8, u) INTEGER(to, put, s8, s)                       \
	INTEGER(to, put, u16, u) INTEGER(to, put, s16, s)                     \
	INTEGER(to, put, u32, u) INTEGER(to, put, s32, s)                     \
	INTEGER(to, put, u64, u) INTEGER(to, put, s64, s)

FROM_INTEGERS(u8, 16)
FROM_INTEGERS(s8, 16)
FROM_INTEGERS(u16, 16)
FROM_INTEGERS(s16, 16)
FROM_INTEGERS(u32, 32)
FROM_INTEGERS(s32, 32)
FROM_INTEGERS(u64, 64)
FROM_INTEGERS(s64, 64)

/* Float to integer: rounds to a whole number, clamps always; a NaN is 0, but of f64
 * or in 64 bits only the top bit set (PTX ISA 8.1, 9.7.8: cvt). */
static double whole(double x, unsigned mode)
{
	switch (mode & CONVERT_ROUNDING) {
	case CONVERT_RN:
		return nearbyint(x);
	case CONVERT_RM:
		return floor(x);
	case CONVERT_RP:
		return ceil(x);
	default:
		return trunc(x);
	}
}

static uint64_t to_unsigned(double x, unsigned mode, uint64_t high, bool nan_is_0)
{
	if (x != x)
		return nan_is_0 ? 0 : high - high / 2;
	x = whole(x, mode);
	if (x <= 0)
		return 0;
	return x >= 0x1p64 || (uint64_t)x > high ? high : (uint64_t)x;
}

static uint64_t to_signed(double x, unsigned mode, int64_t low, int64_t high, bool nan_is_0)
{
	if (x != x)
		return nan_is_0 ? 0 : (uint64_t)low;
	x = whole(x, mode);
	if (x >= 0x1p63)
		return (uint64_t)high;
	if (x < -0x1p63)
		return (uint64_t)low;
	int64_t value = (int64_t)x;
	return (uint64_t)(value < low ? low : value > high ? high : value);
}

static inline double read_f32(float x, unsigned mode)
{
	if (!(mode & CONVERT_FTZ))
		return x;
	return x != x ? f32_bits(NAN_32) : ftz_f32(x);
}

static inline double read_f64(double x, unsigned mode)
{
	(void)mode;
	return x;
}

static inline double read_f16(uint16_t x, unsigned mode)
{
	(void)mode;
	return half_to_f64(x);
}

static inline double read_bf16(uint16_t x, unsigned mode)
{
	(void)mode;
	return bfloat_to_f64(x);
}

#define LANES_f16 lane_u16
#define LANES_bf16 lane_u16
#define LANES_f32 lane_f32
#define LANES_f64 lane_f64
#define TO_UNSIGNED(to, put, from)                                            \
	OP_UNARY(cvt_##to##_##from, LANES_##from, put,                        \
		 to_unsigned(read_##from(a[l], op->mode), op->mode, HIGH_##to,  \
			     put != 64 && sizeof(a[l]) != 8))
#define TO_SIGNED(to, put, from)                                              \
	OP_UNARY(cvt_##to##_##from, LANES_##from, put,                        \
		 to_signed(read_##from(a[l], op->mode), op->mode, LOW_##to, HIGH_##to, \
			   put != 64 && sizeof(a[l]) != 8))
#define FLOAT_TO_INTEGERS(from)                                               \
	TO_UNSIGNED(u8, 16, from) TO_UNSIGNED(u16, 16, from)                  \
	TO_UNSIGNED(u32, 32, from) TO_UNSIGNED(u64, 64, from)                 \
	TO_SIGNED(s8, 16, from) TO_SIGNED(s16, 16, from)                      \
	TO_SIGNED(s32, 32, from) TO_SIGNED(s64, 64, from)

FLOAT_TO_INTEGERS(f16)
FLOAT_TO_INTEGERS(bf16)
FLOAT_TO_INTEGERS(f32)
FLOAT_TO_INTEGERS(f64)

static enum half_rounding half_rounding(unsigned mode)
{
	switch (mode & CONVERT_ROUNDING) {
	case CONVERT_RZ:
		return HALF_RZ;
	case CONVERT_RM:
		return HALF_RM;
	case CONVERT_RP:
		return HALF_RP;
	default:
		return HALF_RN;
	}
}

/* A double, and the sign of the rest that makes it exact (a 64-bit integer may not fit), as one bit below the last. */
static double to_odd(uint64_t magnitude, bool negative)
{
	double x;
	if (magnitude >> 53) {
		unsigned drop = 11 - (unsigned)__builtin_clzll(magnitude);
		uint64_t lost = magnitude & ((UINT64_C(1) << drop) - 1);
		magnitude = magnitude >> drop << drop;
		magnitude |= lost ? UINT64_C(1) << drop : 0;
	}
	x = (double)magnitude;
	return negative ? -x : x;
}

static double odd_u64(uint64_t x)
{
	return to_odd(x, false);
}

static double odd_s64(int64_t x)
{
	return to_odd(x < 0 ? 0 - (uint64_t)x : (uint64_t)x, x < 0);
}

/* Rounds in two steps: to nearest, then to the neighbour if the mode requires it. */
static uint32_t write_f32(double x, unsigned mode)
{
	float r = (float)x;
	if (mode & CONVERT_INTEGRAL) {
		r = (float)whole(x, mode);
		r = r == 0 ? copysignf(r, (float)x) : r;
	} else if ((mode & CONVERT_ROUNDING) > CONVERT_RN && x == x && !isinf(x)) {
		unsigned rounding = mode & CONVERT_ROUNDING;
		bool down = rounding == CONVERT_RM || (rounding == CONVERT_RZ && x > 0);
		bool up = rounding == CONVERT_RP || (rounding == CONVERT_RZ && x < 0);
		if (down && r > x)
			r = nextafterf(r, -INFINITY);
		else if (up && r < x)
			r = nextafterf(r, INFINITY);
	}
	if (mode & CONVERT_FTZ)
		r = ftz_f32(r);
	if (mode & CONVERT_SAT)
		r = sat_f32(r);
	return result_f32(r);
}

static uint64_t write_f64(double x, unsigned mode)
{
	double r = x;
	if (mode & CONVERT_INTEGRAL) {
		r = whole(x, mode);
		r = r == 0 ? copysign(r, x) : r;
	}
	if (mode & CONVERT_SAT)
		r = sat_f64(r);
	return result_f64(r, x, 0, 0);
}

static double prepare_half(double x, unsigned mode)
{
	if (mode & CONVERT_INTEGRAL) {
		double r = whole(x, mode);
		x = r == 0 ? copysign(r, x) : r;
	}
	if (mode & CONVERT_RELU && x <= 0)
		x = 0;
	return mode & CONVERT_SAT ? sat_f64(x) : x;
}

/* .satfinite: "if the absolute value of the input is greater than MAX_NORM, the result
 * is MAX_NORM of the input's sign" (PTX ISA 9.0, 9.7.9.21: cvt). */
static double within_finite(double x, unsigned mode, double largest)
{
	return mode & CONVERT_SATFINITE && fabs(x) > largest ? copysign(largest, x) : x;
}

static uint16_t write_f16(double x, unsigned mode)
{
	x = within_finite(prepare_half(x, mode), mode, 0x1.ffcp+15);
	return half_from_f64(x, half_rounding(mode));
}

static uint16_t write_bf16(double x, unsigned mode)
{
	x = within_finite(prepare_half(x, mode), mode, 0x1.fep+127);
	return bfloat_from_f64(x, half_rounding(mode));
}

/* Of f64 a NaN keeps its sign and the top of its payload, and becomes quiet. */
static uint32_t narrow_nan(double x, unsigned fraction_bits, uint32_t sign, uint32_t quiet)
{
	uint64_t bits = bits_f64(x);
	uint64_t payload = (bits & ((UINT64_C(1) << 52) - 1)) >> (52 - fraction_bits);
	return (bits >> 63 ? sign : 0) | quiet | (uint32_t)payload;
}

static uint32_t narrow_f32(double x, unsigned mode)
{
	return x == x || mode & CONVERT_SAT ? write_f32(x, mode) :
	       narrow_nan(x, 23, 0x80000000, 0x7fc00000);
}

static uint16_t narrow_f16(double x, unsigned mode)
{
	return x == x || mode & CONVERT_SAT ? write_f16(x, mode) :
	       (uint16_t)narrow_nan(x, 10, 0x8000, 0x7e00);
}

static uint16_t narrow_bf16(double x, unsigned mode)
{
	return x == x || mode & CONVERT_SAT ? write_bf16(x, mode) :
	       (uint16_t)narrow_nan(x, 7, 0x8000, 0x7fc0);
}

/* Without modifiers the bits are copied, also those of a NaN. */
static uint32_t f32_of_f32(uint32_t bits, unsigned mode)
{
	return mode ? write_f32(read_f32(f32_bits(bits), mode), mode) : bits;
}

static uint32_t f32_of_bf16(uint16_t bits, unsigned mode)
{
	return mode ? write_f32(read_bf16(bits, mode), mode) : (uint32_t)bits << 16;
}

/* Converting a 64-bit integer to f64 is the only case that rounds and has no wider type. */
static uint64_t round_integer(uint64_t magnitude, bool negative, unsigned mode)
{
	double r = (double)magnitude;
	unsigned rounding = mode & CONVERT_ROUNDING;
	bool toward_zero = rounding == CONVERT_RZ || rounding == (negative ? CONVERT_RP :
								   CONVERT_RM);
	bool outward = rounding == (negative ? CONVERT_RM : CONVERT_RP);
	bool above = r >= 0x1p64 || (uint64_t)r > magnitude;
	bool below = !above && (uint64_t)r < magnitude;
	if (toward_zero && above)
		r = nextafter(r, 0);
	else if (outward && below)
		r = nextafter(r, INFINITY);
	r = negative ? -r : r;
	return bits_f64(mode & CONVERT_SAT ? sat_f64(r) : r);
}

OP_UNARY(cvt_f64_u64, lane_u64, 64, round_integer(a[l], false, op->mode))
OP_UNARY(cvt_f64_s64, lane_u64, 64,
	 round_integer((int64_t)a[l] < 0 ? 0 - a[l] : a[l], (int64_t)a[l] < 0, op->mode))

#define TO_FLOAT(to, put, from, lanes, read)                                  \
	OP_UNARY(cvt_##to##_##from, lanes, put, write_##to(read, op->mode))
#define SMALL_TO_FLOAT(to, put)                                               \
	TO_FLOAT(to, put, u8, lane_u16, (uint8_t)a[l])                        \
	TO_FLOAT(to, put, s8, lane_u16, (int8_t)a[l])                         \
	TO_FLOAT(to, put, u16, lane_u16, a[l])                                \
	TO_FLOAT(to, put, s16, lane_s16, a[l])                                \
	TO_FLOAT(to, put, u32, lane_u32, a[l])                                \
	TO_FLOAT(to, put, s32, lane_s32, a[l])                                \
	TO_FLOAT(to, put, f16, lane_u16, read_f16(a[l], op->mode))
#define ALL_TO_FLOAT(to, put)                                                 \
	SMALL_TO_FLOAT(to, put)                                               \
	TO_FLOAT(to, put, u64, lane_u64, odd_u64(a[l]))                       \
	TO_FLOAT(to, put, s64, lane_s64, odd_s64(a[l]))

ALL_TO_FLOAT(f16, 16)
ALL_TO_FLOAT(bf16, 16)
/* Programs only use .rn, for which the compiler's own conversion is used. */
#define TO_F32(from, lanes, read)                                             \
	OP_HEAD(cvt_f32_##from)                                               \
	{                                                                     \
		const lanes *a = OPERAND(const lanes, 1);                     \
		if (op->mode == CONVERT_RN) {                                 \
			OP_RESULT(32, bits_f32((float)(read)))                \
		}                                                             \
		OP_RESULT(32, write_f32(read, op->mode))                      \
	}
TO_F32(u8, lane_u16, (uint8_t)a[l])
TO_F32(s8, lane_u16, (int8_t)a[l])
TO_F32(u16, lane_u16, a[l])
TO_F32(s16, lane_s16, a[l])
TO_F32(u32, lane_u32, a[l])
TO_F32(s32, lane_s32, a[l])
TO_FLOAT(f32, 32, f16, lane_u16, read_f16(a[l], op->mode))
TO_FLOAT(f32, 32, u64, lane_u64, odd_u64(a[l]))
TO_FLOAT(f32, 32, s64, lane_s64, odd_s64(a[l]))
SMALL_TO_FLOAT(f64, 64)
TO_FLOAT(f16, 16, bf16, lane_u16, bfloat_to_f64(a[l]))
TO_FLOAT(bf16, 16, bf16, lane_u16, bfloat_to_f64(a[l]))
OP_UNARY(cvt_f32_bf16, lane_u16, 32, f32_of_bf16(a[l], op->mode))
TO_FLOAT(f64, 64, bf16, lane_u16, bfloat_to_f64(a[l]))
/* .ftz or not, f16 takes subnormals as they are: it rounds them up or down. */
TO_FLOAT(f16, 16, f32, lane_f32, a[l])
TO_FLOAT(bf16, 16, f32, lane_f32, a[l])
OP_UNARY(cvt_f32_f32, lane_u32, 32, f32_of_f32(a[l], op->mode))
TO_FLOAT(f64, 64, f32, lane_f32, read_f32(a[l], op->mode))
OP_UNARY(cvt_f16_f64, lane_f64, 16, narrow_f16(a[l], op->mode))
OP_UNARY(cvt_bf16_f64, lane_f64, 16, narrow_bf16(a[l], op->mode))
OP_UNARY(cvt_f32_f64, lane_f64, 32, narrow_f32(a[l], op->mode))
TO_FLOAT(f64, 64, f64, lane_f64, a[l])

/* cvt.rn.f16x2.f32 d, a, b: a becomes the high half. */
OP_BINARY(cvt_f16x2_f32, lane_f32, 32,
	  write_f16(b[l], op->mode) | (uint32_t)write_f16(a[l], op->mode) << 16)
OP_BINARY(cvt_bf16x2_f32, lane_f32, 32,
	  write_bf16(b[l], op->mode) | (uint32_t)write_bf16(a[l], op->mode) << 16)

/* cvt.pack: a above b, both clamped, below the low bits of c. */
static uint32_t packed(uint32_t a, uint32_t b, uint32_t c, int64_t what)
{
	const unsigned bits = what & PACK_BITS;
	const int64_t high = (INT64_C(1) << (bits - !!(what & PACK_SIGNED))) - 1;
	const int64_t low = what & PACK_SIGNED ? -high - 1 : 0;
	const uint64_t field = (UINT64_C(1) << bits) - 1;
	const uint64_t part = clamp_signed((int32_t)a, low, (uint64_t)high) & field;
	return (uint32_t)((uint64_t)c << 2 * bits | part << bits |
			  (clamp_signed((int32_t)b, low, (uint64_t)high) & field));
}

OP_TERNARY(cvt_pack, lane_u32, 32, packed(a[l], b[l], c[l], op->imm))

#define ROW(to, from, w, f) {"_cvt." #to "." #from, w f, cvt_##to##_##from}
#define ROWS(to, w)                                                           \
	ROW(to, u8, w, "h"), ROW(to, s8, w, "h"), ROW(to, u16, w, "h"),       \
	ROW(to, s16, w, "h"), ROW(to, u32, w, "w"), ROW(to, s32, w, "w"),     \
	ROW(to, u64, w, "l"), ROW(to, s64, w, "l"), ROW(to, f16, w, "h"),     \
	ROW(to, bf16, w, "h"), ROW(to, f32, w, "w"), ROW(to, f64, w, "l")

static const struct op_row rows[] = {
	ROWS(u8, "h"), ROWS(s8, "h"), ROWS(u16, "h"), ROWS(s16, "h"), ROWS(u32, "w"),
	ROWS(s32, "w"), ROWS(u64, "l"), ROWS(s64, "l"), ROWS(f16, "h"), ROWS(bf16, "h"),
	ROWS(f32, "w"), ROWS(f64, "l"),
	{"_cvt.f16x2.f32", "www", cvt_f16x2_f32}, {"_cvt.bf16x2.f32", "www", cvt_bf16x2_f32},
	{"_cvt.pack", "wwww", cvt_pack}
};

EXEC_TABLE_HOT(exec_rows_convert)
