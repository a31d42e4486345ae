#include "config.h"

#include "frontend/lower.h"

/* Lifetimes of private variables.  Clang tells them but of variables behind a label, which live as
 * long as the function.  libnvvm 13.0 takes such a one and an equal one that it knows the end of
 * for one variable, which then ends there, and what comes later is written over it.  Where any
 * lifetimes are told, all are. */

static bool starts(LLVMValueRef user)
{
	static const char name[] = "llvm.lifetime.start";
	LLVMValueRef callee = LLVMIsACallInst(user) ? LLVMGetCalledValue(user) : NULL;
	return callee && LLVMIsAFunction(callee) &&
	       LLVMGetIntrinsicID(callee) == LLVMLookupIntrinsicID(name, sizeof(name) - 1);
}

static bool is_told(LLVMValueRef pointer)
{
	for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (starts(user) || (LLVMIsABitCastInst(user) && is_told(user)))
			return true;
	}
	return false;
}

/* A start in the function; NULL: it tells none. */
static LLVMValueRef any_start(LLVMValueRef function)
{
	LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
	for (; block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef i = LLVMGetFirstInstruction(block); i;
		     i = LLVMGetNextInstruction(i))
			if (starts(i))
				return i;
	return NULL;
}

/* As like does of another variable. */
static void tell(struct lowering *lowering, LLVMValueRef variable, LLVMValueRef like)
{
	LLVMTypeRef size = LLVMTypeOf(LLVMGetOperand(like, 0));
	unsigned long long size_B = LLVMABISizeOfType(lowering->layout,
						      LLVMGetAllocatedType(variable));
	LLVMPositionBuilderBefore(lowering->builder, LLVMGetNextInstruction(variable));
	LLVMValueRef operands[] = {
		LLVMConstInt(size, size_B, 0),
		LLVMBuildBitCast(lowering->builder, variable, LLVMTypeOf(LLVMGetOperand(like, 1)),
				 ""),
	};
	LLVMBuildCall2(lowering->builder, LLVMGetCalledFunctionType(like), LLVMGetCalledValue(like),
		       operands, 2, "");
}

/* Private variables are in a function's first block; Clang makes none of unknown size. */
enum fe_status fe_lower_lifetimes(struct lowering *lowering)
{
	LLVMValueRef function = LLVMGetFirstFunction(lowering->module), next;
	for (; function; function = LLVMGetNextFunction(function)) {
		LLVMValueRef like = any_start(function);
		LLVMValueRef i = like ? LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function))
				      : NULL;
		for (; i; i = next) {
			next = LLVMGetNextInstruction(i);
			if (LLVMIsAAllocaInst(i) && !is_told(i))
				tell(lowering, i, like);
		}
	}
	return FE_OK;
}
