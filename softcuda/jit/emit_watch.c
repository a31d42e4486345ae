/* Accesses of kernels that are watched (exec/watch.h).  What the watcher can decide from little is decided first: an
 * access to consecutive places or to one place is passed as a place and a step, and one to private memory is compared
 * with the notes of the warp (warp.private_written), in which a first store is noted.  Otherwise, the watcher is passed
 * the places of all lanes; of a store, the operands are saved in the frame then, where it compares them. */
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

/* How far apart the places in a row are, if that is known. */
static unsigned step_of(const struct emit_rows *rows, unsigned total_B)
{
	return LLVMConstIntGetZExtValue(rows->next) ? total_B : 0;
}

void emit_look_rows(struct emitter *e, uint32_t op, value mask, value places, unsigned total_B,
		    const struct emit_rows *rows)
{
	LLVMBuilderRef b = e->builder;
	LLVMBasicBlockRef several = emit_block(e, "rows"), closer = emit_block(e, "closer"),
			  on = emit_block(e, "looked");
	if (!e->firsts)
		e->firsts = emit_slot(e, LLVMArrayType(e->i64, EMIT_ROWS), "firsts");
	LLVMBuildCondBr(b, rows->known ? rows->all : LLVMBuildOr(b, rows->next, rows->same, ""), several, closer);
	LLVMPositionBuilderAtEnd(b, several);
	for (unsigned r = 0; r < rows->count; r++)
		LLVMBuildStore(b, rows->first[r], emit_at(e, e->firsts, emit_i64(e, r * sizeof(uint64_t))));
	value step = LLVMBuildSelect(b, rows->next, emit_i32(e, total_B), emit_i32(e, 0), "");
	value operands[] = {emit_warp(e), emit_i32(e, op), e->firsts, emit_i32(e, rows->row),
			    emit_i32(e, total_B), step};
	value unsure = emit_help(e, e->i32, EMIT_EXECUTOR(look_rows), operands, 6);
	emit_unlikely(e, LLVMBuildICmp(b, LLVMIntNE, unsure, emit_i32(e, 0), ""), closer, on);
	LLVMPositionBuilderAtEnd(b, closer);
	emit_look_all(e, op, mask, rows->known ? emit_row_places(e, rows, step_of(rows, total_B)) : places, total_B);
	LLVMBuildBr(b, on);
	LLVMPositionBuilderAtEnd(b, on);
}

/* --- shared memory ---------- */

/* An access of shared memory as machine code tells of it (struct shared_access). */
struct told {
	unsigned total_B, row;    /* row: as of the access */
	value is_next;            /* a scalar i1: the lanes of a row are total_B apart, otherwise 0 */
	value first[SHARED_ROWS]; /* the place of each row's first lane */
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
	const uint32_t sizes = told->row | told->total_B << 8;
	value steps = LLVMBuildSelect(e->builder, told->is_next, emit_i32(e, sizes | told->total_B << 16),
				      emit_i32(e, sizes), "");
	store_field(e, emit_i32(e, op), next, offsetof(struct shared_access, op));
	store_field(e, e->part, next, offsetof(struct shared_access, warp));
	store_field(e, emit_lanes(e, mask), next, offsetof(struct shared_access, lanes));
	store_field(e, steps, next, offsetof(struct shared_access, row));
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
	value more_B = LLVMBuildSelect(b, told->is_next, emit_i64(e, told->row * told->total_B - 1),
				       emit_i64(e, told->total_B - 1), "");
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

/* Goes on where the lanes of mask access consecutive places in each row, or those of all rows, if all lanes do, equal
 * ones; goes to `closer` where they do not. */
static void find_told(struct emitter *e, value mask, value places, const struct emit_rows *rows, struct told *told,
		      LLVMBasicBlockRef closer)
{
	LLVMBuilderRef b = e->builder;
	LLVMBasicBlockRef all = LLVMGetInsertBlock(b), some = rows ? emit_block(e, "some") : all,
			  tell = emit_block(e, "tell");
	value first[SHARED_ROWS];
	if (rows)
		LLVMBuildCondBr(b, LLVMBuildOr(b, rows->next, rows->same, ""), tell, some);
	LLVMPositionBuilderAtEnd(b, some);
	store_places(e, places);
	value right = emit_find_some_rows(e, places, mask, told->total_B, told->row, e->places, first);
	some = LLVMGetInsertBlock(b);
	LLVMBuildCondBr(b, right, tell, closer);
	LLVMPositionBuilderAtEnd(b, tell);
	for (unsigned r = 0; r < told->count; r++) {
		told->first[r] = rows ? LLVMBuildPhi(b, e->i64, "") : first[r];
		if (rows)
			LLVMAddIncoming(told->first[r], (value[]){rows->first[r], first[r]},
					(LLVMBasicBlockRef[]){all, some}, 2);
	}
	told->is_next = rows ? LLVMBuildPhi(b, e->i1, "") : LLVMConstInt(e->i1, 1, 0);
	if (rows)
		LLVMAddIncoming(told->is_next, (value[]){rows->next, LLVMConstInt(e->i1, 1, 0)},
				(LLVMBasicBlockRef[]){all, some}, 2);
}

void emit_look_shared(struct emitter *e, uint32_t op, value mask, value places, unsigned total_B, unsigned step_B,
		      const struct emit_rows *rows, uint32_t slot)
{
	LLVMBuilderRef b = e->builder;
	LLVMBasicBlockRef closer = emit_block(e, "closer"), on = emit_block(e, "looked");
	struct told told = {
		.total_B = total_B, .row = rows ? rows->row : LANES, .is_next = LLVMConstInt(e->i1, step_B != 0, 0),
		.first = {places}, .count = rows ? rows->count : 1
	};
	const bool known = rows && rows->known;
	_Static_assert((int)EMIT_ROWS <= (int)SHARED_ROWS, "room for the places of all rows");
	for (unsigned r = 0; known && r < rows->count; r++)
		told.first[r] = rows->first[r];
	if (known)
		told.is_next = rows->next;
	else if (!emit_is_scalar(places))
		find_told(e, mask, places, rows, &told, closer);
	tell_shared(e, op, mask, &told, slot, closer, on);
	LLVMPositionBuilderAtEnd(b, closer);
	if (known)
		places = emit_row_places(e, rows, step_of(rows, total_B));
	else if (emit_is_scalar(places))
		places = emit_row(e, places, step_B);
	emit_look_all(e, op, mask, places, total_B);
	LLVMBuildBr(b, on);
	LLVMPositionBuilderAtEnd(b, on);
}

/* --- private memory ---------- */

/* The notes of private memory from an offset on. */
static value notes_at(struct emitter *e, value offset)
{
	value notes = emit_field(e, e->pointer, emit_warp(e), offsetof(struct warp, private_written));
	return emit_at(e, notes, LLVMBuildMul(e->builder, offset, emit_i64(e, sizeof(uint32_t)), ""));
}

/* Whether all lanes of mask may access size_B bytes at an offset of private memory without the watcher: a scalar i1. */
static value is_written(struct emitter *e, value mask, value at, unsigned size_B)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef type = LLVMVectorType(e->i32, size_B);
	value words = LLVMBuildLoad2(b, size_B == 1 ? e->i32 : type, at, "");
	LLVMSetAlignment(words, sizeof(uint32_t));
	if (size_B > 1)
		words = emit_intrinsic(e, "llvm.vector.reduce.and", &type, 1, &words, 1);
	value lanes = emit_lanes(e, mask);
	return LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildAnd(b, lanes, words, ""), lanes, "");
}

/* Notes that the lanes of mask store size_B bytes, if the code may do so; goes to `closer` otherwise. */
static void emit_note_private(struct emitter *e, value mask, value at, unsigned size_B, LLVMBasicBlockRef closer,
			      LLVMBasicBlockRef on)
{
	LLVMBuilderRef b = e->builder;
	LLVMBasicBlockRef notes = emit_block(e, "notes");
	value may = emit_field(e, e->i32, emit_warp(e), offsetof(struct warp, private_stores));
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, may, emit_i32(e, 0), ""), notes, closer);
	LLVMPositionBuilderAtEnd(b, notes);
	value lanes = emit_lanes(e, mask);
	for (unsigned i = 0; i < size_B; i++) {
		value word = emit_at(e, at, emit_i64(e, i * sizeof(uint32_t)));
		value old = LLVMBuildLoad2(b, e->i32, word, "");
		LLVMBuildStore(b, LLVMBuildOr(b, old, lanes, ""), word);
	}
	LLVMBuildBr(b, on);
}

void emit_look_private(struct emitter *e, uint32_t op, value mask, value places, unsigned total_B, value offset)
{
	const bool stores = e->plan->verbs[op].verb == VERB_STORE;
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
	value at = notes_at(e, offset);
	value unsure = LLVMBuildNot(b, is_written(e, mask, at, total_B), "");
	LLVMBasicBlockRef first = stores ? emit_block(e, "first") : closer;
	emit_unlikely(e, unsure, first, on);
	if (stores) {
		LLVMPositionBuilderAtEnd(b, first);
		emit_note_private(e, mask, at, total_B, closer, on);
	}
	LLVMPositionBuilderAtEnd(b, closer);
	emit_look_all(e, op, mask, places, total_B);
	LLVMBuildBr(b, on);
	LLVMPositionBuilderAtEnd(b, on);
}
