#include "config.h"

#include "frontend/kernel_facts.h"
#include "frontend/lower.h"

#include <stdlib.h>
#include <string.h>

/* A kernel that other functions call (OpenCL C 3.0, 6.7: there it is an ordinary function) cannot be an entry, whose
 * parameters differ from those of a function.  Its body becomes an internal function, which the entry calls. */

static bool is_called(LLVMValueRef kernel)
{
	for (LLVMUseRef use = LLVMGetFirstUse(kernel); use; use = LLVMGetNextUse(use)) {
		if (fe_use_call(use))
			return true;
	}
	return false;
}

/* Turns calls of the kernel into calls of its body. */
static void redirect_calls(LLVMValueRef kernel, LLVMValueRef body)
{
	LLVMUseRef next;
	for (LLVMUseRef use = LLVMGetFirstUse(kernel); use; use = next) {
		next = LLVMGetNextUse(use);
		LLVMValueRef call = fe_use_call(use);
		if (!call)
			continue;
		LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, body);
		LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(body));
	}
}

static void copy_passing(LLVMValueRef entry, LLVMValueRef call, unsigned index)
{
	static const char *const names[] = { "byval", "align" };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		unsigned kind = LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));
		LLVMAttributeRef attribute = LLVMGetEnumAttributeAtIndex(entry, index, kind);
		if (attribute)
			LLVMAddCallSiteAttribute(call, index, attribute);
	}
}

static bool build_entry(struct lowering *lowering, LLVMValueRef entry, LLVMValueRef body)
{
	unsigned count = LLVMCountParams(entry);
	LLVMValueRef *arguments = calloc(count + 1, sizeof(*arguments));
	if (!arguments)
		return false;
	LLVMGetParams(entry, arguments);
	LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(lowering->context, entry, "");
	LLVMPositionBuilderAtEnd(lowering->builder, block);
	LLVMSetCurrentDebugLocation2(lowering->builder, NULL);
	LLVMValueRef call = LLVMBuildCall2(lowering->builder, LLVMGlobalGetValueType(body), body,
					   arguments, count, "");
	free(arguments);
	LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(body));
	for (unsigned i = 0; i < count; i++)
		copy_passing(entry, call, i + 1);
	LLVMBuildRetVoid(lowering->builder);
	return true;
}

/* Gives the entry its name back, and the body a similar one. */
static bool share_name(LLVMValueRef body, LLVMValueRef entry)
{
	struct bytes name = BYTES_INIT;
	size_t size_B;
	const char *taken = LLVMGetValueName2(body, &size_B);
	bytes_append(&name, taken, size_B);
	bytes_append_string(&name, ".body");
	bool stored = !bytes_failed(&name);
	if (stored) {
		LLVMSetValueName2(body, bytes_string(&name), name.size_B);
		LLVMSetValueName2(entry, bytes_string(&name), size_B);
	}
	bytes_finish(&name);
	return stored;
}

static void remove_attribute(LLVMValueRef function, const char *name)
{
	LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex,
				       LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

static bool split_kernel(struct lowering *lowering, LLVMValueRef kernel)
{
	enum { SPIR_FUNC = 75 };        /* llvm::CallingConv */
	LLVMValueRef body =
		fe_function_take_over(lowering, kernel, LLVMGlobalGetValueType(kernel));
	if (!body || !share_name(body, kernel))
		return false;
	LLVMSetLinkage(body, LLVMInternalLinkage);
	LLVMSetFunctionCallConv(body, SPIR_FUNC);
	/* Clang forbids inlining of kernels; the body of a kernel may be inlined. */
	remove_attribute(body, "optnone");
	remove_attribute(body, "noinline");
	redirect_calls(kernel, body);
	return build_entry(lowering, kernel, body);
}

enum fe_status fe_lower_kernel_calls(struct lowering *lowering)
{
	LLVMValueRef next;
	LLVMValueRef function = LLVMGetFirstFunction(lowering->module);
	for (; function; function = next) {
		next = LLVMGetNextFunction(function);
		if (fe_is_kernel(function) && is_called(function) &&
		    !split_kernel(lowering, function))
			return FE_NO_MEMORY;
	}
	return FE_OK;
}

/* A function or variable may have the name that an entry is to have: that of SPIR-V's kernel, or one that
 * looks like ours.  It becomes "name.other", and LLVM puts a number behind that where it is needed. */
static bool make_room(struct lowering *lowering, const char *entry)
{
	LLVMValueRef function = LLVMGetNamedFunction(lowering->module, entry);
	LLVMValueRef taken = function ? function : LLVMGetNamedGlobal(lowering->module, entry);
	struct bytes name = BYTES_INIT;
	if (!taken)
		return true;
	bytes_printf(&name, "%s.other", entry);
	const bool stored = !bytes_failed(&name);
	if (stored)
		LLVMSetValueName2(taken, bytes_string(&name), name.size_B);
	bytes_finish(&name);
	return stored;
}

/* Gives each entry the name that it has in the PTX. All entries are found before the first gets its name,
 * because that name may be the present name of another function. */
enum fe_status fe_lower_entry_names(struct lowering *lowering)
{
	const struct abi_program *abi = lowering->abi;
	LLVMValueRef *entries = calloc((size_t)abi->kernel_count + 1, sizeof(*entries));
	if (!entries)
		return FE_NO_MEMORY;
	for (uint32_t i = 0; i < abi->kernel_count; i++)
		entries[i] = fe_kernel_function(lowering->module, abi->kernels[i].name);
	bool good = true;
	for (uint32_t i = 0; i < abi->kernel_count && good; i++) {
		const char *entry = abi->kernels[i].entry;
		good = make_room(lowering, entry);
		if (good && entries[i])
			LLVMSetValueName2(entries[i], entry, strlen(entry));
	}
	free(entries);
	return good ? FE_OK : FE_NO_MEMORY;
}
