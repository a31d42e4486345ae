/* Any op, by the function of its family, or by the interpreter's handler. */
#include "config.h"

#include "softcuda/jit/emit.h"

/* Emits the test before an op that lanes of a warp run together, such as a shuffle.  If a live lane that the op
 * names is not among the node's lanes, these would have to wait for it, which only the interpreter can do; so the part
 * is left to the interpreter. */
static void meet(struct emitter *e, uint32_t op)
{
	const struct jit_verb *verb = &e->plan->verbs[op];
	LLVMBuilderRef b = e->builder;
	if (verb->members == (OPERAND_NONE & 0xff))
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
	if (verb == VERB_TOGETHER || verb == VERB_MEET)
		meet(e, op);
	if (verb == VERB_MEET && !e->plan->watched)
		return;
	if (verb != VERB_CALL && verb != VERB_TOGETHER &&
	    (emit_integer_op(e, op) || emit_move_op(e, op) || emit_float_op(e, op) || emit_convert_op(e, op) ||
	     emit_special_op(e, op) || emit_memory_op(e, op)))
		return;
	emit_call(e, op, emit_guarded(e, op), PLAN_NONE);
}
