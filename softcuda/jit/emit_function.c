/* sin, cos, ex2 and lg2 of f32, computed in f64 as vectors and rounded once.  The results are those of the C library's
 * functions of f64; where another value near the result would be rounded to another f32, it is in doubt. */
#include "config.h"

#include "softcuda/jit/emit.h"

#include "softcuda/exec/approx.h"

#include <math.h>

/* --- sin and cos ---------- */

static value multiply_add(const struct emitter *e, value a, value b, value c)
{
	LLVMTypeRef type = LLVMTypeOf(a);
	return emit_intrinsic(e, "llvm.fma", &type, 1, (value[]){a, b, c}, 3);
}

/* A polynomial in x with these coefficients, of which the first belongs to the highest power. */
static value polynomial(const struct emitter *e, value x, const double *coefficients, unsigned count)
{
	value sum = emit_real(x, coefficients[0]);
	for (unsigned i = 1; i < count; i++)
		sum = multiply_add(e, sum, x, emit_real(x, coefficients[i]));
	return sum;
}

/* sin(x) or cos(x) of a multiple of pi / 2 and r, which is at most pi / 4: sin or cos of r by Taylor's series, with a
 * relative error below 2^-50; the sign and which of them depend on the quadrant's lowest two bits. */
static value of_quadrant(const struct emitter *e, value r, value quadrant)
{
	static const double sine[] = {-1 / 1307674368000.0, 1 / 6227020800.0, -1 / 39916800.0, 1 / 362880.0,
				      -1 / 5040.0, 1 / 120.0, -1 / 6.0};
	static const double cosine[] = {1 / 20922789888000.0, -1 / 87178291200.0, 1 / 479001600.0, -1 / 3628800.0,
					1 / 40320.0, -1 / 720.0, 1 / 24.0, -0.5, 1};
	LLVMBuilderRef b = e->builder;
	value square = LLVMBuildFMul(b, r, r, "");
	value s = LLVMBuildFMul(b, square, polynomial(e, square, sine, 7), "");
	s = multiply_add(e, s, r, r);
	value c = polynomial(e, square, cosine, 9);
	value odd = LLVMBuildAnd(b, quadrant, emit_number(e, quadrant, 1), "");
	odd = LLVMBuildICmp(b, LLVMIntNE, odd, emit_number(e, odd, 0), "");
	value sign = LLVMBuildAnd(b, quadrant, emit_number(e, quadrant, 2), "");
	sign = LLVMBuildShl(b, sign, emit_number(e, sign, 62), "");
	value bits = LLVMBuildBitCast(b, LLVMBuildSelect(b, odd, c, s, ""), LLVMTypeOf(sign), "");
	return LLVMBuildBitCast(b, LLVMBuildXor(b, bits, sign, ""), LLVMTypeOf(r), "");
}

value emit_circular(struct emitter *e, value single, bool cosine, value *doubt_out)
{
	static const double turn = 0x1.45f306dc9c883p-1, half_pi = 0x1.921fb54442d18p+0, rest = 0x1.1a62633145c07p-54;
	LLVMBuilderRef b = e->builder;
	const bool scalar = emit_is_scalar(single);
	LLVMTypeRef narrow = LLVMTypeOf(single);
	value x = LLVMBuildFPExt(b, single, emit_type(e, e->f64, scalar), "");
	value sum = multiply_add(e, x, emit_real(x, turn), emit_real(x, APPROX_WHOLE));
	value quadrant = LLVMBuildBitCast(b, sum, emit_type(e, e->i64, scalar), "");
	value n = LLVMBuildFNeg(b, LLVMBuildFSub(b, sum, emit_real(x, APPROX_WHOLE), ""), "");
	value r = multiply_add(e, n, emit_real(x, half_pi), x);
	r = multiply_add(e, n, emit_real(x, rest), r);
	if (cosine)
		quadrant = LLVMBuildAdd(b, quadrant, emit_number(e, quadrant, 1), "");
	value y = of_quadrant(e, r, quadrant);
	/* The sums give 0 for -0, but sin(-0) is -0. */
	if (!cosine)
		y = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOEQ, x, emit_real(x, 0), ""), x, y, "");
	value least = LLVMBuildFPTrunc(b, LLVMBuildFMul(b, y, emit_real(y, 1 - 0x1p-48), ""), narrow, "");
	value most = LLVMBuildFPTrunc(b, LLVMBuildFMul(b, y, emit_real(y, 1 + 0x1p-48), ""), narrow, "");
	value large = LLVMBuildFCmp(b, LLVMRealUGE, emit_unary(e, "llvm.fabs", x), emit_real(x, 0x1p16), "");
	*doubt_out = LLVMBuildOr(b, large, LLVMBuildFCmp(b, LLVMRealUNE, least, most, ""), "");
	return LLVMBuildFPTrunc(b, y, narrow, "");
}

/* --- ex2 and lg2: exec/approx.h has the method ---------- */

/* a * b + c, rounded once if the processor has an instruction for that, which the polynomials do not need. */
static value sum_of_product(const struct emitter *e, value a, value b, value c)
{
	LLVMTypeRef type = LLVMTypeOf(a);
	return emit_intrinsic(e, "llvm.fmuladd", &type, 1, (value[]){a, b, c}, 3);
}

/* A polynomial as polynomial() has it, but as a sum of two in x^2, which processors evaluate at the same time. */
static value polynomial_of_two(const struct emitter *e, value x, const double *coefficients, unsigned count)
{
	value square = LLVMBuildFMul(e->builder, x, x, "");
	value sums[2] = {emit_real(x, coefficients[0]), emit_real(x, coefficients[1])};
	for (unsigned i = 2; i < count; i++)
		sums[i % 2] = sum_of_product(e, sums[i % 2], square, emit_real(x, coefficients[i]));
	return sum_of_product(e, sums[count % 2], x, sums[(count + 1) % 2]);
}

static value bits_of(const struct emitter *e, value f)
{
	return LLVMBuildBitCast(e->builder, f, emit_type(e, e->i64, emit_is_scalar(f)), "");
}

static value float_of(const struct emitter *e, value bits)
{
	return LLVMBuildBitCast(e->builder, bits, emit_type(e, e->f64, emit_is_scalar(bits)), "");
}

/* Whether y, an f64, is in doubt (APPROX_DOUBT). */
static value is_near_middle(const struct emitter *e, value y)
{
	LLVMBuilderRef b = e->builder;
	value low = LLVMBuildTrunc(b, bits_of(e, y), emit_type(e, e->i32, emit_is_scalar(y)), "");
	low = LLVMBuildAdd(b, low, emit_number(e, low, APPROX_DOUBT - APPROX_MIDDLE), "");
	low = LLVMBuildAnd(b, low, emit_number(e, low, APPROX_REST), "");
	return LLVMBuildICmp(b, LLVMIntULT, low, emit_number(e, low, 2 * APPROX_DOUBT), "");
}

#define TERM(coefficient) coefficient,

value emit_ex2(struct emitter *e, value single, value *doubt_out)
{
	static const double terms[] = {APPROX_EX2(TERM)};
	LLVMBuilderRef b = e->builder;
	value most = emit_real(single, APPROX_EX2_MOST), least = emit_real(single, -APPROX_EX2_MOST);
	/* A NaN is neither greater nor less, and remains. */
	value x = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOGT, single, most, ""), most, single, "");
	x = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, x, least, ""), least, x, "");
	x = LLVMBuildFPExt(b, x, emit_type(e, e->f64, emit_is_scalar(x)), "");
	value sum = LLVMBuildFAdd(b, x, emit_real(x, APPROX_WHOLE), "");
	value r = LLVMBuildFSub(b, x, LLVMBuildFSub(b, sum, emit_real(x, APPROX_WHOLE), ""), "");
	value y = polynomial_of_two(e, r, terms, sizeof(terms) / sizeof(terms[0]));
	y = bits_of(e, sum_of_product(e, y, r, emit_real(r, 1)));
	/* The integer is added to the exponent.  With a NaN it is 0. */
	y = LLVMBuildAdd(b, y, LLVMBuildShl(b, bits_of(e, sum), emit_number(e, y, 52), ""), "");
	y = float_of(e, y);
	*doubt_out = is_near_middle(e, y);
	return LLVMBuildFPTrunc(b, y, LLVMTypeOf(single), "");
}

value emit_lg2(struct emitter *e, value single, value *doubt_out)
{
	static const double terms[] = {APPROX_LG2(TERM)};
	LLVMBuilderRef b = e->builder;
	value x = LLVMBuildFPExt(b, single, emit_type(e, e->f64, emit_is_scalar(single)), "");
	value bits = bits_of(e, x);
	bits = LLVMBuildAdd(b, bits, emit_number(e, bits, APPROX_TO_ONE), "");
	value exponent = LLVMBuildLShr(b, bits, emit_number(e, bits, 52), "");
	exponent = float_of(e, LLVMBuildOr(b, exponent, emit_number(e, bits, APPROX_ADDED), ""));
	exponent = LLVMBuildFSub(b, exponent, emit_real(exponent, 0x1p52 + 1023), "");
	value f = LLVMBuildAnd(b, bits, emit_number(e, bits, APPROX_FRACTION), "");
	f = float_of(e, LLVMBuildAdd(b, f, emit_number(e, bits, APPROX_ROOT_HALF), ""));
	f = LLVMBuildFSub(b, f, emit_real(f, 1), "");
	value y = polynomial_of_two(e, f, terms, sizeof(terms) / sizeof(terms[0]));
	y = sum_of_product(e, y, f, exponent);
	*doubt_out = is_near_middle(e, y);
	y = LLVMBuildFPTrunc(b, y, LLVMTypeOf(single), "");
	/* Infinity and NaN; zeros; negative numbers. */
	value infinity = emit_real(single, INFINITY), zero = emit_real(single, 0);
	value low = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOEQ, single, zero, ""),
				    emit_real(single, -INFINITY), emit_real(single, NAN), "");
	y = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, single, infinity, ""), y, single, "");
	return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealUGT, single, zero, ""), y, low, "");
}
