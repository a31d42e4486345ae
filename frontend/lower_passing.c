#include "config.h"

#include "frontend/lower.h"

#include <stdlib.h>

#include "frontend/llvm_compat.h"

/* Changes the types of parameters and results of functions to other types with the same bits. */

/* Returns a pair of bytes as an integer, without a cast of the pair: libnvvm for compute_100 and later does not come to
 * an end, where it does not optimize, if it casts a pair that is loaded as a part of a structure, and not the first.
 * Only such pairs are joined so: libnvvm for compute_90 and before crashes with some others. */
static LLVMValueRef build_joined(struct lowering *lowering, LLVMValueRef pair, LLVMTypeRef to)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMValueRef parts[2];
	for (unsigned i = 0; i < 2; i++) {
		LLVMValueRef index = LLVMConstInt(LLVMInt32TypeInContext(lowering->context), i, false);
		parts[i] = LLVMBuildZExt(builder, LLVMBuildExtractElement(builder, pair, index, ""), to, "");
	}
	LLVMValueRef high = LLVMBuildShl(builder, parts[1], LLVMConstInt(to, 8, false), "");
	return LLVMBuildOr(builder, parts[0], high, "");
}

/* Returns the same bits as a value of another type of the same shape; only pairs of bytes change their shape.
 * A local pointer and the integer of 32 bits that is its address are the same bits, too. */
static LLVMValueRef build_same_bits(struct lowering *lowering, LLVMValueRef value, LLVMTypeRef to)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMTypeKind kind = LLVMGetTypeKind(to);
	if (LLVMTypeOf(value) == to)
		return value;
	if (kind == LLVMPointerTypeKind)
		return LLVMBuildIntToPtr(builder, value, to, "");
	if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind)
		return LLVMBuildPtrToInt(builder, value, to, "");
	if (kind == LLVMIntegerTypeKind && LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind &&
	    LLVMIsAExtractValueInst(value) && lowering->unoptimized &&
	    nvvm_reads_newer_dialect(lowering->sm, lowering->nvvm_lacks))
		return build_joined(lowering, value, to);
	if (kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind)
		return LLVMBuildBitCast(builder, value, to, "");
	bool is_struct = kind == LLVMStructTypeKind;
	unsigned count = is_struct ? LLVMCountStructElementTypes(to)
				   : (unsigned)LLVMGetArrayLength2(to);
	LLVMValueRef result = LLVMGetUndef(to);
	for (unsigned i = 0; i < count; i++) {
		LLVMTypeRef type = is_struct ? LLVMStructGetTypeAtIndex(to, i)
					     : LLVMGetElementType(to);
		LLVMValueRef part = LLVMBuildExtractValue(builder, value, i, "");
		part = build_same_bits(lowering, part, type);
		result = LLVMBuildInsertValue(builder, result, part, i, "");
	}
	return result;
}

static void lower_returns(struct lowering *lowering, LLVMValueRef function, LLVMTypeRef result)
{
	LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
	for (; block; block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
		if (!last || LLVMGetInstructionOpcode(last) != LLVMRet)
			continue;
		LLVMPositionBuilderBefore(lowering->builder, last);
		LLVMBuildRet(lowering->builder,
			     build_same_bits(lowering, LLVMGetOperand(last, 0), result));
		LLVMInstructionEraseFromParent(last);
	}
}

/* Converts the parameters back to their former types at the function's start. */
static void lower_parameters(struct lowering *lowering, LLVMValueRef old, LLVMValueRef function)
{
	unsigned count = LLVMCountParams(old);
	fe_builder_at_entry(lowering, function);
	for (unsigned i = 0; i < count; i++) {
		LLVMValueRef before = LLVMGetParam(old, i), after = LLVMGetParam(function, i);
		if (LLVMTypeOf(before) != LLVMTypeOf(after))
			LLVMReplaceAllUsesWith(before, build_same_bits(lowering, after,
								       LLVMTypeOf(before)));
	}
}

static bool lower_call(struct lowering *lowering, LLVMValueRef call, LLVMValueRef function)
{
	unsigned count = LLVMGetNumArgOperands(call);
	LLVMValueRef *arguments = calloc(count + 1, sizeof(*arguments));
	if (!arguments)
		return false;
	LLVMPositionBuilderBefore(lowering->builder, call);
	for (unsigned i = 0; i < count; i++)
		arguments[i] = build_same_bits(lowering, LLVMGetOperand(call, i),
					       LLVMTypeOf(LLVMGetParam(function, i)));
	LLVMValueRef result = fe_call_build(lowering, call, function, arguments, count);
	free(arguments);
	if (!result)
		return false;
	if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind)
		LLVMReplaceAllUsesWith(call,
				       build_same_bits(lowering, result, LLVMTypeOf(call)));
	LLVMInstructionEraseFromParent(call);
	return true;
}

static bool lower_calls(struct lowering *lowering, LLVMValueRef old, LLVMValueRef function)
{
	LLVMUseRef next;
	for (LLVMUseRef use = LLVMGetFirstUse(old); use; use = next) {
		next = LLVMGetNextUse(use);
		LLVMValueRef call = LLVMGetUser(use);
		if (LLVMIsACallInst(call) && LLVMGetCalledValue(call) == old &&
		    !lower_call(lowering, call, function))
			return false;
	}
	return true;
}

bool fe_function_pass(struct lowering *lowering, LLVMValueRef old, LLVMTypeRef type)
{
	LLVMTypeRef result = LLVMGetReturnType(type);
	LLVMValueRef function = fe_function_take_over(lowering, old, type);
	if (!function)
		return false;
	lower_parameters(lowering, old, function);
	if (result != LLVMGetReturnType(LLVMGlobalGetValueType(old)))
		lower_returns(lowering, function, result);
	if (!lower_calls(lowering, old, function))
		return false;
	if (!LLVMGetFirstUse(old))
		LLVMDeleteFunction(old);
	return true;
}
