/* The SIMD video instructions: 4 bytes or 2 halves of a register at once. */
#include "config.h"

#include "backend/softcuda/exec_table.h"
#include "backend/softcuda/exec_video.h"

static int32_t element(uint32_t x, unsigned i, unsigned bits, bool is_signed)
{
	uint32_t part = x >> (i * bits) & ((1u << bits) - 1);
	int32_t sign = (int32_t)(part >> (bits - 1));
	return (int32_t)part - (is_signed && sign ? 1 << bits : 0);
}

static int32_t combine(int32_t x, int32_t y, enum video_operation operation)
{
	switch (operation) {
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
	default:
		return x >= y;
	}
}

static uint32_t video_one(uint32_t a, uint32_t b, uint32_t c, uint64_t what)
{
	unsigned bits = what & VIDEO_HALVES ? 16 : 8;
	uint32_t result = 0;
	for (unsigned i = 0; i < 32 / bits; i++) {
		int32_t r = combine(element(a, i, bits, what & VIDEO_SIGNED_A),
				    element(b, i, bits, what & VIDEO_SIGNED_B),
				    (enum video_operation)(what & VIDEO_OPERATION));
		int32_t high = (int32_t)((1u << (bits - !!(what & VIDEO_SIGNED))) - 1);
		int32_t low = what & VIDEO_SIGNED ? -high - 1 : 0;
		if (what & VIDEO_SATURATES)
			r = r < low ? low : r > high ? high : r;
		if (what & VIDEO_ADDS)
			c += (uint32_t)r;
		else
			result |= ((uint32_t)r & ((1u << bits) - 1)) << (i * bits);
	}
	return what & VIDEO_ADDS ? c : result;
}

OP_TERNARY(video, lane_u32, 32, video_one(a[l], b[l], c[l], (uint64_t)op->imm))

static const struct op_row rows[] = {{"_video", "wwww", video}};

EXEC_TABLE(exec_rows_video)
