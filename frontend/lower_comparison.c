#include "config.h"

#include "frontend/lower.h"

/* Comparisons of vectors of chars whose elements return in a loop, such as "v = popcount(v.s2323) != 0".  If libnvvm
 * 13.0 for compute_90 and older unrolls the loop and elements become constants late, it crashes; compared element by
 * element it does not.  Other comparisons stay, because libnvvm selects whole vectors well; so do those of wider
 * elements, for which it does not crash. */

enum { FAR = 4 };

/* Whether the value reaches a phi by instructions that do not change its elements. */
static bool goes_round(LLVMValueRef value, unsigned steps)
{
	for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!LLVMIsAInstruction(user))
			continue;
		switch (LLVMGetInstructionOpcode(user)) {
		case LLVMPHI:
			return true;
		case LLVMSExt:
		case LLVMZExt:
		case LLVMAnd:
		case LLVMOr:
		case LLVMXor:
		case LLVMShuffleVector:
		case LLVMInsertElement:
		case LLVMBitCast:
			if (steps && goes_round(user, steps - 1))
				return true;
			break;
		default:
			break;
		}
	}
	return false;
}

static bool is_of_chars(const struct lowering *lowering, LLVMValueRef comparison)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(comparison, 0));
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
	       LLVMGetElementType(type) == LLVMInt8TypeInContext(lowering->context);
}

static void split(struct lowering *lowering, LLVMValueRef comparison)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMTypeRef type = LLVMTypeOf(comparison),
		    number = LLVMInt32TypeInContext(lowering->context);
	LLVMValueRef result = LLVMGetUndef(type);
	LLVMPositionBuilderBefore(builder, comparison);
	for (unsigned e = 0; e < LLVMGetVectorSize(type); e++) {
		LLVMValueRef index = LLVMConstInt(number, e, 0), parts[2];
		for (unsigned k = 0; k < 2; k++)
			parts[k] = LLVMBuildExtractElement(builder, LLVMGetOperand(comparison, k),
							   index, "");
		LLVMValueRef part = LLVMBuildICmp(builder, LLVMGetICmpPredicate(comparison),
						  parts[0], parts[1], "");
		result = LLVMBuildInsertElement(builder, result, part, index, "");
	}
	LLVMReplaceAllUsesWith(comparison, result);
	LLVMInstructionEraseFromParent(comparison);
}

enum fe_status fe_lower_comparisons(struct lowering *lowering)
{
	LLVMValueRef function = LLVMGetFirstFunction(lowering->module), next;
	for (; function; function = LLVMGetNextFunction(function)) {
		LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
		for (; block; block = LLVMGetNextBasicBlock(block)) {
			for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
				next = LLVMGetNextInstruction(i);
				if (LLVMGetInstructionOpcode(i) == LLVMICmp &&
				    is_of_chars(lowering, i) && goes_round(i, FAR))
					split(lowering, i);
			}
		}
	}
	return FE_OK;
}
