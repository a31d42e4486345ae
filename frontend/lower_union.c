#include "config.h"

#include "frontend/llvm_compat.h"
#include "frontend/lower.h"

#include <stdlib.h>

/* Private variables with unions.  Clang gives a union the type of one of its members, and libnvvm 13.0 for compute_90
 * and before copies a variable as the members of its type: bytes that are padding there are lost, although they
 * belong to another member of the union.  `union { long a; struct { int b; long c; } d; }` loses the upper half of
 * a.  So such a variable gets a type with members in the place of padding, before parts of it become variables of
 * their own, whose types do not show that they were in a union.  An array of bytes would do, but libnvvm takes up
 * to six times as long for large structures then.  In structures that are no unions, padding may be lost (C11,
 * 6.2.6.1). */

/* Returns how many bytes of the type are not padding. */
static uint64_t filled_B(LLVMTargetDataRef layout, LLVMTypeRef type)
{
	uint64_t sum_B = 0;
	switch (LLVMGetTypeKind(type)) {
	case LLVMArrayTypeKind:
		return LLVMGetArrayLength2(type) * filled_B(layout, LLVMGetElementType(type));
	case LLVMStructTypeKind:
		for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
			sum_B += filled_B(layout, LLVMStructGetTypeAtIndex(type, i));
		return sum_B;
	default:
		return LLVMStoreSizeOfType(layout, type);
	}
}

static bool is_bytes(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMArrayTypeKind &&
	       LLVMGetElementType(type) == LLVMInt8TypeInContext(LLVMGetTypeContext(type));
}

/* Whether the structure may be Clang's form of a union, a member and bytes that make it as large as the largest one,
 * and that member has padding.  Names of types are no help, because SPIR-V need not have them. */
static bool may_be_padded_union(LLVMTargetDataRef layout, LLVMTypeRef type)
{
	unsigned count = LLVMCountStructElementTypes(type);
	if (count != 1 && (count != 2 || !is_bytes(LLVMStructGetTypeAtIndex(type, 1))))
		return false;
	LLVMTypeRef member = LLVMStructGetTypeAtIndex(type, 0);
	return filled_B(layout, member) < LLVMABISizeOfType(layout, member);
}

bool fe_has_padded_union(LLVMTargetDataRef layout, LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
		return fe_has_padded_union(layout, LLVMGetElementType(type));
	if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
		return false;
	if (may_be_padded_union(layout, type))
		return true;
	for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
		if (fe_has_padded_union(layout, LLVMStructGetTypeAtIndex(type, i)))
			return true;
	return false;
}

/* --- types without padding -------------------------------------------------------------------- */

static LLVMTypeRef without_padding(struct lowering *lowering, LLVMTypeRef type);

static LLVMTypeRef bytes(struct lowering *lowering, uint64_t count)
{
	return LLVMArrayType2(LLVMInt8TypeInContext(lowering->context), count);
}

/* Fills members, of at least 2 * count + 1, with those of a structure of count members and with arrays of bytes
 * where it has padding.  Returns their number; 0: out of memory. */
static unsigned fill_members(struct lowering *lowering, LLVMTypeRef type, unsigned count, LLVMTypeRef *members)
{
	uint64_t at_B = 0, next_B;
	unsigned filled = 0;
	for (unsigned i = 0; i < count; i++) {
		next_B = LLVMOffsetOfElement(lowering->layout, type, i);
		if (next_B > at_B)
			members[filled++] = bytes(lowering, next_B - at_B);
		members[filled] = without_padding(lowering, LLVMStructGetTypeAtIndex(type, i));
		if (!members[filled])
			return 0;
		at_B = next_B + LLVMABISizeOfType(lowering->layout, members[filled++]);
	}
	next_B = LLVMABISizeOfType(lowering->layout, type);
	members[filled] = bytes(lowering, next_B - at_B);
	return filled + 1;
}

static LLVMTypeRef struct_without_padding(struct lowering *lowering, LLVMTypeRef type)
{
	const unsigned count = LLVMCountStructElementTypes(type);
	LLVMTypeRef *members = calloc(2 * (size_t)count + 1, sizeof(*members));
	unsigned filled = members ? fill_members(lowering, type, count, members) : 0;
	type = filled ? LLVMStructTypeInContext(lowering->context, members, filled, LLVMIsPackedStruct(type))
		      : NULL;
	free(members);
	return type;
}

/* Returns a type of the same size and with the same members, all of whose bytes are in some member; NULL: out of
 * memory. */
static LLVMTypeRef without_padding(struct lowering *lowering, LLVMTypeRef type)
{
	LLVMTypeRef element;
	switch (LLVMGetTypeKind(type)) {
	case LLVMArrayTypeKind:
		element = without_padding(lowering, LLVMGetElementType(type));
		return element ? LLVMArrayType2(element, LLVMGetArrayLength2(type)) : NULL;
	case LLVMStructTypeKind:
		return struct_without_padding(lowering, type);
	case LLVMVectorTypeKind:
		return LLVMGetVectorSize(type) == 3 ? LLVMVectorType(LLVMGetElementType(type), 4) : type;
	default:
		return type;
	}
}

/* --- the pass --------------------------------------------------------------------------------- */

static bool lower_variable(struct lowering *lowering, LLVMValueRef variable)
{
	LLVMTypeRef type = LLVMGetAllocatedType(variable);
	LLVMValueRef count = LLVMGetOperand(variable, 0), filled;
	if (!LLVMIsAConstantInt(count) || LLVMConstIntGetZExtValue(count) != 1 ||
	    !fe_has_padded_union(lowering->layout, type))
		return true;
	type = without_padding(lowering, type);
	if (!type)
		return false;
	LLVMPositionBuilderBefore(lowering->builder, variable);
	filled = LLVMBuildAlloca(lowering->builder, type, "");
	LLVMSetAlignment(filled, LLVMGetAlignment(variable));
	LLVMReplaceAllUsesWith(variable, filled);
	LLVMInstructionEraseFromParent(variable);
	return true;
}

enum fe_status fe_lower_unions(struct lowering *lowering)
{
	LLVMValueRef function = LLVMGetFirstFunction(lowering->module), next;
	if (lowering->unoptimized || nvvm_reads_newer_dialect(lowering->sm, lowering->nvvm_lacks))
		return FE_OK;
	for (; function; function = LLVMGetNextFunction(function)) {
		LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
		for (; block; block = LLVMGetNextBasicBlock(block)) {
			for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
				next = LLVMGetNextInstruction(i);
				if (LLVMIsAAllocaInst(i) && !lower_variable(lowering, i))
					return FE_NO_MEMORY;
			}
		}
	}
	return FE_OK;
}
