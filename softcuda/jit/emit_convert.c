/* cvt between integers, f32 and f64, and between f16 and f32 or integers, with the common modifiers.  The interpreter's
 * handler does the other conversions. */
#include "config.h"

#include "softcuda/jit/emit.h"

#include "softcuda/exec/convert.h"
#include "softcuda/exec/real.h"

#include <math.h>

/* A conversion that is being emitted. */
struct work {
	struct emitter *e;
	const struct jit_verb *verb;
	uint32_t op;
	unsigned mode;
	bool once;                /* computed once, on scalars (emit_once) */
};

static LLVMTypeRef float_type(const struct emitter *e, unsigned bits)
{
	return bits == 64 ? e->f64 : e->f32;
}

/* The width of the register for a value of so many bits: 8-bit values are in 16-bit registers. */
static unsigned register_bits(unsigned bits)
{
	return bits == 8 ? 16 : bits;
}

/* The source operand in the width of its type.  An 8-bit value is in the lower half of its register. */
static value source_integer(const struct work *w)
{
	value v = emit_operand(w->e, w->op, 1, w->once);
	return w->verb->from == 8 ? emit_resize(w->e, v, 16, 8, false) : v;
}

/* The source, clamped to the range of the destination type, in 64 bits. */
static value clamped(const struct work *w, value v)
{
	const unsigned bits = w->verb->bits;
	const bool to_signed = w->verb->to_signed, is_signed = w->verb->is_signed;
	const uint64_t top = bits == 64 && !to_signed ? UINT64_MAX : (UINT64_C(1) << (bits - to_signed)) - 1;
	const int64_t low = to_signed ? -(int64_t)top - 1 : 0;
	/* As in exec/convert.c, the source is extended to 64 bits according to the signedness of its own type. */
	v = emit_resize(w->e, v, w->verb->from, 64, is_signed);
	if (!is_signed)
		return emit_binary(w->e, "llvm.umin", v, emit_number(w->e, v, top));
	v = emit_binary(w->e, "llvm.smax", v, emit_number(w->e, v, (uint64_t)low));
	/* No signed value is greater than the maximum of u64. */
	return top > INT64_MAX ? v : emit_binary(w->e, "llvm.smin", v, emit_number(w->e, v, top));
}

static value integer_to_integer(const struct work *w)
{
	const unsigned bits = w->verb->bits;
	value line = w->verb->from == 32 && bits == 64 && !(w->mode & CONVERT_SAT) ?
			     emit_extended_line(w->e, w->op, 1, w->verb->is_signed) : NULL;
	if (line)
		return line;
	value v = source_integer(w);
	if (w->mode & CONVERT_SAT)
		v = emit_resize(w->e, clamped(w, v), 64, bits, false);
	else
		v = emit_resize(w->e, v, w->verb->from, bits, w->verb->is_signed);
	/* The result is extended to the width of its register according to the signedness of its type. */
	return emit_resize(w->e, v, bits, register_bits(bits), w->verb->to_signed);
}

/* Converts with one rounding, to nearest even, as sitofp and uitofp of LLVM do; for f16 to f32, in which every integer
 * that is no infinity of f16 is exact. */
static value integer_to_float(const struct work *w)
{
	value v = source_integer(w);
	LLVMTypeRef type = emit_type(w->e, float_type(w->e, w->verb->bits), emit_is_scalar(v));
	return w->verb->is_signed ? LLVMBuildSIToFP(w->e->builder, v, type, "")
				  : LLVMBuildUIToFP(w->e->builder, v, type, "");
}

/* The bits of an f32. */
static value bits_of(const struct emitter *e, value f)
{
	return LLVMBuildBitCast(e->builder, f, emit_type(e, e->i32, emit_is_scalar(f)), "");
}

/* An f32 whose subnormal values are replaced by zeros of the same sign (.ftz). */
static value flush(const struct work *w, value f)
{
	LLVMBuilderRef b = w->e->builder;
	value bits = bits_of(w->e, f);
	value exponent = LLVMBuildAnd(b, bits, emit_number(w->e, bits, 0x7f800000), "");
	value small = LLVMBuildICmp(b, LLVMIntEQ, exponent, emit_number(w->e, bits, 0), "");
	bits = LLVMBuildSelect(b, small, LLVMBuildAnd(b, bits, emit_number(w->e, bits, 0x80000000), ""), bits, "");
	return LLVMBuildBitCast(b, bits, LLVMTypeOf(f), "");
}

/* A float rounded to an integral value in the rounding mode of the op. */
static value whole(const struct work *w, value f)
{
	switch (w->mode & CONVERT_ROUNDING) {
	case CONVERT_RN:
		return emit_unary(w->e, "llvm.roundeven", f);
	case CONVERT_RM:
		return emit_unary(w->e, "llvm.floor", f);
	case CONVERT_RP:
		return emit_unary(w->e, "llvm.ceil", f);
	default:
		return emit_unary(w->e, "llvm.trunc", f);
	}
}

/* A float that is integral, or a vector of these, as an integer of `type`.  A value out of range becomes the nearest
 * value in range, a NaN 0.  LLVM has an intrinsic for that, but of a vector it converts element by element. */
static value saturating(const struct work *w, value f, LLVMTypeRef type)
{
	struct emitter *e = w->e;
	LLVMBuilderRef b = e->builder;
	const unsigned bits = w->verb->bits;
	const bool is_signed = w->verb->to_signed;
	LLVMTypeRef types[2] = {type, LLVMTypeOf(f)};
	if (emit_is_scalar(f))
		return emit_intrinsic(e, is_signed ? "llvm.fptosi.sat" : "llvm.fptoui.sat", types, 2, &f, 1);
	/* The limits are powers of two, which are exact. */
	value low = emit_real(f, is_signed ? -ldexp(1, (int)bits - 1) : 0);
	value high = emit_real(f, ldexp(1, (int)bits - is_signed));
	value over = LLVMBuildFCmp(b, LLVMRealOGE, f, high, "");
	value inside = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOGT, f, low, ""), f, low, "");
	inside = LLVMBuildSelect(b, over, low, inside, "");
	value r = is_signed ? LLVMBuildFPToSI(b, inside, type, "") : LLVMBuildFPToUI(b, inside, type, "");
	const uint64_t most = is_signed ? (UINT64_C(1) << (bits - 1)) - 1 : UINT64_MAX;
	r = LLVMBuildSelect(b, over, emit_number(e, r, most), r, "");
	return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealUNO, f, f, ""), emit_number(e, r, 0), r, "");
}

/* Converts a float to an integer.  A value out of range becomes the nearest value in range.  A NaN becomes 0; if
 * the source is f64 or the result has 64 bits, it becomes the number whose top bit alone is set. */
static value float_to_integer(const struct work *w)
{
	struct emitter *e = w->e;
	const unsigned bits = w->verb->bits, from = w->verb->from;
	value f = from == 16 ? emit_float_of_half(e, emit_operand(e, w->op, 1, w->once))
			     : emit_float_operand(e, w->op, 1, w->once, float_type(e, from));
	if (w->mode & CONVERT_FTZ && from == 32)
		f = flush(w, f);
	f = whole(w, f);
	LLVMTypeRef type = emit_type(e, LLVMIntTypeInContext(e->context, bits), emit_is_scalar(f));
	value r = saturating(w, f, type);
	if (bits == 64 || from == 64) {
		value is_nan = LLVMBuildFCmp(e->builder, LLVMRealUNO, f, f, "");
		r = LLVMBuildSelect(e->builder, is_nan, emit_number(e, r, UINT64_C(1) << (bits - 1)), r, "");
	}
	return emit_resize(e, r, bits, register_bits(bits), w->verb->to_signed);
}

/* Converts f32 to f32 or f64, or f64 to f64.  Returns false for .sat of f64, and for rounding modes other than to
 * nearest even unless the op rounds to an integral value.  *r is the result; it is not set if the result has been
 * assigned. */
static bool float_to_float(const struct work *w, value *r)
{
	struct emitter *e = w->e;
	const unsigned bits = w->verb->bits, from = w->verb->from;
	const unsigned known = CONVERT_ROUNDING | CONVERT_FTZ | CONVERT_INTEGRAL | (bits == 32 ? CONVERT_SAT : 0);
	if (w->mode & ~known || (!(w->mode & CONVERT_INTEGRAL) && (w->mode & CONVERT_ROUNDING) > CONVERT_RN))
		return false;
	/* Without modifiers f32 to f32 copies the bits, those of a NaN included. */
	if (bits == 32 && from == 32 && !w->mode) {
		emit_result(e, w->op, 0, emit_operand(e, w->op, 1, w->once));
		return true;
	}
	*r = emit_float_operand(e, w->op, 1, w->once, float_type(e, from));
	if (w->mode & CONVERT_FTZ && from == 32)
		*r = flush(w, *r);
	if (bits == 64 && from == 32)
		*r = LLVMBuildFPExt(e->builder, *r, emit_type(e, e->f64, emit_is_scalar(*r)), "");
	if (w->mode & CONVERT_INTEGRAL)
		*r = whole(w, *r);
	if (w->mode & CONVERT_FTZ && bits == 32)
		*r = flush(w, *r);
	if (w->mode & CONVERT_SAT)
		*r = emit_saturated(w->e, *r);
	return true;
}

/* Assigns the result f of a conversion from or to f64.  The bits of a NaN depend on the operand, so the handler
 * computes the results if one of them is a NaN. */
static void put_unless_nan(const struct work *w, value f)
{
	emit_float_unless(w->e, w->op, f, LLVMBuildFCmp(w->e->builder, LLVMRealUNO, f, f, ""));
}

/* Converts f64 to f32, rounded to nearest even; returns false for other modifiers than .rn and .ftz. */
static bool narrow_float(const struct work *w)
{
	struct emitter *e = w->e;
	if (w->mode & ~(unsigned)(CONVERT_RN | CONVERT_FTZ) || !(w->mode & CONVERT_RN))
		return false;
	value f = emit_float_operand(e, w->op, 1, w->once, e->f64);
	f = LLVMBuildFPTrunc(e->builder, f, emit_type(e, e->f32, emit_is_scalar(f)), "");
	put_unless_nan(w, w->mode & CONVERT_FTZ ? flush(w, f) : f);
	return true;
}

/* --- f16 ---------- */

/* Emits a conversion of f16; false for modifiers other than .rn and .ftz, of which the latter does not change any. */
static bool convert_half(const struct work *w)
{
	const unsigned rounding = w->mode & CONVERT_ROUNDING;
	if (w->mode & ~(unsigned)(CONVERT_ROUNDING | CONVERT_FTZ) || rounding > CONVERT_RN)
		return false;
	if (w->verb->verb == VERB_HALF_TO_FLOAT)
		emit_float_result(w->e, w->op, emit_float_of_half(w->e, emit_operand(w->e, w->op, 1, w->once)));
	else
		emit_result(w->e, w->op, 0, emit_half_of_float(w->e, emit_operand(w->e, w->op, 1, w->once)));
	return true;
}

bool emit_convert_op(struct emitter *e, uint32_t op)
{
	const struct jit_verb *verb = &e->plan->verbs[op];
	const struct work w = {e, verb, op, e->plan->code->ops[op].mode, emit_once(e, op)};
	value f = NULL;
	if (verb->verb == VERB_HALF_TO_FLOAT || verb->verb == VERB_FLOAT_TO_HALF)
		return convert_half(&w);
	if (verb->verb != VERB_CONVERT)
		return false;
	if (!verb->is_float && !verb->from_float) {
		if (w.mode & ~(unsigned)CONVERT_SAT)
			return false;
		emit_result(e, op, 0, integer_to_integer(&w));
		return true;
	}
	if (!verb->is_float) {
		if (w.mode & ~(unsigned)(CONVERT_ROUNDING | CONVERT_INTEGRAL | CONVERT_FTZ | CONVERT_SAT))
			return false;
		emit_result(e, op, 0, float_to_integer(&w));
		return true;
	}
	if (!verb->from_float) {
		if ((w.mode & CONVERT_ROUNDING) > CONVERT_RN || w.mode & ~(unsigned)CONVERT_ROUNDING)
			return false;
		f = integer_to_float(&w);
		if (verb->bits == 16)
			emit_result(e, op, 0, emit_half_of_float(e, bits_of(e, f)));
		else
			emit_float_result(e, op, f);
		return true;
	}
	if (verb->bits == 32 && verb->from == 64)
		return narrow_float(&w);
	if (!float_to_float(&w, &f))
		return false;
	if (f && verb->bits == 64)
		put_unless_nan(&w, f);
	else if (f)
		emit_float_result(e, op, f);
	return true;
}
