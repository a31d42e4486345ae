#include "config.h"

#include "frontend/kernel_facts.h"
#include "frontend/lower.h"

#include <stdlib.h>
#include <string.h>

static bool copy_attributes(LLVMValueRef from, LLVMValueRef to, unsigned index)
{
	unsigned count = LLVMGetAttributeCountAtIndex(from, index);
	if (!count)
		return true;
	LLVMAttributeRef *attributes = calloc(count, sizeof(*attributes));
	if (!attributes)
		return false;
	LLVMGetAttributesAtIndex(from, index, attributes);
	for (unsigned i = 0; i < count; i++)
		LLVMAddAttributeAtIndex(to, index, attributes[i]);
	free(attributes);
	return true;
}

static void copy_metadata(LLVMValueRef from, LLVMValueRef to)
{
	size_t count;
	LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(from, &count);
	for (unsigned i = 0; i < count; i++)
		LLVMGlobalSetMetadata(to, LLVMValueMetadataEntriesGetKind(entries, i),
				      LLVMValueMetadataEntriesGetMetadata(entries, i));
	LLVMDisposeValueMetadataEntries(entries);
	LLVMGlobalClearMetadata(from);
}

bool fe_name_move(LLVMValueRef from, LLVMValueRef to)
{
	size_t size_B;
	const char *name = LLVMGetValueName2(from, &size_B);
	char *copy = malloc(size_B + 1);
	if (!copy)
		return false;
	memcpy(copy, name, size_B);
	LLVMSetValueName2(from, "", 0);
	LLVMSetValueName2(to, copy, size_B);
	free(copy);
	return true;
}

static void move_blocks(struct lowering *lowering, LLVMValueRef from, LLVMValueRef to)
{
	LLVMBasicBlockRef first = LLVMAppendBasicBlockInContext(lowering->context, to, "");
	LLVMBasicBlockRef last = first;
	LLVMBasicBlockRef block;
	while ((block = LLVMGetFirstBasicBlock(from)) != NULL) {
		LLVMMoveBasicBlockAfter(block, last);
		last = block;
	}
	LLVMDeleteBasicBlock(first);
}

LLVMValueRef fe_function_take_over(struct lowering *lowering, LLVMValueRef old, LLVMTypeRef type)
{
	LLVMValueRef function = LLVMAddFunction(lowering->module, "", type);
	unsigned count = LLVMCountParams(old);
	LLVMSetLinkage(function, LLVMGetLinkage(old));
	LLVMSetFunctionCallConv(function, LLVMGetFunctionCallConv(old));
	bool copied = copy_attributes(old, function, (unsigned)LLVMAttributeFunctionIndex) &&
		      fe_name_move(old, function);
	if (LLVMGetReturnType(LLVMGlobalGetValueType(old)) == LLVMGetReturnType(type))
		copied = copied && copy_attributes(old, function, (unsigned)LLVMAttributeReturnIndex);
	copy_metadata(old, function);
	move_blocks(lowering, old, function);
	for (unsigned i = 0; i < count && copied; i++) {
		LLVMValueRef before = LLVMGetParam(old, i), after = LLVMGetParam(function, i);
		if (LLVMTypeOf(before) != LLVMTypeOf(after))
			continue;
		copied = copy_attributes(old, function, i + 1);
		LLVMReplaceAllUsesWith(before, after);
	}
	return copied ? function : NULL;
}

static bool copy_call_attributes(LLVMValueRef from, LLVMValueRef to, unsigned index)
{
	unsigned count = LLVMGetCallSiteAttributeCount(from, index);
	if (!count)
		return true;
	LLVMAttributeRef *attributes = calloc(count, sizeof(*attributes));
	if (!attributes)
		return false;
	LLVMGetCallSiteAttributes(from, index, attributes);
	for (unsigned i = 0; i < count; i++)
		LLVMAddCallSiteAttribute(to, index, attributes[i]);
	free(attributes);
	return true;
}

LLVMValueRef fe_call_build(struct lowering *lowering, LLVMValueRef call, LLVMValueRef callee,
			   LLVMValueRef *arguments, unsigned count)
{
	unsigned old_count = LLVMGetNumArgOperands(call);
	LLVMPositionBuilderBefore(lowering->builder, call);
	LLVMValueRef new_call = LLVMBuildCall2(lowering->builder, LLVMGlobalGetValueType(callee),
					       callee, arguments, count, "");
	LLVMSetInstructionCallConv(new_call, LLVMGetFunctionCallConv(callee));
	LLVMSetTailCall(new_call, LLVMIsTailCall(call));
	bool copied = copy_call_attributes(call, new_call, (unsigned)LLVMAttributeFunctionIndex);
	if (LLVMTypeOf(call) == LLVMTypeOf(new_call))
		copied = copied && copy_call_attributes(call, new_call, (unsigned)LLVMAttributeReturnIndex);
	/* An attribute of what is passed says nothing of a value of another type. */
	for (unsigned i = 0; i < old_count && copied; i++)
		if (LLVMTypeOf(LLVMGetOperand(call, i)) == LLVMTypeOf(arguments[i]))
			copied = copy_call_attributes(call, new_call, i + 1);
	return copied ? new_call : NULL;
}

bool fe_call_replace(struct lowering *lowering, LLVMValueRef call, LLVMValueRef callee,
		     LLVMValueRef *more, unsigned more_count)
{
	unsigned count = LLVMGetNumArgOperands(call);
	LLVMValueRef *arguments = calloc(count + more_count + 1, sizeof(*arguments));
	if (!arguments)
		return false;
	for (unsigned i = 0; i < count; i++)
		arguments[i] = LLVMGetOperand(call, i);
	for (unsigned i = 0; i < more_count; i++)
		arguments[count + i] = more[i];
	LLVMValueRef new_call =
		fe_call_build(lowering, call, callee, arguments, count + more_count);
	free(arguments);
	if (!new_call)
		return false;
	LLVMReplaceAllUsesWith(call, new_call);
	LLVMInstructionEraseFromParent(call);
	return true;
}

struct abi_kernel *fe_lower_kernel(struct lowering *lowering, LLVMValueRef function)
{
	const char *name = fe_function_name(function);
	/* A function of SPIR-V may have a kernel's name. */
	if (fe_kernel_function(lowering->module, name) != function)
		return NULL;
	const struct abi_kernel *kernel = abi_program_kernel(lowering->abi, name);
	return kernel ? &lowering->abi->kernels[kernel - lowering->abi->kernels] : NULL;
}

void fe_builder_at_entry(struct lowering *lowering, LLVMValueRef function)
{
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
	LLVMPositionBuilderBefore(lowering->builder, LLVMGetFirstInstruction(entry));
	LLVMSetCurrentDebugLocation2(lowering->builder, NULL);
}

LLVMValueRef fe_build_move(struct lowering *lowering, LLVMValueRef value)
{
	/* Not constant, because LLVM's interface before version 18 takes no constant text. */
	char text[] = "mov.??? $0, $1;", operands[] = "=?,?";
	LLVMTypeRef type = LLVMTypeOf(value), function = LLVMFunctionType(type, &type, 1, false);
	const LLVMTypeKind kind = LLVMGetTypeKind(type);
	const unsigned width = kind == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
	const char *type_name = kind == LLVMFloatTypeKind ? "f32" : kind == LLVMDoubleTypeKind ? "f64" :
				width == 16 ? "b16" : width == 64 ? "b64" : "b32";
	memcpy(text + 4, type_name, 3);
	operands[1] = operands[3] = kind == LLVMFloatTypeKind ? 'f' : kind == LLVMDoubleTypeKind ? 'd' :
				    width == 16 ? 'h' : width == 64 ? 'l' : 'r';
	LLVMValueRef code = LLVMGetInlineAsm(function, text, sizeof(text) - 1, operands, sizeof(operands) - 1,
					     false, false, LLVMInlineAsmDialectATT, false);
	return LLVMBuildCall2(lowering->builder, function, code, &value, 1, "");
}

void fe_each_instruction(struct lowering *lowering, bool (*is_wanted)(LLVMValueRef),
			 void (*change)(struct lowering *, LLVMValueRef))
{
	LLVMValueRef function = LLVMGetFirstFunction(lowering->module), next;
	for (; function; function = LLVMGetNextFunction(function)) {
		LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
		for (; block; block = LLVMGetNextBasicBlock(block))
			for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
				next = LLVMGetNextInstruction(i);
				if (is_wanted(i))
					change(lowering, i);
			}
	}
}
