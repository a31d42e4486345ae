#include "config.h"

#include "softcuda/jit/emit.h"

#include <stdlib.h>

/* --- parts ---------- */

/* The mask of the part's lanes that have not ended at an entry. */
static value part_lanes(struct emitter *e, uint32_t entry)
{
	LLVMBuilderRef b = e->builder;
	if (e->plan->full && !entry)
		return emit_all_lanes(e);
	if (e->compiled->plain) {
		/* All lanes that the group has. */
		value first = LLVMBuildMul(b, e->part, emit_i32(e, e->plan->width), "");
		value left = LLVMBuildSub(b, e->thread_count, first, "");
		return LLVMBuildICmp(b, LLVMIntULT, emit_row(e, emit_i32(e, 0), 1), emit_splat(e, left), "");
	}
	value list = emit_field(e, e->pointer, e->group, offsetof(struct group, part_lanes));
	value number = LLVMBuildZExt(b, LLVMBuildMul(b, e->part, emit_i32(e, 4), ""), e->i64, "");
	value bits = LLVMBuildLoad2(b, e->i32, emit_at(e, list, number), "");
	return emit_mask(e, bits);
}

/* Loads what the current part needs of its warp.  Without private memory that is nothing: LLVM would compute the warp
 * here for all slow paths, and keep it for them. */
static void find_warp(struct emitter *e)
{
	LLVMBuilderRef b = e->builder;
	e->first_lane = LLVMBuildMul(b, LLVMBuildURem(b, e->part, emit_i32(e, LANES / e->plan->width), ""),
				     emit_i32(e, e->plan->width), "");
	if (!e->plan->code->local_B) {
		e->local = e->local_stride = emit_i64(e, 0);
		return;
	}
	value warp = emit_warp(e), local = emit_field(e, e->pointer, warp, offsetof(struct warp, local));
	e->local = LLVMBuildPtrToInt(b, local, e->i64, "");
	e->local_stride = LLVMBuildZExt(b, emit_field(e, e->i32, warp, offsetof(struct warp, local_stride_B)), e->i64,
					"");
}

/* --- nodes ---------- */

/* Whether all ways back to a loop's header only wait. */
static bool only_polls(const struct plan *plan, uint32_t header)
{
	const uint32_t first = plan->blocks[header].first;
	bool polls = false;
	for (uint32_t i = first; i < plan->code->op_count; i++) {
		const struct op *op = &plan->code->ops[i];
		if (plan->verbs[i].verb != VERB_BRANCH || op->target != first)
			continue;
		if (op->mode != BRANCH_POLLS)
			return false;
		polls = true;
	}
	return polls;
}

/* Counts an iteration of a loop against the part's budget.  When the budget is used up, the host is asked whether
 * to go on, to stop, or to leave the loop to the interpreter, which lets other work-groups run that this loop may
 * wait for. */
static void spend(struct emitter *e)
{
	LLVMBuilderRef b = e->builder;
	LLVMBasicBlockRef tired = emit_block(e, "tired"), on = emit_block(e, "turn");
	const uint32_t header = e->region->nodes[e->node].block;
	const bool may_leave = e->plan->may_wait || e->plan->watched;
	const bool polls = e->plan->may_wait && only_polls(e->plan, header);
	const uint32_t told = polls ? COMPILED_POLLS : e->plan->may_wait ? COMPILED_MAY_WAIT :
			      may_leave ? COMPILED_MAY_LEAVE : 0;
	value left = LLVMBuildSub(b, LLVMBuildLoad2(b, e->i32, e->budget, ""), emit_i32(e, polls ? COMPILED_POLL : 1),
				  "");
	LLVMBuildStore(b, left, e->budget);
	emit_unlikely(e, LLVMBuildICmp(b, LLVMIntSLE, left, emit_i32(e, 0), ""), tired, on);
	LLVMPositionBuilderAtEnd(b, tired);
	value operands[] = {e->group, emit_i32(e, told)};
	value answer = emit_help(e, e->i32, EMIT_EXECUTOR(tired), operands, 2);
	LLVMBasicBlockRef stop = emit_block(e, "stop"), look = emit_block(e, "look");
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, answer, emit_i32(e, 2), ""), stop, look);
	LLVMPositionBuilderAtEnd(b, stop);
	emit_fault(e);
	LLVMPositionBuilderAtEnd(b, look);
	if (may_leave)
		emit_leave_if(e, LLVMBuildICmp(b, LLVMIntEQ, answer, emit_i32(e, 1), ""),
			      e->plan->blocks[header].first);
	LLVMBuildStore(b, emit_i32(e, COMPILED_TURNS), e->budget);
	LLVMBuildBr(b, on);
	LLVMPositionBuilderAtEnd(b, on);
}

/* Branches to the next node if no lane runs this one. */
static void skip_if_empty(struct emitter *e)
{
	LLVMBasicBlockRef some = emit_block(e, "some"), none = emit_block(e, "none");
	LLVMBuildCondBr(e->builder, emit_any(e, e->now), some, none);
	LLVMPositionBuilderAtEnd(e->builder, none);
	emit_step(e, NULL, 0);
	LLVMPositionBuilderAtEnd(e->builder, some);
}

/* Emits turns of a loop before its first node, which is where the latch branches to from then on. */
static void emit_turns_before(struct emitter *e, uint32_t n)
{
	const uint32_t block = e->region->nodes[n].block;
	LLVMBasicBlockRef loop = emit_block(e, "loop"), done = emit_block(e, "done");
	emit_few_turns(e, block, loop, done);
	LLVMPositionBuilderAtEnd(e->builder, done);
	LLVMBuildStore(e->builder, emit_no_lanes(e), emit_mask_slot(e, n));
	emit_go_on(e, &e->plan->blocks[block]);
	e->starts[n] = loop;
	LLVMPositionBuilderAtEnd(e->builder, loop);
	e->now = LLVMBuildLoad2(e->builder, LLVMTypeOf(e->now), emit_mask_slot(e, n), "");
}

static void emit_node(struct emitter *e, uint32_t n)
{
	const struct plan_node *node = &e->region->nodes[n];
	LLVMPositionBuilderAtEnd(e->builder, e->starts[n]);
	e->node = n;
	e->now = LLVMBuildLoad2(e->builder, LLVMVectorType(e->i1, e->plan->width), emit_mask_slot(e, n), "");
	if (!node->latch && emit_has_few_turns(e, node->block))
		emit_turns_before(e, n);
	LLVMBuildStore(e->builder, emit_no_lanes(e), emit_mask_slot(e, n));
	if (node->may_be_empty)
		skip_if_empty(e);
	if (node->latch) {
		spend(e);
		LLVMBuildStore(e->builder, e->now, emit_mask_slot(e, node->header));
		LLVMBuildBr(e->builder, e->starts[node->header]);
		return;
	}
	emit_block_ops(e, node->block);
}

/* --- the function ---------- */

/* Loads what all parts of the group have in common. */
static void read_launch(struct emitter *e)
{
	e->job = emit_field(e, e->pointer, e->group, offsetof(struct group, job));
	e->launch = emit_field(e, e->pointer, e->job, offsetof(struct job, launch));
	e->thread_count = emit_field(e, e->i32, e->group, offsetof(struct group, thread_count));
	e->warps = emit_field(e, e->pointer, e->group, offsetof(struct group, warps));
	e->shared = emit_field(e, e->pointer, e->group, offsetof(struct group, shared));
	e->shared_B = emit_field(e, e->i32, e->job, offsetof(struct job, shared_B));
	e->constants = emit_field(e, e->pointer, e->job, offsetof(struct job, constants));
	e->parameters = emit_field(e, e->pointer, e->launch, offsetof(struct soft_launch, parameters));
}

/* At the beginning of a part, initializes the masks, the budget and the webs that are live at the entry.  Their
 * values are in the frame, except at the start of the kernel, where they are 0.  clear_webs initializes all other
 * webs. */
static void begin_part(struct emitter *e, uint32_t entry)
{
	const struct plan *plan = e->plan;
	const uint32_t block = plan->entries[entry].block;
	value mask = part_lanes(e, entry);
	for (uint32_t n = 0; n < e->region->node_count; n++)
		LLVMBuildStore(e->builder, emit_no_lanes(e), emit_mask_slot(e, n));
	LLVMBuildStore(e->builder, mask, e->masks[e->region->node_of[block]]);
	LLVMBuildStore(e->builder, mask, e->live);
	LLVMBuildStore(e->builder, emit_i32(e, COMPILED_TURNS), e->budget);
	for (uint32_t i = plan->live_at[block]; i < plan->live_at[block + 1]; i++) {
		const uint32_t web = plan->live[i];
		const bool scalar = plan->webs[web].kind == WEB_LINEAR;
		value v = emit_load_saved(e, web, scalar);
		emit_web_set(e, web, entry ? v : LLVMConstNull(LLVMTypeOf(v)));
	}
}

/* Emits the end of the function, in which it goes on with the next group if it is to do so (group.ahead).  How the
 * group has ended is in e->state. */
static void emit_next_group(struct emitter *e)
{
	LLVMBuilderRef b = e->builder;
	LLVMBasicBlockRef further = emit_block(e, "further"), end = emit_block(e, "end");
	value state = LLVMBuildLoad2(b, e->i32, e->state, "");
	if (e->compiled->plain) {
		value at = emit_at(e, e->group, emit_i64(e, offsetof(struct group, ahead)));
		value ahead = LLVMBuildLoad2(b, e->i32, at, "");
		value stop = emit_field(e, e->i8, e->job, offsetof(struct job, stop));
		LLVMSetOrdering(stop, LLVMAtomicOrderingMonotonic);
		LLVMSetAlignment(stop, 1);
		value over = LLVMBuildICmp(b, LLVMIntNE, state, emit_i32(e, COMPILED_DONE), "");
		over = LLVMBuildOr(b, over, LLVMBuildICmp(b, LLVMIntEQ, ahead, emit_i32(e, 0), ""), "");
		over = LLVMBuildOr(b, over, LLVMBuildICmp(b, LLVMIntNE, stop, emit_number(e, stop, 0), ""), "");
		LLVMBuildCondBr(b, over, end, further);
		LLVMPositionBuilderAtEnd(b, further);
		LLVMBuildStore(b, LLVMBuildSub(b, ahead, emit_i32(e, 1), ""), at);
		at = emit_at(e, e->group, emit_i64(e, offsetof(struct group, ctaid)));
		value x = LLVMBuildAdd(b, e->group_x, emit_i32(e, 1), "");
		LLVMBuildStore(b, x, at);
		LLVMAddIncoming(e->group_x, &x, &further, 1);
		LLVMBuildBr(b, e->each);
	} else {
		LLVMBuildBr(b, end);
		LLVMDeleteBasicBlock(further);
	}
	LLVMPositionBuilderAtEnd(b, end);
	LLVMBuildRet(b, state);
}

/* Emits the loop over the parts, for (part = first; part < end; part++), apart from the nodes' code. */
static void emit_loop(struct emitter *e, uint32_t entry)
{
	LLVMBuilderRef b = e->builder;
	LLVMBasicBlockRef body = emit_block(e, "part");
	e->parts_over = emit_block(e, "done");
	e->each = emit_block(e, "group");
	e->next_part = emit_block(e, "next");
	value x = emit_field(e, e->i32, e->group, offsetof(struct group, ctaid));
	LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
	LLVMBuildBr(b, e->each);
	LLVMPositionBuilderAtEnd(b, e->each);
	e->group_x = LLVMBuildPhi(b, e->i32, "group_x");
	LLVMAddIncoming(e->group_x, &x, &before, 1);
	LLVMBuildBr(b, body);
	LLVMPositionBuilderAtEnd(b, body);
	value first = LLVMGetParam(e->function, 1), end = LLVMGetParam(e->function, 2);
	e->part = LLVMBuildPhi(b, e->i32, "part");
	e->first_block = body;
	find_warp(e);
	begin_part(e, entry);
	LLVMBuildBr(b, e->starts[e->region->node_of[e->plan->entries[entry].block]]);
	LLVMPositionBuilderAtEnd(b, e->next_part);
	value next = LLVMBuildAdd(b, e->part, emit_i32(e, 1), "");
	LLVMAddIncoming(e->part, (value[]){first, next}, (LLVMBasicBlockRef[]){e->each, e->next_part}, 2);
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, end, ""), body, e->parts_over);
	LLVMPositionBuilderAtEnd(b, e->parts_over);
	emit_next_group(e);
}

/* Sets webs that are not live at the entry to 0 at the beginning of each part.  Otherwise values would be carried from
 * one part to the next, and lanes that have not assigned a web would read an undefined value of LLVM's.  A web that is
 * live at the start of no block is only read in a block that has assigned it. */
static void clear_webs(struct emitter *e, uint32_t entry)
{
	const struct plan *plan = e->plan;
	const uint32_t block = plan->entries[entry].block;
	LLVMPositionBuilderBefore(e->builder, LLVMGetBasicBlockTerminator(e->first_block));
	/* In code for one lane, ops are emitted a second time, and values from before their block are kept for that. */
	memset(e->set, plan->width == 1 ? 0xff : 0, plan->web_words * sizeof(*e->set));
	for (uint32_t i = 0; i < plan->live_at[plan->block_count]; i++)
		plan_add(e->set, plan->live[i]);
	for (uint32_t i = plan->live_at[block]; i < plan->live_at[block + 1]; i++)
		plan_remove(e->set, plan->live[i]);
	for (uint32_t w = 0; w < plan->web_count; w++)
		if (e->webs[w] && plan_has(e->set, w))
			emit_web_clear(e, w);
}

/* Creates the function of the region with its head block. */
static void make_function(struct emitter *e, const char *name)
{
	LLVMTypeRef parameters[3] = {e->pointer, e->i32, e->i32};
	LLVMTypeRef type = LLVMFunctionType(e->i32, parameters, 3, 0);
	e->function = LLVMAddFunction(e->module, name, type);
	e->group = LLVMGetParam(e->function, 0);
	e->head = emit_block(e, "head");
	LLVMPositionBuilderAtEnd(e->builder, e->head);
	e->live = emit_slot(e, LLVMVectorType(e->i1, e->plan->width), "live");
	e->budget = emit_slot(e, e->i32, "budget");
	e->state = emit_slot(e, e->i32, "state");
	LLVMBuildStore(e->builder, emit_i32(e, e->compiled->plain ? COMPILED_DONE : EMIT_STATE_NONE), e->state);
	read_launch(e);
}

value emit_region(struct emitter *e, uint32_t entry, const char *name)
{
	const struct plan *plan = e->plan;
	e->region = &plan->regions[entry];
	e->nowhere = e->shuffled = e->places = e->firsts = NULL;
	e->divided = e->divisor = e->stored_at = e->stored = NULL;
	e->warp_block = e->registers_block = e->fault = NULL;
	e->webs = calloc(plan->web_count + 1u, sizeof(*e->webs));
	e->masks = calloc(e->region->node_count + 1u, sizeof(*e->masks));
	e->starts = calloc(e->region->node_count + 1u, sizeof(*e->starts));
	e->kept = calloc(plan->web_count + 1u, sizeof(*e->kept));
	e->turned = calloc(plan->web_count + 1u, sizeof(*e->turned));
	e->lists = calloc(plan->web_count + 1u, sizeof(*e->lists));
	e->tested = calloc(plan->code->op_count + 1u, sizeof(*e->tested));
	e->set = calloc(plan->web_words, sizeof(*e->set));
	e->saved = calloc(plan->web_words, sizeof(*e->saved));
	e->first_saved = calloc(plan->code->register_B / sizeof(uint32_t) + 1u, sizeof(*e->first_saved));
	e->rest = calloc(e->region->words, sizeof(*e->rest));
	e->slot_start = calloc(plan->code->op_count + 1u, sizeof(*e->slot_start));
	e->pointers = calloc(plan->code->op_count + 1u, sizeof(*e->pointers));
	e->slot_size = calloc(plan->code->op_count + 1u, sizeof(*e->slot_size));
	const bool right = e->webs && e->masks && e->starts && e->kept && e->turned && e->lists && e->tested &&
			   e->set && e->saved && e->first_saved && e->rest && e->slot_start && e->pointers &&
			   e->slot_size;
	if (right) {
		make_function(e, name);
		for (uint32_t n = 0; n < e->region->node_count; n++)
			e->starts[n] = emit_block(e, e->region->nodes[n].latch ? "latch" : "block");
		emit_loop(e, entry);
		for (uint32_t n = 0; n < e->region->node_count; n++)
			emit_node(e, n);
		clear_webs(e, entry);
	}
	free(e->webs);
	free(e->masks);
	free(e->starts);
	free(e->kept);
	free(e->turned);
	free(e->lists);
	free(e->tested);
	free(e->set);
	free(e->saved);
	free(e->first_saved);
	free(e->rest);
	free(e->slot_start);
	free(e->pointers);
	free(e->slot_size);
	return right ? e->function : NULL;
}
