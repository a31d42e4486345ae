/* Atomics on integers, and sums of f32 in shared memory, whose bytes are there: one after the other, in the order of
 * lanes, as the interpreter does it.  If all lanes have one address, those on integers are one atomic of the host.  On
 * shared memory, which only the group's own thread accesses, they are no atomics of the host. */
#include "config.h"

#include "softcuda/jit/emit_access.h"

/* Subnormals are not flushed in shared memory. */
static value add_floats(const struct emitter *e, value old, value v)
{
	value a = LLVMBuildBitCast(e->builder, old, e->f32, ""), b = LLVMBuildBitCast(e->builder, v, e->f32, "");
	value sum = LLVMBuildFAdd(e->builder, a, b, "");
	return emit_one_nan(e, LLVMBuildBitCast(e->builder, sum, e->i32, ""), e->f32);
}

/* What is in memory after an operation on `old`; scalars, or vectors.  compared: of ATOMIC_CAS, what old is compared
 * with. */
static value combine(const struct access *a, value old, value v, value compared)
{
	LLVMBuilderRef b = a->e->builder;
	switch ((enum atomic)a->verb->part) {
	case ATOMIC_ADD:
		return a->verb->is_float ? add_floats(a->e, old, v) : LLVMBuildAdd(b, old, v, "");
	case ATOMIC_AND:
		return LLVMBuildAnd(b, old, v, "");
	case ATOMIC_OR:
		return LLVMBuildOr(b, old, v, "");
	case ATOMIC_XOR:
		return LLVMBuildXor(b, old, v, "");
	case ATOMIC_MIN:
		return emit_binary(a->e, a->verb->is_signed ? "llvm.smin" : "llvm.umin", old, v);
	case ATOMIC_MAX:
		return emit_binary(a->e, a->verb->is_signed ? "llvm.smax" : "llvm.umax", old, v);
	case ATOMIC_CAS:
		return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, old, compared, ""), v, old, "");
	default:
		return v;
	}
}

/* The operation on one place; returns what was there. */
static value operate(const struct access *a, value pointer, value v, value compared)
{
	LLVMBuilderRef b = a->e->builder;
	const enum atomic part = (enum atomic)a->verb->part;
	const bool is_signed = a->verb->is_signed;
	const LLVMAtomicOrdering order = LLVMAtomicOrderingSequentiallyConsistent;
	const LLVMAtomicRMWBinOp ops[] = {
		[ATOMIC_ADD] = LLVMAtomicRMWBinOpAdd, [ATOMIC_AND] = LLVMAtomicRMWBinOpAnd,
		[ATOMIC_OR] = LLVMAtomicRMWBinOpOr, [ATOMIC_XOR] = LLVMAtomicRMWBinOpXor,
		[ATOMIC_MIN] = is_signed ? LLVMAtomicRMWBinOpMin : LLVMAtomicRMWBinOpUMin,
		[ATOMIC_MAX] = is_signed ? LLVMAtomicRMWBinOpMax : LLVMAtomicRMWBinOpUMax,
		[ATOMIC_EXCH] = LLVMAtomicRMWBinOpXchg
	};
	if (a->op->space == SPACE_SHARED) {
		value old = LLVMBuildLoad2(b, LLVMTypeOf(v), pointer, "");
		LLVMSetAlignment(old, a->verb->size_B);
		LLVMSetAlignment(LLVMBuildStore(b, combine(a, old, v, compared), pointer), a->verb->size_B);
		return old;
	}
	if (part == ATOMIC_CAS)
		return LLVMBuildExtractValue(b, LLVMBuildAtomicCmpXchg(b, pointer, compared, v, order, order, 0), 0,
					     "");
	return LLVMBuildAtomicRMW(b, ops[part], pointer, v, order, 0);
}

/* --- one after the other ---------- */

/* A stack slot for a value of each lane, and the pointer to a lane's. */
static value spill(const struct access *a, value v)
{
	value slot = emit_slot(a->e, LLVMTypeOf(v), "each");
	LLVMBuildStore(a->e->builder, v, slot);
	return slot;
}

static value pointer_to(const struct access *a, LLVMTypeRef element, value slot, value lane)
{
	return LLVMBuildGEP2(a->e->builder, element, slot, &lane, 1, "");
}

static value element_of(const struct access *a, LLVMTypeRef element, value slot, value lane)
{
	return LLVMBuildLoad2(a->e->builder, element, pointer_to(a, element, slot, lane), "");
}

/* Emits the loop over the lanes of the mask. */
static void in_turn(const struct access *a, value places)
{
	struct emitter *e = a->e;
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef type = emit_integer(e, a->verb->bits), mask_type = LLVMIntTypeInContext(e->context, e->plan->width);
	value place_slot = spill(a, places), value_slot = spill(a, emit_operand(e, a->number, 1, false));
	value compared_slot = a->verb->part == ATOMIC_CAS ? spill(a, emit_operand(e, a->number, 2, false)) : NULL;
	/* Of ATOMIC_CAS, operand 1 is what is compared, and operand 2 what is stored. */
	value result_slot = plan_is_read(e->plan, a->number) ?
			    spill(a, LLVMConstNull(emit_type(e, type, false))) : NULL;
	value all = LLVMBuildBitCast(b, a->mask, mask_type, ""), none = LLVMConstNull(mask_type);
	LLVMBasicBlockRef before = LLVMGetInsertBlock(b), turn = emit_block(e, "turn"), done = emit_block(e, "turned");
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, all, none, ""), done, turn);
	LLVMPositionBuilderAtEnd(b, turn);
	value rest = LLVMBuildPhi(b, mask_type, "");
	value lane = emit_intrinsic(e, "llvm.cttz", &mask_type, 1, (value[]){rest, LLVMConstInt(e->i1, 1, 0)}, 2);
	lane = e->plan->width == LANES ? lane : LLVMBuildZExt(b, lane, e->i32, "");
	value pointer = LLVMBuildIntToPtr(b, element_of(a, e->i64, place_slot, lane), e->pointer, "");
	value v = element_of(a, type, value_slot, lane), compared = NULL;
	if (compared_slot) {
		compared = v;
		v = element_of(a, type, compared_slot, lane);
	}
	value old = operate(a, pointer, v, compared);
	if (result_slot)
		LLVMBuildStore(b, old, pointer_to(a, type, result_slot, lane));
	value left = LLVMBuildAnd(b, rest, LLVMBuildSub(b, rest, LLVMConstInt(mask_type, 1, 0), ""), "");
	LLVMAddIncoming(rest, (value[]){all, left}, (LLVMBasicBlockRef[]){before, turn}, 2);
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, left, none, ""), done, turn);
	LLVMPositionBuilderAtEnd(b, done);
	if (result_slot)
		emit_result(e, a->number, 0, LLVMBuildLoad2(b, emit_type(e, type, false), result_slot, ""));
}

/* --- all at once ---------- */

/* The sum of each lane's value and those of the lanes before it. */
static value running_sum(const struct access *a, value v)
{
	struct emitter *e = a->e;
	const unsigned width = e->plan->width;
	value zero = LLVMConstNull(LLVMTypeOf(v)), index[LANES];
	for (unsigned by = 1; by < width; by *= 2) {
		for (unsigned l = 0; l < width; l++)
			index[l] = emit_i32(e, l < by ? width : l - by);
		value before = LLVMBuildShuffleVector(e->builder, v, zero, LLVMConstVector(index, width), "");
		v = LLVMBuildAdd(e->builder, v, before, "");
	}
	return v;
}

/* Emits an atomic of all lanes on one place; false if it is none for which that is possible. */
static bool at_once(const struct access *a, value place)
{
	static const char *const names[] = {
		[ATOMIC_ADD] = "llvm.vector.reduce.add", [ATOMIC_AND] = "llvm.vector.reduce.and",
		[ATOMIC_OR] = "llvm.vector.reduce.or", [ATOMIC_XOR] = "llvm.vector.reduce.xor",
		[ATOMIC_MIN] = "llvm.vector.reduce.umin", [ATOMIC_MAX] = "llvm.vector.reduce.umax"
	};
	struct emitter *e = a->e;
	LLVMBuilderRef b = e->builder;
	const enum atomic part = (enum atomic)a->verb->part;
	const uint64_t least = UINT64_C(1) << (a->verb->bits - 1);
	const bool is_signed = a->verb->is_signed, is_read = plan_is_read(e->plan, a->number);
	/* The sum of floats depends on the order. */
	if (part > ATOMIC_MAX || (is_read && part != ATOMIC_ADD) || a->verb->is_float)
		return false;
	const uint64_t neutral = part == ATOMIC_AND || (part == ATOMIC_MIN && !is_signed) ? UINT64_MAX :
				 part == ATOMIC_MIN ? least - 1 : part == ATOMIC_MAX && is_signed ? least : 0;
	value v = emit_operand(e, a->number, 1, false), all;
	v = LLVMBuildSelect(b, a->mask, v, emit_number(e, v, neutral), "");
	if (is_signed && part >= ATOMIC_MIN)
		all = emit_unary(e, part == ATOMIC_MIN ? "llvm.vector.reduce.smin" : "llvm.vector.reduce.smax", v);
	else
		all = emit_unary(e, names[part], v);
	value old = operate(a, LLVMBuildIntToPtr(b, place, e->pointer, ""), all, NULL);
	if (is_read)
		emit_result(e, a->number, 0, LLVMBuildAdd(b, emit_splat(e, old),
							  LLVMBuildSub(b, running_sum(a, v), v, ""), ""));
	return true;
}

void access_atomic(const struct access *a, value place)
{
	if (a->shape == SHAPE_SAME && at_once(a, place))
		return;
	if (emit_is_scalar(place))
		place = emit_row(a->e, place, a->shape == SHAPE_NEXT ? a->total_B : 0);
	in_turn(a, place);
}
