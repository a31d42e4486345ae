/* Code for one lane: the ops of a block twice.
 *
 * Where a part is one lane, the tests of accesses are a large part of the code.  So ops are emitted twice.  The first
 * code has quick paths only, and where a test fails, the second one begins all over.  Between two stores that is
 * allowed, since nothing has changed until then but values, of which the second code gets those from before.  The first
 * code is straight: LLVM does not keep anything for slow paths in it, to which its values are not known to be the same.
 * One test can be made for several accesses, by the first of them: for those of a[i], a[i + 1] and b[i], whether i is
 * less than what all of them allow. */
#include "config.h"

#include "softcuda/jit/emit.h"

#include <string.h>

/* In a kernel of more ops than this, a second code would be too much. */
enum { TWICE_MAX = 400 };

static void emit_each(struct emitter *e, uint32_t first, uint32_t end)
{
	for (uint32_t op = first; op < end; op++)
		emit_op(e, op);
}

/* Keeps the value that a web has now, if it is live before the ops. */
static void keep_web(struct emitter *e, uint32_t web)
{
	if (web != PLAN_NONE && plan_has(e->set, web) && !e->kept[web])
		e->kept[web] = emit_stored(e, web);
}

/* Keeps the values that webs have now, of those that the ops use or assign and that are live before. */
static void keep_webs(struct emitter *e, uint32_t block, uint32_t first, uint32_t end)
{
	plan_live_before(e->plan, block, first, e->set);
	for (uint32_t i = first * PLAN_USES; i < end * PLAN_USES; i++)
		keep_web(e, e->plan->use[i]);
	for (uint32_t i = first * OP_OPERANDS; i < end * OP_OPERANDS; i++)
		keep_web(e, e->plan->def[i]);
}

/* The same scalar integer, which LLVM does not know to be the same. */
static value hide(struct emitter *e, value v)
{
	LLVMTypeRef type = LLVMTypeOf(v), wide = LLVMGetIntTypeWidth(type) < 32 ? e->i32 : type;
	static char nothing[] = "", same[] = "=r,0";
	value code = LLVMGetInlineAsm(LLVMFunctionType(wide, &wide, 1, 0), nothing, 0, same, sizeof(same) - 1, 0, 0,
				      LLVMInlineAsmDialectATT, 0);
	v = LLVMBuildZExt(e->builder, v, wide, "");
	v = LLVMBuildCall2(e->builder, LLVMFunctionType(wide, &wide, 1, 0), code, &v, 1, "");
	return LLVMBuildTrunc(e->builder, v, type, "");
}

/* Gives the webs their values from before. */
static void restore_webs(struct emitter *e)
{
	for (uint32_t web = 0; web < e->plan->web_count; web++)
		if (e->kept[web])
			emit_store(e, web, hide(e, e->kept[web]));
}

/* At the end of the second code, gives the webs that it has not assigned the values back that LLVM knows. */
static void return_webs(struct emitter *e, uint32_t first, uint32_t end)
{
	for (uint32_t i = first * OP_OPERANDS; i < end * OP_OPERANDS; i++)
		if (e->plan->def[i] != PLAN_NONE)
			e->kept[e->plan->def[i]] = NULL;
	for (uint32_t web = 0; web < e->plan->web_count; web++) {
		if (e->kept[web])
			emit_store(e, web, e->kept[web]);
		e->kept[web] = NULL;
	}
}

/* Emits ops in two codes; so also the end of their block, if that follows. */
static void emit_twice(struct emitter *e, const struct plan_block *block, uint32_t first, uint32_t end, bool last)
{
	LLVMBasicBlockRef again = emit_block(e, "again"), on = last ? NULL : emit_block(e, "on");
	memset(e->tested + first, 0, (end - first) * sizeof(*e->tested));
	e->again = again;
	e->again_first = first;
	e->again_end = end;
	value part = e->part, first_lane = e->first_lane;
	for (unsigned i = 0; i < 2; i++) {
		emit_each(e, first, end);
		e->again = NULL;
		if (i)
			return_webs(e, first, end);
		if (last)
			emit_block_end(e, block);
		else
			LLVMBuildBr(e->builder, on);
		if (!i || on)
			LLVMPositionBuilderAtEnd(e->builder, i ? on : again);
		if (i) {
			e->part = part;
			e->first_lane = first_lane;
		} else {
			restore_webs(e);
			e->part = hide(e, part);
			e->first_lane = LLVMBuildURem(e->builder, e->part, emit_i32(e, LANES), "");
		}
	}
}

/* Where the next part of ops that are emitted twice ends: behind a store, or at `end`.  *any_out: it has an access. */
static uint32_t end_of_part(const struct emitter *e, uint32_t first, uint32_t end, bool *any_out)
{
	uint32_t op = first;
	*any_out = false;
	while (op < end) {
		*any_out |= emit_is_access(e, op);
		if (e->plan->verbs[op++].verb == VERB_STORE)
			break;
	}
	return op;
}

void emit_block_ops(struct emitter *e, uint32_t number)
{
	const struct plan_block *block = &e->plan->blocks[number];
	const uint32_t end = block->kind == END_FALLS ? block->end : block->end - 1;
	uint32_t first = block->first;
	bool any = false;
	if (e->plan->width > 1 || e->plan->code->op_count > TWICE_MAX) {
		emit_each(e, first, end);
		emit_block_end(e, block);
		return;
	}
	while (first < end) {
		const uint32_t to = end_of_part(e, first, end, &any);
		if (any) {
			keep_webs(e, number, first, to);
			emit_twice(e, block, first, to, to == end);
		} else {
			emit_each(e, first, to);
		}
		first = to;
	}
	if (!any)
		emit_block_end(e, block);
}
