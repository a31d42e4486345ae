#include "config.h"

#include "frontend/kernel_facts.h"

#include <llvm-c/Core.h>

#include <string.h>

/* The state while every value that may be the pointer is visited once.  The order of execution is not considered: a
 * private variable that ever holds the pointer is assumed to hold it always.  Code that is not optimized keeps every
 * argument in such a variable. */
struct walk {
	struct fe_set pointers;
	struct fe_access access;
	bool failed;
};

static void follow(struct walk *walk, LLVMValueRef pointer)
{
	if (!fe_set_add(&walk->pointers, pointer))
		walk->failed = true;
}

static void escape(struct walk *walk)
{
	walk->access.may_read = true;
	walk->access.may_write = true;
}

static const char *callee_name(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	size_t size_B;
	return LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &size_B) : "";
}

static bool starts_with(const char *string, const char *prefix)
{
	return !strncmp(string, prefix, strlen(prefix));
}

static bool is_lifetime(LLVMValueRef user)
{
	return LLVMIsACallInst(user) && starts_with(callee_name(user), "llvm.lifetime.");
}

/* Whether a variable is only loaded and stored as a whole. */
static bool is_plain_variable(LLVMValueRef variable)
{
	if (!LLVMIsAAllocaInst(variable) ||
	    LLVMGetTypeKind(LLVMGetAllocatedType(variable)) != LLVMPointerTypeKind)
		return false;
	for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		bool stored_to = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != variable;
		if (!LLVMIsALoadInst(user) && !stored_to && !is_lifetime(user))
			return false;
	}
	return true;
}

static void visit_store(struct walk *walk, LLVMValueRef store, LLVMValueRef pointer)
{
	LLVMValueRef target = LLVMGetOperand(store, 1);
	if (target == pointer)
		walk->access.may_write = true;
	if (LLVMGetOperand(store, 0) != pointer)
		return;
	if (!is_plain_variable(target)) {
		escape(walk);
		return;
	}
	for (LLVMUseRef use = LLVMGetFirstUse(target); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsALoadInst(user))
			follow(walk, user);
	}
}

static void visit_intrinsic(struct walk *walk, const char *name, unsigned argument)
{
	bool copies = starts_with(name, "llvm.memcpy.") || starts_with(name, "llvm.memmove.");
	if (starts_with(name, "llvm.lifetime.") || starts_with(name, "llvm.assume"))
		return;
	if (copies && argument == 1)
		walk->access.may_read = true;
	else if ((copies || starts_with(name, "llvm.memset.")) && argument == 0)
		walk->access.may_write = true;
	else
		escape(walk);
}

static bool is_byval(LLVMValueRef call, unsigned argument)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
	return LLVMGetCallSiteEnumAttribute(call, argument + 1, kind) != NULL;
}

static void visit_argument(struct walk *walk, LLVMValueRef call, unsigned argument)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	const char *name = callee_name(call);
	if (is_byval(call, argument))
		walk->access.may_read = true;
	else if (starts_with(name, "llvm."))
		visit_intrinsic(walk, name, argument);
	else if (LLVMIsAFunction(callee) && !LLVMIsDeclaration(callee) &&
		 argument < LLVMCountParams(callee))
		follow(walk, LLVMGetParam(callee, argument));
	else
		escape(walk);
}

static void visit_call(struct walk *walk, LLVMValueRef call, LLVMValueRef pointer)
{
	unsigned count = LLVMGetNumArgOperands(call);
	if (LLVMGetCalledValue(call) == pointer)
		escape(walk);
	for (unsigned i = 0; i < count; i++) {
		if (LLVMGetOperand(call, i) == pointer)
			visit_argument(walk, call, i);
	}
}

static void visit_return(struct walk *walk, LLVMValueRef instruction)
{
	LLVMValueRef function = fe_parent_function(instruction);
	for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef call = fe_use_call(use);
		if (call)
			follow(walk, call);
		else
			escape(walk);
	}
}

static void visit_user(struct walk *walk, LLVMValueRef user, LLVMValueRef pointer)
{
	if (!LLVMIsAInstruction(user)) {
		escape(walk);
		return;
	}
	switch (LLVMGetInstructionOpcode(user)) {
	case LLVMLoad:
		walk->access.may_read = true;
		break;
	case LLVMStore:
		visit_store(walk, user, pointer);
		break;
	case LLVMGetElementPtr:
	case LLVMBitCast:
	case LLVMAddrSpaceCast:
	case LLVMPHI:
	case LLVMSelect:
	case LLVMFreeze:
		follow(walk, user);
		break;
	case LLVMICmp:
		break;
	case LLVMCall:
		visit_call(walk, user, pointer);
		break;
	case LLVMRet:
		visit_return(walk, user);
		break;
	default:
		escape(walk);
		break;
	}
}

bool fe_parameter_access(LLVMValueRef parameter, struct fe_access *access_out)
{
	struct walk walk = {0};
	follow(&walk, parameter);
	for (uint32_t i = 0; i < walk.pointers.count; i++) {
		LLVMValueRef pointer = (LLVMValueRef)(uintptr_t)walk.pointers.items[i];
		LLVMUseRef use = LLVMGetFirstUse(pointer);
		for (; use; use = LLVMGetNextUse(use))
			visit_user(&walk, LLVMGetUser(use), pointer);
		if (walk.access.may_read && walk.access.may_write)
			break;
	}
	fe_set_finish(&walk.pointers);
	if (walk.failed)
		return false;
	*access_out = walk.access;
	return true;
}
