#include "config.h"

#include "frontend/lower.h"

/* NaNs that are known before the program runs, such as those of "float zero = 0; float x = zero / zero;" or of
 * NAN + 1.  libnvvm 13.0 for compute_90 and older does not compute them, and takes two of the same expression for
 * equal: x != x is false there, and x == x true.  So these values are computed here.  What becomes constant in libnvvm
 * only, such as an element of a private array, is a NaN all the same if it is compared with itself: such a comparison
 * is written as one with zero, which has to be computed. */

static bool is_arithmetic(LLVMOpcode opcode)
{
	return opcode == LLVMFAdd || opcode == LLVMFSub || opcode == LLVMFMul || opcode == LLVMFDiv ||
	       opcode == LLVMFRem;
}

/* A comparison of a value with itself has one of two results for all numbers, and one for NaNs.  Returns the predicate
 * that has the same ones if the second operand is zero. */
static LLVMRealPredicate with_zero(LLVMRealPredicate predicate)
{
	switch (predicate) {
	case LLVMRealOEQ:
	case LLVMRealOGE:
	case LLVMRealOLE:
	case LLVMRealORD:
		return LLVMRealORD;
	case LLVMRealUNE:
	case LLVMRealUGT:
	case LLVMRealULT:
	case LLVMRealUNO:
		return LLVMRealUNO;
	case LLVMRealUEQ:
	case LLVMRealUGE:
	case LLVMRealULE:
		return LLVMRealPredicateTrue;
	default:
		return LLVMRealPredicateFalse;
	}
}

/* What takes the place of an instruction: a constant, a comparison with zero, or NULL for nothing. */
static LLVMValueRef computed(struct lowering *lowering, LLVMValueRef i)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
	if (opcode != LLVMFCmp && !is_arithmetic(opcode))
		return NULL;
	LLVMValueRef a = LLVMGetOperand(i, 0), b = LLVMGetOperand(i, 1);
	LLVMPositionBuilderBefore(lowering->builder, i);
	if (LLVMIsConstant(a) && LLVMIsConstant(b)) {
		LLVMValueRef value = opcode == LLVMFCmp ?
			LLVMBuildFCmp(lowering->builder, LLVMGetFCmpPredicate(i), a, b, "") :
			LLVMBuildBinOp(lowering->builder, opcode, a, b, "");
		if (LLVMIsConstant(value))
			return value;
		LLVMInstructionEraseFromParent(value);
	}
	LLVMRealPredicate predicate = opcode == LLVMFCmp ? LLVMGetFCmpPredicate(i) : LLVMRealORD;
	if (opcode != LLVMFCmp || a != b || LLVMIsConstant(a) || predicate == LLVMRealUNO || predicate == LLVMRealORD)
		return NULL;
	return LLVMBuildFCmp(lowering->builder, with_zero(predicate), a, LLVMConstNull(LLVMTypeOf(a)), "");
}

static bool compute_block(struct lowering *lowering, LLVMBasicBlockRef block)
{
	bool changed = false;
	for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
		next = LLVMGetNextInstruction(i);
		LLVMValueRef value = computed(lowering, i);
		if (!value)
			continue;
		LLVMReplaceAllUsesWith(i, value);
		LLVMInstructionEraseFromParent(i);
		changed = true;
	}
	return changed;
}

enum fe_status fe_lower_nans(struct lowering *lowering)
{
	LLVMValueRef function = LLVMGetFirstFunction(lowering->module);
	for (; function; function = LLVMGetNextFunction(function)) {
		/* Again, because a block may stand before those whose values it uses. */
		for (bool changed = true; changed;) {
			changed = false;
			LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
			for (; block; block = LLVMGetNextBasicBlock(block))
				changed = compute_block(lowering, block) || changed;
		}
	}
	return FE_OK;
}
