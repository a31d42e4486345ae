#include "config.h"

#include "frontend/lower.h"

/* Half precision where libnvvm gets it wrong. */

static bool is_half(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMHalfTypeKind;
}

/* libnvvm 13.0 for compute_90 and before joins eight stores of a half in a row to
 * local or private memory, and then fails with "unsupported operation"; integers of
 * the same size it joins well. */
static LLVMValueRef build_store(struct lowering *lowering, LLVMValueRef store)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMValueRef value = LLVMGetOperand(store, 0), pointer = LLVMGetOperand(store, 1);
	LLVMTypeRef bits = LLVMInt16TypeInContext(lowering->context);
	LLVMTypeRef to = LLVMPointerType(bits, LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)));
	LLVMValueRef plain = LLVMBuildStore(builder, LLVMBuildBitCast(builder, value, bits, ""),
					    LLVMBuildPointerCast(builder, pointer, to, ""));
	LLVMSetAlignment(plain, LLVMGetAlignment(store));
	LLVMSetVolatile(plain, LLVMGetVolatile(store));
	return plain;
}

static LLVMValueRef build_quotient(struct lowering *lowering, LLVMValueRef x, LLVMValueRef y)
{
	static const char name[] = "llvm.nvvm.div.rn.f";
	LLVMBuilderRef builder = lowering->builder;
	LLVMTypeRef real = LLVMFloatTypeInContext(lowering->context), half = LLVMTypeOf(x);
	LLVMTypeRef types[] = {real, real};
	LLVMTypeRef type = LLVMFunctionType(real, types, 2, false);
	LLVMValueRef divide = LLVMGetNamedFunction(lowering->module, name);
	if (!divide)
		divide = LLVMAddFunction(lowering->module, name, type);
	LLVMValueRef operands[] = {LLVMBuildFPExt(builder, x, real, ""),
				   LLVMBuildFPExt(builder, y, real, "")};
	LLVMValueRef quotient = LLVMBuildCall2(builder, type, divide, operands, 2, "");
	return LLVMBuildFPTrunc(builder, quotient, half, "");
}

/* OpenCL C 3.0, 7.4: a quotient of halves is correctly rounded.  libnvvm divides in
 * float, where a division may have been asked to be inexact; of an exact one the
 * second rounding is harmless, for float has more than twice half's digits and two. */
static LLVMValueRef build_division(struct lowering *lowering, LLVMValueRef i)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMValueRef x = LLVMGetOperand(i, 0), y = LLVMGetOperand(i, 1);
	LLVMTypeRef type = LLVMTypeOf(i), number = LLVMInt32TypeInContext(lowering->context);
	if (is_half(type))
		return build_quotient(lowering, x, y);
	LLVMValueRef result = LLVMGetUndef(type);
	for (unsigned e = 0; e < LLVMGetVectorSize(type); e++) {
		LLVMValueRef at = LLVMConstInt(number, e, 0);
		LLVMValueRef part =
			build_quotient(lowering, LLVMBuildExtractElement(builder, x, at, ""),
				       LLVMBuildExtractElement(builder, y, at, ""));
		result = LLVMBuildInsertElement(builder, result, part, at, "");
	}
	return result;
}

/* The value in an instruction's place, or the instruction itself where it stays. */
static LLVMValueRef lower_instruction(struct lowering *lowering, LLVMValueRef i)
{
	LLVMTypeRef type;
	LLVMPositionBuilderBefore(lowering->builder, i);
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMFDiv:
		type = LLVMTypeOf(i);
		if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
			type = LLVMGetElementType(type);
		return is_half(type) ? build_division(lowering, i) : i;
	case LLVMStore:
		return is_half(LLVMTypeOf(LLVMGetOperand(i, 0))) ? build_store(lowering, i) : i;
	default:
		return i;
	}
}

static void lower_block(struct lowering *lowering, LLVMBasicBlockRef block)
{
	LLVMValueRef next;
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
		next = LLVMGetNextInstruction(i);
		LLVMValueRef value = lower_instruction(lowering, i);
		if (value == i)
			continue;
		if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
			LLVMReplaceAllUsesWith(i, value);
		LLVMInstructionEraseFromParent(i);
	}
}

enum fe_status fe_lower_half(struct lowering *lowering)
{
	LLVMValueRef function = LLVMGetFirstFunction(lowering->module);
	for (; function; function = LLVMGetNextFunction(function)) {
		LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
		for (; block; block = LLVMGetNextBasicBlock(block))
			lower_block(lowering, block);
	}
	return FE_OK;
}
