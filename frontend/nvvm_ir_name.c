#include "config.h"

#include "frontend/nvvm_ir.h"
#include "frontend/symbol.h"

#include <stdlib.h>
#include <string.h>

uint32_t fe_ir_id(struct ir_printer *printer, struct fe_set *set, const void *item)
{
	uint32_t id = 0;
	if (!fe_set_add(set, item))
		printer->failed = true;
	else
		(void)fe_set_find(set, item, &id);
	return id;
}

uint32_t fe_ir_value_id(struct ir_printer *printer, LLVMValueRef value)
{
	return fe_ir_id(printer, &printer->values, value);
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool fe_ir_name_is_intrinsic(LLVMValueRef function)
{
	size_t size_B;
	const char *name = LLVMGetValueName2(function, &size_B);
	return size_B > 5 && !memcmp(name, "llvm.", 5);
}

/* Whether a function of the program has a name to which libnvvm gives a meaning. */
static bool name_is_taken(LLVMValueRef global, const char *name)
{
	static const char *const taken[] = {
		"malloc", "free", "printf", "vprintf", "__assertfail", "__nvvm_reflect",
	};
	if (!LLVMIsAFunction(global) || LLVMIsDeclaration(global) ||
	    LLVMGetLinkage(global) != LLVMInternalLinkage)
		return false;
	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++) {
		if (!strcmp(name, taken[i]))
			return true;
	}
	return false;
}

/* Converts llvm.memcpy.p0.p4.i64 to llvm.memcpy.p0i8.p1i8.i64. */
static void intrinsic_name(struct ir_printer *printer, const char *name)
{
	while (*name) {
		if (name[0] != '.' || name[1] != 'p' || !is_digit(name[2])) {
			bytes_append_char(printer->text, *name++);
			continue;
		}
		unsigned long space = strtoul(name + 2, (char **)&name, 10);
		fe_ir_print(printer, ".p%ui8", space == 4 ? 1 : (unsigned)space);
	}
}

static bool name_in_use(const struct ir_printer *printer, const char *name)
{
	return LLVMGetNamedFunction(printer->module, name) ||
	       LLVMGetNamedGlobal(printer->module, name);
}

/* The name, or its beginning, with invalid characters replaced, and a number that makes it unique. */
static void replaced_name(struct ir_printer *printer, LLVMValueRef global, const char *name,
			  size_t size_B)
{
	enum { KEPT_B = 200 };
	uint32_t id = fe_ir_id(printer, &printer->names, global);
	struct bytes made = BYTES_INIT;
	size_B = size_B < KEPT_B ? size_B : KEPT_B;
	if (!size_B || !is_letter(name[0]))
		bytes_append_char(&made, '_');
	for (size_t i = 0; i < size_B; i++)
		bytes_append_char(&made, is_letter(name[i]) || is_digit(name[i]) ? name[i] : '_');
	do {
		bytes_printf(&made, "$$%u", (unsigned)id);
	} while (!bytes_failed(&made) && name_in_use(printer, bytes_string(&made)));
	if (bytes_failed(&made))
		printer->failed = true;
	bytes_append_string(printer->text, bytes_string(&made));
	bytes_finish(&made);
}

void fe_ir_global_name(struct ir_printer *printer, LLVMValueRef global)
{
	size_t size_B;
	const char *name = LLVMGetValueName2(global, &size_B);
	bytes_append_char(printer->text, '@');
	if (LLVMIsAFunction(global) && fe_ir_name_is_intrinsic(global))
		intrinsic_name(printer, name);
	else if (fe_symbol_is_plain(name, size_B) && !name_is_taken(global, name))
		bytes_append(printer->text, name, size_B);
	else
		replaced_name(printer, global, name, size_B);
}

void fe_ir_quoted(struct ir_printer *printer, const char *string, size_t size_B)
{
	bytes_append_char(printer->text, '"');
	for (size_t i = 0; i < size_B; i++) {
		unsigned char c = (unsigned char)string[i];
		if (c < 32 || c > 126 || c == '"' || c == '\\')
			bytes_printf(printer->text, "\\%02X", c);
		else
			bytes_append_char(printer->text, (char)c);
	}
	bytes_append_char(printer->text, '"');
}
