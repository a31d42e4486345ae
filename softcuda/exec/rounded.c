/* f32 and f64 arithmetic rounded to zero, down or up.
 *
 * Rare, so it sets the host's rounding mode around a loop.  Operands and results
 * are volatile: a compiler that knows nothing of rounding modes then keeps each
 * operation between the two calls that set it.  The mode is the thread's own. */
#include "config.h"

#include "softcuda/exec/real.h"
#include "softcuda/exec/table.h"

#include <fenv.h>

#define ROUNDED_F32(name, mode, form, in, out, expression, wide)              \
	OP_HEAD(name)                                                         \
	{                                                                     \
		const lane_f32 *a = OPERAND(const lane_f32, 1);               \
		const lane_f32 *b = OPERAND(const lane_f32, (form) > 1 ? 2 : 1); \
		const lane_f32 *c = OPERAND(const lane_f32, (form) > 2 ? 3 : 1); \
		uint32_t result[LANES];                                       \
		volatile float rounded[LANES];                                \
		fesetround(mode);                                             \
		for (unsigned l = 0; l < LANES; l++) {                        \
			volatile float x = in(a[l]), y = in(b[l]), z = in(c[l]); \
			(void)y;                                              \
			(void)z;                                              \
			rounded[l] = (expression);                            \
		}                                                             \
		fesetround(FE_TONEAREST);                                     \
		for (unsigned l = 0; l < LANES; l++) {                        \
			const double x = in(a[l]), y = in(b[l]), z = in(c[l]); \
			float r = rounded[l];                                 \
			(void)x;                                              \
			(void)y;                                              \
			(void)z;                                              \
			result[l] = out(result_f32(r), wide);                 \
		}                                                             \
		op_put_32(OPERAND(void, 0), result, mask);                    \
		return FLOW_NEXT;                                             \
	}
#define ROUNDED_F64(name, mode, form, expression)                             \
	OP_HEAD(name)                                                         \
	{                                                                     \
		const lane_f64 *a = OPERAND(const lane_f64, 1);               \
		const lane_f64 *b = OPERAND(const lane_f64, (form) > 1 ? 2 : 1); \
		const lane_f64 *c = OPERAND(const lane_f64, (form) > 2 ? 3 : 1); \
		uint64_t result[LANES];                                       \
		volatile double rounded[LANES];                               \
		fesetround(mode);                                             \
		for (unsigned l = 0; l < LANES; l++) {                        \
			volatile double x = a[l], y = b[l], z = c[l];         \
			(void)y;                                              \
			(void)z;                                              \
			rounded[l] = (expression);                            \
		}                                                             \
		fesetround(FE_TONEAREST);                                     \
		for (unsigned l = 0; l < LANES; l++)                          \
			result[l] = result_f64(rounded[l], a[l], b[l], c[l]); \
		op_put_64(OPERAND(void, 0), result, mask);                    \
		return FLOW_NEXT;                                             \
	}
#define SAME(x) (x)
#define KEEP(bits, exact) (bits)
#define SAT(bits, exact) bits_f32(sat_f32(f32_bits(bits)))
#define FLUSH(bits, exact) bits_f32(ftz_f32(f32_bits(flush_least(bits, exact))))
#define FLUSH_SAT(bits, exact) SAT(FLUSH(bits, exact), exact)
#define MODES_F32(name, form, expression, wide)                               \
	VARIANTS_F32(name##_rz, FE_TOWARDZERO, form, expression, wide)        \
	VARIANTS_F32(name##_rm, FE_DOWNWARD, form, expression, wide)          \
	VARIANTS_F32(name##_rp, FE_UPWARD, form, expression, wide)
/* wide: the exact value, or as near as double comes. */
#define VARIANTS_F32(name, mode, form, expression, wide)                      \
	ROUNDED_F32(name##_f32, mode, form, SAME, KEEP, expression, wide)     \
	ROUNDED_F32(name##_f32_ftz, mode, form, ftz_f32, FLUSH, expression, wide) \
	ROUNDED_F32(name##_f32_sat, mode, form, SAME, SAT, expression, wide)  \
	ROUNDED_F32(name##_f32_ftz_sat, mode, form, ftz_f32, FLUSH_SAT, expression, wide)
#define MODES_F64(name, form, expression)                                     \
	ROUNDED_F64(name##_rz_f64, FE_TOWARDZERO, form, expression)           \
	ROUNDED_F64(name##_rm_f64, FE_DOWNWARD, form, expression)             \
	ROUNDED_F64(name##_rp_f64, FE_UPWARD, form, expression)

MODES_F32(add, 2, x + y, x + y)
MODES_F32(sub, 2, x - y, x - y)
MODES_F32(mul, 2, x * y, x * y)
MODES_F32(div, 2, x / y, x / y)
MODES_F32(rcp, 1, 1.0f / x, 1.0 / x)
MODES_F32(sqrt, 1, sqrtf(x), sqrt(x))
MODES_F32(fma, 3, fmaf(x, y, z), x * y + z)
MODES_F64(add, 2, x + y)
MODES_F64(sub, 2, x - y)
MODES_F64(mul, 2, x * y)
MODES_F64(div, 2, x / y)
MODES_F64(rcp, 1, 1.0 / x)
MODES_F64(sqrt, 1, sqrt(x))
MODES_F64(fma, 3, fma(x, y, z))

#define VARIANT_ROWS(text, shape, fn)                                         \
	{text ".f32", shape, fn##_f32}, {text ".ftz.f32", shape, fn##_f32_ftz}, \
	{text ".sat.f32", shape, fn##_f32_sat},                               \
	{text ".ftz.sat.f32", shape, fn##_f32_ftz_sat}
#define ROWS_F32(text, shape, fn)                                             \
	VARIANT_ROWS(text ".rz", shape, fn##_rz), VARIANT_ROWS(text ".rm", shape, fn##_rm), \
	VARIANT_ROWS(text ".rp", shape, fn##_rp)
#define ROWS_F64(text, shape, fn)                                             \
	{text ".rz.f64", shape, fn##_rz_f64}, {text ".rm.f64", shape, fn##_rm_f64}, \
	{text ".rp.f64", shape, fn##_rp_f64}

static const struct op_row rows[] = {
	ROWS_F32("add", "www", add), ROWS_F32("sub", "www", sub), ROWS_F32("mul", "www", mul),
	ROWS_F32("div", "www", div), ROWS_F32("rcp", "ww", rcp), ROWS_F32("sqrt", "ww", sqrt),
	ROWS_F32("fma", "wwww", fma), ROWS_F32("mad", "wwww", fma),
	ROWS_F64("add", "lll", add), ROWS_F64("sub", "lll", sub), ROWS_F64("mul", "lll", mul),
	ROWS_F64("div", "lll", div), ROWS_F64("rcp", "ll", rcp), ROWS_F64("sqrt", "ll", sqrt),
	ROWS_F64("fma", "llll", fma), ROWS_F64("mad", "llll", fma)
};

EXEC_TABLE(exec_rows_rounded)
