/* Comparisons: the rows behind setp and set, "_cmp.<relation>[.ftz].<type>". */
#include "config.h"

#include "softcuda/exec/half.h"
#include "softcuda/exec/real.h"
#include "softcuda/exec/table.h"

#define SIX(name, lanes)                                                      \
	OP_COMPARE(eq_##name, lanes, a[l] == b[l])                            \
	OP_COMPARE(ne_##name, lanes, a[l] != b[l])                            \
	OP_COMPARE(lt_##name, lanes, a[l] < b[l])                             \
	OP_COMPARE(le_##name, lanes, a[l] <= b[l])                            \
	OP_COMPARE(gt_##name, lanes, a[l] > b[l])                             \
	OP_COMPARE(ge_##name, lanes, a[l] >= b[l])

SIX(u16, lane_u16)
SIX(s16, lane_s16)
SIX(u32, lane_u32)
SIX(s32, lane_s32)
SIX(u64, lane_u64)
SIX(s64, lane_s64)

/* Ordered relations are false with a NaN, the ...u ones true; ne is ordered. */
#define FOURTEEN(name, lanes, type, in, A, B)                                 \
	FLOAT(eq_##name, lanes, type, in, A, B, x == y)                       \
	FLOAT(ne_##name, lanes, type, in, A, B, x < y || x > y)               \
	FLOAT(lt_##name, lanes, type, in, A, B, x < y)                        \
	FLOAT(le_##name, lanes, type, in, A, B, x <= y)                       \
	FLOAT(gt_##name, lanes, type, in, A, B, x > y)                        \
	FLOAT(ge_##name, lanes, type, in, A, B, x >= y)                       \
	FLOAT(equ_##name, lanes, type, in, A, B, !(x < y || x > y))           \
	FLOAT(neu_##name, lanes, type, in, A, B, !(x == y))                   \
	FLOAT(ltu_##name, lanes, type, in, A, B, !(x >= y))                   \
	FLOAT(leu_##name, lanes, type, in, A, B, !(x > y))                    \
	FLOAT(gtu_##name, lanes, type, in, A, B, !(x <= y))                   \
	FLOAT(geu_##name, lanes, type, in, A, B, !(x < y))                    \
	FLOAT(num_##name, lanes, type, in, A, B, x == x && y == y)            \
	FLOAT(nan_##name, lanes, type, in, A, B, x != x || y != y)
#define FLOAT(name, lanes, type, in, A, B, expression)                        \
	OP_HEAD(name)                                                         \
	{                                                                     \
		const lanes *a = OPERAND(const lanes, 1);                     \
		const lanes *b = OPERAND(const lanes, 2);                     \
		uint32_t bits[LANES], result = 0;                             \
		for (unsigned l = 0; l < LANES; l++) {                        \
			const type x = in(A), y = in(B);                      \
			bits[l] = (expression) ? op_lane_bit[l] : 0;          \
		}                                                             \
		for (unsigned l = 0; l < LANES; l++)                          \
			result |= bits[l];                                    \
		op_put_predicate(OPERAND(void, 0), result, mask);             \
		return FLOW_NEXT;                                             \
	}
#define SAME(x) (x)
#define LOW(x) half_to_f64((uint16_t)(x))
#define HIGH(x) half_to_f64((uint16_t)((x) >> 16))
#define LOW_B(x) bfloat_to_f64((uint16_t)(x))
#define HIGH_B(x) bfloat_to_f64((uint16_t)((x) >> 16))
#define FLUSHED(x) (fabs(x) < 0x1p-14 ? 0 * (x) : (x))
#define LOW_FTZ(x) FLUSHED(LOW(x))
#define HIGH_FTZ(x) FLUSHED(HIGH(x))

FOURTEEN(f32, lane_f32, float, SAME, a[l], b[l])
FOURTEEN(f32_ftz, lane_f32, float, ftz_f32, a[l], b[l])
FOURTEEN(f64, lane_f64, double, SAME, a[l], b[l])
FOURTEEN(f16, lane_u16, double, LOW, a[l], b[l])
FOURTEEN(f16_ftz, lane_u16, double, LOW_FTZ, a[l], b[l])
FOURTEEN(bf16, lane_u16, double, LOW_B, a[l], b[l])
FOURTEEN(low, lane_u32, double, LOW, a[l], b[l])
FOURTEEN(high, lane_u32, double, HIGH, a[l], b[l])
FOURTEEN(low_ftz, lane_u32, double, LOW_FTZ, a[l], b[l])
FOURTEEN(high_ftz, lane_u32, double, HIGH_FTZ, a[l], b[l])
FOURTEEN(low_b, lane_u32, double, LOW_B, a[l], b[l])
FOURTEEN(high_b, lane_u32, double, HIGH_B, a[l], b[l])

#define SIX_ROWS(type, shape)                                                 \
	{"_cmp.eq." #type, shape, eq_##type}, {"_cmp.ne." #type, shape, ne_##type}, \
	{"_cmp.lt." #type, shape, lt_##type}, {"_cmp.le." #type, shape, le_##type}, \
	{"_cmp.gt." #type, shape, gt_##type}, {"_cmp.ge." #type, shape, ge_##type}
#define LOW_HIGH_ROWS(type, shape)                                            \
	{"_cmp.lo." #type, shape, lt_##type}, {"_cmp.ls." #type, shape, le_##type}, \
	{"_cmp.hi." #type, shape, gt_##type}, {"_cmp.hs." #type, shape, ge_##type}
#define BIT_ROWS(n, shape) \
	{"_cmp.eq.b" #n, shape, eq_u##n}, {"_cmp.ne.b" #n, shape, ne_u##n}
#define FOURTEEN_ROWS(type, shape, fn)                                        \
	{"_cmp.eq" type, shape, eq_##fn}, {"_cmp.ne" type, shape, ne_##fn},   \
	{"_cmp.lt" type, shape, lt_##fn}, {"_cmp.le" type, shape, le_##fn},   \
	{"_cmp.gt" type, shape, gt_##fn}, {"_cmp.ge" type, shape, ge_##fn},   \
	{"_cmp.equ" type, shape, equ_##fn}, {"_cmp.neu" type, shape, neu_##fn}, \
	{"_cmp.ltu" type, shape, ltu_##fn}, {"_cmp.leu" type, shape, leu_##fn}, \
	{"_cmp.gtu" type, shape, gtu_##fn}, {"_cmp.geu" type, shape, geu_##fn}, \
	{"_cmp.num" type, shape, num_##fn}, {"_cmp.nan" type, shape, nan_##fn}

static const struct op_row rows[] = {
	SIX_ROWS(u16, "phh"), SIX_ROWS(s16, "phh"), SIX_ROWS(u32, "pww"), SIX_ROWS(s32, "pww"),
	SIX_ROWS(u64, "pll"), SIX_ROWS(s64, "pll"), LOW_HIGH_ROWS(u16, "phh"),
	LOW_HIGH_ROWS(u32, "pww"), LOW_HIGH_ROWS(u64, "pll"), BIT_ROWS(16, "phh"),
	BIT_ROWS(32, "pww"), BIT_ROWS(64, "pll"),
	FOURTEEN_ROWS(".f32", "pww", f32), FOURTEEN_ROWS(".ftz.f32", "pww", f32_ftz),
	FOURTEEN_ROWS(".f64", "pll", f64), FOURTEEN_ROWS(".f16", "phh", f16),
	FOURTEEN_ROWS(".ftz.f16", "phh", f16_ftz), FOURTEEN_ROWS(".bf16", "phh", bf16),
	FOURTEEN_ROWS(".f16x2.0", "pww", low), FOURTEEN_ROWS(".f16x2.1", "pww", high),
	FOURTEEN_ROWS(".ftz.f16x2.0", "pww", low_ftz),
	FOURTEEN_ROWS(".ftz.f16x2.1", "pww", high_ftz),
	FOURTEEN_ROWS(".bf16x2.0", "pww", low_b), FOURTEEN_ROWS(".bf16x2.1", "pww", high_b)
};

EXEC_TABLE_HOT(exec_rows_compare)
