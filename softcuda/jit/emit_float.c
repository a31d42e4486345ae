/* Arithmetic of f32 and f64, with the results of exec/float.c and exec/approx.c.
 *
 * No operation is contracted or reordered.  An f32 NaN may have any bits until an op reads it as an integer
 * (web.any_nan).  The bits of an f64 NaN depend on the operands.  The interpreter's handler runs an op with .ftz again
 * whose f32 result is the least normal number: .ftz flushes a result that was subnormal before it was rounded. */
#include "config.h"

#include "softcuda/jit/emit.h"

#include "softcuda/exec/real.h"

/* An op that is being emitted. */
struct work {
	struct emitter *e;
	const struct jit_verb *verb;
	uint32_t op;
	bool once;                /* computed once, on scalars (emit_once) */
	LLVMTypeRef type;         /* element type: f32 or f64 */
};

static value bits_of(const struct work *w, value f)
{
	LLVMTypeRef type = w->verb->bits == 64 ? w->e->i64 : w->e->i32;
	return LLVMBuildBitCast(w->e->builder, f, emit_type(w->e, type, emit_is_scalar(f)), "");
}

static value float_of(const struct work *w, value bits)
{
	return LLVMBuildBitCast(w->e->builder, bits, emit_type(w->e, w->type, emit_is_scalar(bits)), "");
}

/* An f32 whose subnormal values are replaced by zeros of the same sign. */
static value flushed(const struct work *w, value f)
{
	LLVMBuilderRef b = w->e->builder;
	value bits = bits_of(w, f);
	value exponent = LLVMBuildAnd(b, bits, emit_number(w->e, bits, 0x7f800000), "");
	value small = LLVMBuildICmp(b, LLVMIntEQ, exponent, emit_number(w->e, bits, 0), "");
	value zero = LLVMBuildAnd(b, bits, emit_number(w->e, bits, 0x80000000), "");
	return float_of(w, LLVMBuildSelect(b, small, zero, bits, ""));
}

/* Operand k as a float, flushed if the op has .ftz. */
static value operand(const struct work *w, unsigned k)
{
	value f = emit_float_operand(w->e, w->op, k, w->once, w->type);
	return w->verb->ftz ? flushed(w, f) : f;
}

/* --- by verb ---------- */

static value absolute(const struct work *w, value f)
{
	return emit_unary(w->e, "llvm.fabs", f);
}

/* div, or rcp, the quotient of 1 and operand 1. */
static value quotient(const struct work *w)
{
	value y = operand(w, w->verb->verb == VERB_FDIV ? 2 : 1);
	value x = w->verb->verb == VERB_FDIV ? operand(w, 1) : emit_real(y, 1);
	return LLVMBuildFDiv(w->e->builder, x, y, "");
}

/* rsqrt, computed in f64 and rounded to f32 at the end. */
static value inverse_root(const struct work *w)
{
	LLVMBuilderRef b = w->e->builder;
	value x = operand(w, 1);
	value wide = LLVMBuildFPExt(b, x, emit_type(w->e, w->e->f64, emit_is_scalar(x)), "");
	value root = emit_unary(w->e, "llvm.sqrt", wide);
	root = LLVMBuildFDiv(b, emit_real(root, 1), root, "");
	return LLVMBuildFPTrunc(b, root, LLVMTypeOf(x), "");
}

static value fused(const struct work *w)
{
	value x = operand(w, 1);
	LLVMTypeRef type = LLVMTypeOf(x);
	return emit_intrinsic(w->e, "llvm.fma", &type, 1, (value[]){x, operand(w, 2), operand(w, 3)}, 3);
}

/* The result of an arithmetic op, before .ftz and .sat are applied to it. */
static value compute(const struct work *w)
{
	LLVMBuilderRef b = w->e->builder;
	switch ((enum verb)w->verb->verb) {
	case VERB_FADD:
		return LLVMBuildFAdd(b, operand(w, 1), operand(w, 2), "");
	case VERB_FSUB:
		return LLVMBuildFSub(b, operand(w, 1), operand(w, 2), "");
	case VERB_FMUL:
		return LLVMBuildFMul(b, operand(w, 1), operand(w, 2), "");
	case VERB_FMA:
		return fused(w);
	case VERB_FDIV:
	case VERB_RCP:
		return quotient(w);
	case VERB_RSQRT:
		return inverse_root(w);
	case VERB_SQRT:
		return emit_unary(w->e, "llvm.sqrt", operand(w, 1));
	case VERB_FMIN:
	case VERB_FMAX:
		return emit_extreme(w->e, operand(w, 1), operand(w, 2), w->verb->verb == VERB_FMAX);
	case VERB_FABS:
		return absolute(w, operand(w, 1));
	default:
		return LLVMBuildFNeg(b, operand(w, 1), "");
	}
}

/* Whether an op is one of the functions of emit_function.c; emits it. */
static bool put_function(const struct work *w)
{
	value f, doubt;
	switch ((enum verb)w->verb->verb) {
	case VERB_SIN:
	case VERB_COS:
		f = emit_circular(w->e, operand(w, 1), w->verb->verb == VERB_COS, &doubt);
		break;
	case VERB_EX2:
		f = emit_ex2(w->e, operand(w, 1), &doubt);
		break;
	case VERB_LG2:
		f = emit_lg2(w->e, operand(w, 1), &doubt);
		break;
	default:
		return false;
	}
	emit_float_unless(w->e, w->op, w->verb->ftz ? flushed(w, f) : f, doubt);
	return true;
}

/* A sum or product that is not rounded to nearest, before .sat is applied. */
static value by_rounding(const struct work *w)
{
	value x = operand(w, 1), y = operand(w, 2);
	struct jit_verb verb = *w->verb;
	if (verb.verb == VERB_FSUB) {
		verb.verb = VERB_FADD;
		y = LLVMBuildFNeg(w->e->builder, y, "");
	}
	value f = emit_rounded(w->e, &verb, x, y, verb.verb == VERB_FMA ? operand(w, 3) : NULL);
	return verb.ftz ? flushed(w, f) : f;
}

/* The upper half of an f64, with subnormal numbers flushed. */
static value high_word(const struct work *w, value f)
{
	LLVMBuilderRef b = w->e->builder;
	value bits = bits_of(w, f), none = emit_number(w->e, bits, 0);
	bits = LLVMBuildAnd(b, bits, emit_number(w->e, bits, UINT64_C(0xffffffff00000000)), "");
	value exponent = LLVMBuildAnd(b, bits, emit_number(w->e, bits, UINT64_C(0x7ff) << 52), "");
	value zero = LLVMBuildAnd(b, bits, emit_number(w->e, bits, UINT64_C(1) << 63), "");
	value small = LLVMBuildICmp(b, LLVMIntEQ, exponent, none, "");
	return float_of(w, LLVMBuildSelect(b, small, zero, bits, ""));
}

/* rcp and rsqrt of f64 with .approx.ftz, as exec/approx.c computes them: bits. */
static value of_high_word(const struct work *w)
{
	LLVMBuilderRef b = w->e->builder;
	value x = high_word(w, operand(w, 1));
	if (w->verb->verb == VERB_RSQRT_HIGH)
		x = emit_unary(w->e, "llvm.sqrt", x);
	x = LLVMBuildFDiv(b, emit_real(x, 1), x, "");
	value bits = bits_of(w, high_word(w, x));
	return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealUNO, x, x, ""),
			       emit_number(w->e, bits, UINT64_C(0x7fffffff00000000)), bits, "");
}

/* --- results that the handler has to compute ---------- */

/* Whether the magnitude of f is the least normal f32.  Such a result may have been subnormal before it was rounded,
 * and .ftz flushes it to zero then. */
static value is_least(const struct work *w, value f)
{
	value bits = bits_of(w, absolute(w, f));
	return LLVMBuildICmp(w->e->builder, LLVMIntEQ, bits, emit_number(w->e, bits, LEAST_32), "");
}

static value is_nan(const struct work *w, value f)
{
	return LLVMBuildFCmp(w->e->builder, LLVMRealUNO, f, f, "");
}

/* Whether rounding may lift a subnormal result of an op with .ftz to the least normal number.  This concerns
 * products and quotients that are rounded once; sums that small are exact. */
static bool may_be_lifted(const struct jit_verb *verb)
{
	return verb->ftz && verb->part && (verb->verb == VERB_FMUL || verb->verb == VERB_FMA ||
					   verb->verb == VERB_FDIV || verb->verb == VERB_RCP);
}

/* Assigns the result of an op on f32, which the handler computes if it is the least normal number. */
static void put_unless_least(const struct work *w)
{
	value f = compute(w), doubt = is_least(w, f);
	f = w->verb->ftz ? flushed(w, f) : f;
	emit_float_unless(w->e, w->op, w->verb->sat ? emit_saturated(w->e, f) : f, doubt);
}

/* The bits of a result that is a NaN, as result_f64 of exec/real.h has them. */
static value nan_bits(const struct work *w)
{
	LLVMBuilderRef b = w->e->builder;
	const enum verb verb = (enum verb)w->verb->verb;
	const bool is_one = verb == VERB_RCP || verb == VERB_SQRT || verb == VERB_FABS || verb == VERB_FNEG;
	static const unsigned char fused_order[] = {1, 2, 3}, order[] = {2, 1};
	const unsigned char *k = verb == VERB_FMA ? fused_order : is_one ? order + 1 : order;
	value r = NULL;
	/* The last of them that is a NaN. */
	for (unsigned i = 0; i < (verb == VERB_FMA ? 3 : is_one ? 1 : 2); i++) {
		value f = operand(w, k[i]), bits = bits_of(w, f);
		bits = LLVMBuildOr(b, bits, emit_number(w->e, bits, UINT64_C(1) << 51), "");
		r = LLVMBuildSelect(b, is_nan(w, f), bits, r ? r : emit_number(w->e, bits, NAN_64), "");
	}
	return r;
}

/* Assigns the result of an op on f64. */
static void put_wide(const struct work *w)
{
	struct emitter *e = w->e;
	LLVMBuilderRef b = e->builder;
	LLVMBasicBlockRef some = emit_block(e, "nan"), on = emit_block(e, "on");
	value f = compute(w), nan = is_nan(w, f), ways[2] = {bits_of(w, f)};
	LLVMBasicBlockRef here = LLVMGetInsertBlock(b);
	/* Where lanes are that do not run the op, a NaN in one only takes time. */
	emit_unlikely(e, emit_is_scalar(nan) ? nan : emit_any(e, nan), some, on);
	LLVMPositionBuilderAtEnd(b, some);
	ways[1] = LLVMBuildSelect(b, nan, nan_bits(w), ways[0], "");
	LLVMBuildBr(b, on);
	LLVMPositionBuilderAtEnd(b, on);
	value r = LLVMBuildPhi(b, LLVMTypeOf(ways[0]), "");
	LLVMAddIncoming(r, ways, (LLVMBasicBlockRef[]){here, some}, 2);
	emit_result(e, w->op, 0, r);
}

/* --- comparisons ---------- */

/* Operand k, an f16, as an f32. */
static value half_operand(const struct work *w, unsigned k)
{
	value half = emit_operand(w->e, w->op, k, w->once);
	return emit_float_of_half(w->e, w->verb->ftz ? emit_flushed_half(w->e, half) : half);
}

static value relation(const struct work *w)
{
	static const LLVMRealPredicate ordered[] = {LLVMRealOEQ, LLVMRealONE, LLVMRealOLT, LLVMRealOLE, LLVMRealOGT,
						    LLVMRealOGE, LLVMRealORD, LLVMRealUNO};
	static const LLVMRealPredicate unordered[] = {LLVMRealUEQ, LLVMRealUNE, LLVMRealULT, LLVMRealULE,
						      LLVMRealUGT, LLVMRealUGE, LLVMRealORD, LLVMRealUNO};
	const LLVMRealPredicate *table = w->verb->unordered ? unordered : ordered;
	value x[2];
	for (unsigned k = 0; k < 2; k++)
		x[k] = w->verb->bits == 16 ? half_operand(w, k + 1) : operand(w, k + 1);
	return LLVMBuildFCmp(w->e->builder, table[w->verb->relation], x[0], x[1], "");
}

/* copysign: the sign of operand 1 and the magnitude of operand 2. */
static value with_sign(const struct work *w)
{
	LLVMBuilderRef b = w->e->builder;
	const uint64_t sign = w->verb->bits == 64 ? UINT64_C(1) << 63 : 0x80000000;
	value x = emit_operand(w->e, w->op, 1, w->once), y = emit_operand(w->e, w->op, 2, w->once);
	return LLVMBuildOr(b, LLVMBuildAnd(b, x, emit_number(w->e, x, sign), ""),
			   LLVMBuildAnd(b, y, emit_number(w->e, y, ~sign), ""), "");
}

bool emit_float_op(struct emitter *e, uint32_t op)
{
	const struct jit_verb *verb = &e->plan->verbs[op];
	const struct work w = {e, verb, op, emit_once(e, op), verb->bits == 64 ? e->f64 : e->f32};
	if (verb->verb == VERB_COMPARE_FLOAT) {
		emit_result(e, op, 0, relation(&w));
		return true;
	}
	if (verb->verb == VERB_COPYSIGN) {
		emit_result(e, op, 0, with_sign(&w));
		return true;
	}
	if (put_function(&w))
		return true;
	if (verb->verb == VERB_RCP_HIGH || verb->verb == VERB_RSQRT_HIGH) {
		emit_result(e, op, 0, of_high_word(&w));
		return true;
	}
	if (verb->verb < VERB_FADD || verb->verb > VERB_FNEG)
		return false;
	if (verb->bits == 64 && (verb->sat || verb->ftz))
		return false;
	if (verb->rounding) {
		value f = by_rounding(&w);
		emit_float_result(e, op, verb->sat ? emit_saturated(e, f) : f);
		return true;
	}
	if (verb->bits == 64) {
		put_wide(&w);
		return true;
	}
	if (may_be_lifted(verb)) {
		put_unless_least(&w);
		return true;
	}
	value f = compute(&w);
	/* abs and neg flush only their operand, which operand() has done. */
	if (verb->ftz && verb->verb != VERB_FABS && verb->verb != VERB_FNEG)
		f = flushed(&w, f);
	emit_float_result(e, op, verb->sat ? emit_saturated(e, f) : f);
	return true;
}
