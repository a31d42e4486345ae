/* Sums and products of f32 that are rounded to zero, down or up, as vectors.
 *
 * In f64 a product of two f32 is exact, and what a sum loses is known exactly: the sum of both is the exact result.
 * The sum, rounded to the nearest f32, is one of the two f32 next to the exact result, since there is no f32 between
 * that and the sum.  Where it lies on the wrong side, the other one is the result. */
#include "config.h"

#include "softcuda/jit/emit.h"

#include "softcuda/exec/convert.h"

/* An exact result: sum + rest. */
struct exact {
	value sum, rest;
};

static value widened(const struct emitter *e, value single)
{
	return LLVMBuildFPExt(e->builder, single, emit_type(e, e->f64, emit_is_scalar(single)), "");
}

static value bits_of(const struct emitter *e, value single)
{
	return LLVMBuildBitCast(e->builder, single, emit_type(e, e->i32, emit_is_scalar(single)), "");
}

static struct exact sum_of(const struct emitter *e, value p, value q)
{
	LLVMBuilderRef b = e->builder;
	value sum = LLVMBuildFAdd(b, p, q, "");
	value part = LLVMBuildFSub(b, sum, p, "");
	value rest = LLVMBuildFSub(b, p, LLVMBuildFSub(b, sum, part, ""), "");
	return (struct exact){sum, LLVMBuildFAdd(b, rest, LLVMBuildFSub(b, q, part, ""), "")};
}

/* Whether `wide`, the sum rounded to f32, is above the exact result (LLVMRealOGT) or below it (LLVMRealOLT). */
static value lies(const struct emitter *e, value wide, const struct exact *exact, LLVMRealPredicate where)
{
	LLVMBuilderRef b = e->builder;
	value zero = LLVMConstNull(LLVMTypeOf(wide));
	value equal = LLVMBuildFCmp(b, LLVMRealOEQ, wide, exact->sum, "");
	equal = LLVMBuildAnd(b, equal, LLVMBuildFCmp(b, where, zero, exact->rest, ""), "");
	return LLVMBuildOr(b, LLVMBuildFCmp(b, where, wide, exact->sum, ""), equal, "");
}

/* The bits of an exact result, rounded to f32. */
static value rounded(const struct emitter *e, const struct exact *exact, unsigned rounding, LLVMTypeRef type)
{
	LLVMBuilderRef b = e->builder;
	value near = LLVMBuildFPTrunc(b, exact->sum, type, ""), bits = bits_of(e, near), wide = widened(e, near);
	value one = emit_number(e, bits, 1), minus_one = emit_number(e, bits, UINT32_MAX);
	value none = emit_number(e, bits, 0);
	value negative = LLVMBuildICmp(b, LLVMIntSLT, bits, none, "");
	value above = lies(e, wide, exact, LLVMRealOGT), below = lies(e, wide, exact, LLVMRealOLT), step;
	/* The next number of greater magnitude has bits that are greater by one. */
	if (rounding == CONVERT_RM)
		step = LLVMBuildSelect(b, above, LLVMBuildSelect(b, negative, one, minus_one, ""), none, "");
	else if (rounding == CONVERT_RP)
		step = LLVMBuildSelect(b, below, LLVMBuildSelect(b, negative, minus_one, one, ""), none, "");
	else
		step = LLVMBuildSelect(b, LLVMBuildSelect(b, negative, below, above, ""), minus_one, none, "");
	return LLVMBuildAdd(b, bits, step, "");
}

value emit_rounded(struct emitter *e, const struct jit_verb *verb, value x, value y, value z)
{
	LLVMBuilderRef b = e->builder;
	const bool adds = verb->verb == VERB_FADD, multiplies = verb->verb == VERB_FMUL;
	LLVMTypeRef type = LLVMTypeOf(x);
	value p = widened(e, x), q = widened(e, y), sign = bits_of(e, x), other = bits_of(e, y);
	if (!adds) {
		p = LLVMBuildFMul(b, p, q, "");
		sign = LLVMBuildXor(b, sign, other, "");
	}
	if (!adds && !multiplies) {
		q = widened(e, z);
		other = bits_of(e, z);
	}
	const struct exact exact = multiplies ? (struct exact){p, LLVMConstNull(LLVMTypeOf(p))} : sum_of(e, p, q);
	value bits = rounded(e, &exact, verb->rounding, type), top = emit_number(e, bits, 0x80000000);
	/* Rounded down, the sum of a number and its negative is -0. */
	if (verb->rounding == CONVERT_RM && !multiplies) {
		value is_zero = LLVMBuildFCmp(b, LLVMRealOEQ, exact.sum, LLVMConstNull(LLVMTypeOf(p)), "");
		value zero = LLVMBuildAnd(b, LLVMBuildOr(b, sign, other, ""), top, "");
		bits = LLVMBuildSelect(b, is_zero, zero, bits, "");
	}
	/* .ftz also drops a result that only rounding has lifted to the least normal number. */
	if (verb->ftz) {
		value size = emit_unary(e, "llvm.fabs", exact.sum);
		value small = LLVMBuildFCmp(b, LLVMRealOLT, size, emit_real(size, 0x1p-126), "");
		bits = LLVMBuildSelect(b, small, LLVMBuildAnd(b, bits, top, ""), bits, "");
	}
	return LLVMBuildBitCast(b, bits, type, "");
}
