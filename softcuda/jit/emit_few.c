/* Code for one lane: loops of few turns.
 *
 * A compiler that unrolls a loop makes a second one for the turns that are left over.  These are fewer than the loop
 * is unrolled times, and another number in each work-item, so that processors often guess wrong where that loop ends.
 * Here its turns come before the loop as straight code.  Each turn is computed, with index 0 where the loop does not
 * have it, and the results of the last one that it has are used.  Where a test of an access fails, the loop begins all
 * over, and it goes on where it has more turns.  So no result depends on how many there are. */
#include "config.h"

#include "softcuda/jit/emit.h"

#include "softcuda/exec/memory.h"

#include <string.h>

/* The most turns, and ops in each, that are straight code; and the most ops of a kernel that has such code. */
enum { FEW_TURNS = 3, FEW_OPS = 24, FEW_MAX = 400 };

/* Whether an op can be computed where it would not run: it changes nothing but webs. */
static bool is_harmless(const struct emitter *e, uint32_t op)
{
	const uint32_t web = e->plan->use[(size_t)op * PLAN_USES + MEMORY_ADDRESS];
	if (e->plan->code->ops[op].guard != OPERAND_NONE)
		return false;
	switch (e->plan->verbs[op].verb) {
	case VERB_NONE: case VERB_ADD: case VERB_SUB: case VERB_MUL: case VERB_MUL_WIDE: case VERB_MAD:
	case VERB_MAD_WIDE: case VERB_MIN: case VERB_MAX: case VERB_AND: case VERB_OR: case VERB_XOR: case VERB_NOT:
	case VERB_SHL: case VERB_SHR: case VERB_EXTEND: case VERB_SELECT: case VERB_COMPARE: case VERB_FADD:
	case VERB_FSUB: case VERB_FMUL: case VERB_FMA: case VERB_FMIN: case VERB_FMAX: case VERB_FABS: case VERB_FNEG:
		return true;
	case VERB_LOAD:
		return emit_is_access(e, op) && web != PLAN_NONE && e->plan->webs[web].is_offset;
	default:
		return false;
	}
}

/* Whether a web is assigned by op and elsewhere only by conjunctions with a number up to FEW_TURNS. */
static bool is_small(const struct emitter *e, uint32_t web, uint32_t op)
{
	const struct plan *plan = e->plan;
	bool any = false;
	for (uint32_t i = 0; i < plan->code->op_count; i++) {
		uint64_t most;
		if (i == op || plan->def[(size_t)i * OP_OPERANDS] != web)
			continue;
		if (plan->verbs[i].verb != VERB_AND || !plan_constant(plan, &plan->code->ops[i], 2, 32, &most) ||
		    most > FEW_TURNS)
			return false;
		any = true;
	}
	return any;
}

/* Whether a block is a loop that counts a web down to 0, from FEW_TURNS at most. */
static bool counts_down(struct emitter *e, uint32_t number)
{
	const struct plan *plan = e->plan;
	const struct plan_block *block = &plan->blocks[number];
	const uint32_t branch = block->end - 1;
	uint64_t zero, step;
	if (block->kind != END_BRANCH || block->target != number || block->next == PLAN_NONE ||
	    plan->code->ops[branch].guard_negated)
		return false;
	e->again_first = block->first;
	const uint32_t compare = emit_definition_by(e, plan->use[(size_t)branch * PLAN_USES + PLAN_GUARD], branch,
						    VERB_COMPARE, 32);
	if (compare == PLAN_NONE || plan->verbs[compare].relation != RELATION_NE ||
	    !plan_constant(plan, &plan->code->ops[compare], 2, 32, &zero) || zero)
		return false;
	const uint32_t web = plan->use[(size_t)compare * PLAN_USES + 1];
	const uint32_t count = emit_definition_by(e, web, compare, VERB_ADD, 32);
	return count != PLAN_NONE && plan->use[(size_t)count * PLAN_USES + 1] == web &&
	       plan_constant(plan, &plan->code->ops[count], 2, 32, &step) && (uint32_t)step == UINT32_MAX &&
	       is_small(e, web, count);
}

bool emit_has_few_turns(struct emitter *e, uint32_t number)
{
	const struct plan_block *block = &e->plan->blocks[number];
	if (e->plan->width > 1 || e->plan->code->op_count > FEW_MAX || block->end - block->first > FEW_OPS ||
	    !counts_down(e, number))
		return false;
	for (uint32_t op = block->first; op < block->end - 1; op++)
		if (!is_harmless(e, op))
			return false;
	return true;
}

/* Whether a web's value is chosen by its turn's number, from those of all turns in memory.  Between integers in two
 * registers, the processor chooses by itself; for floats, LLVM makes a branch where there is no AVX-512. */
static bool is_listed(const struct emitter *e, uint32_t web)
{
	return e->plan->webs[web].any_nan;
}

/* Whether one of the ops of a block assigns a web. */
static bool assigns(const struct emitter *e, const struct plan_block *block, uint32_t web)
{
	for (uint32_t i = block->first * OP_OPERANDS; i < block->end * OP_OPERANDS; i++)
		if (e->plan->def[i] == web)
			return true;
	return false;
}

/* Emits one turn, whose results count if e->counts holds.  Whether there is another one. */
static value emit_turn(struct emitter *e, const struct plan_block *block)
{
	LLVMBuilderRef b = e->builder;
	const uint32_t last = block->end - 1;
	memset(e->tested + block->first, 0, (last - block->first) * sizeof(*e->tested));
	memset(e->turned, 0, e->plan->web_count * sizeof(*e->turned));
	for (uint32_t i = block->first * OP_OPERANDS; e->counts && i < last * OP_OPERANDS; i++) {
		const uint32_t web = e->plan->def[i];
		if (web != PLAN_NONE && !e->turned[web] && !is_listed(e, web))
			e->turned[web] = emit_stored(e, web);
	}
	for (uint32_t op = block->first; op < last; op++)
		emit_op(e, op);
	value more = emit_web(e, e->plan->use[(size_t)last * PLAN_USES + PLAN_GUARD], true);
	for (uint32_t web = 0; web < e->plan->web_count; web++)
		if (e->turned[web])
			emit_store(e, web, LLVMBuildSelect(b, e->counts, emit_stored(e, web), e->turned[web], ""));
	return e->counts ? LLVMBuildAnd(b, e->counts, more, "") : more;
}

/* Lists the values that webs have after a turn, or gives them those that they have after the last turn that counts.
 * lists: by web: stack slots; they are allocated when they are first used. */
static void list_webs(struct emitter *e, const struct plan_block *block, value turn, bool choose)
{
	for (uint32_t web = 0; web < e->plan->web_count; web++) {
		if (!is_listed(e, web) || !assigns(e, block, web))
			continue;
		LLVMTypeRef list = LLVMArrayType(e->i32, FEW_TURNS);
		if (!e->lists[web])
			e->lists[web] = emit_slot(e, list, "turns");
		value at = LLVMBuildGEP2(e->builder, e->i32, e->lists[web], &turn, 1, "");
		if (choose)
			emit_store(e, web, LLVMBuildLoad2(e->builder, e->i32, at, ""));
		else
			LLVMBuildStore(e->builder, emit_stored(e, web), at);
	}
}

void emit_few_turns(struct emitter *e, uint32_t number, LLVMBasicBlockRef loop, LLVMBasicBlockRef done)
{
	const struct plan_block *block = &e->plan->blocks[number];
	LLVMBasicBlockRef again = emit_block(e, "again");
	for (uint32_t i = block->first * OP_OPERANDS; i < block->end * OP_OPERANDS; i++)
		if (e->plan->def[i] != PLAN_NONE && !e->kept[e->plan->def[i]])
			e->kept[e->plan->def[i]] = emit_stored(e, e->plan->def[i]);
	e->again = again;
	e->again_first = block->first;
	e->again_end = block->end - 1;
	value last = emit_i32(e, 0);
	for (unsigned turn = 0; turn < FEW_TURNS; turn++) {
		if (turn)
			last = LLVMBuildAdd(e->builder, last, LLVMBuildZExt(e->builder, e->counts, e->i32, ""), "");
		e->counts = emit_turn(e, block);
		list_webs(e, block, emit_i32(e, turn), false);
	}
	list_webs(e, block, last, true);
	LLVMBuildCondBr(e->builder, e->counts, loop, done);
	e->again = NULL;
	e->counts = NULL;
	LLVMPositionBuilderAtEnd(e->builder, again);
	for (uint32_t web = 0; web < e->plan->web_count; web++) {
		if (e->kept[web])
			emit_store(e, web, e->kept[web]);
		e->kept[web] = NULL;
	}
	LLVMBuildBr(e->builder, loop);
}
