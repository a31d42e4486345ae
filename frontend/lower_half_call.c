#include "config.h"

#include "frontend/kernel_facts.h"
#include "frontend/lower.h"

#include <stdlib.h>

#include "frontend/llvm_compat.h"

/* libnvvm 13.0 for compute_90 and before, where it optimises, stores no half for a
 * function that is called and stays one: arguments are lost, and so is what it returns,
 * with a half in it alone, in a vector or in a struct.  Integers of the same bits get
 * through, and so functions take and return those.  Kernels have their arguments from
 * the driver, in the form of the kernel ABI, and their halves stay.
 *
 * For compute_100 and on it takes two bytes side by side for two halves of a word: it
 * reads four bytes of an argument of two, and the second is the third one then.  So that
 * vector is passed as an integer too, to kernels as well, where it looks the same. */

static LLVMTypeRef type_to_pass(struct lowering *lowering, LLVMTypeRef type);

static bool is_byte_pair(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind && LLVMGetVectorSize(type) == 2 &&
	       LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMIntegerTypeKind &&
	       LLVMGetIntTypeWidth(LLVMGetElementType(type)) == 8;
}

static LLVMTypeRef struct_to_pass(struct lowering *lowering, LLVMTypeRef type)
{
	unsigned count = LLVMCountStructElementTypes(type);
	LLVMTypeRef *fields = calloc(count + 1, sizeof(*fields));
	if (!fields)
		return NULL;
	bool changed = false, failed = false;
	for (unsigned i = 0; i < count && !failed; i++) {
		LLVMTypeRef field = LLVMStructGetTypeAtIndex(type, i);
		fields[i] = type_to_pass(lowering, field);
		failed = !fields[i];
		changed = changed || fields[i] != field;
	}
	if (changed && !failed)
		type = LLVMStructTypeInContext(lowering->context, fields, count,
					       LLVMIsPackedStruct(type));
	free(fields);
	return failed ? NULL : type;
}

/* The type with 16-bit integers for its halves and pairs of bytes, or the type itself
 * when it has none.
 * NULL: no memory. */
static LLVMTypeRef type_to_pass(struct lowering *lowering, LLVMTypeRef type)
{
	LLVMTypeRef element, plain;
	switch (LLVMGetTypeKind(type)) {
	case LLVMHalfTypeKind:
		return LLVMInt16TypeInContext(lowering->context);
	case LLVMVectorTypeKind:
		if (is_byte_pair(type))
			return LLVMInt16TypeInContext(lowering->context);
		element = LLVMGetElementType(type);
		plain = type_to_pass(lowering, element);
		return plain == element ? type : LLVMVectorType(plain, LLVMGetVectorSize(type));
	case LLVMArrayTypeKind:
		element = LLVMGetElementType(type);
		plain = type_to_pass(lowering, element);
		if (!plain || plain == element)
			return plain ? type : NULL;
		return LLVMArrayType(plain, (unsigned)LLVMGetArrayLength2(type));
	case LLVMStructTypeKind:
		return struct_to_pass(lowering, type);
	default:
		return type;
	}
}

/* Returns the type of a function without halves and pairs of bytes, or that of a kernel without pairs of
 * bytes; the same type if it has none. NULL: no memory. */
static LLVMTypeRef function_to_pass(struct lowering *lowering, LLVMTypeRef type, bool kernel)
{
	unsigned count = LLVMCountParamTypes(type);
	LLVMTypeRef *parameters = calloc(count + 1, sizeof(*parameters));
	if (!parameters)
		return NULL;
	LLVMGetParamTypes(type, parameters);
	LLVMTypeRef result = type_to_pass(lowering, LLVMGetReturnType(type));
	bool failed = !result;
	for (unsigned i = 0; i < count && !failed; i++) {
		if (!kernel || is_byte_pair(parameters[i]))
			parameters[i] = type_to_pass(lowering, parameters[i]);
		failed = !parameters[i];
	}
	if (!failed)
		type = LLVMFunctionType(result, parameters, count, false);
	free(parameters);
	return failed ? NULL : type;
}

enum fe_status fe_lower_half_calls(struct lowering *lowering)
{
	LLVMValueRef next;
	LLVMValueRef function = LLVMGetFirstFunction(lowering->module);
	for (; function; function = next) {
		next = LLVMGetNextFunction(function);
		LLVMTypeRef type = LLVMGlobalGetValueType(function);
		/* A function with a variable number of arguments; the printer refuses it. */
		if (LLVMIsDeclaration(function) || LLVMIsFunctionVarArg(type))
			continue;
		LLVMTypeRef plain = function_to_pass(lowering, type, fe_is_kernel(function));
		if (!plain || (plain != type && !fe_function_pass(lowering, function, plain)))
			return FE_NO_MEMORY;
	}
	return FE_OK;
}
