#include "config.h"

#include "tests/printer/reference.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/ExecutionEngine.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reference {
	LLVMContextRef context;
	LLVMExecutionEngineRef engine;
};

static LLVMModuleRef parse(LLVMContextRef context, const struct items *items)
{
	struct bytes text = BYTES_INIT;
	char *message = NULL;
	LLVMModuleRef module = NULL;
	for (size_t i = 0; i < items->count; i++)
		bytes_append(&text, items->all[i].reference.data, items->all[i].reference.size_B);
	bytes_append_string(&text, items_metadata);
	LLVMMemoryBufferRef buffer =
		LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes_string(&text), text.size_B, "items");
	if (LLVMParseIRInContext(context, buffer, &module, &message) ||
	    LLVMVerifyModule(module, LLVMReturnStatusAction, &message)) {
		printf("a row's text is wrong: %s\n", message);
		module = NULL;
	}
	LLVMDisposeMessage(message);
	bytes_finish(&text);
	return module;
}

/* The host knows no kernels of ours. */
static void call_as_c(LLVMModuleRef module)
{
	LLVMValueRef function = LLVMGetFirstFunction(module);
	for (; function; function = LLVMGetNextFunction(function))
		LLVMSetFunctionCallConv(function, LLVMCCallConv);
}

static bool start(struct reference *reference, const struct items *items)
{
	char *message = NULL;
	LLVMModuleRef module = parse(reference->context, items);
	if (!module)
		return false;
	call_as_c(module);
	struct LLVMMCJITCompilerOptions options;
	LLVMInitializeMCJITCompilerOptions(&options, sizeof(options));
	options.OptLevel = 0;
	if (LLVMCreateMCJITCompilerForModule(&reference->engine, module, &options, sizeof(options),
					     &message)) {
		printf("LLVM cannot compile for this computer: %s\n", message);
		LLVMDisposeMessage(message);
		LLVMDisposeModule(module);
		return false;
	}
	return true;
}

struct reference *reference_make(const struct items *items)
{
	struct reference *reference = calloc(1, sizeof(*reference));
	if (!reference || LLVMInitializeNativeTarget() || LLVMInitializeNativeAsmPrinter()) {
		free(reference);
		return NULL;
	}
	LLVMLinkInMCJIT();
	reference->context = LLVMContextCreate();
	if (start(reference, items))
		return reference;
	reference_destroy(reference);
	return NULL;
}

void reference_run(struct reference *reference, const struct item *item,
		   const unsigned char *input, unsigned char *output)
{
	void (*run)(const unsigned char *, unsigned char *);
	const uint64_t address = LLVMGetFunctionAddress(reference->engine, item->kernel);
	memcpy(&run, &address, sizeof(run));
	run(input, output);
}

void reference_destroy(struct reference *reference)
{
	if (reference->engine)
		LLVMDisposeExecutionEngine(reference->engine);
	LLVMContextDispose(reference->context);
	free(reference);
}
