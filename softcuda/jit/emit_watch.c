/* Accesses of kernels that are watched (exec/watch.h).  What the watcher can decide from little is decided first: an
 * access to consecutive places or to one place is passed as a place and a step, and one to private memory is compared
 * with the notes of the warp (warp.private_written).  Otherwise, the watcher is passed the places of all lanes; of a
 * store, the operands are saved in the frame then, where it compares them. */
#include "config.h"

#include "softcuda/jit/emit.h"

#include "softcuda/exec/warp.h"

/* Stores the places of all lanes for the watcher. */
static void store_places(struct emitter *e, value places)
{
	if (!e->places)
		e->places = emit_slot(e, LLVMTypeOf(places), "places");
	LLVMBuildStore(e->builder, places, e->places);
}

void emit_compare(struct emitter *e, uint32_t op, value mask, value places, unsigned total_B)
{
	store_places(e, places);
	emit_save_operands(e, op);
	value operands[] = {emit_warp(e), emit_i32(e, op), emit_lanes(e, mask), e->places, emit_i32(e, total_B)};
	emit_fault_if(e, emit_help(e, e->i32, EMIT_EXECUTOR(compare), operands, 5));
	emit_load_results(e, op, mask);
}

void emit_look_all(struct emitter *e, uint32_t op, value mask, value places, unsigned total_B)
{
	if (e->plan->verbs[op].verb == VERB_STORE)
		emit_save_operands(e, op);
	store_places(e, places);
	value operands[] = {emit_warp(e), emit_i32(e, op), emit_lanes(e, mask), e->places, emit_i32(e, total_B)};
	emit_fault_if(e, emit_help(e, e->i32, EMIT_EXECUTOR(look), operands, 5));
}

void emit_look(struct emitter *e, uint32_t op, value mask, value places, unsigned total_B, unsigned step_B)
{
	LLVMBuilderRef b = e->builder;
	if (!emit_is_scalar(places)) {
		emit_look_all(e, op, mask, places, total_B);
		return;
	}
	LLVMBasicBlockRef closer = emit_block(e, "closer"), on = emit_block(e, "looked");
	value operands[] = {emit_warp(e), emit_i32(e, op), emit_lanes(e, mask), places, emit_i32(e, total_B),
			    emit_i32(e, step_B)};
	value unsure = emit_help(e, e->i32, EMIT_EXECUTOR(look_row), operands, 6);
	emit_unlikely(e, LLVMBuildICmp(b, LLVMIntNE, unsure, emit_i32(e, 0), ""), closer, on);
	LLVMPositionBuilderAtEnd(b, closer);
	emit_look_all(e, op, mask, emit_row(e, places, step_B), total_B);
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
	emit_look_all(e, op, mask, places, total_B);
	LLVMBuildBr(b, on);
	LLVMPositionBuilderAtEnd(b, on);
}

/* --- shared memory ---------- */

/* An access of shared memory as machine code tells of it (struct shared_access). */
struct told {
	unsigned total_B, step_B; /* step_B: of one row */
	const struct emit_rows *rows;     /* NULL: one row */
	value *first;             /* the place of each row's first lane */
	unsigned count;           /* of rows */
};

static void store_field(const struct emitter *e, value v, value pointer, size_t offset_B)
{
	LLVMBuildStore(e->builder, v, emit_at(e, pointer, emit_i64(e, offset_B)));
}

/* Stores the access at `next`, where there is room for it. */
static void store_told(struct emitter *e, uint32_t op, value mask, const struct told *told, value next)
{
	_Static_assert(offsetof(struct shared_access, size_B) == offsetof(struct shared_access, row) + 1 &&
		       offsetof(struct shared_access, step_B) == offsetof(struct shared_access, row) + 2 &&
		       offsetof(struct shared_access, place) == offsetof(struct shared_access, row) + 4, "four bytes");
	const uint32_t sizes = (told->rows ? told->rows->row : LANES) | told->total_B << 8;
	value steps = told->rows ? LLVMBuildSelect(e->builder, told->rows->next, emit_i32(e, told->total_B << 16),
						   emit_i32(e, 0), "") : emit_i32(e, told->step_B << 16);
	store_field(e, emit_i32(e, op), next, offsetof(struct shared_access, op));
	store_field(e, e->part, next, offsetof(struct shared_access, warp));
	store_field(e, emit_lanes(e, mask), next, offsetof(struct shared_access, lanes));
	store_field(e, LLVMBuildOr(e->builder, steps, emit_i32(e, sizes), ""), next,
		    offsetof(struct shared_access, row));
	for (unsigned r = 0; r < told->count; r++)
		store_field(e, told->first[r], next, offsetof(struct shared_access, place) + r * sizeof(uint64_t));
}

/* Whether a read need only be added to those before it: a scalar i1.  The lanes that do not read count, too. */
static value need_not_look(struct emitter *e, const struct told *told, uint32_t slot, value next)
{
	LLVMBuilderRef b = e->builder;
	value slots = emit_field(e, e->pointer, e->group, offsetof(struct group, slots));
	const size_t slot_B = slot * sizeof(struct memory_slot);
	value start = emit_field(e, e->i64, slots, slot_B + offsetof(struct memory_slot, start));
	value size_B = emit_field(e, e->i64, slots, slot_B + offsetof(struct memory_slot, size_B));
	value end = emit_field(e, e->pointer, e->group, offsetof(struct group, shared_end));
	value loud = emit_field(e, e->i64, emit_warp(e), offsetof(struct warp, not_quiet));
	const unsigned row = told->rows ? told->rows->row : LANES;
	value of_next = emit_i64(e, row * told->total_B - 1), of_same = emit_i64(e, told->total_B - 1);
	value more_B = told->rows ? LLVMBuildSelect(b, told->rows->next, of_next, of_same, "") :
		       told->step_B ? of_next : of_same;
	value limit = emit_binary(e, "llvm.usub.sat", size_B, more_B);
	value right = LLVMBuildICmp(b, LLVMIntNE, next, end, "");
	for (unsigned r = 0; r < told->count; r++) {
		value offset = LLVMBuildSub(b, told->first[r], start, "");
		right = LLVMBuildAnd(b, right, LLVMBuildICmp(b, LLVMIntULT, offset, limit, ""), "");
	}
	return LLVMBuildAnd(b, right, LLVMBuildICmp(b, LLVMIntEQ, loud, emit_i64(e, 0), ""), "");
}

/* Tells of an access to equal or consecutive places.  `closer`: where the watcher has to look at all lanes. */
static void tell_shared(struct emitter *e, uint32_t op, value mask, const struct told *told, uint32_t slot,
			LLVMBasicBlockRef closer, LLVMBasicBlockRef on)
{
	LLVMBuilderRef b = e->builder;
	value next = emit_field(e, e->pointer, e->group, offsetof(struct group, shared_next));
	store_told(e, op, mask, told, next);
	if (slot != PLAN_NONE) {
		LLVMBasicBlockRef keep = emit_block(e, "keep"), ask = emit_block(e, "ask");
		LLVMBuildCondBr(b, need_not_look(e, told, slot, next), keep, ask);
		LLVMPositionBuilderAtEnd(b, keep);
		store_field(e, emit_at(e, next, emit_i64(e, sizeof(struct shared_access))), e->group,
			    offsetof(struct group, shared_next));
		LLVMBuildBr(b, on);
		LLVMPositionBuilderAtEnd(b, ask);
	}
	value operands[] = {emit_warp(e), emit_i32(e, slot)};
	value unsure = emit_help(e, e->i32, EMIT_EXECUTOR(look_shared), operands, 2);
	emit_unlikely(e, LLVMBuildICmp(b, LLVMIntNE, unsure, emit_i32(e, 0), ""), closer, on);
}

void emit_look_shared(struct emitter *e, uint32_t op, value mask, value places, unsigned total_B, unsigned step_B,
		      const struct emit_rows *rows, uint32_t slot)
{
	LLVMBuilderRef b = e->builder;
	LLVMBasicBlockRef closer = emit_block(e, "closer"), on = emit_block(e, "looked");
	value first[SHARED_ROWS] = {places};
	struct told told = {.total_B = total_B, .step_B = step_B, .rows = rows, .first = first, .count = 1};
	if (rows) {
		_Static_assert((int)EMIT_ROWS <= (int)SHARED_ROWS, "room for the places of all rows");
		LLVMBasicBlockRef several = emit_block(e, "rows");
		LLVMBuildCondBr(b, LLVMBuildOr(b, rows->next, rows->same, ""), several, closer);
		LLVMPositionBuilderAtEnd(b, several);
		for (unsigned r = 0; r < rows->count; r++)
			first[r] = rows->first[r];
		told.count = rows->count;
	}
	tell_shared(e, op, mask, &told, slot, closer, on);
	LLVMPositionBuilderAtEnd(b, closer);
	emit_look_all(e, op, mask, rows ? places : emit_row(e, places, step_B), total_B);
	LLVMBuildBr(b, on);
	LLVMPositionBuilderAtEnd(b, on);
}

/* --- private memory ---------- */

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
	emit_look_all(e, op, mask, places, total_B);
	LLVMBuildBr(b, on);
	LLVMPositionBuilderAtEnd(b, on);
}
