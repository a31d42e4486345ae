/* Ops on integers, bits and predicates.  The results equal those of the interpreter's handlers (exec/integer.c,
 * exec/wide.c), also where the PTX ISA leaves a result undefined. */
#include "config.h"

#include "softcuda/jit/emit.h"


/* An op that is being emitted. */
struct work {
	struct emitter *e;
	const struct jit_verb *verb;
	uint32_t op;
	bool once;                /* computed once, on scalars (emit_once) */
};

static value operand(const struct work *w, unsigned k)
{
	return emit_operand(w->e, w->op, k, w->once);
}

static value widen(const struct work *w, value v, unsigned bits, bool is_signed)
{
	LLVMTypeRef type = emit_type(w->e, LLVMIntTypeInContext(w->e->context, bits), emit_is_scalar(v));
	return is_signed ? LLVMBuildSExt(w->e->builder, v, type, "") : LLVMBuildZExt(w->e->builder, v, type, "");
}

static value narrow(const struct work *w, value v, unsigned bits)
{
	LLVMTypeRef type = emit_type(w->e, LLVMIntTypeInContext(w->e->context, bits), emit_is_scalar(v));
	return LLVMBuildTrunc(w->e->builder, v, type, "");
}

/* --- products ---------- */

/* mul.hi: the upper half of the product. */
static value high(const struct work *w)
{
	LLVMBuilderRef b = w->e->builder;
	const unsigned bits = w->verb->bits;
	value p = LLVMBuildMul(b, widen(w, operand(w, 1), 2 * bits, w->verb->is_signed),
			       widen(w, operand(w, 2), 2 * bits, w->verb->is_signed), "");
	/* The shift amount is a constant of the product's width, which may be 128 bits. */
	value one = LLVMConstInt(LLVMIntTypeInContext(w->e->context, 2 * bits), bits, 0);
	value by = emit_is_scalar(p) ? one : emit_splat(w->e, one);
	return narrow(w, LLVMBuildLShr(b, p, by, ""), bits);
}

/* mul.wide, and the product of mad.wide: the whole product, in twice the width of the operands. */
static value wide(const struct work *w)
{
	const unsigned bits = 2u * w->verb->bits;
	value wide[2];
	for (unsigned k = 1; k <= 2; k++) {
		value line = bits == 64 ? emit_extended_line(w->e, w->op, k, w->verb->is_signed) : NULL;
		wide[k - 1] = line ? line : widen(w, operand(w, k), bits, w->verb->is_signed);
	}
	return LLVMBuildMul(w->e->builder, wide[0], wide[1], "");
}

/* mad.wide, of which r is the product: NULL in *r if its sum is an offset, which is assigned then. */
static void add_wide(const struct work *w, value *r)
{
	*r = emit_offset_sum(w->e, w->op, 3, false, *r) ? NULL : LLVMBuildAdd(w->e->builder, *r, operand(w, 3), "");
}

/* A sum or a difference of 64 bits that is an offset. */
static bool is_offset(const struct work *w)
{
	if (w->verb->bits != 64 || (w->verb->verb != VERB_ADD && w->verb->verb != VERB_SUB))
		return false;
	return emit_offset_sum(w->e, w->op, 1, w->verb->verb == VERB_SUB, operand(w, 2)) ||
	       (w->verb->verb == VERB_ADD && emit_offset_sum(w->e, w->op, 2, false, operand(w, 1)));
}

static value quotient(const struct work *w, value x, value y)
{
	LLVMBuilderRef b = w->e->builder;
	/* A division by a constant becomes a product. */
	if (!emit_is_scalar(x) && !LLVMIsConstant(y) && w->e->plan->width > 1)
		return emit_quotient(w->e, emit_guarded(w->e, w->op), x, y, w->verb->is_signed);
	return w->verb->is_signed ? LLVMBuildSDiv(b, x, y, "") : LLVMBuildUDiv(b, x, y, "");
}

/* div and rem.  Division by zero gives all ones.  The least signed number divided by -1 gives itself, with
 * remainder 0.  LLVM's division is undefined in both cases, so the divisor is replaced by 1 there. */
static value division(const struct work *w)
{
	LLVMBuilderRef b = w->e->builder;
	value x = operand(w, 1), y = operand(w, 2);
	const bool rest = w->verb->verb == VERB_REM;
	value zero = emit_number(w->e, y, 0), one = emit_number(w->e, y, 1), ones = emit_number(w->e, y, UINT64_MAX);
	value by_zero = LLVMBuildICmp(b, LLVMIntEQ, y, zero, ""), harmless = by_zero, r;
	value negates = LLVMBuildICmp(b, LLVMIntEQ, y, ones, "");
	if (w->verb->is_signed)
		harmless = LLVMBuildOr(b, by_zero, negates, "");
	value divisor = LLVMBuildSelect(b, harmless, one, y, "");
	r = quotient(w, x, divisor);
	if (rest)
		r = LLVMBuildSub(b, x, LLVMBuildMul(b, r, divisor, ""), "");
	if (w->verb->is_signed)
		r = LLVMBuildSelect(b, negates, rest ? zero : LLVMBuildNeg(b, x, ""), r, "");
	return LLVMBuildSelect(b, by_zero, ones, r, "");
}

/* --- shifts and bits ---------- */

/* shl and shr.  The shift amount is an operand of 32 bits for all widths.  If it is at least the width, the result
 * is 0, or copies of the sign bit for a signed shr. */
static value shift(const struct work *w)
{
	LLVMBuilderRef b = w->e->builder;
	const unsigned bits = w->verb->bits;
	value a = operand(w, 1), by = operand(w, 2);
	value inside = LLVMBuildICmp(b, LLVMIntULT, by, emit_number(w->e, by, bits), "");
	value last = emit_number(w->e, by, bits - 1);
	value amount = w->verb->is_signed && w->verb->verb == VERB_SHR ? LLVMBuildSelect(b, inside, by, last, "")
								       : LLVMBuildAnd(b, by, last, "");
	amount = bits == 64 ? widen(w, amount, 64, false) : bits == 16 ? narrow(w, amount, 16) : amount;
	if (w->verb->verb == VERB_SHR && w->verb->is_signed)
		return LLVMBuildAShr(b, a, amount, "");
	value r = w->verb->verb == VERB_SHL ? LLVMBuildShl(b, a, amount, "") : LLVMBuildLShr(b, a, amount, "");
	return LLVMBuildSelect(b, inside, r, emit_number(w->e, a, 0), "");
}

/* shf: shifts operand 2 and operand 1, concatenated to 64 bits, of which .l takes the upper half, .r the lower one. */
static value funnel(const struct work *w)
{
	LLVMBuilderRef b = w->e->builder;
	value low = operand(w, 1), top = operand(w, 2), by = operand(w, 3);
	value all = LLVMBuildOr(b, widen(w, low, 64, false),
				LLVMBuildShl(b, widen(w, top, 64, false),
					     emit_number(w->e, widen(w, low, 64, false), 32), ""), "");
	if (w->verb->wraps)
		by = LLVMBuildAnd(b, by, emit_number(w->e, by, 31), "");
	else
		by = emit_binary(w->e, "llvm.umin", by, emit_number(w->e, by, 32));
	by = widen(w, by, 64, false);
	if (!w->verb->left)
		return narrow(w, LLVMBuildLShr(b, all, by, ""), 32);
	all = LLVMBuildShl(b, all, by, "");
	return narrow(w, LLVMBuildLShr(b, all, emit_number(w->e, all, 32), ""), 32);
}

/* lop3 with a constant truth table: the OR of one AND term for each bit of the table that is set.  False if the
 * table is not constant. */
static bool logic(const struct work *w, value *result)
{
	LLVMBuilderRef b = w->e->builder;
	uint64_t table;
	if (!plan_constant(w->e->plan, &w->e->plan->code->ops[w->op], 4, 32, &table))
		return false;
	value x[3] = {operand(w, 1), operand(w, 2), operand(w, 3)}, not[3];
	for (unsigned k = 0; k < 3; k++)
		not[k] = LLVMBuildNot(b, x[k], "");
	*result = emit_number(w->e, x[0], 0);
	for (unsigned i = 0; i < 8; i++) {
		if (!(table >> i & 1))
			continue;
		value term = LLVMBuildAnd(b, i & 4 ? x[0] : not[0], i & 2 ? x[1] : not[1], "");
		term = LLVMBuildAnd(b, term, i & 1 ? x[2] : not[2], "");
		*result = LLVMBuildOr(b, *result, term, "");
	}
	return true;
}

/* One byte of prmt, in the lowest 8 bits: of the four bits that select it, bit 3 says that its sign is replicated. */
static value permuted_byte(const struct work *w, value low, value high, value selector)
{
	LLVMBuilderRef b = w->e->builder;
	value zero = emit_number(w->e, low, 0);
	value is_high = LLVMBuildICmp(b, LLVMIntNE, LLVMBuildAnd(b, selector, emit_number(w->e, low, 4), ""), zero, "");
	value is_sign = LLVMBuildICmp(b, LLVMIntNE, LLVMBuildAnd(b, selector, emit_number(w->e, low, 8), ""), zero, "");
	value shift = LLVMBuildAnd(b, selector, emit_number(w->e, low, 3), "");
	shift = LLVMBuildShl(b, shift, emit_number(w->e, low, 3), "");
	value byte = LLVMBuildLShr(b, LLVMBuildSelect(b, is_high, high, low, ""), shift, "");
	byte = LLVMBuildAnd(b, byte, emit_number(w->e, low, 0xff), "");
	value sign = LLVMBuildSub(b, zero, LLVMBuildLShr(b, byte, emit_number(w->e, low, 7), ""), "");
	sign = LLVMBuildAnd(b, sign, emit_number(w->e, low, 0xff), "");
	return LLVMBuildSelect(b, is_sign, sign, byte, "");
}

/* prmt: selects four bytes and shifts each to its place.  False for its modes. */
static bool permute(const struct work *w, value *result)
{
	LLVMBuilderRef b = w->e->builder;
	if (strcmp(w->e->plan->rows[w->op]->name, "prmt.b32") != 0)
		return false;
	value low = operand(w, 1), high = operand(w, 2), selector = operand(w, 3);
	*result = emit_number(w->e, low, 0);
	for (unsigned i = 0; i < 4; i++) {
		value four = LLVMBuildLShr(b, selector, emit_number(w->e, low, 4 * i), "");
		value byte = permuted_byte(w, low, high, four);
		*result = LLVMBuildOr(b, *result, LLVMBuildShl(b, byte, emit_number(w->e, low, 8 * i), ""), "");
	}
	return true;
}

/* Operand k's byte i, extended to 32 bits. */
static value byte_of(const struct work *w, unsigned k, unsigned i, bool is_signed)
{
	LLVMBuilderRef b = w->e->builder;
	value x = operand(w, k);
	x = LLVMBuildShl(b, x, emit_number(w->e, x, 24 - 8 * i), "");
	value shift = emit_number(w->e, x, 24);
	return is_signed ? LLVMBuildAShr(b, x, shift, "") : LLVMBuildLShr(b, x, shift, "");
}

/* dp4a */
static value dot_of_bytes(const struct work *w)
{
	LLVMBuilderRef b = w->e->builder;
	value sum = operand(w, 3);
	for (unsigned i = 0; i < 4; i++) {
		value x = byte_of(w, 1, i, w->verb->is_signed), y = byte_of(w, 2, i, w->verb->to_signed);
		sum = LLVMBuildAdd(b, sum, LLVMBuildMul(b, x, y, ""), "");
	}
	return sum;
}

/* The position and length of a bit field, operands k and k + 1.  False unless they are constants and the field is not
 * empty and lies in the register. */
static bool field_of(const struct work *w, unsigned k, uint64_t *position, uint64_t *length)
{
	const struct op *op = &w->e->plan->code->ops[w->op];
	const unsigned bits = w->verb->bits;
	if (!plan_constant(w->e->plan, op, k, 32, position) || !plan_constant(w->e->plan, op, k + 1, 32, length))
		return false;
	return *length && *position + *length <= bits;
}

/* bfe of a constant field: two shifts, which extend the field with its sign or with zeros. */
static bool extract(const struct work *w, value *result)
{
	LLVMBuilderRef b = w->e->builder;
	uint64_t position, length;
	if (!field_of(w, 2, &position, &length))
		return false;
	value a = operand(w, 1);
	a = LLVMBuildShl(b, a, emit_number(w->e, a, w->verb->bits - position - length), "");
	value by = emit_number(w->e, a, w->verb->bits - length);
	*result = w->verb->is_signed ? LLVMBuildAShr(b, a, by, "") : LLVMBuildLShr(b, a, by, "");
	return true;
}

/* bfi of a constant field. */
static bool insert(const struct work *w, value *result)
{
	LLVMBuilderRef b = w->e->builder;
	uint64_t position, length;
	if (!field_of(w, 3, &position, &length))
		return false;
	const uint64_t ones = length >= 64 ? UINT64_MAX : (UINT64_C(1) << length) - 1, field = ones << position;
	value a = operand(w, 1), into = operand(w, 2);
	a = LLVMBuildShl(b, a, emit_number(w->e, a, position), "");
	*result = LLVMBuildOr(b, LLVMBuildAnd(b, a, emit_number(w->e, a, field), ""),
			      LLVMBuildAnd(b, into, emit_number(w->e, a, ~field), ""), "");
	return true;
}

/* popc and clz: the result has 32 bits, the operand 32 or 64. */
static value count(const struct work *w)
{
	value a = operand(w, 1), r;
	if (w->verb->verb == VERB_POPC) {
		r = emit_unary(w->e, "llvm.ctpop", a);
	} else {
		LLVMTypeRef type = LLVMTypeOf(a);
		value no_poison = LLVMConstNull(w->e->i1);
		r = emit_intrinsic(w->e, "llvm.ctlz", &type, 1, (value[]){a, no_poison}, 2);
	}
	return w->verb->bits == 64 ? narrow(w, r, 32) : r;
}

/* --- comparisons ---------- */

static value compare(const struct work *w)
{
	static const LLVMIntPredicate plain[] = {LLVMIntEQ, LLVMIntNE, LLVMIntULT, LLVMIntULE, LLVMIntUGT,
						 LLVMIntUGE};
	static const LLVMIntPredicate by_sign[] = {LLVMIntEQ, LLVMIntNE, LLVMIntSLT, LLVMIntSLE, LLVMIntSGT,
						   LLVMIntSGE};
	const LLVMIntPredicate *table = w->verb->is_signed ? by_sign : plain;
	return LLVMBuildICmp(w->e->builder, table[w->verb->relation], operand(w, 1), operand(w, 2), "");
}

static value absolute(const struct work *w)
{
	value a = operand(w, 1);
	value negative = LLVMBuildICmp(w->e->builder, LLVMIntSLT, a, emit_number(w->e, a, 0), "");
	return LLVMBuildSelect(w->e->builder, negative, LLVMBuildNeg(w->e->builder, a, ""), a, "");
}

static value extreme(const struct work *w)
{
	const bool most = w->verb->verb == VERB_MAX;
	const char *name = w->verb->is_signed ? most ? "llvm.smax" : "llvm.smin" : most ? "llvm.umax" : "llvm.umin";
	return emit_binary(w->e, name, operand(w, 1), operand(w, 2));
}

/* cnot: 1 if the operand is 0, otherwise 0. */
static value is_zero(const struct work *w)
{
	value a = operand(w, 1);
	value zero = LLVMBuildICmp(w->e->builder, LLVMIntEQ, a, emit_number(w->e, a, 0), "");
	return LLVMBuildZExt(w->e->builder, zero, LLVMTypeOf(a), "");
}

/* --- by verb ---------- */

static bool arithmetic(const struct work *w, value *r)
{
	LLVMBuilderRef b = w->e->builder;
	switch ((enum verb)w->verb->verb) {
	case VERB_ADD:
		return (*r = LLVMBuildAdd(b, operand(w, 1), operand(w, 2), ""));
	case VERB_SUB:
		return (*r = LLVMBuildSub(b, operand(w, 1), operand(w, 2), ""));
	case VERB_MUL:
		return (*r = LLVMBuildMul(b, operand(w, 1), operand(w, 2), ""));
	case VERB_MAD:
		*r = LLVMBuildMul(b, operand(w, 1), operand(w, 2), "");
		return (*r = LLVMBuildAdd(b, *r, operand(w, 3), ""));
	case VERB_MUL_HIGH:
		return (*r = high(w));
	case VERB_MAD_HIGH:
		return (*r = LLVMBuildAdd(b, high(w), operand(w, 3), ""));
	case VERB_MUL_WIDE:
	case VERB_MAD_WIDE:
		return w->verb->bits <= 32 && (*r = wide(w));
	case VERB_DIV:
	case VERB_REM:
		return (*r = division(w));
	case VERB_MIN:
	case VERB_MAX:
		return (*r = extreme(w));
	case VERB_ABS:
		return (*r = absolute(w));
	case VERB_NEG:
		return (*r = LLVMBuildNeg(b, operand(w, 1), ""));
	case VERB_COMPARE:
		return (*r = compare(w));
	default:
		return false;
	}
}

static bool bits(const struct work *w, value *r)
{
	LLVMBuilderRef b = w->e->builder;
	switch ((enum verb)w->verb->verb) {
	case VERB_AND:
	case VERB_PRED_AND:
		return (*r = LLVMBuildAnd(b, operand(w, 1), operand(w, 2), ""));
	case VERB_OR:
	case VERB_PRED_OR:
		return (*r = LLVMBuildOr(b, operand(w, 1), operand(w, 2), ""));
	case VERB_XOR:
	case VERB_PRED_XOR:
		return (*r = LLVMBuildXor(b, operand(w, 1), operand(w, 2), ""));
	case VERB_NOT:
	case VERB_PRED_NOT:
		return (*r = LLVMBuildNot(b, operand(w, 1), ""));
	case VERB_PRED_MOVE:
		return (*r = operand(w, 1));
	case VERB_CNOT:
		return (*r = is_zero(w));
	case VERB_SHL:
	case VERB_SHR:
		return (*r = shift(w));
	case VERB_SHF:
		return (*r = funnel(w));
	case VERB_POPC:
	case VERB_CLZ:
		return (*r = count(w));
	case VERB_BREV:
		return (*r = emit_unary(w->e, "llvm.bitreverse", operand(w, 1)));
	case VERB_LOP3:
		return logic(w, r);
	case VERB_PRMT:
		return permute(w, r);
	case VERB_BFE:
		return extract(w, r);
	case VERB_BFI:
		return insert(w, r);
	case VERB_DOT_BYTES:
		*r = dot_of_bytes(w);
		return true;
	default:
		return false;
	}
}

/* If the result is linear, the op is computed on scalars, the first lane's operands, which gives the first lane's
 * result. */
bool emit_integer_op(struct emitter *e, uint32_t op)
{
	const struct work w = {e, &e->plan->verbs[op], op, emit_once(e, op)};
	value r = NULL;
	if (is_offset(&w))
		return true;
	if (!arithmetic(&w, &r) && !bits(&w, &r))
		return false;
	if (w.verb->verb == VERB_MAD_WIDE)
		add_wide(&w, &r);
	if (r)
		emit_result(e, op, 0, r);
	return true;
}
