/* Ops that move bits without arithmetic: extension and truncation, selection, packing and unpacking. */
#include "config.h"

#include "softcuda/jit/emit.h"

/* A copy to a register of another width. */
static value extended(struct emitter *e, uint32_t op)
{
	const struct jit_verb *verb = &e->plan->verbs[op];
	value line = verb->from == 32 && verb->bits == 64 ? emit_extended_line(e, op, 1, verb->is_signed) : NULL;
	if (line)
		return line;
	return emit_resize(e, emit_operand(e, op, 1, emit_once(e, op)), verb->from, verb->bits, verb->is_signed);
}

/* selp: operand 1 if the predicate in operand 3 is true, otherwise operand 2. */
static value selected(struct emitter *e, uint32_t op)
{
	const bool once = emit_once(e, op);
	/* A uniform predicate is used as a scalar, which selects one of two whole vectors. */
	value p = emit_operand(e, op, 3, once || emit_is_uniform(e, op, 3));
	return LLVMBuildSelect(e->builder, p, emit_operand(e, op, 1, once), emit_operand(e, op, 2, once), "");
}

/* slct: operand 1 if operand 3, a signed integer, is at least 0, otherwise operand 2. */
static value chosen(struct emitter *e, uint32_t op)
{
	const bool once = emit_once(e, op);
	value c = emit_operand(e, op, 3, once);
	value p = LLVMBuildICmp(e->builder, LLVMIntSGE, c, emit_number(e, c, 0), "");
	return LLVMBuildSelect(e->builder, p, emit_operand(e, op, 1, once), emit_operand(e, op, 2, once), "");
}

/* Concatenates operands of `from` bits each to one of `bits`; operand 1 gives the lowest bits. */
static value packed(struct emitter *e, uint32_t op)
{
	const struct jit_verb *verb = &e->plan->verbs[op];
	const bool once = emit_once(e, op);
	value r = NULL;
	for (unsigned i = 0; i < verb->bits / verb->from; i++) {
		value v = emit_resize(e, emit_operand(e, op, 1 + i, once), verb->from, verb->bits, false);
		if (i)
			v = LLVMBuildShl(e->builder, v, emit_number(e, v, (uint64_t)i * verb->from), "");
		r = r ? LLVMBuildOr(e->builder, r, v, "") : v;
	}
	return r;
}

/* Element number `part`, of `bits` bits, of operand 1. */
static value unpacked(struct emitter *e, uint32_t op)
{
	const struct jit_verb *verb = &e->plan->verbs[op];
	value v = emit_operand(e, op, 1, emit_once(e, op));
	if (verb->part)
		v = LLVMBuildLShr(e->builder, v, emit_number(e, v, (uint64_t)verb->part * verb->bits), "");
	return emit_resize(e, v, verb->from, verb->bits, false);
}

bool emit_move_op(struct emitter *e, uint32_t op)
{
	switch ((enum verb)e->plan->verbs[op].verb) {
	case VERB_EXTEND:
		if (e->plan->verbs[op].from != 64 || !emit_offset_sum(e, op, 1, false, NULL))
			emit_result(e, op, 0, extended(e, op));
		return true;
	case VERB_SELECT:
		emit_result(e, op, 0, selected(e, op));
		return true;
	case VERB_CHOOSE:
		emit_result(e, op, 0, chosen(e, op));
		return true;
	case VERB_PACK:
		emit_result(e, op, 0, packed(e, op));
		return true;
	case VERB_UNPACK:
		emit_result(e, op, 0, unpacked(e, op));
		return true;
	default:
		return false;
	}
}
