/* Division of vectors of integers.
 *
 * Processors have no instruction for it, and LLVM makes a scalar division for each lane, those of 64 bits twice: with a
 * test whether 32 bits are enough.  The quotient of two f64 is as good: where x and y are integers of less than 2^53 in
 * magnitude, x / y is either an integer, or at least 1/y away from one, while the quotient's error is at most 2^-53 of
 * x / y, which is less.  So it is never rounded to an integer or across one, unless it is that. */
#include "config.h"

#include "softcuda/jit/emit.h"

/* The bits of an f64's mantissa, and the bits of 2^52: or'ed with an integer of less than 2^52, the f64 that is 2^52
 * more. */
#define MANTISSA ((UINT64_C(1) << 52) - 1)
#define POWER_52 (UINT64_C(0x433) << 52)

static value is_set(const struct emitter *e, value v, uint64_t bits)
{
	LLVMBuilderRef b = e->builder;
	return LLVMBuildICmp(b, LLVMIntNE, LLVMBuildAnd(b, v, emit_number(e, v, bits), ""), emit_number(e, v, 0), "");
}

/* Integers of at most 32 bits. */
static value quotient_32(const struct emitter *e, value x, value y, bool is_signed)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef type = LLVMTypeOf(x), wide = emit_type(e, e->f64, false);
	if (is_signed)
		return LLVMBuildFPToSI(b, LLVMBuildFDiv(b, LLVMBuildSIToFP(b, x, wide, ""),
							LLVMBuildSIToFP(b, y, wide, ""), ""), type, "");
	return LLVMBuildFPToUI(b, LLVMBuildFDiv(b, LLVMBuildUIToFP(b, x, wide, ""),
						LLVMBuildUIToFP(b, y, wide, ""), ""), type, "");
}

/* An integer of less than 2^52 as f64. */
static value to_f64(const struct emitter *e, value x, value power)
{
	LLVMBuilderRef b = e->builder;
	value sum = LLVMBuildOr(b, x, emit_number(e, x, POWER_52), "");
	return LLVMBuildFSub(b, LLVMBuildBitCast(b, sum, LLVMTypeOf(power), ""), power, "");
}

/* Integers of less than 2^52. */
static value quotient_52(const struct emitter *e, value x, value y)
{
	LLVMBuilderRef b = e->builder;
	value power = LLVMConstBitCast(emit_number(e, x, POWER_52), emit_type(e, e->f64, false));
	value q = LLVMBuildFDiv(b, to_f64(e, x, power), to_f64(e, y, power), "");
	/* This sum is rounded to the nearest integer. */
	value sum = LLVMBuildFAdd(b, q, power, "");
	value above = LLVMBuildFCmp(b, LLVMRealOGT, LLVMBuildFSub(b, sum, power, ""), q, "");
	value bits = LLVMBuildBitCast(b, sum, LLVMTypeOf(x), "");
	bits = LLVMBuildAnd(b, bits, emit_number(e, x, MANTISSA), "");
	return LLVMBuildAdd(b, bits, LLVMBuildSExt(b, above, LLVMTypeOf(x), ""), "");
}

/* Has the executor divide the lanes one by one. */
static value quotient_64(struct emitter *e, value x, value y)
{
	LLVMBuilderRef b = e->builder;
	if (!e->divided) {
		e->divided = emit_slot(e, LLVMTypeOf(x), "divided");
		e->divisor = emit_slot(e, LLVMTypeOf(y), "divisor");
	}
	LLVMBuildStore(b, x, e->divided);
	LLVMBuildStore(b, y, e->divisor);
	emit_help(e, LLVMVoidTypeInContext(e->context), EMIT_EXECUTOR(divide),
		  (value[]){e->divided, e->divisor, emit_i32(e, e->plan->width)}, 3);
	return LLVMBuildLoad2(b, LLVMTypeOf(x), e->divided, "");
}

/* Integers of 64 bits without a sign: by f64 if all lanes that run op have less than 52. */
static value quotient(struct emitter *e, value mask, value x, value y)
{
	LLVMBuilderRef b = e->builder;
	LLVMBasicBlockRef large = emit_block(e, "large"), small = emit_block(e, "small"), on = emit_block(e, "divided");
	value beyond = is_set(e, LLVMBuildOr(b, x, y, ""), ~MANTISSA), ways[2];
	emit_unlikely(e, emit_any(e, LLVMBuildAnd(b, beyond, mask, "")), large, small);
	LLVMPositionBuilderAtEnd(b, large);
	ways[0] = quotient_64(e, x, y);
	LLVMBuildBr(b, on);
	LLVMPositionBuilderAtEnd(b, small);
	ways[1] = quotient_52(e, x, y);
	LLVMBuildBr(b, on);
	LLVMPositionBuilderAtEnd(b, on);
	value r = LLVMBuildPhi(b, LLVMTypeOf(x), "");
	LLVMAddIncoming(r, ways, (LLVMBasicBlockRef[]){large, small}, 2);
	return r;
}

/* The negative of v in the lanes where `sign` is negative. */
static value signed_as(const struct emitter *e, value v, value sign)
{
	LLVMBuilderRef b = e->builder;
	value negative = LLVMBuildICmp(b, LLVMIntSLT, sign, emit_number(e, sign, 0), "");
	return LLVMBuildSelect(b, negative, LLVMBuildNeg(b, v, ""), v, "");
}

value emit_quotient(struct emitter *e, value mask, value x, value y, bool is_signed)
{
	if (LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(x))) < 64)
		return quotient_32(e, x, y, is_signed);
	if (!is_signed)
		return quotient(e, mask, x, y);
	value q = quotient(e, mask, signed_as(e, x, x), signed_as(e, y, y));
	return signed_as(e, q, LLVMBuildXor(e->builder, x, y, ""));
}
