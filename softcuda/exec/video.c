/* The video instructions: of one value with parts of registers, and of 4 bytes or 2
 * halves of a register at once (PTX ISA 9.0, 9.7.14 and 9.7.15). */
#include "config.h"

#include "softcuda/exec/table.h"
#include "softcuda/exec/video.h"

__extension__ typedef __int128 wide_product;

static int64_t part_of(uint32_t x, unsigned shift, unsigned bits, bool is_signed)
{
	int64_t part = (int64_t)(x >> shift & (UINT64_C(0xffffffff) >> (32 - bits)));
	return part - (is_signed && part >> (bits - 1) ? INT64_C(1) << bits : 0);
}

/* A count of 32 moves all out; twice, for 32 bits more would be too many at once. */
static int64_t shift(int64_t x, int64_t count, bool left, bool wraps)
{
	int64_t by = wraps ? count & 31 : count < 0 || count > 32 ? 32 : count;
	if (!left)
		return x >> by;
	const int64_t moved = x * (INT64_C(1) << (by > 30 ? 30 : by));
	return by < 32 ? moved * (by > 30 ? 2 : 1) :
	       moved > INT64_C(1) << 60 ? INT64_C(1) << 62 : moved < -(INT64_C(1) << 60) ?
	       -(INT64_C(1) << 62) : moved * 4;
}

static int64_t combine(int64_t x, int64_t y, uint64_t what)
{
	switch ((enum video_operation)(what & VIDEO_OPERATION)) {
	case VIDEO_ADD:
		return x + y;
	case VIDEO_SUB:
		return x - y;
	case VIDEO_AVERAGE:
		/* Halves go away from zero. */
		return x + y >= 0 ? (x + y + 1) >> 1 : (x + y) >> 1;
	case VIDEO_MIN:
		return x < y ? x : y;
	case VIDEO_MAX:
		return x > y ? x : y;
	case VIDEO_DIFFERENCE:
		return x > y ? x - y : y - x;
	case VIDEO_EQ:
		return x == y;
	case VIDEO_NE:
		return x != y;
	case VIDEO_LT:
		return x < y;
	case VIDEO_LE:
		return x <= y;
	case VIDEO_GT:
		return x > y;
	case VIDEO_GE:
		return x >= y;
	default:
		return shift(x, y, (what & VIDEO_OPERATION) == VIDEO_SHL, what & VIDEO_WRAPS);
	}
}

static int64_t saturated(int64_t x, unsigned bits, bool is_signed)
{
	const int64_t high = (INT64_C(1) << (bits - is_signed)) - 1;
	const int64_t low = is_signed ? -high - 1 : 0;
	return x < low ? low : x > high ? high : x;
}

/* Elements are chosen among those of a and, behind them, of b. */
static uint32_t video_several(uint32_t a, uint32_t b, uint32_t c, uint64_t what)
{
	const unsigned bits = what & VIDEO_HALVES ? 16 : 8, count = 32 / bits;
	const uint32_t both[2] = {a, b};
	uint32_t result = c;
	for (unsigned i = 0; i < count; i++) {
		const unsigned from_a = what >> (VIDEO_SELECT_A + 3 * i) & 7;
		const unsigned from_b = what >> (VIDEO_SELECT_B + 3 * i) & 7;
		if (!(what >> (VIDEO_MASK + i) & 1))
			continue;
		int64_t r = combine(part_of(both[from_a / count], from_a % count * bits, bits,
					    what & VIDEO_SIGNED_A),
				    part_of(both[from_b / count], from_b % count * bits, bits,
					    what & VIDEO_SIGNED_B), what);
		if (what & VIDEO_SATURATES)
			r = saturated(r, bits, what & VIDEO_SIGNED);
		if (what & VIDEO_ADDS) {
			result += (uint32_t)r;
			continue;
		}
		const uint32_t field = ((1u << bits) - 1) << (i * bits);
		result = (result & ~field) | ((uint32_t)r << (i * bits) & field);
	}
	return result;
}

static unsigned part_bits(unsigned part)
{
	return part == 0 ? 32 : part < 5 ? 8 : 16;
}

static unsigned part_shift(unsigned part)
{
	return part == 0 ? 0 : part < 5 ? (part - 1) * 8 : (part - 5) * 16;
}

static int64_t part_operand(uint32_t x, uint64_t what, unsigned at, bool is_signed)
{
	const unsigned part = what >> at & 7;
	return part_of(x, part_shift(part), part_bits(part), is_signed);
}

static uint32_t video_one(uint32_t a, uint32_t b, uint32_t c, uint64_t what)
{
	const unsigned part = what >> VIDEO_PART_D & 7, bits = part_bits(part);
	const bool is_signed = what & VIDEO_SIGNED;
	int64_t r = combine(part_operand(a, what, VIDEO_PART_A, what & VIDEO_SIGNED_A),
			    part_operand(b, what, VIDEO_PART_B, what & VIDEO_SIGNED_B), what);
	if (what & VIDEO_SATURATES)
		r = saturated(r, bits, is_signed);
	const uint32_t word = (uint32_t)r, field = (uint32_t)(((UINT64_C(1) << bits) - 1)
							      << part_shift(part));
	const bool less = is_signed ? (int32_t)word < (int32_t)c : word < c;
	if (what & VIDEO_ADDS)
		return word + c;
	if (what & (VIDEO_TAKES_LESS | VIDEO_TAKES_MORE))
		return less == !!(what & VIDEO_TAKES_LESS) ? word : c;
	return (c & ~field) | (word << part_shift(part) & field);
}

/* vmad: the exact sum is shifted, and then cut or clamped. */
static uint32_t video_mad(uint32_t a, uint32_t b, uint32_t c, uint64_t what)
{
	wide_product sum = (wide_product)part_operand(a, what, VIDEO_PART_A,
						      what & VIDEO_SIGNED_A) *
			   part_operand(b, what, VIDEO_PART_B, what & VIDEO_SIGNED_B);
	const bool is_signed = what & VIDEO_SIGNED;
	const wide_product addend = is_signed ? (wide_product)(int32_t)c : (wide_product)c;
	sum = what & VIDEO_TAKES_LESS ? -sum : sum;
	/* "c = ~c" and one more: of the 32 bits. */
	sum += what & VIDEO_TAKES_MORE ? (wide_product)(int32_t)~c + 1 : addend;
	sum += what & VIDEO_WRAPS ? 1 : 0;
	sum >>= what >> VIDEO_PART_D & 15;
	if (what & VIDEO_SATURATES) {
		const wide_product high = is_signed ? INT32_MAX : UINT32_MAX;
		const wide_product low = is_signed ? INT32_MIN : 0;
		sum = sum < low ? low : sum > high ? high : sum;
	}
	return (uint32_t)sum;
}

OP_TERNARY(several, lane_u32, 32, video_several(a[l], b[l], c[l], (uint64_t)op->imm))
OP_TERNARY(one, lane_u32, 32, video_one(a[l], b[l], c[l], (uint64_t)op->imm))
OP_TERNARY(mad, lane_u32, 32, video_mad(a[l], b[l], c[l], (uint64_t)op->imm))

static const struct op_row rows[] = {
	{"_video", "wwww", several}, {"_video.one", "wwww", one}, {"_video.mad", "wwww", mad}
};

EXEC_TABLE(exec_rows_video)
