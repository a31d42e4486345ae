#include "config.h"

#include "frontend/local_pointers.h"
#include "frontend/lower.h"

#include <stdlib.h>

/* If local pointers have 32 bits in a module, its functions take and return them as integers: libnvvm declares
 * parameters that are local pointers with 64 bits, but passes 32.  Only libnvvm decides which functions it inlines;
 * where it does, the conversions disappear. */

static LLVMTypeRef type_to_pass(struct lowering *lowering, LLVMTypeRef type)
{
	return fe_is_local_pointer(type) ? LLVMInt32TypeInContext(lowering->context) : type;
}

/* The type of the function with its local pointers as integers; NULL if there is no memory. */
static LLVMTypeRef function_to_pass(struct lowering *lowering, LLVMValueRef function)
{
	const unsigned count = LLVMCountParams(function);
	LLVMTypeRef type = LLVMGlobalGetValueType(function);
	LLVMTypeRef *parameters = calloc(count + 1, sizeof(*parameters));
	if (!parameters)
		return NULL;
	for (unsigned i = 0; i < count; i++)
		parameters[i] = type_to_pass(lowering, LLVMTypeOf(LLVMGetParam(function, i)));
	type = LLVMFunctionType(type_to_pass(lowering, LLVMGetReturnType(type)), parameters, count, false);
	free(parameters);
	return type;
}

/* Whether a function is only called, by its own type. */
static bool is_only_called(LLVMValueRef function)
{
	for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef call = LLVMGetUser(use);
		if (!LLVMIsACallInst(call) || LLVMGetCalledValue(call) != function ||
		    LLVMGetCalledFunctionType(call) != LLVMGlobalGetValueType(function))
			return false;
	}
	return true;
}

static bool can_change(LLVMValueRef function)
{
	return !LLVMIsDeclaration(function) && !LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)) &&
	       is_only_called(function);
}

enum fe_status fe_lower_local_calls(struct lowering *lowering)
{
	if (lowering->nvvm_lacks & NVVM_LACKS_NARROW_LOCAL ||
	    !fe_local_pointers_fit(lowering->module,
				   nvvm_reads_newer_dialect(lowering->sm, lowering->nvvm_lacks)))
		return FE_OK;
	LLVMValueRef next, function = LLVMGetFirstFunction(lowering->module);
	for (; function; function = next) {
		next = LLVMGetNextFunction(function);
		if (!fe_passes_local_pointers(function) || !can_change(function))
			continue;
		LLVMTypeRef type = function_to_pass(lowering, function);
		if (!type || !fe_function_pass(lowering, function, type))
			return FE_NO_MEMORY;
	}
	return FE_OK;
}
