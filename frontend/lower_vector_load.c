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

static bool is_plain_load(LLVMValueRef i)
{
	return LLVMIsALoadInst(i) && fe_component_is_plain(i);
}

/* Loads the components one by one. Halves are loaded as integers, because libnvvm cannot join some loads of halves, and
 * all before one of them is used, because it joins no loads that have a move in between. */
static LLVMValueRef build_components(struct lowering *lowering, LLVMValueRef load)
{
	LLVMTypeRef vector = LLVMTypeOf(load), type = LLVMGetElementType(vector);
	LLVMTypeRef number = LLVMInt32TypeInContext(lowering->context);
	const bool halves = LLVMGetTypeKind(type) == LLVMHalfTypeKind;
	LLVMValueRef parts[COMPONENT_MOST_LANES], whole = LLVMGetUndef(vector);
	if (halves)
		type = LLVMInt16TypeInContext(lowering->context);
	LLVMPositionBuilderBefore(lowering->builder, load);
	for (unsigned lane = 0; lane < LLVMGetVectorSize(vector); lane++) {
		LLVMValueRef address = fe_component_address(lowering, vector, LLVMGetOperand(load, 0), lane);
		parts[lane] = LLVMBuildLoad2(lowering->builder, type, address, "");
		LLVMSetAlignment(parts[lane], fe_component_alignment(lowering, load, vector, lane));
		fe_mark_constant_load(lowering, parts[lane]);
	}
	for (unsigned lane = 0; lane < LLVMGetVectorSize(vector); lane++) {
		if (halves)
			parts[lane] = fe_build_half(lowering, parts[lane]);
		whole = LLVMBuildInsertElement(lowering->builder, whole, parts[lane],
					       LLVMConstInt(number, lane, false), "");
	}
	return whole;
}

static void load_by_components(struct lowering *lowering, LLVMValueRef load)
{
	LLVMReplaceAllUsesWith(load, build_components(lowering, load));
	LLVMInstructionEraseFromParent(load);
}

/* -- shorts ---------------------------------------------------------------------------------- */

static void part_shorts(struct lowering *lowering, LLVMBasicBlockRef block)
{
	LLVMValueRef next, i = LLVMGetFirstInstruction(block);
	for (; i; i = next) {
		next = LLVMGetNextInstruction(i);
		if (is_plain_load(i) && fe_component_is_vector_of(LLVMTypeOf(i), 16) &&
		    LLVMGetVectorSize(LLVMTypeOf(i)) % 2 == 0 && LLVMGetAlignment(i) >= 4 &&
		    !fe_lower_is_private(LLVMGetOperand(i, 0)))
			fe_load_as_numbers(lowering, i);
	}
}

static bool loads_bytes(LLVMBasicBlockRef block)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
		if (!LLVMIsALoadInst(i) || fe_lower_is_private(LLVMGetOperand(i, 0)))
			continue;
		LLVMTypeRef type = LLVMTypeOf(i);
		if (fe_component_is_vector_of(type, 8) || (LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
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
	LLVMValueRef next, i = LLVMGetFirstInstruction(block);
	for (; i; i = next) {
		next = LLVMGetNextInstruction(i);
		if (is_plain_load(i) && fe_component_is_vector_of(LLVMTypeOf(i), 8) &&
		    fe_component_has_address(lowering, LLVMTypeOf(i)) &&
		    fe_lower_is_private(LLVMGetOperand(i, 0)) &&
		    is_accessed_in_parts(LLVMGetOperand(i, 0)))
			load_by_components(lowering, i);
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

static bool is_split(struct lowering *lowering, LLVMValueRef load)
{
	return LLVMGetAlignment(load) < widest_B(lowering, LLVMTypeOf(load));
}

static void part_for_branches(struct lowering *lowering, LLVMBasicBlockRef block)
{
	LLVMValueRef next, i = LLVMGetFirstInstruction(block);
	for (; i; i = next) {
		next = LLVMGetNextInstruction(i);
		if (is_plain_load(i) && fe_component_has_address(lowering, LLVMTypeOf(i)) &&
		    !fe_lower_is_private(LLVMGetOperand(i, 0)) && is_split(lowering, i))
			load_by_components(lowering, i);
	}
}

/* Whether libnvvm may make one load of this and of another branch's, with the mark of either. */
static bool may_be_mixed_up(struct lowering *lowering, LLVMTypeRef type)
{
	return !lowering->unoptimized && !nvvm_reads_newer_dialect(lowering->sm, lowering->nvvm_lacks) &&
	       fe_component_has_address(lowering, type);
}

/* OpenCL C 3.0, 6.7.2: nobody writes constant memory while a kernel runs, and so it may be read by the way that is
 * not kept coherent. Newer versions of Clang mark some loads themselves. */
void fe_mark_constant_load(struct lowering *lowering, LLVMValueRef load)
{
	static const char name[] = "invariant.load";
	const unsigned kind = LLVMGetMDKindIDInContext(lowering->context, name, sizeof(name) - 1);
	const unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(load, 0)));
	if (LLVMGetVolatile(load) || (space != LOWER_SPACE_CONSTANT && !LLVMGetMetadata(load, kind)))
		return;
	const bool good = !may_be_mixed_up(lowering, LLVMTypeOf(load));
	LLVMSetMetadata(load, kind, good ? LLVMMDNodeInContext(lowering->context, NULL, 0) : NULL);
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
