/* Where lanes go at the end of a block. */
#include "config.h"

#include "softcuda/jit/emit.h"

value emit_mask_slot(struct emitter *e, uint32_t node)
{
	if (!e->masks[node])
		e->masks[node] = emit_slot(e, LLVMVectorType(e->i1, e->plan->width), "wait");
	return e->masks[node];
}

/* Sends the lanes of a mask to node `to`, where other lanes may already wait. */
static void send(struct emitter *e, uint32_t to, value mask)
{
	if (plan_has(e->region->nodes[e->node].pending, to)) {
		value there = LLVMBuildLoad2(e->builder, LLVMTypeOf(mask), emit_mask_slot(e, to), "");
		mask = LLVMBuildOr(e->builder, there, mask, "");
	}
	LLVMBuildStore(e->builder, mask, emit_mask_slot(e, to));
}

void emit_step(struct emitter *e, const uint32_t *targets, unsigned count)
{
	const uint32_t to = plan_step(e->region, e->node, targets, count, e->rest);
	if (to == PLAN_NONE)
		emit_part_end(e, emit_i32(e, COMPILED_DONE));
	else
		LLVMBuildBr(e->builder, e->starts[to]);
}

/* Removes the lanes of a mask from the part's live lanes. */
static void end_lanes(struct emitter *e, value mask)
{
	LLVMBuilderRef b = e->builder;
	value live = LLVMBuildLoad2(b, LLVMTypeOf(mask), e->live, "");
	live = LLVMBuildAnd(b, live, LLVMBuildNot(b, mask, ""), "");
	LLVMBuildStore(b, live, e->live);
	if (!e->plan->together)
		return;
	/* Ops such as a shuffle wait for the live lanes of the warp.  The host has to know which lanes have ended if
	 * other lanes of the part continue. */
	LLVMBasicBlockRef tell = emit_block(e, "tell"), on = emit_block(e, "ended");
	LLVMBuildCondBr(b, LLVMBuildAnd(b, emit_any(e, live), emit_any(e, mask), ""), tell, on);
	LLVMPositionBuilderAtEnd(b, tell);
	emit_help(e, LLVMVoidTypeInContext(e->context), EMIT_EXECUTOR(end),
		  (value[]){emit_warp(e), emit_lanes(e, mask)}, 2);
	LLVMBuildBr(b, on);
	LLVMPositionBuilderAtEnd(b, on);
}

/* The mask of the node's lanes for which the guard of op holds. */
static value guard_lanes(struct emitter *e, uint32_t op)
{
	return emit_guarded(e, op);
}

/* The mask of the node's lanes that are not in a mask. */
static value others(struct emitter *e, value mask)
{
	return LLVMBuildAnd(e->builder, e->now, LLVMBuildNot(e->builder, mask, ""), "");
}

/* The guard of op, which is uniform, as a scalar condition. */
static value guard_condition(struct emitter *e, uint32_t op)
{
	value guard = emit_web(e, e->plan->use[(size_t)op * PLAN_USES + PLAN_GUARD], true);
	return e->plan->code->ops[op].guard_negated ? LLVMBuildNot(e->builder, guard, "") : guard;
}

/* The node that a branch to a block leads to: the latch of a loop if the branch goes back to the loop's header. */
static uint32_t target_node(const struct emitter *e, uint32_t block)
{
	const uint32_t node = e->region->node_of[block];
	return node > e->node ? node : e->region->latch_of[block];
}

/* Sends the node's lanes to one node. */
static void go(struct emitter *e, uint32_t target)
{
	send(e, target, e->now);
	emit_step(e, &target, 1);
}

void emit_go_on(struct emitter *e, const struct plan_block *block)
{
	go(e, target_node(e, block->next));
}

/* A branch whose guard varies: lanes may diverge, some to the target, the others to the next block. */
static void branch_apart(struct emitter *e, const struct plan_block *block)
{
	const uint32_t targets[2] = {target_node(e, block->next), target_node(e, block->target)};
	value taken = guard_lanes(e, block->end - 1), rest = others(e, taken);
	if (targets[0] == targets[1]) {
		go(e, targets[0]);
		return;
	}
	send(e, targets[0], rest);
	send(e, targets[1], taken);
	emit_step(e, targets, 2);
}

/* A branch whose guard is uniform: all lanes take it, or none does. */
static void branch_together(struct emitter *e, const struct plan_block *block)
{
	LLVMBasicBlockRef taken = emit_block(e, "taken"), on = emit_block(e, "on");
	LLVMBuildCondBr(e->builder, guard_condition(e, block->end - 1), taken, on);
	LLVMPositionBuilderAtEnd(e->builder, taken);
	go(e, target_node(e, block->target));
	LLVMPositionBuilderAtEnd(e->builder, on);
	go(e, target_node(e, block->next));
}

static void end_branch(struct emitter *e, const struct plan_block *block)
{
	if (block->next == PLAN_NONE)
		go(e, target_node(e, block->target));
	else if (plan_splits(e->plan, e->region->nodes[e->node].block))
		branch_apart(e, block);
	else
		branch_together(e, block);
}

static void end_exit(struct emitter *e, const struct plan_block *block)
{
	if (block->next == PLAN_NONE) {
		end_lanes(e, e->now);
		emit_step(e, NULL, 0);
		return;
	}
	const uint32_t next = target_node(e, block->next);
	if (plan_splits(e->plan, e->region->nodes[e->node].block)) {
		value gone = guard_lanes(e, block->end - 1);
		send(e, next, others(e, gone));
		end_lanes(e, gone);
		emit_step(e, &next, 1);
		return;
	}
	LLVMBasicBlockRef gone = emit_block(e, "gone"), on = emit_block(e, "on");
	LLVMBuildCondBr(e->builder, guard_condition(e, block->end - 1), gone, on);
	LLVMPositionBuilderAtEnd(e->builder, gone);
	end_lanes(e, e->now);
	emit_step(e, NULL, 0);
	LLVMPositionBuilderAtEnd(e->builder, on);
	go(e, next);
}

/* Stores in the group which lanes of the part have not ended, for the function that continues the part. */
static void keep_part_lanes(struct emitter *e, value mask)
{
	LLVMBuilderRef b = e->builder;
	value list = emit_field(e, e->pointer, e->group, offsetof(struct group, part_lanes));
	value number = LLVMBuildZExt(b, LLVMBuildMul(b, e->part, emit_i32(e, 4), ""), e->i64, "");
	value bits = LLVMBuildBitCast(b, mask, LLVMIntTypeInContext(e->context, e->plan->width), "");
	if (e->plan->width < LANES)
		bits = LLVMBuildZExt(b, bits, e->i32, "");
	LLVMBuildStore(b, bits, emit_at(e, list, number));
}

/* Ends a block at a barrier.  The code after the barrier is another function, so values that are live there are
 * saved in the frame; so are the operands of the barrier, which the interpreter may run.  If some live lanes of the
 * part are not at the barrier, the part is left to the interpreter. */
static void end_barrier(struct emitter *e, const struct plan_block *block)
{
	const struct plan *plan = e->plan;
	const uint32_t op = block->end - 1;
	value live = LLVMBuildLoad2(e->builder, LLVMTypeOf(e->now), e->live, "");
	value apart = LLVMBuildXor(e->builder, live, e->now, "");
	emit_leave_if(e, emit_any(e, apart), op);
	for (unsigned k = 0; k < OP_OPERANDS; k++)
		if (plan->use[(size_t)op * PLAN_USES + k] != PLAN_NONE)
			emit_save(e, plan->use[(size_t)op * PLAN_USES + k], true);
	for (uint32_t i = plan->live_at[block->next]; i < plan->live_at[block->next + 1]; i++)
		/* The result of the barrier itself does not exist yet. */
		if (plan->live[i] != plan->def[(size_t)op * OP_OPERANDS])
			emit_save(e, plan->live[i], false);
	keep_part_lanes(e, live);
	emit_part_end(e, emit_i32(e, COMPILED_WAITS | block->entry));
}

void emit_block_end(struct emitter *e, const struct plan_block *block)
{
	switch (block->kind) {
	case END_FALLS:
		go(e, target_node(e, block->next));
		break;
	case END_BRANCH:
		end_branch(e, block);
		break;
	case END_EXIT:
		end_exit(e, block);
		break;
	case END_BARRIER:
		end_barrier(e, block);
		break;
	}
}
