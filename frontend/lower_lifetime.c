#include "config.h"

#include "frontend/lower.h"

#include <string.h>

/* Lifetimes of private variables.  Clang tells them but of variables behind a label, which live as
 * long as the function.  libnvvm 13.0 takes such a one and an equal one that it knows the end of
 * for one variable, which then ends there, and what comes later is written over it.  It tells the lifetimes
 * of variables of functions that it inlines, too.  So where not all lifetimes are told, all variables are said
 * to live from the function's start to its returns: to tell the start of the others alone is not enough. */

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

/* Writes a call of the intrinsic for a variable before an instruction. */
static void tell(struct lowering *lowering, const char *name, LLVMValueRef variable, LLVMValueRef before)
{
	LLVMTypeRef pointer = LLVMTypeOf(variable);
	LLVMValueRef intrinsic = LLVMGetIntrinsicDeclaration(
		lowering->module, LLVMLookupIntrinsicID(name, strlen(name)), &pointer, 1);
	LLVMTypeRef type = LLVMGlobalGetValueType(intrinsic);
	/* Since LLVM 22 there is no size, of which -1 says nothing. */
	LLVMTypeRef size_type = LLVMInt64TypeInContext(lowering->context);
	LLVMValueRef arguments[] = {LLVMConstAllOnes(size_type), variable};
	const unsigned count = LLVMCountParamTypes(type);
	LLVMPositionBuilderBefore(lowering->builder, before);
	LLVMSetCurrentDebugLocation2(lowering->builder, NULL);
	LLVMBuildCall2(lowering->builder, type, intrinsic, arguments + (2 - count), count, "");
}

static void tell_ends(struct lowering *lowering, LLVMValueRef function, LLVMValueRef variable)
{
	LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
	for (; block; block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
		if (last && LLVMIsAReturnInst(last))
			tell(lowering, "llvm.lifetime.end", variable, last);
	}
}

static void tell_all(struct lowering *lowering, LLVMValueRef function)
{
	LLVMValueRef next, i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
	for (; i; i = next) {
		next = LLVMGetNextInstruction(i);
		if (!LLVMIsAAllocaInst(i))
			continue;
		tell(lowering, "llvm.lifetime.start", i, next);
		tell_ends(lowering, function, i);
	}
}

enum fe_status fe_lower_lifetimes(struct lowering *lowering)
{
	LLVMValueRef function = LLVMGetFirstFunction(lowering->module);
	for (; function; function = LLVMGetNextFunction(function)) {
		if (!LLVMGetFirstBasicBlock(function) || all_are_told(function))
			continue;
		tell_none(function);
		tell_all(lowering, function);
	}
	return FE_OK;
}
