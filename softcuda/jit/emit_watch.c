/* Accesses of kernels that are watched (exec/watch.h).  What the watcher can decide from little is decided first: an
 * access to consecutive places or to one place is passed as a place and a step, and one to private memory is compared
 * with the notes of the warp (warp.private_written).  Otherwise, the watcher is passed the places of all lanes; of a
 * store, the operands are saved in the frame then, where it compares them. */
#include "config.h"

#include "softcuda/jit/emit.h"

#include "softcuda/exec/warp.h"

/* Passes the watcher the places of all lanes. */
static void look_at_all(struct emitter *e, uint32_t op, value mask, value places, unsigned total_B)
{
	if (!e->places)
		e->places = emit_slot(e, LLVMTypeOf(places), "places");
	if (e->plan->verbs[op].verb == VERB_STORE)
		emit_save_operands(e, op);
	LLVMBuildStore(e->builder, places, e->places);
	value operands[] = {emit_warp(e), emit_i32(e, op), emit_lanes(e, mask), e->places, emit_i32(e, total_B)};
	emit_fault_if(e, emit_help(e, e->i32, EMIT_EXECUTOR(look), operands, 5));
}

void emit_look(struct emitter *e, uint32_t op, value mask, value places, unsigned total_B, unsigned step_B)
{
	LLVMBuilderRef b = e->builder;
	if (!emit_is_scalar(places)) {
		look_at_all(e, op, mask, places, total_B);
		return;
	}
	LLVMBasicBlockRef closer = emit_block(e, "closer"), on = emit_block(e, "looked");
	value operands[] = {emit_warp(e), emit_i32(e, op), emit_lanes(e, mask), places, emit_i32(e, total_B),
			    emit_i32(e, step_B)};
	value unsure = emit_help(e, e->i32, EMIT_EXECUTOR(look_row), operands, 6);
	emit_unlikely(e, LLVMBuildICmp(b, LLVMIntNE, unsure, emit_i32(e, 0), ""), closer, on);
	LLVMPositionBuilderAtEnd(b, closer);
	look_at_all(e, op, mask, emit_row(e, places, step_B), total_B);
	LLVMBuildBr(b, on);
	LLVMPositionBuilderAtEnd(b, on);
}

void emit_look_rows(struct emitter *e, uint32_t op, value mask, value places, unsigned total_B,
		    const struct emit_rows *rows)
{
	LLVMBuilderRef b = e->builder;
	LLVMBasicBlockRef several = emit_block(e, "rows"), closer = emit_block(e, "closer"),
			  on = emit_block(e, "looked");
	if (!e->firsts)
		e->firsts = emit_slot(e, LLVMArrayType(e->i64, EMIT_ROWS), "firsts");
	LLVMBuildCondBr(b, LLVMBuildOr(b, rows->next, rows->same, ""), several, closer);
	LLVMPositionBuilderAtEnd(b, several);
	for (unsigned r = 0; r < rows->count; r++)
		LLVMBuildStore(b, rows->first[r], emit_at(e, e->firsts, emit_i64(e, r * sizeof(uint64_t))));
	value step = LLVMBuildSelect(b, rows->next, emit_i32(e, total_B), emit_i32(e, 0), "");
	value operands[] = {emit_warp(e), emit_i32(e, op), e->firsts, emit_i32(e, rows->row),
			    emit_i32(e, total_B), step};
	value unsure = emit_help(e, e->i32, EMIT_EXECUTOR(look_rows), operands, 6);
	emit_unlikely(e, LLVMBuildICmp(b, LLVMIntNE, unsure, emit_i32(e, 0), ""), closer, on);
	LLVMPositionBuilderAtEnd(b, closer);
	look_at_all(e, op, mask, places, total_B);
	LLVMBuildBr(b, on);
	LLVMPositionBuilderAtEnd(b, on);
}

/* Whether all lanes of mask may access size_B bytes at an offset of private memory without the watcher: a scalar i1. */
static value is_written(struct emitter *e, value mask, value offset, unsigned size_B)
{
	LLVMBuilderRef b = e->builder;
	value notes = emit_field(e, e->pointer, emit_warp(e), offsetof(struct warp, private_written));
	value at = emit_at(e, notes, LLVMBuildMul(b, offset, emit_i64(e, sizeof(uint32_t)), ""));
	LLVMTypeRef type = LLVMVectorType(e->i32, size_B);
	value words = LLVMBuildLoad2(b, size_B == 1 ? e->i32 : type, at, "");
	LLVMSetAlignment(words, sizeof(uint32_t));
	if (size_B > 1)
		words = emit_intrinsic(e, "llvm.vector.reduce.and", &type, 1, &words, 1);
	value lanes = emit_lanes(e, mask);
	return LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildAnd(b, lanes, words, ""), lanes, "");
}

void emit_look_private(struct emitter *e, uint32_t op, value mask, value places, unsigned total_B, value offset)
{
	LLVMBuilderRef b = e->builder;
	LLVMBasicBlockRef inside = emit_block(e, "inside"), closer = emit_block(e, "closer"),
			  on = emit_block(e, "looked");
	value size_B = emit_field(e, e->i32, emit_warp(e), offsetof(struct warp, private_B));
	value start_B = emit_field(e, e->i32, emit_warp(e), offsetof(struct warp, private_start_B));
	value limit = emit_binary(e, "llvm.usub.sat", size_B, emit_i32(e, total_B - 1));
	value from_start = LLVMBuildSub(b, offset, emit_resize(e, start_B, 32, 64, false), "");
	value outside = LLVMBuildICmp(b, LLVMIntUGE, from_start, emit_resize(e, limit, 32, 64, false), "");
	emit_unlikely(e, outside, closer, inside);
	LLVMPositionBuilderAtEnd(b, inside);
	value unsure = LLVMBuildNot(b, is_written(e, mask, offset, total_B), "");
	emit_unlikely(e, unsure, closer, on);
	LLVMPositionBuilderAtEnd(b, closer);
	look_at_all(e, op, mask, places, total_B);
	LLVMBuildBr(b, on);
	LLVMPositionBuilderAtEnd(b, on);
}
