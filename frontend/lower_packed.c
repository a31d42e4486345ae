#include "config.h"

#include "frontend/lower.h"

/* Members of packed structs that a kernel gets by value.  libnvvm 13.0 for compute_90 and before
 * forgets how a parameter is aligned where it loads from it directly: `ld.param.u32 [p+1]`, which
 * no GPU can do.  A pointer to a parameter is a generic one, and may come out of a function that
 * is inlined later.  So whatever is loaded by a generic pointer and is less aligned than it is
 * large is loaded in the parts that the alignment allows, which is what libnvvm does for every
 * other kind of memory.  An empty move keeps it from joining them again. */

static uint64_t size_of_B(struct lowering *lowering, LLVMTypeRef type)
{
	return LLVMABISizeOfType(lowering->layout, type);
}

/* Returns the bytes that are loaded at once (of a vector those of an element), or 0 if this type is not
 * loaded in parts. */
static uint64_t element_B(struct lowering *lowering, LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMVectorTypeKind:
		return element_B(lowering, LLVMGetElementType(type));
	case LLVMIntegerTypeKind:
	case LLVMHalfTypeKind:
	case LLVMFloatTypeKind:
	case LLVMDoubleTypeKind:
	case LLVMPointerTypeKind:
		return size_of_B(lowering, type);
	default:
		return 0;
	}
}

static bool is_variable(LLVMValueRef pointer)
{
	while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsABitCastInst(pointer))
		pointer = LLVMGetOperand(pointer, 0);
	return LLVMIsAAllocaInst(pointer) != NULL;
}

static bool is_too_large(struct lowering *lowering, LLVMValueRef load)
{
	LLVMTypeRef type = LLVMTypeOf(load);
	LLVMValueRef pointer = LLVMGetOperand(load, 0);
	uint64_t size_B = element_B(lowering, type);
	if (!size_B || size_B <= LLVMGetAlignment(load) || LLVMGetVolatile(load) ||
	    LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) != LOWER_SPACE_GENERIC ||
	    is_variable(pointer))
		return false;
	/* Whether the elements of a vector lie side by side without padding bits. */
	LLVMTypeRef element = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type)
									  : type;
	return LLVMSizeOfTypeInBits(lowering->layout, element) == 8 * size_B;
}

static LLVMValueRef build_at(struct lowering *lowering, LLVMValueRef pointer, uint64_t offset_B)
{
	LLVMTypeRef byte = LLVMInt8TypeInContext(lowering->context);
	LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(lowering->context), offset_B, false);
	return LLVMBuildInBoundsGEP2(lowering->builder, byte, pointer, &offset, 1, "");
}

static LLVMValueRef build_part(struct lowering *lowering, LLVMValueRef pointer, uint64_t offset_B,
			       unsigned part_B)
{
	LLVMTypeRef type = LLVMIntTypeInContext(lowering->context, 8 * part_B);
	LLVMValueRef part = LLVMBuildLoad2(lowering->builder, type,
					   build_at(lowering, pointer, offset_B), "");
	LLVMSetAlignment(part, part_B);
	if (part_B == 1)
		part = LLVMBuildZExt(lowering->builder, part,
				     LLVMInt16TypeInContext(lowering->context), "");
	return fe_build_move(lowering, part);
}

/* Loads an integer of size_B bytes in parts of part_B bytes. */
static LLVMValueRef build_integer(struct lowering *lowering, LLVMValueRef pointer,
				  uint64_t offset_B, uint64_t size_B, unsigned part_B)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMTypeRef type = LLVMIntTypeInContext(lowering->context, (unsigned)(8 * size_B));
	LLVMValueRef whole = LLVMConstNull(type);
	for (uint64_t at_B = 0; at_B < size_B; at_B += part_B) {
		LLVMValueRef part = build_part(lowering, pointer, offset_B + at_B, part_B);
		part = LLVMBuildZExtOrBitCast(builder, part, type, "");
		part = LLVMBuildShl(builder, part, LLVMConstInt(type, 8 * at_B, false), "");
		whole = at_B ? LLVMBuildOr(builder, whole, part, "") : part;
	}
	return whole;
}

static LLVMValueRef build_element(struct lowering *lowering, LLVMValueRef load, LLVMTypeRef type,
				  uint64_t offset_B)
{
	LLVMValueRef bits = build_integer(lowering, LLVMGetOperand(load, 0), offset_B,
					  size_of_B(lowering, type), LLVMGetAlignment(load));
	return LLVMGetTypeKind(type) == LLVMPointerTypeKind
		       ? LLVMBuildIntToPtr(lowering->builder, bits, type, "")
		       : LLVMBuildBitCast(lowering->builder, bits, type, "");
}

static LLVMValueRef build_in_parts(struct lowering *lowering, LLVMValueRef load)
{
	LLVMTypeRef type = LLVMTypeOf(load), number = LLVMInt32TypeInContext(lowering->context);
	LLVMPositionBuilderBefore(lowering->builder, load);
	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
		return build_element(lowering, load, type, 0);
	LLVMTypeRef element = LLVMGetElementType(type);
	LLVMValueRef vector = LLVMGetUndef(type);
	for (unsigned i = 0; i < LLVMGetVectorSize(type); i++)
		vector = LLVMBuildInsertElement(
			lowering->builder, vector,
			build_element(lowering, load, element, i * size_of_B(lowering, element)),
			LLVMConstInt(number, i, false), "");
	return vector;
}

/* -- types -----------------------------------------------------------------------------------
 *
 * libnvvm copies such a struct into a variable first, and loads of the bytes of one member become
 * one load of the member's type again.  Of an array of bytes it does not know the members. */

static bool has_packed_part(LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
		return has_packed_part(LLVMGetElementType(type));
	if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
		return false;
	bool packed = LLVMIsPackedStruct(type);
	for (unsigned i = 0; i < LLVMCountStructElementTypes(type) && !packed; i++)
		packed = has_packed_part(LLVMStructGetTypeAtIndex(type, i));
	return packed;
}

/* Returns the attribute that makes the parameter an array of bytes; NULL if it may stay as it is. */
static LLVMAttributeRef as_bytes(struct lowering *lowering, LLVMAttributeRef byval)
{
	LLVMTypeRef type = byval ? LLVMGetTypeAttributeValue(byval) : NULL;
	if (!type || !has_packed_part(type))
		return NULL;
	LLVMTypeRef bytes = LLVMArrayType(LLVMInt8TypeInContext(lowering->context),
					  (unsigned)size_of_B(lowering, type));
	return LLVMCreateTypeAttribute(lowering->context, LLVMGetEnumAttributeKind(byval), bytes);
}

static unsigned byval_kind(void)
{
	return LLVMGetEnumAttributeKindForName("byval", 5);
}

static void pass_bytes(struct lowering *lowering, LLVMValueRef function)
{
	for (unsigned i = 1; i <= LLVMCountParams(function); i++) {
		LLVMAttributeRef bytes = as_bytes(
			lowering, LLVMGetEnumAttributeAtIndex(function, i, byval_kind()));
		if (bytes)
			LLVMAddAttributeAtIndex(function, i, bytes);
	}
}

static void pass_bytes_in_call(struct lowering *lowering, LLVMValueRef call)
{
	for (unsigned i = 1; i <= LLVMGetNumArgOperands(call); i++) {
		LLVMAttributeRef bytes = as_bytes(
			lowering, LLVMGetCallSiteEnumAttribute(call, i, byval_kind()));
		if (bytes)
			LLVMAddCallSiteAttribute(call, i, bytes);
	}
}

/* -- the pass -------------------------------------------------------------------------------- */

static void lower_in_block(struct lowering *lowering, LLVMBasicBlockRef block)
{
	LLVMValueRef next;
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
		next = LLVMGetNextInstruction(i);
		if (LLVMIsACallInst(i))
			pass_bytes_in_call(lowering, i);
		if (!LLVMIsALoadInst(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic ||
		    !is_too_large(lowering, i))
			continue;
		LLVMReplaceAllUsesWith(i, build_in_parts(lowering, i));
		LLVMInstructionEraseFromParent(i);
	}
}

enum fe_status fe_lower_packed(struct lowering *lowering)
{
	LLVMValueRef f = LLVMGetFirstFunction(lowering->module);
	for (; f; f = LLVMGetNextFunction(f)) {
		pass_bytes(lowering, f);
		LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f);
		for (; block; block = LLVMGetNextBasicBlock(block))
			lower_in_block(lowering, block);
	}
	return FE_OK;
}
