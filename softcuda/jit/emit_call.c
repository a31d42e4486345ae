/* Calls of the interpreter's handlers for single ops, and the code that leaves a part to the interpreter for good.
 *
 * A handler reads its operands from the frame and writes its results there.  So compiled code saves the operands in
 * the frame before the call, and loads the results from the frame after it. */
#include "config.h"

#include "softcuda/jit/emit.h"

#include <string.h>

void emit_save_operands(struct emitter *e, uint32_t op)
{
	for (unsigned k = 0; k < OP_OPERANDS; k++) {
		const uint32_t web = e->plan->use[(size_t)op * PLAN_USES + k];
		if (web != PLAN_NONE)
			emit_save(e, web, true);
	}
}

value emit_lowest_lane(const struct emitter *e, value mask)
{
	LLVMTypeRef type = LLVMIntTypeInContext(e->context, e->plan->width);
	value bits = LLVMBuildBitCast(e->builder, mask, type, "");
	value lane = emit_intrinsic(e, "llvm.cttz", &type, 1,
				    (value[]){bits, LLVMConstInt(e->i1, 1, 0)}, 2);
	return e->plan->width == LANES ? lane :
	       LLVMBuildZExt(e->builder, lane, e->i32, "");
}

/* The scalar of a linear result is taken from the lowest lane of mask. */
void emit_load_results(struct emitter *e, uint32_t op, value mask)
{
	for (unsigned k = 0; k < OP_OPERANDS; k++) {
		const uint32_t web = e->plan->def[(size_t)op * OP_OPERANDS + k];
		if (web == PLAN_NONE)
			continue;
		value v = emit_load_saved(e, web, false);
		if (e->plan->webs[web].kind == WEB_LINEAR)
			v = LLVMBuildExtractElement(e->builder, v, emit_lowest_lane(e, mask), "");
		emit_result(e, op, k, v);
	}
}

void emit_fault_if(struct emitter *e, value noted)
{
	LLVMBasicBlockRef on = emit_block(e, "done");
	value wrong = LLVMBuildICmp(e->builder, LLVMIntNE, noted, emit_i32(e, 0), "");
	if (e->fault) {
		emit_unlikely(e, wrong, e->fault, on);
	} else {
		e->fault = emit_block(e, "fault");
		emit_unlikely(e, wrong, e->fault, on);
		LLVMPositionBuilderAtEnd(e->builder, e->fault);
		emit_fault(e);
	}
	LLVMPositionBuilderAtEnd(e->builder, on);
}

/* Emits the call of the handler for the lanes of mask, which is not empty. */
static void call(struct emitter *e, uint32_t op, value mask, uint32_t slot)
{
	value operands[4] = {emit_warp(e), emit_i32(e, op), emit_lanes(e, mask), emit_i32(e, slot)};
	emit_save_operands(e, op);
	value fault = emit_help(e, e->i32, slot == PLAN_NONE ? EMIT_EXECUTOR(call) : EMIT_EXECUTOR(access), operands,
				slot == PLAN_NONE ? 3 : 4);
	emit_fault_if(e, fault);
	emit_load_results(e, op, mask);
}

void emit_call(struct emitter *e, uint32_t op, value mask, uint32_t slot)
{
	if (e->plan->code->ops[op].guard == OPERAND_NONE) {
		call(e, op, mask, slot);
		return;
	}
	/* The guard may hold for no lane: the call is skipped then. */
	LLVMBasicBlockRef some = emit_block(e, "some"), none = emit_block(e, "none");
	LLVMBuildCondBr(e->builder, emit_any(e, mask), some, none);
	LLVMPositionBuilderAtEnd(e->builder, some);
	call(e, op, mask, slot);
	LLVMBuildBr(e->builder, none);
	LLVMPositionBuilderAtEnd(e->builder, none);
}

void emit_float_unless(struct emitter *e, uint32_t op, value f, value doubt)
{
	LLVMBasicBlockRef again = emit_block(e, "again"), plain = emit_block(e, "plain"), on = emit_block(e, "on");
	value mask = emit_guarded(e, op);
	if (emit_is_scalar(doubt))
		doubt = emit_splat(e, doubt);
	emit_unlikely(e, emit_any(e, LLVMBuildAnd(e->builder, doubt, mask, "")), again, plain);
	LLVMPositionBuilderAtEnd(e->builder, again);
	emit_call(e, op, mask, PLAN_NONE);
	LLVMBuildBr(e->builder, on);
	LLVMPositionBuilderAtEnd(e->builder, plain);
	emit_float_result(e, op, f);
	LLVMBuildBr(e->builder, on);
	LLVMPositionBuilderAtEnd(e->builder, on);
}

/* --- the end of a part, and leaving it to the interpreter ---------- */

void emit_part_end(struct emitter *e, value how)
{
	LLVMBuilderRef b = e->builder;
	if (e->compiled->plain && LLVMConstIntGetZExtValue(how) == COMPILED_DONE) {
		LLVMBuildBr(b, e->next_part);
		return;
	}
	value at = emit_field(e, e->pointer, e->group, offsetof(struct group, at));
	value number = LLVMBuildZExt(b, LLVMBuildMul(b, e->part, emit_i32(e, 2), ""), e->i64, "");
	LLVMBuildStore(b, LLVMBuildTrunc(b, how, e->i16, ""), emit_at(e, at, number));
	/* The function's result is how the parts stand if all of them stand alike, otherwise COMPILED_MIXED. */
	value before = LLVMBuildLoad2(b, e->i32, e->state, "");
	value first = LLVMBuildICmp(b, LLVMIntEQ, before, emit_i32(e, EMIT_STATE_NONE), "");
	value same = LLVMBuildICmp(b, LLVMIntEQ, before, how, "");
	value now = LLVMBuildSelect(b, LLVMBuildOr(b, first, same, ""), how, emit_i32(e, COMPILED_MIXED), "");
	LLVMBuildStore(b, now, e->state);
	/* A watcher that looks on in order sees the rest of this part before the next one. */
	const bool is_last = e->plan->watched && LLVMConstIntGetZExtValue(how) == COMPILED_LEFT;
	LLVMBuildBr(b, is_last ? e->parts_over : e->next_part);
}

/* Tells the interpreter that the lanes of mask continue at op pc. */
static void leave_at(struct emitter *e, value mask, uint32_t pc)
{
	value operands[3] = {emit_warp(e), emit_lanes(e, mask), emit_i32(e, pc)};
	emit_help(e, LLVMVoidTypeInContext(e->context), EMIT_EXECUTOR(leave), operands, 3);
}

/* Saves a web for the lanes of a mask.  The first web of a register is saved for all lanes, which takes less code: the
 * registers that other lanes need are saved as well.  Another web of the register is then saved for its own lanes. */
static void save_one(struct emitter *e, uint32_t web, value mask)
{
	const uint32_t slot = e->plan->webs[web].slot;
	uint32_t *first = &e->first_saved[slot / sizeof(uint32_t)];
	if (plan_has(e->saved, web))
		return;
	if (plan_has(e->saved, *first) && e->plan->webs[*first].slot == slot) {
		emit_save_lanes(e, web, mask);
		return;
	}
	emit_save(e, web, true);
	*first = web;
	plan_add(e->saved, web);
}

/* Saves the webs that are live before op for the node's lanes, and those that are live at other nodes for the lanes
 * that wait there.  Several webs may belong to one register, and lanes at different places in the code may have
 * different webs in it. */
static void save_live(struct emitter *e, uint32_t op)
{
	const struct plan *plan = e->plan;
	const struct plan_region *region = e->region;
	const struct plan_node *node = &region->nodes[e->node];
	memset(e->saved, 0, plan->web_words * sizeof(*e->saved));
	/* The block of a latch is the loop's header, where the lanes of the latch continue. */
	plan_live_before(plan, node->block, op, e->set);
	for (uint32_t w = 0; w < plan->web_words; w++)
		for (uint64_t rest = e->set[w]; rest; rest &= rest - 1)
			save_one(e, w * 64 + (uint32_t)__builtin_ctzll(rest), e->now);
	for (uint32_t w = 0; w < region->words; w++)
		for (uint64_t rest = node->pending[w]; rest; rest &= rest - 1) {
			const uint32_t t = w * 64 + (uint32_t)__builtin_ctzll(rest);
			const uint32_t block = region->nodes[t].block;
			value mask = LLVMBuildLoad2(e->builder, LLVMTypeOf(e->now), e->masks[t], "");
			for (uint32_t i = plan->live_at[block]; i < plan->live_at[block + 1]; i++)
				save_one(e, plan->live[i], mask);
		}
}

void emit_leave_if(struct emitter *e, value condition, uint32_t op)
{
	const struct plan_region *region = e->region;
	const struct plan_node *node = &region->nodes[e->node];
	LLVMBasicBlockRef leave = emit_block(e, "leave"), stay = emit_block(e, "stay");
	emit_unlikely(e, condition, leave, stay);
	LLVMPositionBuilderAtEnd(e->builder, leave);
	save_live(e, op);
	value live = LLVMBuildLoad2(e->builder, LLVMTypeOf(e->now), e->live, "");
	emit_help(e, LLVMVoidTypeInContext(e->context), EMIT_EXECUTOR(leaving),
		  (value[]){e->group, e->part, emit_lanes(e, live)}, 3);
	leave_at(e, e->now, op);
	for (uint32_t w = 0; w < region->words; w++)
		for (uint64_t rest = node->pending[w]; rest; rest &= rest - 1) {
			const uint32_t t = w * 64 + (uint32_t)__builtin_ctzll(rest);
			value mask = LLVMBuildLoad2(e->builder, LLVMTypeOf(e->now), e->masks[t], "");
			leave_at(e, mask, e->plan->blocks[region->nodes[t].block].first);
		}
	emit_part_end(e, emit_i32(e, COMPILED_LEFT));
	LLVMPositionBuilderAtEnd(e->builder, stay);
}

/* The number of the lowest or the highest lane of a mask, as an i64; of all lanes if the mask is empty. */
static value outer_lane(struct emitter *e, value mask, bool highest)
{
	LLVMTypeRef type = LLVMIntTypeInContext(e->context, e->plan->width);
	value bits = LLVMBuildBitCast(e->builder, mask, type, "");
	value zeros = emit_intrinsic(e, highest ? "llvm.ctlz" : "llvm.cttz", &type, 1,
				     (value[]){bits, LLVMConstInt(e->i1, 0, 0)}, 2);
	value lane = LLVMBuildAnd(e->builder, zeros, LLVMConstInt(type, e->plan->width - 1, 0), "");
	if (highest)
		lane = LLVMBuildSub(e->builder, LLVMConstInt(type, e->plan->width - 1, 0), lane, "");
	return emit_resize(e, lane, e->plan->width, 64, false);
}

/* Leaves the part if a value of 64 bits, the last lane's, is beyond those of 32 bits. */
static void leave_if_wrapped(struct emitter *e, uint32_t op, value last, int64_t stride, bool is_signed)
{
	/* With a positive stride the last lane has the greatest value, with a negative one the least. */
	const int64_t limit = stride > 0 ? is_signed ? INT32_MAX : (int64_t)UINT32_MAX : is_signed ? INT32_MIN : 0;
	emit_leave_if(e, LLVMBuildICmp(e->builder, stride > 0 ? LLVMIntSGT : LLVMIntSLT, last,
				       emit_i64(e, (uint64_t)limit), ""), op);
}

/* As emit_extended_line, from the lanes that run op: in others, the value may have wrapped around, as that of
 * `l - 1` in work-item 0. */
static value extend_running(struct emitter *e, uint32_t op, value first, int64_t stride, bool is_signed)
{
	LLVMBuilderRef b = e->builder;
	value low = outer_lane(e, e->now, false), high = outer_lane(e, e->now, true);
	value before = LLVMBuildMul(b, low, emit_i64(e, (uint64_t)stride), "");
	value lowest = LLVMBuildAdd(b, first, emit_resize(e, before, 64, 32, false), "");
	value base = LLVMBuildSub(b, emit_resize(e, lowest, 32, 64, is_signed), before, "");
	value behind = LLVMBuildMul(b, high, emit_i64(e, (uint64_t)stride), "");
	leave_if_wrapped(e, op, LLVMBuildAdd(b, base, behind, ""), stride, is_signed);
	return base;
}

value emit_extended_line(struct emitter *e, uint32_t op, unsigned k, bool is_signed)
{
	const uint32_t web = e->plan->def[(size_t)op * OP_OPERANDS];
	int64_t stride;
	if (web == PLAN_NONE || e->plan->webs[web].kind != WEB_LINEAR || !emit_is_linear(e, op, k, &stride))
		return NULL;
	value first = emit_operand(e, op, k, true);
	if (stride && e->plan->watched)
		return extend_running(e, op, first, stride, is_signed);
	value extended = emit_resize(e, first, 32, 64, is_signed);
	value span = emit_i64(e, (uint64_t)stride * (e->plan->width - 1));
	if (stride)
		leave_if_wrapped(e, op, LLVMBuildAdd(e->builder, extended, span, ""), stride, is_signed);
	return extended;
}
