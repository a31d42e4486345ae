/* Accesses of a part that has several rows of its work-group, such as those of a warp in a group of 16 by 16
 * work-items.  Addresses then mostly are consecutive, or equal, within each row, and vary from row to row.  Where all
 * lanes access, that is tested: each row is then loaded or stored as a vector, or loaded once, instead of lane by
 * lane.  If it follows from how the addresses are computed (web.row_kind), only the first lane's is looked at. */
#include "config.h"

#include "softcuda/jit/emit.h"

/* A vector of indices: lane l has start + l / divisor * step. */
static value indices(const struct emitter *e, unsigned start, unsigned divisor, unsigned step, unsigned count)
{
	value index[4 * LANES];
	for (unsigned l = 0; l < count; l++)
		index[l] = emit_i32(e, start + l / divisor * step);
	return LLVMConstVector(index, count);
}

static value shuffle(const struct emitter *e, value a, value b, value index)
{
	return LLVMBuildShuffleVector(e->builder, a, b ? b : LLVMGetPoison(LLVMTypeOf(a)), index, "");
}

/* Whether a condition holds in all lanes. */
static value in_all(const struct emitter *e, value condition)
{
	return LLVMBuildNot(e->builder, emit_any(e, LLVMBuildNot(e->builder, condition, "")), "");
}

void emit_find_rows(const struct emitter *e, value places, value mask, unsigned step_B, struct emit_rows *rows)
{
	LLVMBuilderRef b = e->builder;
	value steps[LANES];
	rows->row = e->plan->row;
	rows->count = e->plan->width / rows->row;
	for (unsigned l = 0; l < e->plan->width; l++)
		steps[l] = LLVMConstInt(LLVMGetElementType(LLVMTypeOf(places)), (uint64_t)(l % rows->row) * step_B, 0);
	for (unsigned i = 0; i < rows->count; i++)
		rows->first[i] = LLVMBuildExtractElement(b, places, emit_i32(e, i * rows->row), "");
	value first = shuffle(e, places, NULL, indices(e, 0, rows->row, rows->row, e->plan->width));
	value from = LLVMBuildSub(b, places, first, ""), all = in_all(e, mask);
	value next = LLVMBuildICmp(b, LLVMIntEQ, from, LLVMConstVector(steps, e->plan->width), "");
	value same = LLVMBuildICmp(b, LLVMIntEQ, from, LLVMConstNull(LLVMTypeOf(from)), "");
	rows->next = LLVMBuildAnd(b, in_all(e, next), all, "");
	rows->same = LLVMBuildAnd(b, in_all(e, same), all, "");
}

value emit_row_places(const struct emitter *e, const struct emit_rows *rows, unsigned step_B)
{
	value each = LLVMGetPoison(LLVMVectorType(e->i64, rows->count)), steps[LANES];
	for (unsigned r = 0; r < rows->count; r++)
		each = LLVMBuildInsertElement(e->builder, each, rows->first[r], emit_i32(e, r), "");
	for (unsigned l = 0; l < e->plan->width; l++)
		steps[l] = emit_i64(e, (uint64_t)(l % rows->row) * step_B);
	return LLVMBuildAdd(e->builder, shuffle(e, each, NULL, indices(e, 0, rows->row, 1, e->plan->width)),
			    LLVMConstVector(steps, e->plan->width), "");
}

/* The number of the lowest lane; of none, some number of a lane. */
static value lowest_lane(const struct emitter *e, value lanes)
{
	LLVMTypeRef type = LLVMTypeOf(lanes);
	value operands[] = {lanes, LLVMConstInt(e->i1, 0, 0)};
	value lowest = emit_intrinsic(e, "llvm.cttz", &type, 1, operands, 2);
	return LLVMBuildAnd(e->builder, lowest, emit_i32(e, LANES - 1), "");
}

value emit_find_some_rows(const struct emitter *e, value places, value mask, unsigned step_B, unsigned row,
			  value stored, value *first_out)
{
	LLVMBuilderRef b = e->builder;
	const unsigned width = e->plan->width, count = width / row;
	value steps[LANES], lanes = emit_lanes(e, mask), any = lowest_lane(e, lanes);
	value each = LLVMGetPoison(LLVMVectorType(e->i64, count));
	for (unsigned l = 0; l < width; l++)
		steps[l] = emit_i64(e, (uint64_t)(l % row) * step_B);
	for (unsigned r = 0; r < count; r++) {
		/* A row without lanes has the place of another one. */
		value own = LLVMBuildAnd(b, lanes, emit_i32(e, MASK_ALL >> (LANES - row) << r * row), "");
		value lane = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, own, emit_i32(e, 0), ""), any,
					     lowest_lane(e, own), "");
		lane = LLVMBuildZExt(b, lane, e->i64, "");
		value at = emit_at(e, stored, LLVMBuildMul(b, lane, emit_i64(e, sizeof(uint64_t)), ""));
		value from = LLVMBuildMul(b, LLVMBuildAnd(b, lane, emit_i64(e, row - 1), ""), emit_i64(e, step_B), "");
		first_out[r] = LLVMBuildSub(b, LLVMBuildLoad2(b, e->i64, at, ""), from, "");
		each = LLVMBuildInsertElement(b, each, first_out[r], emit_i32(e, r), "");
	}
	value from = LLVMBuildSub(b, places, LLVMConstVector(steps, width), "");
	value first = shuffle(e, each, NULL, indices(e, 0, row, 1, width));
	value differ = LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntNE, from, first, ""), mask, "");
	return LLVMBuildNot(b, emit_any(e, differ), "");
}

value emit_elements(const struct emitter *e, value v, unsigned first, unsigned count)
{
	return shuffle(e, v, NULL, indices(e, first, 1, 1, count));
}

static value pointer_to(const struct emitter *e, const struct emit_rows *rows, unsigned row, unsigned offset_B)
{
	value place = LLVMBuildAdd(e->builder, rows->first[row], emit_i64(e, offset_B), "");
	return LLVMBuildIntToPtr(e->builder, place, e->pointer, "");
}

static value load_at(const struct emitter *e, LLVMTypeRef type, value pointer, unsigned align_B)
{
	value v = LLVMBuildLoad2(e->builder, type, pointer, "");
	LLVMSetAlignment(v, align_B);
	return v;
}

/* Joins vectors of equal lengths, a power of two of them. */
static value joined(const struct emitter *e, value *parts, unsigned count)
{
	for (; count > 1; count /= 2)
		for (unsigned i = 0; i < count / 2; i++) {
			const unsigned size = LLVMGetVectorSize(LLVMTypeOf(parts[2 * i]));
			parts[i] = shuffle(e, parts[2 * i], parts[2 * i + 1], indices(e, 0, 1, 1, 2 * size));
		}
	return parts[0];
}

void emit_load_next_rows(const struct emitter *e, const struct emit_rows *rows, LLVMTypeRef type, unsigned size_B,
			 unsigned count, value *elements_out)
{
	value parts[EMIT_ROWS], part[EMIT_ROWS];
	for (unsigned r = 0; r < rows->count; r++)
		parts[r] = load_at(e, LLVMVectorType(type, rows->row * count), pointer_to(e, rows, r, 0), size_B);
	for (unsigned i = 0; i < count; i++) {
		for (unsigned r = 0; r < rows->count; r++)
			part[r] = count == 1 ? parts[r] :
					       shuffle(e, parts[r], NULL, indices(e, i, 1, count, rows->row));
		elements_out[i] = joined(e, part, rows->count);
	}
}

void emit_load_same_rows(const struct emitter *e, const struct emit_rows *rows, LLVMTypeRef type, unsigned size_B,
			 unsigned count, value *elements_out)
{
	for (unsigned i = 0; i < count; i++) {
		value each = LLVMGetPoison(LLVMVectorType(type, rows->count));
		for (unsigned r = 0; r < rows->count; r++)
			each = LLVMBuildInsertElement(e->builder, each,
						      load_at(e, type, pointer_to(e, rows, r, i * size_B), size_B),
						      emit_i32(e, r), "");
		elements_out[i] = shuffle(e, each, NULL, indices(e, 0, rows->row, 1, e->plan->width));
	}
}

void emit_store_next_rows(const struct emitter *e, const struct emit_rows *rows, value all, unsigned size_B)
{
	const unsigned each = LLVMGetVectorSize(LLVMTypeOf(all)) / rows->count;
	for (unsigned r = 0; r < rows->count; r++) {
		value part = emit_elements(e, all, r * each, each);
		LLVMSetAlignment(LLVMBuildStore(e->builder, part, pointer_to(e, rows, r, 0)), size_B);
	}
}
