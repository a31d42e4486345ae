#include "config.h"

#include "frontend/spirv_call.h"

#include "frontend/module.h"

#include <stdio.h>
#include <string.h>

/* --- arguments ------------------------------------------------------------------------------------------- */

char spirv_letter(const struct spirv_type *type, bool is_signed)
{
	if (type->class == SPIRV_BOOL)
		return 'b';
	if (type->class == SPIRV_FLOAT)
		return type->bits == 16 ? 'D' : type->bits == 32 ? 'f' : 'd';
	if (type->class != SPIRV_INT)
		return 0;
	switch (type->bits) {
	case 8: return is_signed ? 'c' : 'h';
	case 16: return is_signed ? 's' : 't';
	case 32: return is_signed ? 'i' : 'j';
	default: return is_signed ? 'l' : 'm';
	}
}

struct spirv_argument spirv_by_value(const struct spirv_type *type, LLVMValueRef value, bool is_signed)
{
	return (struct spirv_argument){
		.value = value, .base = spirv_letter(type, is_signed), .lanes = type->lanes,
	};
}

struct spirv_argument spirv_constant_argument(const struct spirv_reader *reader, unsigned bits, char base,
					      uint64_t value)
{
	return (struct spirv_argument){.value = spirv_number(reader, bits, value), .base = base};
}

struct spirv_argument spirv_order_argument(const struct spirv_reader *reader, unsigned order)
{
	return (struct spirv_argument){.value = spirv_number(reader, 32, order), .named = "12memory_order"};
}

struct spirv_argument spirv_scope_argument(const struct spirv_reader *reader, unsigned scope)
{
	return (struct spirv_argument){.value = spirv_number(reader, 32, scope), .named = "12memory_scope"};
}

/* --- names -------------------------------------------------------------------------------------------------- */

/* What a name has spelled so far and may refer back to (5.1.8). */
struct mangler {
	struct bytes name;
	struct bytes seen;          /* spellings in full, a NUL behind each */
	unsigned count;
};

/* Refers back to a spelling; false where it is the first of its kind. */
static bool refer_back(struct mangler *mangler, const char *full)
{
	const char *at = bytes_string(&mangler->seen);
	for (unsigned i = 0; i < mangler->count; i++, at += strlen(at) + 1) {
		if (strcmp(at, full))
			continue;
		if (!i)
			bytes_append_string(&mangler->name, "S_");
		else
			bytes_printf(&mangler->name, "S%c_", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i - 1]);
		return true;
	}
	return false;
}

static void remember(struct mangler *mangler, const char *full)
{
	bytes_append(&mangler->seen, full, strlen(full) + 1);
	mangler->count++;
}

/* A type in full, from what it begins with inwards: a pointer to a qualified type.  What is pointed to is always
 * qualified, by its address space, which counts as a level to refer back to also where it has no spelling. */
struct spelling {
	char pointer[2];            /* "P" or "" */
	char qualifiers[24];        /* "U3AS1VK", or a lone '&' where there is no spelling; "" of no pointer */
	char atomic[12];            /* "U7_Atomic" or "" */
	char vector[16];            /* "Dv4_" or "" */
	const char *base;
	bool base_is_builtin;       /* which is never referred back to */
};

static const char *base_of(const struct spirv_argument *argument)
{
	static const char *const letters[] = {"c", "h", "s", "t", "i", "j", "l", "m", "f", "d", "b", "v"};
	if (argument->base == 'D')
		return "Dh";
	for (size_t i = 0; i < sizeof(letters) / sizeof(*letters); i++)
		if (*letters[i] == argument->base)
			return letters[i];
	return argument->named ? argument->named : "v";
}

static struct spelling spell(const struct spirv_argument *argument)
{
	struct spelling spelling = {.base = base_of(argument), .base_is_builtin = argument->base != 0};
	if (argument->lanes > 1)
		snprintf(spelling.vector, sizeof(spelling.vector), "Dv%u_", argument->lanes);
	if (!argument->is_pointer)
		return spelling;
	const unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(argument->value));
	char *at = spelling.qualifiers;
	spelling.pointer[0] = 'P';
	if (space)
		at += snprintf(at, 16, "U3AS%u", space);
	if (argument->qualifiers & SPIRV_VOLATILE)
		*at++ = 'V';
	if (argument->qualifiers & SPIRV_CONST)
		*at++ = 'K';
	if (at == spelling.qualifiers)
		*at++ = '&';
	if (argument->qualifiers & SPIRV_ATOMIC)
		strcpy(spelling.atomic, "U7_Atomic");
	return spelling;
}

/* Appends a type from its level on: 0 the pointer, 1 what it points to with its qualifiers, 2 the atomic
 * type, 3 the vector, 4 the base.  A level that adds nothing is the next one. */
static void mangle_level(struct mangler *mangler, const struct spelling *spelling, unsigned level)
{
	const char *const parts[] = {spelling->pointer, spelling->qualifiers, spelling->atomic,
				     spelling->vector, spelling->base};
	enum { LEVELS = sizeof(parts) / sizeof(*parts) };
	char full[96] = "";
	while (!*parts[level])
		level++;
	if (level == LEVELS - 1 && spelling->base_is_builtin) {
		bytes_append_string(&mangler->name, spelling->base);
		return;
	}
	for (unsigned i = level; i < LEVELS; i++)
		strncat(full, parts[i], sizeof(full) - strlen(full) - 1);
	if (refer_back(mangler, full))
		return;
	if (*parts[level] != '&')
		bytes_append_string(&mangler->name, parts[level]);
	if (level < LEVELS - 1)
		mangle_level(mangler, spelling, level + 1);
	remember(mangler, full);
}

/* The name of an overload; false: no memory. */
static bool mangle(const char *name, const struct spirv_argument *arguments, unsigned count,
		   struct bytes *name_out)
{
	struct mangler mangler = {0};
	bytes_printf(&mangler.name, "_Z%zu%s", strlen(name), name);
	for (unsigned i = 0; i < count; i++) {
		const struct spelling spelling = spell(&arguments[i]);
		mangle_level(&mangler, &spelling, 0);
	}
	if (!count)
		bytes_append_char(&mangler.name, 'v');
	const bool good = !bytes_failed(&mangler.name) && !bytes_failed(&mangler.seen);
	bytes_finish(&mangler.seen);
	if (good)
		bytes_move(name_out, &mangler.name);
	bytes_finish(&mangler.name);
	return good;
}

/* --- attributes ------------------------------------------------------------------------------------------------ */

static LLVMAttributeRef attribute(struct spirv_reader *reader, const char *name)
{
	const unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
	return LLVMCreateEnumAttribute(reader->context, kind, 0);
}

static const LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;

void spirv_mark_function(struct spirv_reader *reader, LLVMValueRef function)
{
	LLVMAddAttributeAtIndex(function, whole, attribute(reader, "convergent"));
	LLVMAddAttributeAtIndex(function, whole, attribute(reader, "nounwind"));
}

void spirv_mark_call(struct spirv_reader *reader, LLVMValueRef call)
{
	LLVMAddCallSiteAttribute(call, whole, attribute(reader, "convergent"));
	LLVMAddCallSiteAttribute(call, whole, attribute(reader, "nounwind"));
}

void spirv_mark_extended(struct spirv_reader *reader, LLVMValueRef function_or_call, unsigned index,
			 const char *name)
{
	if (LLVMIsACallInst(function_or_call))
		LLVMAddCallSiteAttribute(function_or_call, index, attribute(reader, name));
	else
		LLVMAddAttributeAtIndex(function_or_call, index, attribute(reader, name));
}

/* How an integer narrower than a register is extended; NULL: it is none. */
static const char *extension_of(const struct spirv_argument *argument)
{
	if (argument->is_pointer || argument->lanes > 1)
		return NULL;
	switch (argument->base) {
	case 'c':
	case 's': return "signext";
	case 'h':
	case 't':
	case 'b': return "zeroext";
	default: return NULL;
	}
}

/* --- calls ------------------------------------------------------------------------------------------------------- */

enum { MOST_ARGUMENTS = 12 };

LLVMValueRef spirv_call_plain(struct spirv_reader *reader, const char *name, LLVMTypeRef result,
			      LLVMValueRef *arguments, unsigned count)
{
	LLVMTypeRef types[MOST_ARGUMENTS];
	for (unsigned i = 0; i < count; i++)
		types[i] = LLVMTypeOf(arguments[i]);
	LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
	LLVMValueRef function = LLVMGetNamedFunction(reader->llvm, name);
	if (!function) {
		function = LLVMAddFunction(reader->llvm, name, type);
		spirv_mark_function(reader, function);
	} else if (LLVMGlobalGetValueType(function) != type) {
		spirv_fail(reader, "the builtin function %s is called with two types", name);
		return NULL;
	}
	LLVMValueRef call = LLVMBuildCall2(reader->builder, type, function, arguments, count, "");
	spirv_mark_call(reader, call);
	return call;
}

bool spirv_can_call(struct spirv_reader *reader, const char *name, const struct spirv_argument *arguments,
		    unsigned count)
{
	struct bytes mangled = BYTES_INIT;
	if (!mangle(name, arguments, count, &mangled))
		return spirv_no_memory(reader);
	const bool there = fe_builtin_symbol(bytes_string(&mangled));
	bytes_finish(&mangled);
	return there;
}

LLVMValueRef spirv_call(struct spirv_reader *reader, const char *name, LLVMTypeRef result,
			const struct spirv_argument *arguments, unsigned count)
{
	struct bytes mangled = BYTES_INIT;
	LLVMValueRef values[MOST_ARGUMENTS], call = NULL;
	for (unsigned i = 0; i < count; i++)
		values[i] = arguments[i].value;
	if (!mangle(name, arguments, count, &mangled))
		return spirv_no_memory(reader), NULL;
	if (!fe_builtin_symbol(bytes_string(&mangled)))
		spirv_fail(reader, "the function %s has no form for operands of these types", name);
	else
		call = spirv_call_plain(reader, bytes_string(&mangled), result, values, count);
	for (unsigned i = 0; call && i < count; i++) {
		const char *extension = extension_of(&arguments[i]);
		if (extension)
			spirv_mark_extended(reader, call, i + 1, extension);
	}
	bytes_finish(&mangled);
	return call;
}
