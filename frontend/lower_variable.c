#include "config.h"

#include "frontend/lower.h"
#include "frontend/nvvm_ir.h"

#include <stdlib.h>

/* What libnvvm gets wrong as a variable, and right as an array of one: the value of a half,
 * which it writes as a double (or crashes, from compute_100 on), and the size of a vector of
 * three, which it gives three elements where it takes four (OpenCL C 3.0, 6.2.5: "the size of
 * the data type is 4 * sizeof(component)"), so that the next variable begins inside it. */
static bool needs_array(LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	return kind == LLVMHalfTypeKind || (kind == LLVMVectorTypeKind && LLVMGetVectorSize(type) == 3);
}

/* libnvvm also writes a vector of three inside an array or a struct as three elements, with what comes
 * next right behind it: such data are vectors of four there.  Whoever reads them goes by their
 * place, which is the same. */
static bool has_three(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMVectorTypeKind:
		return LLVMGetVectorSize(type) == 3;
	case LLVMArrayTypeKind:
		return has_three(LLVMGetElementType(type));
	case LLVMStructTypeKind:
		for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
			if (has_three(LLVMStructGetTypeAtIndex(type, i)))
				return true;
		return false;
	default:
		return false;
	}
}

static LLVMValueRef of_parts(struct lowering *lowering, LLVMTypeRef type, LLVMValueRef *parts,
			     unsigned count)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMVectorTypeKind:
		if (count == 3)
			parts[count++] = LLVMGetUndef(LLVMGetElementType(type));
		return LLVMConstVector(parts, count);
	case LLVMArrayTypeKind:
		return LLVMConstArray(LLVMTypeOf(parts[0]), parts, count);
	default:
		return LLVMConstStructInContext(lowering->context, parts, count,
						LLVMIsPackedStruct(type));
	}
}

/* NULL: out of memory. */
static LLVMValueRef with_four(struct lowering *lowering, LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	if (!has_three(type))
		return value;
	unsigned count = (unsigned)fe_ir_part_count(type);
	LLVMValueRef *parts = calloc((size_t)count + 1, sizeof(*parts));
	LLVMValueRef result = NULL;
	for (unsigned i = 0; parts && i < count; i++) {
		parts[i] = with_four(lowering, LLVMGetAggregateElement(value, i));
		if (!parts[i])
			goto free_parts;
	}
	if (parts)
		result = of_parts(lowering, type, parts, count);
free_parts:
	free(parts);
	return result;
}

/* Replaces a variable by one of another type and value at the same place. */
static bool replace(struct lowering *lowering, LLVMValueRef variable, LLVMValueRef value)
{
	unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(variable));
	LLVMValueRef made = LLVMAddGlobalInAddressSpace(lowering->module, LLVMTypeOf(value), "",
							space);
	if (!fe_name_move(variable, made))
		return false;
	LLVMSetInitializer(made, value);
	LLVMSetLinkage(made, LLVMGetLinkage(variable));
	LLVMSetGlobalConstant(made, LLVMIsGlobalConstant(variable));
	LLVMSetAlignment(made, LLVMGetAlignment(variable));
	LLVMReplaceAllUsesWith(variable, made);
	LLVMDeleteGlobal(variable);
	return true;
}

static bool change(struct lowering *lowering, LLVMValueRef variable)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(variable);
	LLVMValueRef value = LLVMGetInitializer(variable);
	if (!value)
		return true;
	if (needs_array(type))
		return replace(lowering, variable, LLVMConstArray(type, &value, 1));
	/* A zero initialiser stays valid whatever the type is. */
	if (LLVMIsNull(value) || LLVMIsUndef(value) || !has_three(type))
		return true;
	value = with_four(lowering, value);
	return value && replace(lowering, variable, value);
}

enum fe_status fe_lower_variables(struct lowering *lowering)
{
	LLVMValueRef next;
	LLVMValueRef variable = LLVMGetFirstGlobal(lowering->module);
	for (; variable; variable = next) {
		next = LLVMGetNextGlobal(variable);
		if (!change(lowering, variable))
			return FE_NO_MEMORY;
	}
	return FE_OK;
}
