#include "config.h"

#include "frontend/kernel_facts.h"
#include "frontend/symbol.h"

#include <llvm-c/Core.h>

#include <stddef.h>
#include <string.h>

bool fe_is_kernel(LLVMValueRef function)
{
	enum { PTX_KERNEL = 71, SPIR_KERNEL = 76 };     /* llvm::CallingConv */
	unsigned convention = LLVMGetFunctionCallConv(function);
	return (convention == SPIR_KERNEL || convention == PTX_KERNEL) &&
	       !LLVMIsDeclaration(function);
}

const char *fe_function_name(LLVMValueRef function)
{
	size_t size_B;
	return fe_symbol_shown(LLVMGetValueName2(function, &size_B));
}

/* For want of memory for the whole symbol: without any. */
static LLVMValueRef kernel_search(LLVMModuleRef module, const char *name)
{
	const size_t start_B = strlen(SYMBOL_KERNEL);
	LLVMValueRef function;
	for (function = LLVMGetFirstFunction(module); function;
	     function = LLVMGetNextFunction(function)) {
		size_t size_B;
		const char *symbol = LLVMGetValueName2(function, &size_B);
		if (!strncmp(symbol, SYMBOL_KERNEL, start_B) && !strcmp(symbol + start_B, name))
			break;
	}
	return function;
}

LLVMValueRef fe_kernel_function(LLVMModuleRef module, const char *name)
{
	struct bytes symbol = BYTES_INIT;
	bytes_append_string(&symbol, SYMBOL_KERNEL);
	bytes_append_string(&symbol, name);
	LLVMValueRef kernel = bytes_failed(&symbol) ? kernel_search(module, name)
						    : LLVMGetNamedFunction(module, bytes_string(&symbol));
	bytes_finish(&symbol);
	return kernel ? kernel : LLVMGetNamedFunction(module, name);
}

LLVMValueRef fe_use_call(LLVMUseRef use)
{
	LLVMValueRef user = LLVMGetUser(use);
	LLVMValueRef used = LLVMGetUsedValue(use);
	if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != used)
		return NULL;
	/* The function may also be an argument of a call of itself. */
	unsigned count = LLVMGetNumArgOperands(user);
	for (unsigned i = 0; i < count; i++) {
		if (LLVMGetOperand(user, i) == used)
			return NULL;
	}
	return user;
}

LLVMValueRef fe_parent_function(LLVMValueRef instruction)
{
	return LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
}

bool fe_add_callers(struct fe_set *functions)
{
	for (uint32_t i = 0; i < functions->count; i++) {
		LLVMValueRef function = (LLVMValueRef)(uintptr_t)functions->items[i];
		LLVMUseRef use = LLVMGetFirstUse(function);
		for (; use; use = LLVMGetNextUse(use)) {
			LLVMValueRef call = fe_use_call(use);
			if (call && !fe_set_add(functions, fe_parent_function(call)))
				return false;
		}
	}
	return true;
}

bool fe_add_users(struct fe_set *functions, LLVMValueRef value)
{
	struct fe_set values = {0};
	bool stored = fe_set_add(&values, value);
	for (uint32_t i = 0; stored && i < values.count; i++) {
		LLVMUseRef use = LLVMGetFirstUse((LLVMValueRef)(uintptr_t)values.items[i]);
		for (; stored && use; use = LLVMGetNextUse(use)) {
			LLVMValueRef user = LLVMGetUser(use);
			if (LLVMIsAInstruction(user))
				stored = fe_set_add(functions, fe_parent_function(user));
			else
				stored = fe_set_add(&values, user);
		}
	}
	fe_set_finish(&values);
	return stored;
}
