/* Writes modules of SPIR-V word by word, with names that no assembler and no file system would like.
 *
 *	struct il il = IL_INIT;             (8 header and type instructions are written by il_start)
 *	il_start(&il);
 *	uint32_t id = il_id(&il);
 *	il_op(&il, IL_CONSTANT, 3, il.uint, id, 7);
 *	...
 *	il_finish(&il);                     then il.words, il.count are a module
 *	il_free(&il);
 *
 * SPIR-V 1.6, 2.3 (the header), 2.2.1 (strings), 3.49 (instructions).  Ends the process when out of memory. */
#ifndef CULVERT_TESTS_API_IL_BUILDER_H
#define CULVERT_TESTS_API_IL_BUILDER_H

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum il_opcode {
	IL_MEMORY_MODEL = 14, IL_ENTRY_POINT = 15, IL_CAPABILITY = 17, IL_TYPE_VOID = 19, IL_TYPE_INT = 21,
	IL_TYPE_POINTER = 32, IL_TYPE_FUNCTION = 33, IL_CONSTANT = 43, IL_FUNCTION = 54,
	IL_FUNCTION_PARAMETER = 55, IL_FUNCTION_END = 56, IL_FUNCTION_CALL = 57, IL_VARIABLE = 59, IL_LOAD = 61,
	IL_STORE = 62, IL_IN_BOUNDS_PTR_ACCESS_CHAIN = 70, IL_DECORATE = 71, IL_LABEL = 248, IL_RETURN = 253,
	IL_RETURN_VALUE = 254, IL_TYPE_VECTOR = 23, IL_COMPOSITE_EXTRACT = 81, IL_U_CONVERT = 113, IL_I_ADD = 128
};
enum { IL_GLOBAL = 5, IL_INPUT = 1, IL_LINKAGE = 41, IL_BUILT_IN = 11, IL_EXPORT = 0, IL_IMPORT = 1, IL_KERNEL = 6 };

struct il {
	uint32_t *words;
	size_t count, room;
	uint32_t bound;
	uint32_t void_, uint, pointer, kernel, function;        /* types, see il_types */
	uint32_t ulong, ulong3, id;                             /* GlobalInvocationId */
};

static inline void il_word(struct il *il, uint32_t word)
{
	if (il->count == il->room) {
		il->room = il->room ? 2 * il->room : 1024;
		il->words = realloc(il->words, il->room * sizeof(*il->words));
		if (!il->words)
			abort();
	}
	il->words[il->count++] = word;
}

static inline uint32_t il_id(struct il *il)
{
	return il->bound++;
}

static inline void il_op(struct il *il, enum il_opcode opcode, unsigned operands, ...)
{
	va_list list;
	va_start(list, operands);
	il_word(il, (operands + 1) << 16 | opcode);
	for (unsigned i = 0; i < operands; i++)
		il_word(il, va_arg(list, uint32_t));
	va_end(list);
}

static inline void il_string(struct il *il, const char *text)
{
	size_t words = strlen(text) / 4 + 1;
	for (size_t i = 0; i < words; i++) {
		uint32_t word = 0;
		for (size_t b = 0; b < 4 && i * 4 + b < strlen(text); b++)
			word |= (uint32_t)(unsigned char)text[i * 4 + b] << (8 * b);
		il_word(il, word);
	}
}

static inline void il_entry(struct il *il, uint32_t function, const char *name)
{
	il_word(il, (uint32_t)(3 + strlen(name) / 4 + 1) << 16 | IL_ENTRY_POINT);
	il_word(il, IL_KERNEL);
	il_word(il, function);
	il_string(il, name);
}

static inline void il_link(struct il *il, uint32_t id, const char *name, uint32_t type)
{
	il_word(il, (uint32_t)(4 + strlen(name) / 4 + 1) << 16 | IL_DECORATE);
	il_word(il, id);
	il_word(il, IL_LINKAGE);
	il_string(il, name);
	il_word(il, type);
}

static inline void il_start(struct il *il)
{
	*il = (struct il){.bound = 1};
	static const uint32_t header[] = {0x07230203, 0x00010000, 0, 0, 0};
	for (size_t i = 0; i < 5; i++)
		il_word(il, header[i]);
	il_op(il, IL_CAPABILITY, 1, 4);         /* Addresses */
	il_op(il, IL_CAPABILITY, 1, 5);         /* Linkage */
	il_op(il, IL_CAPABILITY, 1, 6);         /* Kernel */
	il_op(il, IL_CAPABILITY, 1, 11);        /* Int64 */
	il_op(il, IL_MEMORY_MODEL, 2, 2, 2);    /* Physical64 OpenCL */
	il->id = il_id(il);
}

/* void, uint, global uint *, void(global uint *) and uint(void), and the variable of the work-item's id.  Behind
 * entry points and decorations. */
static inline void il_types(struct il *il)
{
	enum { GLOBAL_INVOCATION_ID = 28 };
	uint32_t input = il_id(il);
	il_op(il, IL_DECORATE, 3, il->id, IL_BUILT_IN, GLOBAL_INVOCATION_ID);
	il->ulong = il_id(il);
	il->ulong3 = il_id(il);
	il_op(il, IL_TYPE_INT, 3, il->ulong, 64, 0);
	il_op(il, IL_TYPE_VECTOR, 3, il->ulong3, il->ulong, 3);
	il_op(il, IL_TYPE_POINTER, 3, input, IL_INPUT, il->ulong3);
	il_op(il, IL_VARIABLE, 3, input, il->id, IL_INPUT);
	il->void_ = il_id(il);
	il->uint = il_id(il);
	il->pointer = il_id(il);
	il->kernel = il_id(il);
	il->function = il_id(il);
	il_op(il, IL_TYPE_VOID, 1, il->void_);
	il_op(il, IL_TYPE_INT, 3, il->uint, 32, 0);
	il_op(il, IL_TYPE_POINTER, 3, il->pointer, IL_GLOBAL, il->uint);
	il_op(il, IL_TYPE_FUNCTION, 3, il->kernel, il->void_, il->pointer);
	il_op(il, IL_TYPE_FUNCTION, 2, il->function, il->uint);
}

static inline uint32_t il_constant(struct il *il, uint32_t value)
{
	uint32_t id = il_id(il);
	il_op(il, IL_CONSTANT, 3, il->uint, id, value);
	return id;
}

/* A kernel's head; its parameter. */
static inline uint32_t il_kernel(struct il *il, uint32_t id)
{
	uint32_t parameter = il_id(il);
	il_op(il, IL_FUNCTION, 4, il->void_, id, 0, il->kernel);
	il_op(il, IL_FUNCTION_PARAMETER, 2, il->pointer, parameter);
	il_op(il, IL_LABEL, 1, il_id(il));
	return parameter;
}

/* Stores value + get_global_id(0) in the element of that number. */
static inline void il_store(struct il *il, uint32_t out, uint32_t value)
{
	uint32_t ids = il_id(il), x = il_id(il), narrow = il_id(il), sum = il_id(il), place = il_id(il);
	il_op(il, IL_LOAD, 3, il->ulong3, ids, il->id);
	il_op(il, IL_COMPOSITE_EXTRACT, 4, il->ulong, x, ids, 0);
	il_op(il, IL_U_CONVERT, 3, il->uint, narrow, x);
	il_op(il, IL_I_ADD, 4, il->uint, sum, value, narrow);
	il_op(il, IL_IN_BOUNDS_PTR_ACCESS_CHAIN, 4, il->pointer, place, out, x);
	il_op(il, IL_STORE, 2, place, sum);
}

static inline void il_kernel_end(struct il *il)
{
	il_op(il, IL_RETURN, 0);
	il_op(il, IL_FUNCTION_END, 0);
}

static inline void il_finish(struct il *il)
{
	il->words[3] = il->bound;
}

static inline void il_free(struct il *il)
{
	free(il->words);
	*il = (struct il){0};
}

#endif
