#include "config.h"

#include "frontend/nvvm_ir.h"

#include <string.h>

/* Local memory's addresses fit 32 bits, and libnvvm computes them so when the data layout
 * says it, as nvcc's does.  A pointer then takes four bytes in memory, where Clang counted
 * eight: modules that keep local pointers anywhere but in plain variables, or look at their
 * bits, keep the long form. */

enum { SPACE_LOCAL = 3 };

static bool is_local(LLVMTypeRef type)
{
	return fe_ir_type_is(type, LLVMPointerTypeKind) &&
	       fe_ir_address_space(type) == SPACE_LOCAL;
}

static bool contains_local(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMPointerTypeKind:
		return is_local(type);
	case LLVMArrayTypeKind:
	case LLVMVectorTypeKind:
		return contains_local(LLVMGetElementType(type));
	case LLVMStructTypeKind:
		for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++) {
			if (contains_local(LLVMStructGetTypeAtIndex(type, i)))
				return true;
		}
		return false;
	default:
		return false;
	}
}

static bool is_pointer_variable(LLVMValueRef value)
{
	return LLVMIsAAllocaInst(value) && is_local(LLVMGetAllocatedType(value));
}

static bool is_lifetime(LLVMValueRef user)
{
	size_t size_B;
	return LLVMIsACallInst(user) && LLVMIsAFunction(LLVMGetCalledValue(user)) &&
	       !strncmp(LLVMGetValueName2(LLVMGetCalledValue(user), &size_B), "llvm.lifetime.", 14);
}

/* A variable that is one local pointer, stored and loaded whole. */
static bool is_plain_variable(LLVMValueRef variable)
{
	for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		bool whole = LLVMIsALoadInst(user)
				? is_local(LLVMTypeOf(user))
				: LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != variable &&
					  is_local(LLVMTypeOf(LLVMGetOperand(user, 0)));
		if (!whole && !is_lifetime(user))
			return false;
	}
	return true;
}

static bool touches_local(LLVMValueRef instruction)
{
	unsigned count = (unsigned)LLVMGetNumOperands(instruction);
	for (unsigned i = 0; i < count; i++) {
		if (is_local(LLVMTypeOf(LLVMGetOperand(instruction, i))))
			return true;
	}
	return is_local(LLVMTypeOf(instruction));
}

static bool allows_short(LLVMValueRef i)
{
	LLVMTypeRef type = LLVMTypeOf(i);
	if (!is_local(type) && contains_local(type))
		return false;
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMAlloca:
		return is_pointer_variable(i) ? is_plain_variable(i)
					      : !contains_local(LLVMGetAllocatedType(i));
	case LLVMLoad:
		return !is_local(type) || is_pointer_variable(LLVMGetOperand(i, 0));
	case LLVMStore:
		type = LLVMTypeOf(LLVMGetOperand(i, 0));
		return !contains_local(type) || is_pointer_variable(LLVMGetOperand(i, 1));
	case LLVMGetElementPtr:
		return !contains_local(LLVMGetGEPSourceElementType(i));
	case LLVMPtrToInt:
	case LLVMIntToPtr:
		return !touches_local(i);
	case LLVMCall:
		return !LLVMIsAInlineAsm(LLVMGetCalledValue(i)) || !touches_local(i);
	default:
		return true;
	}
}

static bool function_allows_short(LLVMValueRef function)
{
	LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
	for (; block; block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef i = LLVMGetFirstInstruction(block);
		for (; i; i = LLVMGetNextInstruction(i)) {
			if (!allows_short(i))
				return false;
		}
	}
	return true;
}

bool fe_ir_local_is_short(LLVMModuleRef module)
{
	LLVMValueRef variable = LLVMGetFirstGlobal(module);
	for (; variable; variable = LLVMGetNextGlobal(variable)) {
		if (contains_local(LLVMGlobalGetValueType(variable)))
			return false;
	}
	LLVMValueRef function = LLVMGetFirstFunction(module);
	for (; function; function = LLVMGetNextFunction(function)) {
		if (!function_allows_short(function))
			return false;
	}
	return true;
}
