/* Any op, by the function of its family, or by the interpreter's handler. */
#include "config.h"

#include "softcuda/jit/emit.h"

/* Whether operand k of two ops of a block is the same number in all lanes: one register, which no op from the first one
 * on assigns, or one constant. */
static bool is_same(const struct emitter *e, uint32_t a, unsigned k, uint32_t b, unsigned l)
{
	const struct plan *plan = e->plan;
	const uint32_t web = plan->use[(size_t)a * PLAN_USES + k];
	uint64_t x, y;
	if (web != plan->use[(size_t)b * PLAN_USES + l] || !emit_is_uniform(e, a, k))
		return false;
	if (web == PLAN_NONE)
		return plan_constant(plan, &plan->code->ops[a], k, 32, &x) &&
		       plan_constant(plan, &plan->code->ops[b], l, 32, &y) && x == y;
	for (uint32_t i = a; i < b; i++)
		for (unsigned d = 0; d < OP_OPERANDS; d++)
			if (plan->def[(size_t)i * OP_OPERANDS + d] == web)
				return false;
	return true;
}

/* Whether the lanes have met already, at an op before this one in its block. */
static bool have_met(const struct emitter *e, uint32_t op)
{
	const struct plan *plan = e->plan;
	const uint32_t first = plan->blocks[plan->block_of[op]].first;
	for (uint32_t i = op; i > first; i--) {
		const struct jit_verb *before = &plan->verbs[i - 1];
		if (verb_meets(before) && before->members != (OPERAND_NONE & 0xff) &&
		    is_same(e, i - 1, before->members, op, plan->verbs[op].members))
			return true;
	}
	return false;
}

/* Emits the test before an op that lanes of a warp run together, such as a shuffle.  If a live lane that the op
 * names is not among the node's lanes, these would have to wait for it, which only the interpreter can do; so the part
 * is left to the interpreter. */
static void meet(struct emitter *e, uint32_t op)
{
	const struct jit_verb *verb = &e->plan->verbs[op];
	LLVMBuilderRef b = e->builder;
	if (verb->members == (OPERAND_NONE & 0xff) || have_met(e, op))
		return;
	value live = emit_lanes(e, LLVMBuildLoad2(b, LLVMTypeOf(e->now), e->live, ""));
	value here = emit_lanes(e, e->now), members, differ = NULL;
	if (emit_is_uniform(e, op, verb->members)) {
		members = emit_operand(e, op, verb->members, true);
	} else {
		/* The member mask varies: the lowest lane's is used, and the part is left if another differs. */
		value each = emit_operand(e, op, verb->members, false);
		members = LLVMBuildExtractElement(b, each, emit_lowest_lane(e, e->now), "");
		differ = LLVMBuildICmp(b, LLVMIntNE, each, emit_splat(e, members), "");
		differ = emit_any(e, LLVMBuildAnd(b, differ, e->now, ""));
	}
	value missing = LLVMBuildAnd(b, LLVMBuildAnd(b, members, live, ""), LLVMBuildNot(b, here, ""), "");
	value leaves = LLVMBuildICmp(b, LLVMIntNE, missing, emit_i32(e, 0), "");
	emit_leave_if(e, differ ? LLVMBuildOr(b, leaves, differ, "") : leaves, op);
}

void emit_op(struct emitter *e, uint32_t op)
{
	const uint8_t verb = e->plan->verbs[op].verb;
	if (verb_meets(&e->plan->verbs[op]))
		meet(e, op);
	if (verb == VERB_MEET && !e->plan->watched)
		return;
	if (verb != VERB_CALL && verb != VERB_TOGETHER &&
	    (emit_integer_op(e, op) || emit_move_op(e, op) || emit_float_op(e, op) || emit_convert_op(e, op) ||
	     emit_special_op(e, op) || emit_memory_op(e, op) || emit_together_op(e, op) ||
	     emit_half_op(e, op)))
		return;
	emit_call(e, op, emit_guarded(e, op), PLAN_NONE);
}
