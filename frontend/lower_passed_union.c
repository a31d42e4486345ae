#include "config.h"

#include "frontend/llvm_compat.h"
#include "frontend/lower.h"

#include <stdlib.h>

/* Functions that get or return unions, or structures with unions, by value.  Clang gives a union the type of one of its
 * members, and returns values of LLVM's structure types for this target.  LLVM does not keep the padding of values, and
 * libnvvm not that of arguments by value: bytes that are padding in that member and belong to another one are lost.
 * So such functions return an array of integers, which is loaded from the variable that Clang loads the structure
 * from, and callers copy what they store of the result from memory.  Arguments by value become arrays of integers. */

/* The integers need no stricter alignment than the type. */
static LLVMTypeRef integers_of(struct lowering *lowering, LLVMTypeRef type)
{
	uint64_t size_B = LLVMABISizeOfType(lowering->layout, type);
	unsigned unit_B = LLVMABIAlignmentOfType(lowering->layout, type);
	if (unit_B > 8)
		unit_B = 8;
	return LLVMArrayType2(LLVMIntTypeInContext(lowering->context, 8 * unit_B), size_B / unit_B);
}

/* Returns the function's type with another result; NULL: out of memory. */
static LLVMTypeRef type_returning(LLVMTypeRef type, LLVMTypeRef result)
{
	LLVMTypeRef *parameters = calloc(LLVMCountParamTypes(type) + 1, sizeof(*parameters));
	if (!parameters)
		return NULL;
	LLVMGetParamTypes(type, parameters);
	type = LLVMFunctionType(result, parameters, LLVMCountParamTypes(type), false);
	free(parameters);
	return type;
}

static LLVMValueRef build_variable(struct lowering *lowering, LLVMValueRef before, LLVMTypeRef type)
{
	LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(before)), variable;
	fe_builder_at_entry(lowering, function);
	variable = LLVMBuildAlloca(lowering->builder, integers_of(lowering, type), "");
	LLVMSetAlignment(variable, LLVMABIAlignmentOfType(lowering->layout, type));
	LLVMPositionBuilderBefore(lowering->builder, before);
	return variable;
}

/* --- arguments -------------------------------------------------------------------------------- */

/* Returns the attribute for an argument of integers; NULL if it may stay as it is. */
static LLVMAttributeRef as_integers(struct lowering *lowering, LLVMAttributeRef byval)
{
	LLVMTypeRef type = byval ? LLVMGetTypeAttributeValue(byval) : NULL;
	if (!type || !fe_has_padded_union(lowering->layout, type))
		return NULL;
	return LLVMCreateTypeAttribute(lowering->context, LLVMGetEnumAttributeKind(byval),
				       integers_of(lowering, type));
}

static void lower_arguments(struct lowering *lowering, LLVMValueRef function)
{
	const unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
	for (unsigned i = 1; i <= LLVMCountParams(function); i++) {
		LLVMAttributeRef integers = as_integers(lowering, LLVMGetEnumAttributeAtIndex(function, i, byval));
		if (!integers)
			continue;
		LLVMAddAttributeAtIndex(function, i, integers);
		for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
			LLVMValueRef call = LLVMGetUser(use);
			if (LLVMIsACallInst(call) && LLVMGetCalledValue(call) == function)
				LLVMAddCallSiteAttribute(call, i, integers);
		}
	}
}

/* --- the function ----------------------------------------------------------------------------- */

static LLVMValueRef build_result(struct lowering *lowering, LLVMValueRef ret, LLVMTypeRef result)
{
	LLVMValueRef value = LLVMGetOperand(ret, 0), from, loaded;
	if (LLVMIsALoadInst(value) && !LLVMGetVolatile(value)) {
		LLVMPositionBuilderBefore(lowering->builder, value);
		loaded = LLVMBuildLoad2(lowering->builder, result, LLVMGetOperand(value, 0), "");
		LLVMSetAlignment(loaded, LLVMGetAlignment(value));
		return loaded;
	}
	from = build_variable(lowering, ret, LLVMTypeOf(value));
	LLVMBuildStore(lowering->builder, value, from);
	return LLVMBuildLoad2(lowering->builder, result, from, "");
}

static void lower_returns(struct lowering *lowering, LLVMValueRef function, LLVMTypeRef result)
{
	LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
	for (; block; block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(block), value;
		if (!last || LLVMGetInstructionOpcode(last) != LLVMRet)
			continue;
		value = build_result(lowering, last, result);
		LLVMPositionBuilderBefore(lowering->builder, last);
		LLVMBuildRet(lowering->builder, value);
		LLVMInstructionEraseFromParent(last);
	}
}

/* --- its calls -------------------------------------------------------------------------------- */

struct returned {
	LLVMValueRef in;             /* the variable with the result */
	LLVMTypeRef type;            /* its type in the source */
};

/* Replaces the store of a part of the result, at offset_B, by a copy. */
static void copy_part(struct lowering *lowering, const struct returned *returned, LLVMValueRef store,
		      uint64_t offset_B)
{
	LLVMTypeRef byte = LLVMInt8TypeInContext(lowering->context), size = LLVMInt64TypeInContext(lowering->context);
	LLVMValueRef offset = LLVMConstInt(size, offset_B, false), to = LLVMGetOperand(store, 1), from;
	uint64_t size_B = LLVMABISizeOfType(lowering->layout, LLVMTypeOf(LLVMGetOperand(store, 0)));
	unsigned alignment_B = LLVMABIAlignmentOfType(lowering->layout, returned->type);
	while (offset_B % alignment_B)
		alignment_B /= 2;
	LLVMPositionBuilderBefore(lowering->builder, store);
	from = LLVMBuildInBoundsGEP2(lowering->builder, byte, returned->in, &offset, 1, "");
	LLVMBuildMemCpy(lowering->builder, to, LLVMGetAlignment(store), from, alignment_B,
			LLVMConstInt(size, size_B, false));
	LLVMInstructionEraseFromParent(store);
}

/* Replaces the stores of value, which is at offset_B of the result, by copies. */
static void copy_stored(struct lowering *lowering, const struct returned *returned, LLVMValueRef value,
			uint64_t offset_B)
{
	LLVMUseRef next;
	for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = next) {
		LLVMValueRef user = LLVMGetUser(use);
		next = LLVMGetNextUse(use);
		if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == value && !LLVMGetVolatile(user)) {
			copy_part(lowering, returned, user, offset_B);
		} else if (LLVMIsAExtractValueInst(user) && LLVMGetNumIndices(user) == 1 &&
			   LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMStructTypeKind) {
			uint64_t at_B = LLVMOffsetOfElement(lowering->layout, LLVMTypeOf(value), *LLVMGetIndices(user));
			copy_stored(lowering, returned, user, offset_B + at_B);
			if (!LLVMGetFirstUse(user))
				LLVMInstructionEraseFromParent(user);
		}
	}
}

static bool lower_call(struct lowering *lowering, LLVMValueRef call, LLVMValueRef function)
{
	unsigned count = LLVMGetNumArgOperands(call);
	LLVMValueRef *arguments = calloc(count + 1, sizeof(*arguments)), result;
	struct returned returned = {.type = LLVMTypeOf(call)};
	if (!arguments)
		return false;
	for (unsigned i = 0; i < count; i++)
		arguments[i] = LLVMGetOperand(call, i);
	result = fe_call_build(lowering, call, function, arguments, count);
	free(arguments);
	if (!result)
		return false;
	if (LLVMGetFirstUse(call)) {
		returned.in = build_variable(lowering, call, returned.type);
		LLVMBuildStore(lowering->builder, result, returned.in);
		copy_stored(lowering, &returned, call, 0);
	}
	if (LLVMGetFirstUse(call)) {
		LLVMPositionBuilderBefore(lowering->builder, call);
		LLVMReplaceAllUsesWith(call, LLVMBuildLoad2(lowering->builder, returned.type, returned.in, ""));
	}
	LLVMInstructionEraseFromParent(call);
	return true;
}

static bool lower_function(struct lowering *lowering, LLVMValueRef old, LLVMTypeRef result)
{
	LLVMTypeRef type = type_returning(LLVMGlobalGetValueType(old), result);
	LLVMValueRef function = type ? fe_function_take_over(lowering, old, type) : NULL;
	LLVMUseRef next;
	if (!function)
		return false;
	lower_returns(lowering, function, result);
	for (LLVMUseRef use = LLVMGetFirstUse(old); use; use = next) {
		LLVMValueRef call = LLVMGetUser(use);
		next = LLVMGetNextUse(use);
		if (LLVMIsACallInst(call) && LLVMGetCalledValue(call) == old &&
		    !lower_call(lowering, call, function))
			return false;
	}
	if (!LLVMGetFirstUse(old))
		LLVMDeleteFunction(old);
	return true;
}

enum fe_status fe_lower_passed_unions(struct lowering *lowering)
{
	LLVMValueRef function = LLVMGetFirstFunction(lowering->module), next;
	for (; function; function = next) {
		LLVMTypeRef type = LLVMGlobalGetValueType(function), result = LLVMGetReturnType(type);
		next = LLVMGetNextFunction(function);
		lower_arguments(lowering, function);
		if (LLVMIsDeclaration(function) || LLVMIsFunctionVarArg(type) ||
		    !fe_has_padded_union(lowering->layout, result))
			continue;
		if (!lower_function(lowering, function, integers_of(lowering, result)))
			return FE_NO_MEMORY;
	}
	return FE_OK;
}
