#include "config.h"

#include "frontend/lower_component.h"

#include <string.h>

/* Loads of vectors that libnvvm 13.0 for compute_90 and before gets wrong. This file avoids two of its faults.
 *
 * Loads of bytes and of shorts at one address:
 *
 * libnvvm 13.0 for compute_90 and before takes "ld.v4.u8" and "ld.v4.u16" of one address for the same load, because
 * both have four results of 16 bits, and keeps only one of them: after
 *
 *	short4 s = u.s[0]; char4 c = u.c[0];
 *
 * c has the low bytes of the shorts. Here shorts are loaded as numbers of 32 bits, in
 * programs that load bytes, too. Of private memory libnvvm itself loads bytes at even places as shorts, so a vector
 * of bytes is loaded there byte by byte; libnvvm joins those loads. */

static bool is_vector_of(LLVMTypeRef type, unsigned bits)
{
	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
		return false;
	type = LLVMGetElementType(type);
	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == bits;
}

static bool is_plain_load(LLVMValueRef i)
{
	return LLVMIsALoadInst(i) && !LLVMGetVolatile(i) &&
	       LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
}

/* -- shorts ---------------------------------------------------------------------------------- */

static LLVMValueRef insert(struct lowering *lowering, LLVMValueRef whole, LLVMValueRef number, unsigned lane)
{
	LLVMValueRef part = LLVMBuildTrunc(lowering->builder, number,
					   LLVMInt16TypeInContext(lowering->context), "");
	return LLVMBuildInsertElement(lowering->builder, whole, part,
				      LLVMConstInt(LLVMInt32TypeInContext(lowering->context), lane, false), "");
}

/* Loads a vector of shorts as one of half as many numbers of 32 bits. */
static void load_as_numbers(struct lowering *lowering, LLVMValueRef load)
{
	LLVMTypeRef vector = LLVMTypeOf(load), number = LLVMInt32TypeInContext(lowering->context);
	const unsigned count = LLVMGetVectorSize(vector) / 2;
	LLVMTypeRef type = count > 1 ? LLVMVectorType(number, count) : number;
	LLVMValueRef whole = LLVMGetUndef(vector);
	LLVMPositionBuilderBefore(lowering->builder, load);
	LLVMValueRef numbers = LLVMBuildLoad2(lowering->builder, type, LLVMGetOperand(load, 0), "");
	fe_component_take_properties(numbers, load, LLVMGetAlignment(load));
	for (unsigned i = 0; i < count; i++) {
		LLVMValueRef pair = count == 1 ? numbers
					       : LLVMBuildExtractElement(lowering->builder, numbers,
									 LLVMConstInt(number, i, false), "");
		whole = insert(lowering, whole, pair, 2 * i);
		pair = LLVMBuildLShr(lowering->builder, pair, LLVMConstInt(number, 16, false), "");
		whole = insert(lowering, whole, pair, 2 * i + 1);
	}
	LLVMReplaceAllUsesWith(load, whole);
	LLVMInstructionEraseFromParent(load);
}

static void part_shorts(struct lowering *lowering, LLVMBasicBlockRef block)
{
	LLVMValueRef next, i = LLVMGetFirstInstruction(block);
	for (; i; i = next) {
		next = LLVMGetNextInstruction(i);
		if (is_plain_load(i) && is_vector_of(LLVMTypeOf(i), 16) &&
		    LLVMGetVectorSize(LLVMTypeOf(i)) % 2 == 0 && LLVMGetAlignment(i) >= 4 &&
		    !fe_lower_is_private(LLVMGetOperand(i, 0)))
			load_as_numbers(lowering, i);
	}
}

static bool loads_bytes(LLVMBasicBlockRef block)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
		if (!LLVMIsALoadInst(i) || fe_lower_is_private(LLVMGetOperand(i, 0)))
			continue;
		LLVMTypeRef type = LLVMTypeOf(i);
		if (is_vector_of(type, 8) || (LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
					      LLVMGetIntTypeWidth(type) == 8))
			return true;
	}
	return false;
}

static bool program_loads_bytes(const struct lowering *lowering)
{
	LLVMValueRef f = LLVMGetFirstFunction(lowering->module);
	for (; f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			if (loads_bytes(b))
				return true;
	return false;
}

/* -- bytes ----------------------------------------------------------------------------------- */

/* Whether the pointer is a variable of which also parts are accessed. */
static bool is_accessed_in_parts(LLVMValueRef variable)
{
	for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!is_plain_load(user) && !LLVMIsAStoreInst(user))
			return true;
	}
	return false;
}

static void part_private_bytes(struct lowering *lowering, LLVMBasicBlockRef block)
{
	bool all[COMPONENT_MOST_LANES];
	LLVMValueRef next, i = LLVMGetFirstInstruction(block);
	memset(all, true, sizeof(all));
	for (; i; i = next) {
		next = LLVMGetNextInstruction(i);
		if (!is_plain_load(i) || !is_vector_of(LLVMTypeOf(i), 8) ||
		    !fe_component_has_address(lowering, LLVMTypeOf(i)) ||
		    !fe_lower_is_private(LLVMGetOperand(i, 0)) ||
		    !is_accessed_in_parts(LLVMGetOperand(i, 0)))
			continue;
		LLVMReplaceAllUsesWith(i, fe_component_load_lanes(lowering, i, all));
		LLVMInstructionEraseFromParent(i);
	}
}

/* -- loads of two branches -------------------------------------------------------------------
 *
 * Where two branches each load a vector, libnvvm may make one load of both behind them, with a pointer that
 * depends on the branch. If it does so late, that load has the alignment of one of the two and is said to be of
 * memory that nobody writes if one of them is: after
 *
 *	int8 v = all(s) ? vload8(n, p) : vload8(m, table);
 *
 * it was "ld.global.nc.v4.u32" for both, of a pointer p that is aligned to 4 bytes. It does not do this with
 * scalars. So what is less aligned than the widest access to it is loaded by components here, and no load of a
 * whole vector is marked; loads from variables in constant memory are recognized without a mark. */

enum { MOST_LANES_AT_ONCE = 4 };

static unsigned invariant_kind(const struct lowering *lowering)
{
	static const char name[] = "invariant.load";
	return LLVMGetMDKindIDInContext(lowering->context, name, sizeof(name) - 1);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The bytes of the widest access that libnvvm makes of a load of the vector. */
static uint64_t widest_B(struct lowering *lowering, LLVMTypeRef vector)
{
	uint64_t lanes_B = MOST_LANES_AT_ONCE * fe_component_size_B(lowering, vector);
	return least(LLVMABISizeOfType(lowering->layout, vector), least(lanes_B, LOWER_WIDEST_ACCESS_B));
}

/* Halves stay together: libnvvm cannot insert them into long vectors. */
static bool is_split(struct lowering *lowering, LLVMValueRef load)
{
	LLVMTypeRef vector = LLVMTypeOf(load);
	return LLVMGetAlignment(load) < widest_B(lowering, vector) &&
	       LLVMGetTypeKind(LLVMGetElementType(vector)) != LLVMHalfTypeKind;
}

static void load_by_components(struct lowering *lowering, LLVMValueRef load)
{
	bool all[COMPONENT_MOST_LANES];
	unsigned kind = invariant_kind(lowering);
	LLVMValueRef mark = LLVMGetMetadata(load, kind);
	memset(all, true, sizeof(all));
	LLVMValueRef whole = fe_component_load_lanes(lowering, load, all);
	for (LLVMValueRef i = whole; mark && LLVMIsAInsertElementInst(i); i = LLVMGetOperand(i, 0))
		LLVMSetMetadata(LLVMGetOperand(i, 1), kind, mark);
	LLVMReplaceAllUsesWith(load, whole);
	LLVMInstructionEraseFromParent(load);
}

static void part_for_branches(struct lowering *lowering, LLVMBasicBlockRef block)
{
	LLVMValueRef next, i = LLVMGetFirstInstruction(block);
	for (; i; i = next) {
		next = LLVMGetNextInstruction(i);
		if (!is_plain_load(i) || !fe_component_has_address(lowering, LLVMTypeOf(i)) ||
		    fe_lower_is_private(LLVMGetOperand(i, 0)))
			continue;
		if (is_split(lowering, i))
			load_by_components(lowering, i);
		else
			LLVMSetMetadata(i, invariant_kind(lowering), NULL);
	}
}

enum fe_status fe_lower_vector_loads(struct lowering *lowering)
{
	if (!lowering->unoptimized)
		fe_component_for_blocks(lowering, part_for_branches);
	if (program_loads_bytes(lowering))
		fe_component_for_blocks(lowering, part_shorts);
	fe_component_for_blocks(lowering, part_private_bytes);
	return FE_OK;
}
