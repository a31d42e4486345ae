#include "config.h"

#include "frontend/lower.h"

/* Elements that are read by a computed number, "(a < b)[i] & c", of a vector that a comparison may have made.
 *
 * libnvvm 13.0 for compute_90 and before keeps such a vector as truth values of one bit.  It reads an element
 * through private memory, as one byte, and then uses that byte where PTX wants a predicate
 * ("and.pred %p1, %rs1, %p2"), which every assembler refuses.  Here the vector is written to a private
 * variable before, with the elements' own type, and the element is read from there.  That is what libnvvm
 * does with all elements that are read by a computed number, so that it costs no more. */

/* How many steps back it is asked where a vector comes from.  One that is farther away counts as made by a
 * comparison. */
enum { FAR = 8 };

static bool is_truth(LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 1;
}

bool fe_lower_is_private(LLVMValueRef pointer)
{
	while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsABitCastInst(pointer) ||
	       LLVMIsAAddrSpaceCastInst(pointer))
		pointer = LLVMGetOperand(pointer, 0);
	return LLVMIsAAllocaInst(pointer) != NULL;
}

/* Parameters, results of calls, variables and phis may be a comparison's once libnvvm has inlined and
 * unrolled.  What memory has that others can reach is none. */
static bool may_be_compared(LLVMValueRef value, unsigned steps)
{
	if (is_truth(LLVMTypeOf(value)))
		return true;
	if (LLVMIsALoadInst(value))
		return fe_lower_is_private(LLVMGetOperand(value, 0));
	if (LLVMIsAConstant(value))
		return false;
	if (!steps || !LLVMIsAInstruction(value) || LLVMIsAPHINode(value) || LLVMIsACallInst(value))
		return true;
	for (int k = 0; k < LLVMGetNumOperands(value); k++)
		if (may_be_compared(LLVMGetOperand(value, (unsigned)k), steps - 1))
			return true;
	return false;
}

static unsigned power_of_two_from(unsigned count)
{
	unsigned power = 1;
	while (power < count)
		power *= 2;
	return power;
}

/* The number of an element, as libnvvm has it too: within a vector of a power of two of elements. */
static LLVMValueRef build_number(struct lowering *lowering, LLVMValueRef extract, unsigned lanes)
{
	LLVMValueRef number = LLVMGetOperand(extract, 1);
	LLVMValueRef most = LLVMConstInt(LLVMTypeOf(number), power_of_two_from(lanes) - 1, 0);
	return LLVMBuildAnd(lowering->builder, number, most, "");
}

static void read_from_variable(struct lowering *lowering, LLVMValueRef extract)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMValueRef vector = LLVMGetOperand(extract, 0);
	const unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(vector));
	LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(vector)), type = LLVMTypeOf(vector);
	const bool truth = is_truth(element);
	if (truth) {
		element = LLVMInt8TypeInContext(lowering->context);
		type = LLVMVectorType(element, lanes);
	}
	fe_builder_at_entry(lowering, LLVMGetBasicBlockParent(LLVMGetInstructionParent(extract)));
	LLVMValueRef variable = LLVMBuildAlloca(
		builder, LLVMArrayType(element, power_of_two_from(lanes)), "");
	LLVMSetAlignment(variable, LLVMABIAlignmentOfType(lowering->layout, type));
	LLVMPositionBuilderBefore(builder, extract);
	LLVMBuildStore(builder, truth ? LLVMBuildZExt(builder, vector, type, "") : vector, variable);
	LLVMValueRef number = build_number(lowering, extract, lanes);
	LLVMValueRef place = LLVMBuildInBoundsGEP2(builder, element, variable, &number, 1, "");
	LLVMValueRef value = LLVMBuildLoad2(builder, element, place, "");
	if (truth)
		value = LLVMBuildTrunc(builder, value, LLVMTypeOf(extract), "");
	LLVMReplaceAllUsesWith(extract, value);
	LLVMInstructionEraseFromParent(extract);
}

static bool is_by_number(LLVMValueRef i)
{
	return LLVMIsAExtractElementInst(i) && !LLVMIsAConstantInt(LLVMGetOperand(i, 1));
}

enum fe_status fe_lower_elements(struct lowering *lowering)
{
	LLVMValueRef function = LLVMGetFirstFunction(lowering->module), next;
	for (; function; function = LLVMGetNextFunction(function)) {
		LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
		for (; block; block = LLVMGetNextBasicBlock(block)) {
			for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
				next = LLVMGetNextInstruction(i);
				if (is_by_number(i) && may_be_compared(LLVMGetOperand(i, 0), FAR))
					read_from_variable(lowering, i);
			}
		}
	}
	return FE_OK;
}
