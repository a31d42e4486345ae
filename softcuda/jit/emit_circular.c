/* sin and cos of f32, as vectors. */
#include "config.h"

#include "softcuda/jit/emit.h"

/* A constant of type f64, or a vector of it if `like` is a vector. */
static value real(const struct emitter *e, value like, double number)
{
	value constant = LLVMConstReal(e->f64, number);
	return emit_is_scalar(like) ? constant : emit_splat(e, constant);
}

static value multiply_add(const struct emitter *e, value a, value b, value c)
{
	LLVMTypeRef type = LLVMTypeOf(a);
	return emit_intrinsic(e, "llvm.fma", &type, 1, (value[]){a, b, c}, 3);
}

/* A polynomial in x with these coefficients, of which the first belongs to the highest power. */
static value polynomial(const struct emitter *e, value x, const double *coefficients, unsigned count)
{
	value sum = real(e, x, coefficients[0]);
	for (unsigned i = 1; i < count; i++)
		sum = multiply_add(e, sum, x, real(e, x, coefficients[i]));
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
	/* A sum with 3 * 2^51 has the nearest integer in its lowest bits. */
	static const double whole = 0x1.8p52;
	LLVMBuilderRef b = e->builder;
	const bool scalar = emit_is_scalar(single);
	LLVMTypeRef narrow = LLVMTypeOf(single);
	value x = LLVMBuildFPExt(b, single, emit_type(e, e->f64, scalar), "");
	value sum = multiply_add(e, x, real(e, x, turn), real(e, x, whole));
	value quadrant = LLVMBuildBitCast(b, sum, emit_type(e, e->i64, scalar), "");
	value n = LLVMBuildFNeg(b, LLVMBuildFSub(b, sum, real(e, x, whole), ""), "");
	value r = multiply_add(e, n, real(e, x, half_pi), x);
	r = multiply_add(e, n, real(e, x, rest), r);
	if (cosine)
		quadrant = LLVMBuildAdd(b, quadrant, emit_number(e, quadrant, 1), "");
	value y = of_quadrant(e, r, quadrant);
	/* The sums give 0 for -0, but sin(-0) is -0. */
	if (!cosine)
		y = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOEQ, x, real(e, x, 0), ""), x, y, "");
	value least = LLVMBuildFPTrunc(b, LLVMBuildFMul(b, y, real(e, y, 1 - 0x1p-48), ""), narrow, "");
	value most = LLVMBuildFPTrunc(b, LLVMBuildFMul(b, y, real(e, y, 1 + 0x1p-48), ""), narrow, "");
	value large = LLVMBuildFCmp(b, LLVMRealUGE, emit_unary(e, "llvm.fabs", x), real(e, x, 0x1p16), "");
	*doubt_out = LLVMBuildOr(b, large, LLVMBuildFCmp(b, LLVMRealUNE, least, most, ""), "");
	return LLVMBuildFPTrunc(b, y, narrow, "");
}
