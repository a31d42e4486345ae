#include "config.h"

#include "frontend/module.h"
#include "frontend/spirv_argument.h"
#include "frontend/symbol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

/* What an argument's answers are called where Clang keeps them, in the constant's order. */
static const char *const kinds[] = {
	"kernel_arg_name", "kernel_arg_type", "kernel_arg_type_qual",
};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

/* Sets a node of each kind from the constant's text, which has a string for each kind and parameter. */
static bool set_nodes(const struct fe_module *module, LLVMValueRef kernel, const char *text,
		      size_t size_B)
{
	unsigned count = LLVMCountParams(kernel);
	LLVMMetadataRef *strings = calloc((size_t)count * KINDS + 1, sizeof(*strings));
	if (!strings)
		return false;
	const char *end = text + size_B;
	for (unsigned i = 0; i < count * KINDS; i++) {
		const char *stop = text < end ? memchr(text, 0, (size_t)(end - text)) : NULL;
		if (!stop)
			break;
		/* A missing name is nothing; without qualifiers the string is empty. */
		if (stop > text || i % KINDS == KINDS - 1)
			strings[i % KINDS * count + i / KINDS] = LLVMMDStringInContext2(
				module->context, text, (size_t)(stop - text));
		text = stop + 1;
	}
	for (unsigned kind = 0; kind < KINDS; kind++)
		LLVMGlobalSetMetadata(kernel,
				      LLVMGetMDKindIDInContext(module->context, kinds[kind],
							       (unsigned)strlen(kinds[kind])),
				      LLVMMDNodeInContext2(module->context,
							   strings + (size_t)kind * count, count));
	free(strings);
	return true;
}

/* The kernel of a constant by its name in the text, which it has no more then: it gets its own (symbol.h). */
static LLVMValueRef named_kernel(const struct fe_module *module, const char *names)
{
	const char *own = strchr(names, '.');
	char in_text[sizeof(SPIRV_KERNEL) + 20];
	if (!own || (size_t)(own - names) >= sizeof(in_text))
		return NULL;
	memcpy(in_text, names, (size_t)(own - names));
	in_text[own - names] = '\0';
	LLVMValueRef kernel = LLVMGetNamedFunction(module->module, in_text);
	struct bytes symbol = BYTES_INIT;
	bytes_append_string(&symbol, SYMBOL_KERNEL);
	bool good = kernel && fe_symbol_unescape(&symbol, own + 1) && !bytes_failed(&symbol);
	if (good)
		LLVMSetValueName2(kernel, bytes_string(&symbol), symbol.size_B);
	bytes_finish(&symbol);
	return good ? kernel : NULL;
}

enum fe_status fe_module_il_arguments(struct fe_module *module)
{
	static const char start[] = SPIRV_ARGUMENTS;
	bool good = true;
	LLVMValueRef next, variable = LLVMGetFirstGlobal(module->module);
	for (; variable && good; variable = next) {
		size_t name_B, size_B;
		const char *name = LLVMGetValueName2(variable, &name_B);
		next = LLVMGetNextGlobal(variable);
		if (name_B < sizeof(start) || memcmp(name, start, sizeof(start) - 1))
			continue;
		LLVMValueRef kernel = named_kernel(module, name + sizeof(start) - 1);
		LLVMValueRef value = LLVMGetInitializer(variable);
		/* Of NULs alone it is no string: nothing is known then. */
		const char *text = value && LLVMIsAConstantDataArray(value)
					   ? LLVMGetAsString(value, &size_B) : (size_B = 0, "");
		good = !kernel || !LLVMCountParams(kernel) ||
		       set_nodes(module, kernel, text, size_B);
		LLVMDeleteGlobal(variable);
	}
	return good ? FE_OK : FE_NO_MEMORY;
}
