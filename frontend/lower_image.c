#include "config.h"

#include "frontend/kernel_facts.h"
#include "frontend/lower.h"

#include <stdlib.h>

/* Images and samplers are pointers to Clang, in global and constant memory, of which
 * nothing but their passing on is known.  An image's pointer is the address of its
 * descriptor; a sampler's is its bits.  The builtin library takes them apart with
 * functions that nobody defines. */
enum conversion {
	SAME,                        /* the call is replaced by its argument */
	TO_POINTER,
	TO_BITS
};

static const struct {
	const char *function;
	enum conversion conversion;
} sources[] = {
	{ "__culvert_image", SAME },
	{ "__culvert_sampler", TO_BITS },
	{ "__translate_sampler_initializer", TO_POINTER },
};

static LLVMValueRef convert(struct lowering *lowering, LLVMValueRef value, LLVMTypeRef type,
			    enum conversion conversion)
{
	LLVMTypeRef word = LLVMInt64TypeInContext(lowering->context);
	LLVMBuilderRef builder = lowering->builder;
	if (conversion == TO_POINTER)
		return LLVMBuildIntToPtr(builder, LLVMBuildZExt(builder, value, word, ""), type,
					 "");
	if (conversion == TO_BITS)
		return LLVMBuildTrunc(builder, LLVMBuildPtrToInt(builder, value, word, ""), type,
				      "");
	return value;
}

/* A program may declare functions of these names itself, but only with these types. */
static bool is_right(LLVMValueRef function, enum conversion conversion)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(function), parameter;
	if (!LLVMIsDeclaration(function) || LLVMCountParamTypes(type) != 1)
		return false;
	LLVMGetParamTypes(type, &parameter);
	LLVMTypeRef result = LLVMGetReturnType(type);
	LLVMTypeRef bits = LLVMInt32TypeInContext(LLVMGetTypeContext(result));
	bool gives_pointer = LLVMGetTypeKind(result) == LLVMPointerTypeKind;
	bool takes_pointer = LLVMGetTypeKind(parameter) == LLVMPointerTypeKind;
	switch (conversion) {
	case TO_POINTER:
		return parameter == bits && gives_pointer;
	case TO_BITS:
		return takes_pointer && result == bits;
	default:
		return takes_pointer && parameter == result;
	}
}

static bool lower_uses(struct lowering *lowering, LLVMValueRef function,
		       enum conversion conversion)
{
	LLVMUseRef next;
	for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = next) {
		next = LLVMGetNextUse(use);
		LLVMValueRef call = fe_use_call(use);
		if (!call ||
		    LLVMGetCalledFunctionType(call) != LLVMGlobalGetValueType(function))
			return false;
		LLVMPositionBuilderBefore(lowering->builder, call);
		LLVMReplaceAllUsesWith(call, convert(lowering, LLVMGetOperand(call, 0),
						     LLVMTypeOf(call), conversion));
		LLVMInstructionEraseFromParent(call);
	}
	return true;
}

/* Returns the type of the entry with u32 parameters for samplers; the same type if it has none. */
static LLVMTypeRef entry_type(struct lowering *lowering, LLVMValueRef kernel,
			      const struct abi_kernel *facts)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(kernel);
	unsigned count = LLVMCountParamTypes(type);
	LLVMTypeRef *parameters = calloc(count + 1, sizeof(*parameters));
	if (!parameters)
		return NULL;
	LLVMGetParamTypes(type, parameters);
	for (unsigned i = 0; i < facts->argument_count; i++) {
		if (facts->arguments[i].kind == ABI_ARGUMENT_SAMPLER)
			parameters[i] = LLVMInt32TypeInContext(lowering->context);
	}
	LLVMTypeRef changed = LLVMFunctionType(LLVMGetReturnType(type), parameters, count, false);
	free(parameters);
	return changed;
}

static bool lower_arguments(struct lowering *lowering, LLVMValueRef kernel,
			    const struct abi_kernel *facts)
{
	LLVMTypeRef type = entry_type(lowering, kernel, facts);
	if (!type)
		return false;
	if (type == LLVMGlobalGetValueType(kernel))
		return true;
	LLVMValueRef entry = fe_function_take_over(lowering, kernel, type);
	if (!entry)
		return false;
	fe_builder_at_entry(lowering, entry);
	for (unsigned i = 0; i < facts->argument_count; i++) {
		LLVMValueRef before = LLVMGetParam(kernel, i);
		if (facts->arguments[i].kind == ABI_ARGUMENT_SAMPLER)
			LLVMReplaceAllUsesWith(before, convert(lowering, LLVMGetParam(entry, i),
							       LLVMTypeOf(before), TO_POINTER));
	}
	LLVMDeleteFunction(kernel);
	return true;
}

enum fe_status fe_lower_images(struct lowering *lowering)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		LLVMValueRef function =
			LLVMGetNamedFunction(lowering->module, sources[i].function);
		if (!function)
			continue;
		if (!is_right(function, sources[i].conversion) ||
		    !lower_uses(lowering, function, sources[i].conversion)) {
			bytes_printf(lowering->log, "error: the name %s is reserved\n",
				     sources[i].function);
			return FE_LINK_FAILED;
		}
		LLVMDeleteFunction(function);
	}
	for (uint32_t k = 0; k < lowering->abi->kernel_count; k++) {
		const struct abi_kernel *facts = &lowering->abi->kernels[k];
		LLVMValueRef kernel = fe_kernel_function(lowering->module, facts->name);
		if (!lower_arguments(lowering, kernel, facts))
			return FE_NO_MEMORY;
	}
	return FE_OK;
}
