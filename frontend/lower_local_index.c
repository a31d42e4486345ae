#include "config.h"

#include "frontend/lower.h"

/* Indices into local memory, such as `tile[i + j]` with unsigned i and j. The sum wraps at 2^32 and is then extended
 * to 64 bits, the size of libnvvm's pointers.  Therefore libnvvm does not join the sum and the pointer: `tile[i]`
 * and `tile[i + 8]` need an addition each.  As tile + i + 8 they would share one, and 8 would be part of the access.
 *
 * An index within its variable is less than 2^18.  Therefore it can be extended by sign instead of by zeros, and so
 * can the operands of a sum: the result is the same unless an operand is beyond 2^30 and the sum wrapped.  In that
 * case the address is 2^32 elements off.  But loads and stores use only the low 32 bits of a local address (PTX ISA,
 * addresses as operands: truncated to the width of the state space).  So only addresses that have no other uses are
 * split, and they must not be marked as inbounds. */
enum { DEEPEST_SUM = 8 };
static const long long largest_constant = 1 << 30;

static LLVMTypeRef wide_type(struct lowering *lowering)
{
	return LLVMInt64TypeInContext(lowering->context);
}

static bool is_large_constant(LLVMValueRef value)
{
	if (!LLVMIsAConstantInt(value))
		return false;
	long long constant = LLVMConstIntGetSExtValue(value);
	return constant >= largest_constant || constant <= -largest_constant;
}

/* Whether the value is a sum or a difference that only its extension uses, and whose operands are not certainly
 * large. */
static bool is_sum(LLVMValueRef value)
{
	if (!LLVMIsABinaryOperator(value) || LLVMGetNextUse(LLVMGetFirstUse(value)))
		return false;
	LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
	return (opcode == LLVMAdd || opcode == LLVMSub) &&
	       !is_large_constant(LLVMGetOperand(value, 0)) &&
	       !is_large_constant(LLVMGetOperand(value, 1));
}

/* Whether an address is used only for loads and stores. */
static bool is_only_accessed(LLVMValueRef address)
{
	bool only = true;
	for (LLVMUseRef use = LLVMGetFirstUse(address); use && only; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		only = LLVMIsALoadInst(user) ||
		       (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != address) ||
		       (LLVMIsAGetElementPtrInst(user) && is_only_accessed(user));
	}
	return only;
}

/* Extends a 32-bit value to 64 bits, before the instruction at which the builder stands. */
static LLVMValueRef widen(struct lowering *lowering, LLVMValueRef value, unsigned depth)
{
	if (depth == DEEPEST_SUM || !is_sum(value))
		return LLVMBuildSExt(lowering->builder, value, wide_type(lowering), "");
	LLVMValueRef left = widen(lowering, LLVMGetOperand(value, 0), depth + 1);
	LLVMValueRef right = widen(lowering, LLVMGetOperand(value, 1), depth + 1);
	return LLVMBuildBinOp(lowering->builder, LLVMGetInstructionOpcode(value), left, right, "");
}

static void widen_index(struct lowering *lowering, LLVMValueRef address, unsigned operand)
{
	LLVMValueRef index = LLVMGetOperand(address, operand);
	if (!LLVMIsAZExtInst(index) || LLVMTypeOf(index) != wide_type(lowering))
		return;
	LLVMValueRef narrow = LLVMGetOperand(index, 0);
	if (LLVMTypeOf(narrow) != LLVMInt32TypeInContext(lowering->context))
		return;
	LLVMPositionBuilderBefore(lowering->builder, address);
	bool splits = is_sum(narrow) && is_only_accessed(address);
	if (splits)
		LLVMSetIsInBounds(address, false);
	LLVMSetOperand(address, operand, widen(lowering, narrow, splits ? 0 : DEEPEST_SUM));
}

static bool is_local_address(LLVMValueRef value)
{
	return LLVMIsAGetElementPtrInst(value) && LLVMIsInBounds(value) &&
	       LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind &&
	       LLVMGetPointerAddressSpace(LLVMTypeOf(value)) == LOWER_SPACE_LOCAL;
}

static void widen_in_block(struct lowering *lowering, LLVMBasicBlockRef block)
{
	LLVMValueRef i = LLVMGetFirstInstruction(block);
	for (; i; i = LLVMGetNextInstruction(i)) {
		if (!is_local_address(i))
			continue;
		for (int k = 1; k < LLVMGetNumOperands(i); k++)
			widen_index(lowering, i, (unsigned)k);
	}
}

enum fe_status fe_lower_local_indices(struct lowering *lowering)
{
	LLVMValueRef f = lowering->unoptimized ? NULL : LLVMGetFirstFunction(lowering->module);
	for (; f; f = LLVMGetNextFunction(f)) {
		LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f);
		for (; block; block = LLVMGetNextBasicBlock(block))
			widen_in_block(lowering, block);
	}
	return FE_OK;
}
