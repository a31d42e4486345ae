#include "config.h"

#include "frontend/llvm_compat.h"
#include "frontend/lower.h"

/* Quotients of floats where the program allows relaxed mathematics: x times the approximate
 * reciprocal of y.  OpenCL C 3.0, 7.4 asks for 2.5 ulp with operands from 2^-62 to 2^62; libnvvm's
 * own quotient has a larger domain, for which it scales.  What it simplifies by itself is left to
 * it: reciprocals, and divisions by constants.  Only instructions that carry the program's leave,
 * so not those of the builtin library. */

static const char quotient_name[] = "llvm.nvvm.div.approx.ftz.f";

static LLVMValueRef build_quotient(struct lowering *lowering, LLVMValueRef x, LLVMValueRef y)
{
	LLVMTypeRef real = LLVMFloatTypeInContext(lowering->context);
	LLVMTypeRef types[2] = {real, real};
	LLVMTypeRef type = LLVMFunctionType(real, types, 2, false);
	LLVMValueRef operands[2] = {x, y};
	LLVMValueRef function = LLVMGetNamedFunction(lowering->module, quotient_name);
	if (!function)
		function = LLVMAddFunction(lowering->module, quotient_name, type);
	return LLVMBuildCall2(lowering->builder, type, function, operands, 2, "");
}

static LLVMValueRef build_quotients(struct lowering *lowering, LLVMValueRef division)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMTypeRef type = LLVMTypeOf(division);
	LLVMValueRef x = LLVMGetOperand(division, 0), y = LLVMGetOperand(division, 1);
	LLVMValueRef result = LLVMGetUndef(type);
	LLVMPositionBuilderBefore(builder, division);
	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
		return build_quotient(lowering, x, y);
	for (unsigned e = 0; e < LLVMGetVectorSize(type); e++) {
		LLVMValueRef index =
			LLVMConstInt(LLVMInt32TypeInContext(lowering->context), e, 0);
		LLVMValueRef part = build_quotient(
			lowering, LLVMBuildExtractElement(builder, x, index, ""),
			LLVMBuildExtractElement(builder, y, index, ""));
		result = LLVMBuildInsertElement(builder, result, part, index, "");
	}
	return result;
}

/* Whether the dividend is 1, or a vector that may contain it. */
static bool is_reciprocal(LLVMValueRef i)
{
	LLVMValueRef x = LLVMGetOperand(i, 0);
	LLVMBool loses;
	return LLVMIsConstant(x) &&
	       (!LLVMIsAConstantFP(x) || LLVMConstRealGetDouble(x, &loses) == 1.0);
}

static bool is_relaxed_division(LLVMValueRef i)
{
	LLVMTypeRef type = LLVMTypeOf(i);
	if (LLVMGetInstructionOpcode(i) != LLVMFDiv)
		return false;
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	return LLVMGetTypeKind(type) == LLVMFloatTypeKind &&
	       LLVMGetFastMathFlags(i) & LLVMFastMathApproxFunc && !is_reciprocal(i) &&
	       !LLVMIsConstant(LLVMGetOperand(i, 1));
}

static void relax(struct lowering *lowering, LLVMValueRef division)
{
	LLVMReplaceAllUsesWith(division, build_quotients(lowering, division));
	LLVMInstructionEraseFromParent(division);
}

enum fe_status fe_lower_relaxed(struct lowering *lowering)
{
	if (lowering->relaxed && !lowering->precise_divide)
		fe_each_instruction(lowering, is_relaxed_division, relax);
	return FE_OK;
}
