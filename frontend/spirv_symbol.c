/* The symbols that functions and variables of a SPIR-V module have in LLVM IR (symbol.h). */
#include "config.h"

#include "frontend/spirv_reader.h"

#include "frontend/module.h"
#include "frontend/symbol.h"

#include <string.h>

/* Of a name that nobody links by: messages and debuggers show it. */
enum { MOST_NAME_B = 256 };

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

static LLVMValueRef find(const struct spirv_reader *reader, const char *symbol)
{
	LLVMValueRef function = LLVMGetNamedFunction(reader->llvm, symbol);
	return function ? function : LLVMGetNamedGlobal(reader->llvm, symbol);
}

/* Whether a linked value may have the symbol.  What only the module itself knows by that name gives it up. */
static bool make_room(const struct spirv_reader *reader, const char *symbol)
{
	static const char other[] = "culvert.text";
	LLVMValueRef taken = find(reader, symbol);
	if (taken && LLVMGetLinkage(taken) != LLVMInternalLinkage)
		return false;
	if (taken)
		LLVMSetValueName2(taken, other, sizeof(other) - 1);
	return true;
}

static bool name_linked(struct spirv_reader *reader, LLVMValueRef value, const char *name)
{
	struct bytes symbol = BYTES_INIT;
	if (is_reserved(name) || !make_room(reader, name))
		bytes_append_string(&symbol, SYMBOL_LINKED);
	bytes_append_string(&symbol, name);
	const bool stored = !bytes_failed(&symbol);
	if (stored)
		LLVMSetValueName2(value, bytes_string(&symbol), symbol.size_B);
	bytes_finish(&symbol);
	return stored || spirv_no_memory(reader);
}

bool spirv_name_value(struct spirv_reader *reader, LLVMValueRef value, uint32_t id)
{
	const struct spirv_facts *facts = spirv_facts(reader->module, id);
	if (facts->linkage != SPIRV_INTERNAL && facts->linkage_name)
		return name_linked(reader, value, facts->linkage_name);
	const char *name = facts->name ? facts->name : "";
	if (strnlen(name, MOST_NAME_B) < MOST_NAME_B && !is_reserved(name))
		LLVMSetValueName2(value, name, strlen(name));
	else
		LLVMSetValueName2(value, "culvert.text", strlen("culvert.text"));
	return true;
}
