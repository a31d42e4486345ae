#include "config.h"

#include "frontend/lower.h"

/* Comparisons of the bits of a converted number with 0, such as "as_char8(convert_double(n)) != 0".  libnvvm 13.0 for
 * compute_90 and before compares the integer instead, also where the bits are those of one number and the comparison
 * is of a vector, or the reverse, and then refuses the program ("Broken function found").  So the numbers are moved
 * by inline PTX first, so that libnvvm does not know that they were converted.  The conversion or the
 * comparison may be in another function, which libnvvm inlines: one of them is enough for that. */

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

static bool is_conversion(LLVMValueRef number)
{
	return LLVMIsASIToFPInst(number) || LLVMIsAUIToFPInst(number);
}

/* Whether the function is one like convert_double. */
static bool converts(LLVMValueRef function)
{
	LLVMBasicBlockRef block = LLVMIsAFunction(function) ? LLVMGetFirstBasicBlock(function) : NULL;
	for (; block; block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
		if (last && LLVMIsAReturnInst(last) && LLVMGetNumOperands(last) &&
		    is_conversion(LLVMGetOperand(last, 0)))
			return true;
	}
	return false;
}

static bool is_converted(LLVMValueRef bits)
{
	LLVMValueRef number = LLVMGetOperand(bits, 0);
	return LLVMIsACallInst(number) ? converts(LLVMGetCalledValue(number)) : is_conversion(number);
}

static bool is_compared(LLVMValueRef bits)
{
	for (LLVMUseRef use = LLVMGetFirstUse(bits); use; use = LLVMGetNextUse(use))
		if (LLVMIsAICmpInst(LLVMGetUser(use)))
			return true;
	return false;
}

static LLVMValueRef build_move(struct lowering *lowering, LLVMValueRef number)
{
	/* Not constant: LLVM's interface was not before 18. */
	char float_move[] = "mov.f32 $0, $1;", float_operands[] = "=f,f";
	char double_move[] = "mov.f64 $0, $1;", double_operands[] = "=d,d";
	LLVMTypeRef type = LLVMTypeOf(number), function = LLVMFunctionType(type, &type, 1, false);
	const bool is_float = LLVMGetTypeKind(type) == LLVMFloatTypeKind;
	LLVMValueRef code = LLVMGetInlineAsm(
		function, is_float ? float_move : double_move, sizeof(float_move) - 1,
		is_float ? float_operands : double_operands, sizeof(float_operands) - 1, false, false,
		LLVMInlineAsmDialectATT, false);
	return LLVMBuildCall2(lowering->builder, function, code, &number, 1, "");
}

static void move_numbers(struct lowering *lowering, LLVMValueRef bits)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMValueRef numbers = LLVMGetOperand(bits, 0);
	LLVMTypeRef type = LLVMTypeOf(numbers), index_type = LLVMInt32TypeInContext(lowering->context);
	LLVMPositionBuilderBefore(builder, bits);
	if (!is_vector(type)) {
		LLVMSetOperand(bits, 0, build_move(lowering, numbers));
		return;
	}
	LLVMValueRef moved = LLVMGetUndef(type);
	for (unsigned e = 0; e < LLVMGetVectorSize(type); e++) {
		LLVMValueRef index = LLVMConstInt(index_type, e, false);
		LLVMValueRef number = LLVMBuildExtractElement(builder, numbers, index, "");
		moved = LLVMBuildInsertElement(builder, moved, build_move(lowering, number), index, "");
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
				if (is_of_bits(i) && (is_converted(i) || is_compared(i)))
					move_numbers(lowering, i);
		}
	}
	return FE_OK;
}
