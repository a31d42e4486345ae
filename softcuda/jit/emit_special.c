/* Special registers such as %tid, conversions between generic and shared or local addresses, and fences. */
#include "config.h"

#include "softcuda/jit/emit.h"

/* %tid of a dimension: the first lane's value if it is linear, otherwise a vector.  In a line it is computed
 * instead of loaded: with that, a kernel that copies a buffer took 1.54 of PoCL's time, not 1.89. */
static value thread_index(struct emitter *e, unsigned dimension)
{
	if (e->plan->line && e->plan->linear)
		return dimension ? emit_i32(e, 0) : LLVMBuildMul(e->builder, e->part, emit_i32(e, e->plan->width), "");
	value lane_B = LLVMBuildMul(e->builder, e->first_lane, emit_i32(e, sizeof(uint32_t)), "");
	value at = emit_at(e, emit_warp(e), emit_i64(e, offsetof(struct warp, tid) +
						dimension * sizeof(uint32_t) * LANES));
	at = emit_at(e, at, LLVMBuildZExt(e->builder, lane_B, e->i64, ""));
	value v = LLVMBuildLoad2(e->builder, emit_type(e, e->i32, e->plan->linear), at, "");
	LLVMSetAlignment(v, sizeof(uint32_t));
	return v;
}

/* Loads a field that has one value for all groups of a call, before the loop over them. */
static value shared_field(struct emitter *e, value pointer, size_t offset_B)
{
	LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
	LLVMPositionBuilderBefore(e->builder, LLVMGetBasicBlockTerminator(e->head));
	value v = emit_field(e, e->i32, pointer, offset_B);
	LLVMPositionBuilderAtEnd(e->builder, here);
	return v;
}

/* The value of a special register.  Of one that grows from lane to lane it may be the first lane's. */
static value special(struct emitter *e, enum special what)
{
	switch (what) {
	case SPECIAL_TID_X:
	case SPECIAL_TID_Y:
	case SPECIAL_TID_Z:
		return thread_index(e, what - SPECIAL_TID_X);
	case SPECIAL_NTID_X:
	case SPECIAL_NTID_Y:
	case SPECIAL_NTID_Z:
		return shared_field(e, e->launch, offsetof(struct soft_launch, block) +
				    (what - SPECIAL_NTID_X) * sizeof(uint32_t));
	case SPECIAL_CTAID_X:
		return e->group_x;
	case SPECIAL_CTAID_Y:
	case SPECIAL_CTAID_Z:
		return shared_field(e, e->group, offsetof(struct group, ctaid) +
				    (what - SPECIAL_CTAID_X) * sizeof(uint32_t));
	case SPECIAL_NCTAID_X:
	case SPECIAL_NCTAID_Y:
	case SPECIAL_NCTAID_Z:
		return shared_field(e, e->launch, offsetof(struct soft_launch, grid) +
				    (what - SPECIAL_NCTAID_X) * sizeof(uint32_t));
	case SPECIAL_LANEID:
		return e->first_lane;
	case SPECIAL_WARPID:
		return emit_field(e, e->i32, emit_warp(e), offsetof(struct warp, index));
	case SPECIAL_NWARPID:
		return shared_field(e, e->group, offsetof(struct group, warp_count));
	default:
		return emit_i32(e, what == SPECIAL_ONE);
	}
}

/* The lanes of a warp that are before or behind a lane, as %lanemask has them; lane: a scalar or a vector. */
static value lane_mask(const struct emitter *e, enum special what, value lane)
{
	LLVMBuilderRef b = e->builder;
	const bool first = what == SPECIAL_LANES_EQ || what == SPECIAL_LANES_LT || what == SPECIAL_LANES_GE;
	value v = LLVMBuildShl(b, emit_number(e, lane, first ? 1 : 2), lane, "");
	if (what == SPECIAL_LANES_EQ)
		return v;
	v = LLVMBuildSub(b, v, emit_number(e, lane, 1), "");
	return what == SPECIAL_LANES_LT || what == SPECIAL_LANES_LE ? v : LLVMBuildNot(b, v, "");
}

/* Assigns the value of a special register to a web.  %laneid, and %tid.x if plan.linear is set, grow by 1 from lane
 * to lane: the scalar of the first lane is assigned to a linear web, and is expanded to a vector for any other web. */
static void put_special(struct emitter *e, uint32_t op, enum special what)
{
	const uint32_t web = e->plan->def[(size_t)op * OP_OPERANDS];
	const bool grows = what == SPECIAL_LANEID || (what == SPECIAL_TID_X && e->plan->linear);
	if (what >= SPECIAL_LANES_EQ) {
		const bool scalar = web == PLAN_NONE || e->plan->webs[web].kind == WEB_LINEAR;
		emit_result(e, op, 0, lane_mask(e, what, scalar ? e->first_lane : emit_row(e, e->first_lane, 1)));
		return;
	}
	value v = special(e, what);
	if (grows && web != PLAN_NONE && e->plan->webs[web].kind != WEB_LINEAR)
		v = emit_row(e, v, 1);
	emit_result(e, op, 0, v);
}

/* cvta: sets the upper bits of an address for the shared or local window, or clears them (cvta.to). */
static value window(struct emitter *e, uint32_t op)
{
	const struct jit_verb *verb = &e->plan->verbs[op];
	value v = emit_operand(e, op, 1, emit_once(e, op));
	if (verb->is_signed)
		return LLVMBuildAnd(e->builder, v, emit_number(e, v, ~WINDOW_MASK), "");
	return LLVMBuildOr(e->builder, v, emit_number(e, v, verb->part ? WINDOW_LOCAL : WINDOW_SHARED), "");
}

bool emit_special_op(struct emitter *e, uint32_t op)
{
	const struct jit_verb *verb = &e->plan->verbs[op];
	const struct op *o = &e->plan->code->ops[op];
	switch ((enum verb)verb->verb) {
	case VERB_NONE:
		return true;
	case VERB_FENCE:
		LLVMBuildFence(e->builder, LLVMAtomicOrderingSequentiallyConsistent, 0, "");
		return true;
	case VERB_SPECIAL:
		put_special(e, op, (enum special)verb->special);
		return true;
	case VERB_WINDOW:
		emit_result(e, op, 0, window(e, op));
		return true;
	case VERB_LOCAL_ADDRESS:
		/* The kernel's frame begins at address 0 of local memory, so an offset in the frame is an address. */
		emit_result(e, op, 0, LLVMConstInt(emit_integer(e, verb->bits), (uint64_t)o->imm, 0));
		return true;
	default:
		return false;
	}
}
