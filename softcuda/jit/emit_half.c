/* Arithmetic of f16 and f16x2, in f32, with the results of exec/half.c, which computes in f64.
 *
 * Sums, differences and products of f16 that are rounded to f32 first are what they are when they are rounded once: f32
 * has two bits more than twice those of f16.  A product is exact in f32; its sum with a third f16 is rounded to odd,
 * and then on the right side of a tie of f16. */
#include "config.h"

#include "softcuda/jit/emit.h"

/* An op that is being emitted. */
struct work {
	struct emitter *e;
	const struct jit_verb *verb;
	unsigned count;           /* operands */
};

/* neg or abs: a NaN becomes the one NaN. */
static value with_sign(const struct work *w, value half)
{
	LLVMBuilderRef b = w->e->builder;
	value rest = LLVMBuildAnd(b, half, emit_number(w->e, half, 0x7fff), "");
	value is_nan = LLVMBuildICmp(b, LLVMIntUGT, rest, emit_number(w->e, half, 0x7c00), "");
	value r = w->verb->part == VERB_FABS ? rest : LLVMBuildXor(b, half, emit_number(w->e, half, 0x8000), "");
	return LLVMBuildSelect(b, is_nan, emit_number(w->e, half, 0x7fff), r, "");
}

static value bits_of(const struct work *w, value f)
{
	return LLVMBuildBitCast(w->e->builder, f, emit_type(w->e, w->e->i32, emit_is_scalar(f)), "");
}

/* The sum of two f32, whose last bit is odd if bits were lost. */
static value sum_to_odd(const struct work *w, value x, value y)
{
	LLVMBuilderRef b = w->e->builder;
	value sum = LLVMBuildFAdd(b, x, y, ""), part = LLVMBuildFSub(b, sum, x, "");
	value error = LLVMBuildFSub(b, x, LLVMBuildFSub(b, sum, part, ""), "");
	error = LLVMBuildFAdd(b, error, LLVMBuildFSub(b, y, part, ""), "");
	value bits = bits_of(w, sum), zero = emit_real(sum, 0), one = emit_number(w->e, bits, 1);
	value outward = LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildFCmp(b, LLVMRealOGT, error, zero, ""),
				      LLVMBuildFCmp(b, LLVMRealOGT, sum, zero, ""), "");
	value odd = LLVMBuildSelect(b, outward, LLVMBuildAdd(b, bits, one, ""), LLVMBuildSub(b, bits, one, ""), "");
	value is_even = LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildAnd(b, bits, one, ""), emit_number(w->e, bits, 0), "");
	value lost = LLVMBuildAnd(b, LLVMBuildFCmp(b, LLVMRealONE, error, zero, ""), is_even, "");
	return LLVMBuildBitCast(b, LLVMBuildSelect(b, lost, odd, bits, ""), LLVMTypeOf(sum), "");
}

static value compute(const struct work *w, const value *x)
{
	LLVMBuilderRef b = w->e->builder;
	switch ((enum verb)w->verb->part) {
	case VERB_FADD:
		return LLVMBuildFAdd(b, x[0], x[1], "");
	case VERB_FSUB:
		return LLVMBuildFSub(b, x[0], x[1], "");
	case VERB_FMUL:
		return LLVMBuildFMul(b, x[0], x[1], "");
	case VERB_FMA:
		return sum_to_odd(w, LLVMBuildFMul(b, x[0], x[1], ""), x[2]);
	default:
		return emit_extreme(w->e, x[0], x[1], w->verb->part == VERB_FMAX);
	}
}

/* The result for one f16 of each operand. */
static value one(const struct work *w, const value *halves)
{
	value x[3], f;
	for (unsigned k = 0; k < w->count; k++) {
		x[k] = w->verb->ftz ? emit_flushed_half(w->e, halves[k]) : halves[k];
		if (w->count > 1)
			x[k] = emit_float_of_half(w->e, x[k]);
	}
	if (w->count == 1)
		return with_sign(w, x[0]);
	f = compute(w, x);
	value half = emit_half_of_float(w->e, bits_of(w, w->verb->sat ? emit_saturated(w->e, f) : f));
	return w->verb->ftz ? emit_flushed_half(w->e, half) : half;
}

bool emit_half_op(struct emitter *e, uint32_t op)
{
	const struct jit_verb *verb = &e->plan->verbs[op];
	LLVMBuilderRef b = e->builder;
	const bool once = emit_once(e, op);
	value whole[3], part[3], result = NULL;
	if (verb->verb != VERB_HALF)
		return false;
	const struct work w = {e, verb, verb->part == VERB_FMA ? 3 :
					verb->part == VERB_FABS || verb->part == VERB_FNEG ? 1 : 2};
	for (unsigned k = 0; k < w.count; k++)
		whole[k] = emit_operand(e, op, k + 1, once);
	for (unsigned shift = 0; shift < verb->bits; shift += 16) {
		for (unsigned k = 0; k < w.count; k++) {
			value shifted = whole[k];
			if (shift)
				shifted = LLVMBuildLShr(b, shifted, emit_number(e, shifted, shift), "");
			part[k] = emit_resize(e, shifted, verb->bits, 16, false);
		}
		value half = emit_resize(e, one(&w, part), 16, verb->bits, false);
		if (shift)
			half = LLVMBuildShl(b, half, emit_number(e, half, shift), "");
		result = result ? LLVMBuildOr(b, result, half, "") : half;
	}
	emit_result(e, op, 0, result);
	return true;
}
