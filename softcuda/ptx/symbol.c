#include "config.h"

#include "softcuda/ptx/parse.h"

#include <string.h>

bool ptx_fail(struct ptx_parser *parser, uint32_t line, const char *format, ...)
{
	if (parser->error != CUDA_SUCCESS)
		return false;
	parser->error = CUDA_ERROR_INVALID_PTX;
	if (!parser->log)
		return false;
	va_list arguments;
	va_start(arguments, format);
	bytes_printf(parser->log, "ptx line %u: ", line);
	bytes_vprintf(parser->log, format, arguments);
	bytes_append_char(parser->log, '\n');
	va_end(arguments);
	return false;
}

bool ptx_fail_memory(struct ptx_parser *parser)
{
	if (parser->error == CUDA_SUCCESS)
		parser->error = CUDA_ERROR_OUT_OF_MEMORY;
	return false;
}

static uint32_t hash(const char *name, uint32_t size)
{
	uint32_t h = 2166136261u;
	for (uint32_t i = 0; i < size; i++)
		h = (h ^ (unsigned char)name[i]) * 16777619u;
	return (h ^ h >> 15) % PTX_BUCKETS;
}

struct ptx_symbol *ptx_symbol_declare(struct ptx_parser *parser, enum ptx_symbol_kind kind,
				      const char *name, uint32_t name_size)
{
	struct ptx_symbol *symbol = arena_take(parser->arena, sizeof(*symbol));
	char *copy = symbol ? arena_string(parser->arena, name, name_size) : NULL;
	if (!copy) {
		ptx_fail_memory(parser);
		return NULL;
	}
	uint32_t bucket = hash(name, name_size);
	symbol->kind = kind;
	symbol->name = copy;
	symbol->name_size = name_size;
	symbol->depth = parser->depth;
	symbol->next = parser->buckets[bucket];
	symbol->older = parser->newest;
	parser->buckets[bucket] = symbol;
	parser->newest = symbol;
	return symbol;
}

struct ptx_symbol *ptx_symbol_find(struct ptx_parser *parser, const char *name,
				   uint32_t name_size)
{
	struct ptx_symbol *symbol = parser->buckets[hash(name, name_size)];
	for (; symbol; symbol = symbol->next)
		if (symbol->name_size == name_size && !memcmp(symbol->name, name, name_size))
			return symbol;
	return NULL;
}

bool ptx_symbol_register(struct ptx_parser *parser, const char *name, uint32_t name_size,
			 uint32_t *index_out, char *width_out)
{
	const struct ptx_symbol *symbol = ptx_symbol_find(parser, name, name_size);
	uint32_t number = 0, digits = 0, scale = 1;
	if (symbol && symbol->kind == SYMBOL_REGISTER && !symbol->count) {
		*index_out = symbol->index;
		*width_out = symbol->width;
		return true;
	}
	/* %r12 may be of a family %r<n>; a family named %r1<n> is found as well. */
	while (digits < 8 && digits + 1 < name_size) {
		char c = name[name_size - 1 - digits];
		if (c < '0' || c > '9')
			return false;
		number += (uint32_t)(c - '0') * scale;
		scale *= 10;
		digits++;
		symbol = ptx_symbol_find(parser, name, name_size - digits);
		if (symbol && symbol->kind == SYMBOL_REGISTER && number < symbol->count) {
			*index_out = symbol->index + number;
			*width_out = symbol->width;
			return true;
		}
	}
	return false;
}

void ptx_scope_open(struct ptx_parser *parser)
{
	parser->depth++;
}

static void resolve(struct ptx_parser *parser, const struct ptx_fixup *fixup, uint32_t pc)
{
	if (fixup->op != OPERAND_NONE) {
		((struct op *)(void *)parser->ops.data)[fixup->op].target = pc;
		return;
	}
	struct branch_table *tables = (struct branch_table *)(void *)parser->tables.data;
	tables[fixup->table].targets[fixup->slot] = pc;
}

/* A branch that found no label in the scope that ends may find it outside. */
static void resolve_scope(struct ptx_parser *parser)
{
	struct ptx_fixup *fixups = (struct ptx_fixup *)(void *)parser->fixups.data;
	uint32_t count = (uint32_t)(parser->fixups.size_B / sizeof(*fixups)), kept = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct ptx_fixup fixup = fixups[i];
		if (fixup.depth >= parser->depth) {
			const struct ptx_symbol *symbol =
				ptx_symbol_find(parser, fixup.label, fixup.label_size);
			if (symbol && symbol->kind == SYMBOL_LABEL &&
			    symbol->depth == parser->depth) {
				resolve(parser, &fixup, symbol->index);
				continue;
			}
			fixup.depth = parser->depth - 1;
			if (!fixup.depth)
				ptx_fail(parser, fixup.line, "no label '%.*s'",
					 (int)fixup.label_size, fixup.label);
		}
		fixups[kept++] = fixup;
	}
	parser->fixups.size_B = kept * sizeof(*fixups);
}

void ptx_scope_close(struct ptx_parser *parser)
{
	if (parser->fixups.size_B)
		resolve_scope(parser);
	while (parser->newest && parser->newest->depth == parser->depth) {
		struct ptx_symbol *symbol = parser->newest;
		parser->buckets[hash(symbol->name, symbol->name_size)] = symbol->next;
		parser->newest = symbol->older;
	}
	parser->depth--;
}
