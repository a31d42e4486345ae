#include "config.h"

#include "frontend/module.h"
#include "frontend/symbol.h"

#include <llvm-c/Core.h>
#include <string.h>

/* Names that a function or variable of SPIR-V cannot have in LLVM's module, for they mean something there, to
 * the lowering or to libnvvm; the builtin library's are asked for apart. */
static bool is_reserved(const char *name)
{
	static const char *const starts[] = {
		"llvm.", "\1", "culvert.", "__culvert", "__nv", "__ubsan_", "__cxa_", "__assertfail",
		"__translate_sampler_initializer", "_Z6printf",
	};
	if (!*name || !strcmp(name, "printf"))
		return true;
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (fe_symbol_starts(name, starts[i]))
			return true;
	return fe_builtin_symbol(name);
}

static LLVMValueRef named(const struct fe_module *module, const char *symbol)
{
	LLVMValueRef function = LLVMGetNamedFunction(module->module, symbol);
	return function ? function : LLVMGetNamedGlobal(module->module, symbol);
}

/* Whether the symbol is free.  What only the text has by that name gets another: LLVM puts a number behind it. */
static bool make_room(const struct fe_module *module, const char *symbol)
{
	static const char other[] = "culvert.text";
	LLVMValueRef taken = named(module, symbol);
	if (taken && LLVMGetLinkage(taken) != LLVMInternalLinkage && LLVMGetLinkage(taken) != LLVMPrivateLinkage)
		return false;
	if (taken)
		LLVMSetValueName2(taken, other, sizeof(other) - 1);
	return true;
}

static bool rename_linked(const struct fe_module *module, LLVMValueRef value, const char *label)
{
	struct bytes name = BYTES_INIT, symbol = BYTES_INIT;
	bool good = fe_symbol_unescape(&name, label);
	if (good && !bytes_failed(&name)) {
		if (is_reserved(bytes_string(&name)) || !make_room(module, bytes_string(&name)))
			bytes_append_string(&symbol, SYMBOL_LINKED);
		bytes_append(&symbol, bytes_string(&name), name.size_B);
	}
	const bool stored = !bytes_failed(&name) && !bytes_failed(&symbol);
	if (good && stored)
		LLVMSetValueName2(value, bytes_string(&symbol), symbol.size_B);
	bytes_finish(&name);
	bytes_finish(&symbol);
	return stored;
}

/* The name behind SYMBOL_NAME; NULL where a value has another. */
static const char *label_of(LLVMValueRef value)
{
	size_t size_B;
	const char *symbol = LLVMGetValueName2(value, &size_B);
	return fe_symbol_starts(symbol, SYMBOL_NAME) ? symbol + sizeof(SYMBOL_NAME) - 1 : NULL;
}

enum fe_status fe_module_il_names(struct fe_module *module)
{
	bool good = true;
	LLVMValueRef value;
	for (value = LLVMGetFirstFunction(module->module); value && good; value = LLVMGetNextFunction(value))
		if (label_of(value))
			good = rename_linked(module, value, label_of(value));
	for (value = LLVMGetFirstGlobal(module->module); value && good; value = LLVMGetNextGlobal(value))
		if (label_of(value))
			good = rename_linked(module, value, label_of(value));
	return good ? FE_OK : FE_NO_MEMORY;
}
