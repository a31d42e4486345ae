/* What ops on floats of several families do as one of their steps: limits, and f16, which not all processors
 * convert. */
#include "config.h"

#include "softcuda/jit/emit.h"

value emit_saturated(const struct emitter *e, value f)
{
	LLVMBuilderRef b = e->builder;
	value zero = emit_real(f, 0), one = emit_real(f, 1);
	value least = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, f, one, ""), f, one, "");
	return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOGT, f, zero, ""), least, zero, "");
}

value emit_extreme(const struct emitter *e, value x, value y, bool most)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef element = emit_is_scalar(x) ? LLVMTypeOf(x) : LLVMGetElementType(LLVMTypeOf(x));
	LLVMTypeRef type = emit_type(e, element == e->f64 ? e->i64 : e->i32, emit_is_scalar(x));
	value p = LLVMBuildBitCast(b, x, type, ""), q = LLVMBuildBitCast(b, y, type, "");
	value equal = LLVMBuildFCmp(b, LLVMRealOEQ, x, y, "");
	value zeros = most ? LLVMBuildAnd(b, p, q, "") : LLVMBuildOr(b, p, q, "");
	value first = LLVMBuildFCmp(b, most ? LLVMRealOGT : LLVMRealOLT, x, y, "");
	value r = LLVMBuildSelect(b, first, p, q, "");
	r = LLVMBuildSelect(b, equal, zeros, r, "");
	r = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealUNO, y, y, ""), p, r, "");
	r = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealUNO, x, x, ""), q, r, "");
	return LLVMBuildBitCast(b, r, LLVMTypeOf(x), "");
}

/* --- f16 ---------- */

value emit_flushed_half(const struct emitter *e, value half)
{
	LLVMBuilderRef b = e->builder;
	value exponent = LLVMBuildAnd(b, half, emit_number(e, half, 0x7c00), "");
	value small = LLVMBuildICmp(b, LLVMIntEQ, exponent, emit_number(e, half, 0), "");
	return LLVMBuildSelect(b, small, LLVMBuildAnd(b, half, emit_number(e, half, 0x8000), ""), half, "");
}

value emit_float_of_half(const struct emitter *e, value half)
{
	LLVMBuilderRef b = e->builder;
	half = emit_resize(e, half, 16, 32, false);
	value sign = LLVMBuildAnd(b, half, emit_number(e, half, 0x8000), "");
	value rest = LLVMBuildAnd(b, half, emit_number(e, half, 0x7fff), "");
	sign = LLVMBuildShl(b, sign, emit_number(e, half, 16), "");
	rest = LLVMBuildShl(b, rest, emit_number(e, half, 13), "");
	/* The exponent is 112 too small, also that of a subnormal number, except of infinity and NaN. */
	LLVMTypeRef type = emit_type(e, e->f32, emit_is_scalar(half));
	value scale = LLVMBuildBitCast(b, emit_number(e, half, (uint64_t)(127 + 112) << 23), type, "");
	value f = LLVMBuildFMul(b, LLVMBuildBitCast(b, rest, type, ""), scale, "");
	f = LLVMBuildBitCast(b, f, LLVMTypeOf(half), "");
	value large = LLVMBuildICmp(b, LLVMIntUGE, rest, emit_number(e, half, 0x7c00u << 13), "");
	f = LLVMBuildSelect(b, large, LLVMBuildOr(b, rest, emit_number(e, half, 0x7f800000), ""), f, "");
	return LLVMBuildBitCast(b, LLVMBuildOr(b, f, sign, ""), type, "");
}

value emit_half_of_float(const struct emitter *e, value bits)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef type = emit_type(e, e->f32, emit_is_scalar(bits));
	value sign = LLVMBuildLShr(b, bits, emit_number(e, bits, 16), "");
	sign = LLVMBuildAnd(b, sign, emit_number(e, bits, 0x8000), "");
	value x = LLVMBuildAnd(b, bits, emit_number(e, bits, 0x7fffffff), "");
	value odd = LLVMBuildAnd(b, LLVMBuildLShr(b, x, emit_number(e, x, 13), ""), emit_number(e, x, 1), "");
	value r = LLVMBuildAdd(b, x, LLVMBuildAdd(b, odd, emit_number(e, x, 0xfff - (UINT64_C(112) << 23)), ""), "");
	r = LLVMBuildLShr(b, r, emit_number(e, x, 13), "");
	/* The last place of 1/2 is that of f16's subnormal numbers. */
	value half = emit_number(e, x, 0x3f000000);
	value small = LLVMBuildFAdd(b, LLVMBuildBitCast(b, x, type, ""), LLVMBuildBitCast(b, half, type, ""), "");
	small = LLVMBuildSub(b, LLVMBuildBitCast(b, small, LLVMTypeOf(x), ""), half, "");
	r = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntULT, x, emit_number(e, x, 0x38800000), ""), small, r, "");
	/* 65520 is in the middle between the greatest f16 and the next one that it would have. */
	value large = LLVMBuildICmp(b, LLVMIntUGE, x, emit_number(e, x, 0x477ff000), "");
	r = LLVMBuildOr(b, LLVMBuildSelect(b, large, emit_number(e, x, 0x7c00), r, ""), sign, "");
	value is_nan = LLVMBuildICmp(b, LLVMIntUGT, x, emit_number(e, x, 0x7f800000), "");
	return emit_resize(e, LLVMBuildSelect(b, is_nan, emit_number(e, x, 0x7fff), r, ""), 32, 16, false);
}
