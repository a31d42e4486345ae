#include "config.h"

#include "frontend/lower.h"

#include <string.h>

/* Lifetimes of private variables.  Clang tells them but of variables behind a label, which live as
 * long as the function.  libnvvm 13.0 takes such a one and an equal one that it knows the end of
 * for one variable, which then ends there, and what comes later is written over it.  Where not all
 * lifetimes are told, none are: to tell the start of the others is not enough. */

static bool is_call_of(LLVMValueRef user, const char *name)
{
	LLVMValueRef callee = LLVMIsACallInst(user) ? LLVMGetCalledValue(user) : NULL;
	return callee && LLVMIsAFunction(callee) &&
	       LLVMGetIntrinsicID(callee) == LLVMLookupIntrinsicID(name, strlen(name));
}

static bool is_start(LLVMValueRef user)
{
	return is_call_of(user, "llvm.lifetime.start");
}

static bool is_told(LLVMValueRef pointer)
{
	for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (is_start(user) || (LLVMIsABitCastInst(user) && is_told(user)))
			return true;
	}
	return false;
}

/* Private variables are in a function's first block. */
static bool all_are_told(LLVMValueRef function)
{
	LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
	for (; i; i = LLVMGetNextInstruction(i))
		if (LLVMIsAAllocaInst(i) && !is_told(i))
			return false;
	return true;
}

static void tell_none(LLVMValueRef function)
{
	LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
	for (; block; block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef next;
		for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
			next = LLVMGetNextInstruction(i);
			if (is_start(i) || is_call_of(i, "llvm.lifetime.end"))
				LLVMInstructionEraseFromParent(i);
		}
	}
}

enum fe_status fe_lower_lifetimes(struct lowering *lowering)
{
	LLVMValueRef function = LLVMGetFirstFunction(lowering->module);
	for (; function; function = LLVMGetNextFunction(function))
		if (LLVMGetFirstBasicBlock(function) && !all_are_told(function))
			tell_none(function);
	return FE_OK;
}
