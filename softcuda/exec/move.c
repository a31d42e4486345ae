/* mov, selp, slct, packing, and the copies that the decoder adds between widths. */
#include "config.h"

#include "softcuda/exec/table.h"

OP_UNARY(zhh, lane_u16, 16, a[l])
OP_UNARY(zww, lane_u32, 32, a[l])
OP_UNARY(zll, lane_u64, 64, a[l])
OP_UNARY(zhw, lane_u16, 32, a[l])
OP_UNARY(zhl, lane_u16, 64, a[l])
OP_UNARY(zwl, lane_u32, 64, a[l])
OP_UNARY(zwh, lane_u32, 16, a[l])
OP_UNARY(zlh, lane_u64, 16, a[l])
OP_UNARY(zlw, lane_u64, 32, a[l])
OP_UNARY(shw, lane_s16, 32, a[l])
OP_UNARY(shl, lane_s16, 64, a[l])
OP_UNARY(swl, lane_s32, 64, a[l])

OP_HEAD(zpp)
{
	op_put_predicate(OPERAND(void, 0), op_predicate(warp, op->x[1]), mask);
	return FLOW_NEXT;
}

#define SELECT(name, n)                                                       \
	OP_HEAD(name)                                                         \
	{                                                                     \
		const lane_u##n *a = OPERAND(const lane_u##n, 1);             \
		const lane_u##n *b = OPERAND(const lane_u##n, 2);             \
		uint32_t p = op_predicate(warp, op->x[3]);                    \
		OP_RESULT(n, p & op_lane_bit[l] ? a[l] : b[l])                \
	}

SELECT(selp_16, 16)
SELECT(selp_32, 32)
SELECT(selp_64, 64)

/* slct: selects by the sign of c, which may have another type; -0.0 is not negative. */
#define CHOOSE(name, n, lanes, condition)                                     \
	OP_HEAD(name)                                                         \
	{                                                                     \
		const lane_u##n *a = OPERAND(const lane_u##n, 1);             \
		const lane_u##n *b = OPERAND(const lane_u##n, 2);             \
		const lanes *c = OPERAND(const lanes, 3);                     \
		OP_RESULT(n, (condition) ? a[l] : b[l])                       \
	}

CHOOSE(slct_16_s, 16, lane_s32, c[l] >= 0)
CHOOSE(slct_32_s, 32, lane_s32, c[l] >= 0)
CHOOSE(slct_64_s, 64, lane_s32, c[l] >= 0)
CHOOSE(slct_16_f, 16, lane_f32, c[l] >= 0)
CHOOSE(slct_32_f, 32, lane_f32, c[l] >= 0)
CHOOSE(slct_64_f, 64, lane_f32, c[l] >= 0)

/* A subnormal number is flushed to zero, so it is not negative. */
CHOOSE(slct_16_ftz, 16, lane_f32, c[l] > -0x1p-126f)
CHOOSE(slct_32_ftz, 32, lane_f32, c[l] > -0x1p-126f)
CHOOSE(slct_64_ftz, 64, lane_f32, c[l] > -0x1p-126f)

OP_BINARY(pack_16_16, lane_u16, 32, a[l] | (uint32_t)b[l] << 16)
OP_BINARY(pack_32_32, lane_u32, 64, a[l] | (uint64_t)b[l] << 32)

OP_HEAD(pack_64_4)
{
	const lane_u16 *a = OPERAND(const lane_u16, 1);
	const lane_u16 *b = OPERAND(const lane_u16, 2);
	const lane_u16 *c = OPERAND(const lane_u16, 3);
	const lane_u16 *d = OPERAND(const lane_u16, 4);
	OP_RESULT(64, a[l] | (uint64_t)b[l] << 16 | (uint64_t)c[l] << 32 | (uint64_t)d[l] << 48)
}

OP_UNARY(unpack_32_0, lane_u32, 16, a[l])
OP_UNARY(unpack_32_1, lane_u32, 16, a[l] >> 16)
OP_UNARY(unpack_64_1, lane_u64, 32, a[l] >> 32)
OP_UNARY(unpack_64_4_1, lane_u64, 16, a[l] >> 16)
OP_UNARY(unpack_64_4_2, lane_u64, 16, a[l] >> 32)
OP_UNARY(unpack_64_4_3, lane_u64, 16, a[l] >> 48)

#define SELECT_ROWS(n, w)                                                     \
	{"selp.b" #n, w w w "p", selp_##n}, {"selp.u" #n, w w w "p", selp_##n}, \
	{"selp.s" #n, w w w "p", selp_##n}, {"selp.f" #n, w w w "p", selp_##n}, \
	{"slct.b" #n ".s32", w w w "w", slct_##n##_s},                        \
	{"slct.u" #n ".s32", w w w "w", slct_##n##_s},                        \
	{"slct.s" #n ".s32", w w w "w", slct_##n##_s},                        \
	{"slct.f" #n ".s32", w w w "w", slct_##n##_s},                        \
	{"slct.b" #n ".f32", w w w "w", slct_##n##_f},                        \
	{"slct.u" #n ".f32", w w w "w", slct_##n##_f},                        \
	{"slct.s" #n ".f32", w w w "w", slct_##n##_f},                        \
	{"slct.f" #n ".f32", w w w "w", slct_##n##_f},                        \
	{"slct.ftz.b" #n ".f32", w w w "w", slct_##n##_ftz},                  \
	{"slct.ftz.u" #n ".f32", w w w "w", slct_##n##_ftz},                  \
	{"slct.ftz.s" #n ".f32", w w w "w", slct_##n##_ftz},                  \
	{"slct.ftz.f" #n ".f32", w w w "w", slct_##n##_ftz}

static const struct op_row rows[] = {
	{"_zhh", "hh", zhh}, {"_zww", "ww", zww}, {"_zll", "ll", zll}, {"_zhw", "wh", zhw},
	{"_zhl", "lh", zhl}, {"_zwl", "lw", zwl}, {"_zwh", "hw", zwh}, {"_zlh", "hl", zlh},
	{"_zlw", "wl", zlw}, {"_shw", "wh", shw}, {"_shl", "lh", shl}, {"_swl", "lw", swl},
	{"_zpp", "pp", zpp},
	SELECT_ROWS(16, "h"), SELECT_ROWS(32, "w"), SELECT_ROWS(64, "l"),
	{"_pack.32.2", "whh", pack_16_16}, {"_pack.64.2", "lww", pack_32_32},
	{"_pack.64.4", "lhhhh", pack_64_4},
	{"_unpack.32.2.0", "hw", unpack_32_0}, {"_unpack.32.2.1", "hw", unpack_32_1},
	{"_unpack.64.2.0", "wl", zlw}, {"_unpack.64.2.1", "wl", unpack_64_1},
	{"_unpack.64.4.0", "hl", zlh}, {"_unpack.64.4.1", "hl", unpack_64_4_1},
	{"_unpack.64.4.2", "hl", unpack_64_4_2}, {"_unpack.64.4.3", "hl", unpack_64_4_3}
};

EXEC_TABLE_HOT(exec_rows_move)
