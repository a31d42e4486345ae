#include "config.h"

#include "frontend/lower.h"

/* A program-scope variable that is one half: libnvvm writes its value as a double
 * (or crashes, from compute_100 on), but gets an array of one right. */
static bool wrap_half(struct lowering *lowering, LLVMValueRef variable)
{
	LLVMValueRef initializer = LLVMGetInitializer(variable);
	LLVMTypeRef half = LLVMGlobalGetValueType(variable);
	unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(variable));
	LLVMValueRef wrapped = LLVMAddGlobalInAddressSpace(
		lowering->module, LLVMArrayType(half, 1), "", space);
	if (!fe_name_move(variable, wrapped))
		return false;
	LLVMSetInitializer(wrapped, LLVMConstArray(half, &initializer, 1));
	LLVMSetLinkage(wrapped, LLVMGetLinkage(variable));
	LLVMSetGlobalConstant(wrapped, LLVMIsGlobalConstant(variable));
	LLVMSetAlignment(wrapped, LLVMGetAlignment(variable));
	LLVMReplaceAllUsesWith(variable, wrapped);
	LLVMDeleteGlobal(variable);
	return true;
}

enum fe_status fe_lower_variables(struct lowering *lowering)
{
	LLVMValueRef next;
	LLVMValueRef variable = LLVMGetFirstGlobal(lowering->module);
	for (; variable; variable = next) {
		next = LLVMGetNextGlobal(variable);
		if (LLVMGetInitializer(variable) &&
		    LLVMGetTypeKind(LLVMGlobalGetValueType(variable)) == LLVMHalfTypeKind &&
		    !wrap_half(lowering, variable))
			return FE_NO_MEMORY;
	}
	return FE_OK;
}
