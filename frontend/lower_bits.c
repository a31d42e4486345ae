#include "config.h"

#include "frontend/lower.h"

/* Bits of numbers as a vector, such as as_char8(x), or bits of a vector of numbers as one integer.  If the numbers are
 * converted integers and the bits are compared with 0, as in "as_char8(convert_double(n)) != (char8)(0)", libnvvm 13.0
 * for compute_90 and before compares the integers instead, and then refuses the program ("Broken function found").  So
 * the numbers are moved by inline PTX first, so that libnvvm does not know that they were converted.  The conversion and
 * the comparison may be in other functions, which libnvvm inlines, or be found behind private memory, so that all such
 * bits are moved. */

static bool is_vector(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

static LLVMTypeKind element_kind(LLVMTypeRef type)
{
	return LLVMGetTypeKind(is_vector(type) ? LLVMGetElementType(type) : type);
}

/* Whether these are the bits of a number as a vector, or those of a vector as one integer. */
static bool is_of_bits(LLVMValueRef i)
{
	if (!LLVMIsABitCastInst(i))
		return false;
	LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(i, 0)), to = LLVMTypeOf(i);
	const LLVMTypeKind kind = element_kind(from);
	return is_vector(from) != is_vector(to) && element_kind(to) == LLVMIntegerTypeKind &&
	       (kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind);
}

static void move_numbers(struct lowering *lowering, LLVMValueRef bits)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMValueRef numbers = LLVMGetOperand(bits, 0);
	LLVMTypeRef type = LLVMTypeOf(numbers), index_type = LLVMInt32TypeInContext(lowering->context);
	LLVMPositionBuilderBefore(builder, bits);
	if (!is_vector(type)) {
		LLVMSetOperand(bits, 0, fe_build_move(lowering, numbers));
		return;
	}
	LLVMValueRef moved = LLVMGetUndef(type);
	for (unsigned e = 0; e < LLVMGetVectorSize(type); e++) {
		LLVMValueRef index = LLVMConstInt(index_type, e, false);
		LLVMValueRef number = LLVMBuildExtractElement(builder, numbers, index, "");
		moved = LLVMBuildInsertElement(builder, moved, fe_build_move(lowering, number), index, "");
	}
	LLVMSetOperand(bits, 0, moved);
}

enum fe_status fe_lower_bits(struct lowering *lowering)
{
	LLVMValueRef function = LLVMGetFirstFunction(lowering->module);
	for (; function; function = LLVMGetNextFunction(function)) {
		LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
		for (; block; block = LLVMGetNextBasicBlock(block)) {
			LLVMValueRef i = LLVMGetFirstInstruction(block);
			for (; i; i = LLVMGetNextInstruction(i))
				if (is_of_bits(i))
					move_numbers(lowering, i);
		}
	}
	return FE_OK;
}
