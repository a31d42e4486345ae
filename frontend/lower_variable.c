#include "config.h"

#include "frontend/lower.h"

/* What libnvvm gets wrong as a variable, and right as an array of one: the value of a half,
 * which it writes as a double (or crashes, from compute_100 on), and the size of a vector of
 * three, which it gives three elements where it takes four (OpenCL C 3.0, 6.2.5: "the size of
 * the data type is 4 * sizeof(component)"), so that the next variable begins inside it. */
static bool needs_array(LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	return kind == LLVMHalfTypeKind || (kind == LLVMVectorTypeKind && LLVMGetVectorSize(type) == 3);
}

static bool make_array(struct lowering *lowering, LLVMValueRef variable)
{
	LLVMValueRef initializer = LLVMGetInitializer(variable);
	LLVMTypeRef type = LLVMGlobalGetValueType(variable);
	unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(variable));
	LLVMValueRef wrapped = LLVMAddGlobalInAddressSpace(
		lowering->module, LLVMArrayType(type, 1), "", space);
	if (!fe_name_move(variable, wrapped))
		return false;
	LLVMSetInitializer(wrapped, LLVMConstArray(type, &initializer, 1));
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
		if (LLVMGetInitializer(variable) && needs_array(LLVMGlobalGetValueType(variable)) &&
		    !make_array(lowering, variable))
			return FE_NO_MEMORY;
	}
	return FE_OK;
}
