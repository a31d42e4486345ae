/* What decoders are made of: operands, constants, and ops that are appended. */
#include "config.h"

#include "softcuda/ptx/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ptx_unknown(struct ptx_parser *parser)
{
	return ptx_fail(parser, parser->instruction.line, "instruction '%s' is not supported",
			parser->instruction.mnemonic);
}

bool ptx_operand_count(struct ptx_parser *parser, uint32_t count)
{
	if (parser->instruction.count == count)
		return true;
	return ptx_fail(parser, parser->instruction.line, "'%s' has %u operands, not %u",
			parser->instruction.mnemonic, parser->instruction.count, count);
}

bool ptx_split(struct ptx_parser *parser, struct ptx_parts *parts)
{
	strcpy(parts->text, parser->instruction.mnemonic);
	parts->count = 0;
	for (char *p = parts->text; p; ) {
		if (parts->count == PTX_PARTS)
			return ptx_unknown(parser);
		parts->part[parts->count++] = p;
		p = strchr(p, '.');
		if (p)
			*p++ = '\0';
	}
	return true;
}

const struct ptx_type *ptx_type_find(const char *name)
{
	static const struct ptx_type types[] = {
		{"b8", 'h', 1, 'b'}, {"u8", 'h', 1, 'u'}, {"s8", 'h', 1, 's'},
		{"b16", 'h', 2, 'b'}, {"u16", 'h', 2, 'u'}, {"s16", 'h', 2, 's'},
		{"f16", 'h', 2, 'h'}, {"bf16", 'h', 2, 'B'},
		{"b32", 'w', 4, 'b'}, {"u32", 'w', 4, 'u'}, {"s32", 'w', 4, 's'},
		{"f32", 'w', 4, 'f'}, {"tf32", 'w', 4, 't'}, {"e4m3x2", 'h', 2, 'm'},
		{"e5m2x2", 'h', 2, 'm'}, {"f16x2", 'w', 4, 'x'}, {"bf16x2", 'w', 4, 'y'},
		{"b64", 'l', 8, 'b'}, {"u64", 'l', 8, 'u'}, {"s64", 'l', 8, 's'},
		{"f64", 'l', 8, 'f'}, {"b128", 'q', 16, 'b'}
	};
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(types[i].name, name))
			return &types[i];
	return NULL;
}

struct op *ptx_emit_bare(struct ptx_parser *parser, op_run *run)
{
	struct op op = {.run = run, .guard = OPERAND_NONE, .line = parser->instruction.line};
	for (unsigned i = 0; i < OP_OPERANDS; i++)
		op.x[i] = OPERAND_NONE;
	bytes_append(&parser->ops, &op, sizeof(op));
	bytes_append(&parser->places, &parser->place, sizeof(parser->place));
	if (bytes_failed(&parser->ops) || bytes_failed(&parser->places)) {
		ptx_fail_memory(parser);
		return NULL;
	}
	return (struct op *)(void *)(parser->ops.data + parser->ops.size_B) - 1;
}

struct op *ptx_emit(struct ptx_parser *parser, op_run *run)
{
	struct op *op = ptx_emit_bare(parser, run);
	if (op) {
		op->guard = parser->instruction.guard;
		op->guard_negated = parser->instruction.guard_negated;
	}
	return op;
}

static bool emit_row(struct ptx_parser *parser, const char *name, const uint32_t *operands,
		     unsigned count, bool guarded)
{
	const struct op_row *row = exec_table_find(name);
	for (unsigned i = 0; i < count; i++)
		if (operands[i] == OPERAND_NONE)
			return false;
	if (!row || strlen(row->shape) != count)
		return ptx_unknown(parser);
	struct op *op = guarded ? ptx_emit(parser, row->run) : ptx_emit_bare(parser, row->run);
	if (!op)
		return false;
	for (unsigned i = 0; i < count; i++)
		op->x[i] = operands[i];
	op->writes = 1;
	op->reads = (uint8_t)((1u << count) - 2);
	return true;
}

bool ptx_emit_row(struct ptx_parser *parser, const char *name, const uint32_t *operands,
		  unsigned count)
{
	return emit_row(parser, name, operands, count, true);
}

uint32_t ptx_temporary(struct ptx_parser *parser, char width)
{
	uint32_t index = (uint32_t)parser->widths.size_B;
	bytes_append_char(&parser->widths, width);
	if (bytes_failed(&parser->widths)) {
		ptx_fail_memory(parser);
		return OPERAND_NONE;
	}
	return index;
}

static unsigned width_size(char width)
{
	return width == 'h' ? 2 : width == 'l' ? 8 : width == 'q' ? 16 : 4;
}

static bool hash_grow(struct ptx_parser *parser)
{
	uint32_t slots = parser->constant_slots ? parser->constant_slots * 2 : 256;
	uint32_t *hash = calloc(slots, sizeof(*hash));
	if (!hash)
		return ptx_fail_memory(parser);
	for (uint32_t i = 0; i < parser->constant_slots; i++) {
		uint32_t entry = parser->constant_hash[i];
		if (!entry)
			continue;
		uint64_t value;
		memcpy(&value, parser->constants.data + entry - 1, sizeof(value));
		uint32_t slot = (uint32_t)(value * 0x9e3779b97f4a7c15u >> 40) & (slots - 1);
		while (hash[slot])
			slot = (slot + 1) & (slots - 1);
		hash[slot] = entry;
	}
	free(parser->constant_hash);
	parser->constant_hash = hash;
	parser->constant_slots = slots;
	return true;
}

/* A constant is kept as its 64-bit value spread over the lanes, once per width:
 * the first 8 bytes at its place tell it apart, and widths differ in the tail. */
uint32_t ptx_constant(struct ptx_parser *parser, char width, uint64_t value)
{
	unsigned size_B = width_size(width);
	uint64_t key = value;
	char lanes[LANES * 8];
	if (width == 'p')
		value = key = value ? MASK_ALL : 0;
	for (unsigned i = 0; i < LANES; i++)
		memcpy(lanes + i * size_B, &value, size_B);
	memcpy(&key, lanes, sizeof(key));
	if (parser->constant_count * 2 >= parser->constant_slots && !hash_grow(parser))
		return OPERAND_NONE;
	uint32_t mask = parser->constant_slots - 1;
	uint32_t slot = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 40) & mask;
	for (; parser->constant_hash[slot]; slot = (slot + 1) & mask) {
		uint32_t offset = parser->constant_hash[slot] - 1;
		if (offset + LANES * size_B <= parser->constants.size_B &&
		    !memcmp(parser->constants.data + offset, lanes, LANES * size_B))
			return BANK_CONSTANT << OPERAND_BANK_SHIFT | offset;
	}
	uint32_t offset = (uint32_t)parser->constants.size_B;
	bytes_append(&parser->constants, lanes, LANES * size_B);
	if (bytes_failed(&parser->constants) || offset > OPERAND_OFFSET_MASK - 256) {
		ptx_fail_memory(parser);
		return OPERAND_NONE;
	}
	parser->constant_hash[slot] = offset + 1;
	parser->constant_count++;
	return BANK_CONSTANT << OPERAND_BANK_SHIFT | offset;
}

static uint32_t launch_constant(struct ptx_parser *parser, struct launch_constant wanted)
{
	const struct launch_constant *list = (const void *)parser->launch_constants.data;
	size_t count = parser->launch_constants.size_B / sizeof(*list);
	for (size_t i = 0; i < count; i++)
		if (list[i].kind == wanted.kind && list[i].index == wanted.index &&
		    list[i].size_B == wanted.size_B && list[i].addend == wanted.addend &&
		    list[i].generic == wanted.generic)
			return (uint32_t)BANK_LAUNCH << OPERAND_BANK_SHIFT | list[i].offset_B;
	wanted.offset_B = parser->launch_constant_B;
	parser->launch_constant_B += LANES * wanted.size_B;
	bytes_append(&parser->launch_constants, &wanted, sizeof(wanted));
	if (bytes_failed(&parser->launch_constants)) {
		ptx_fail_memory(parser);
		return OPERAND_NONE;
	}
	return (uint32_t)BANK_LAUNCH << OPERAND_BANK_SHIFT | wanted.offset_B;
}

static void note_shared(struct ptx_parser *parser, uint32_t index)
{
	const uint32_t *used = (const void *)parser->shared_used.data;
	for (size_t i = 0; i < parser->shared_used.size_B / sizeof(*used); i++)
		if (used[i] == index)
			return;
	bytes_append(&parser->shared_used, &index, sizeof(index));
}

/* The address of a symbol in its own space, or a generic one of shared memory. */
static uint32_t symbol_value(struct ptx_parser *parser, const struct ptx_symbol *symbol,
			     int64_t addend, char width, bool generic)
{
	struct launch_constant wanted = {.kind = LAUNCH_GLOBAL, .index = symbol->index,
					 .size_B = (uint8_t)width_size(width), .addend = addend};
	if (width != 'w' && width != 'l') {
		ptx_fail(parser, parser->instruction.line, "address of '%s' in 16 bits",
			 symbol->name);
		return OPERAND_NONE;
	}
	switch (symbol->kind) {
	case SYMBOL_VARIABLE:
		return launch_constant(parser, wanted);
	case SYMBOL_SHARED:
		note_shared(parser, symbol->index);
		wanted.kind = LAUNCH_SHARED;
		wanted.generic = generic;
		return launch_constant(parser, wanted);
	case SYMBOL_LOCAL: {
		struct op *op = ptx_emit_bare(parser, exec_table_find(width == 'l' ?
						"_local.64" : "_local.32")->run);
		if (!op)
			return OPERAND_NONE;
		op->imm = (int64_t)symbol->offset_B + addend;
		op->writes = 1;
		uint32_t at = ptx_op_count(parser) - 1;
		uint32_t x = ptx_temporary(parser, width);
		((struct op *)(void *)parser->ops.data)[at].x[0] = x;
		return x;
	}
	case SYMBOL_PARAM:
		return ptx_constant(parser, width, symbol->offset_B + (uint64_t)addend);
	case SYMBOL_FUNCTION:
		ptx_code(parser, symbol->index)->address_taken = true;
		return ptx_constant(parser, width, WINDOW_CODE | symbol->index);
	default:
		ptx_fail(parser, parser->instruction.line, "'%s' is not a value", symbol->name);
		return OPERAND_NONE;
	}
}

static uint32_t float_constant(struct ptx_parser *parser, const struct ptx_operand *operand,
			       char width)
{
	uint64_t bits = operand->value;
	uint32_t low = (uint32_t)bits;
	float single;
	double wide;
	if (operand->single && width == 'l') {
		memcpy(&single, &low, sizeof(single));
		wide = single;
		memcpy(&bits, &wide, sizeof(bits));
	} else if (!operand->single && width == 'w') {
		memcpy(&wide, &bits, sizeof(wide));
		single = (float)wide;
		memcpy(&low, &single, sizeof(low));
		bits = low;
	} else if (width != 'l' && width != 'w') {
		ptx_fail(parser, parser->instruction.line, "a float where 16 bits are wanted");
		return OPERAND_NONE;
	}
	return ptx_constant(parser, width, bits);
}

static uint32_t special_register(struct ptx_parser *parser, const struct ptx_operand *operand,
				 char width)
{
	const struct op_row *row = exec_table_find(operand->text);
	if (!row) {
		ptx_fail(parser, parser->instruction.line, "special register '%s' is not known",
			 operand->text);
		return OPERAND_NONE;
	}
	uint32_t x = ptx_temporary(parser, row->shape[0]);
	if (x == OPERAND_NONE || !emit_row(parser, operand->text, &x, 1, false))
		return OPERAND_NONE;
	if (row->shape[0] == width)
		return x;
	/* 64-bit reads of 32-bit registers and the other way round are allowed. */
	uint32_t both[2] = {ptx_temporary(parser, width), x};
	char name[] = {'_', 'z', row->shape[0], width, '\0'};
	return emit_row(parser, name, both, 2, false) ? both[0] : OPERAND_NONE;
}

static uint32_t register_source(struct ptx_parser *parser, const struct ptx_operand *operand,
				char width, bool loose)
{
	if (operand->minus || operand->part || (operand->negated && width != 'p')) {
		ptx_fail(parser, parser->instruction.line, "'%s' has no such operand",
			 parser->instruction.mnemonic);
		return OPERAND_NONE;
	}
	if (operand->width != width) {
		if (!loose || width_size(operand->width) < width_size(width) ||
		    operand->width == 'p') {
			ptx_fail(parser, parser->instruction.line,
				 "'%s' has an operand of the wrong width",
				 parser->instruction.mnemonic);
			return OPERAND_NONE;
		}
		uint32_t both[2] = {ptx_temporary(parser, width), operand->index};
		char name[] = {'_', 'z', operand->width, width, '\0'};
		return emit_row(parser, name, both, 2, false) ? both[0] : OPERAND_NONE;
	}
	if (!operand->negated)
		return operand->index;
	uint32_t both[2] = {ptx_temporary(parser, 'p'), operand->index};
	return emit_row(parser, "not.pred", both, 2, false) ? both[0] : OPERAND_NONE;
}

static uint32_t source(struct ptx_parser *parser, const struct ptx_operand *operand, char width,
		       bool loose)
{
	switch (operand->kind) {
	case PTX_REGISTER:
		if (operand->offset || operand->address)
			break;
		return register_source(parser, operand, width, loose);
	case PTX_INTEGER:
		if (width == 'q')
			break;
		return ptx_constant(parser, width, operand->value + (uint64_t)operand->offset);
	case PTX_FLOAT:
		return float_constant(parser, operand, width);
	case PTX_SYMBOL:
		return symbol_value(parser, operand->symbol, operand->offset, width, false);
	case PTX_SPECIAL:
		return special_register(parser, operand, width);
	case PTX_NAME:
		if (!strcmp(operand->text, "WARP_SZ"))
			return ptx_constant(parser, width, LANES);
		break;
	default:
		break;
	}
	ptx_fail(parser, parser->instruction.line, "'%s' has an operand of the wrong kind%s%s",
		 parser->instruction.mnemonic, operand->text ? ": " : "",
		 operand->text ? operand->text : "");
	return OPERAND_NONE;
}

uint32_t ptx_source(struct ptx_parser *parser, const struct ptx_operand *operand, char width)
{
	return source(parser, operand, width, false);
}

uint32_t ptx_source_loose(struct ptx_parser *parser, const struct ptx_operand *operand,
			  char width)
{
	return source(parser, operand, width, true);
}

uint32_t ptx_destination(struct ptx_parser *parser, const struct ptx_operand *operand,
			 char width)
{
	if (operand->kind == PTX_SINK)
		return ptx_temporary(parser, width);
	if (operand->kind == PTX_REGISTER && operand->width == width && !operand->address &&
	    !operand->part && !operand->minus)
		return operand->index;
	ptx_fail(parser, parser->instruction.line, "'%s' has a destination of the wrong kind",
		 parser->instruction.mnemonic);
	return OPERAND_NONE;
}

uint32_t ptx_destination_loose(struct ptx_parser *parser, const struct ptx_operand *operand,
			       char width)
{
	if (operand->kind == PTX_REGISTER && operand->width != 'p' &&
	    width_size(operand->width) > width_size(width))
		return ptx_temporary(parser, width);
	return ptx_destination(parser, operand, width);
}

bool ptx_extend(struct ptx_parser *parser, const struct ptx_operand *operand, char width,
		bool is_signed, uint32_t temporary)
{
	if (operand->kind != PTX_REGISTER || operand->width == width)
		return true;
	uint32_t both[2] = {operand->index, temporary};
	char name[] = {'_', is_signed ? 's' : 'z', width, operand->width, '\0'};
	return ptx_emit_row(parser, name, both, 2);
}

bool ptx_address_operand(struct ptx_parser *parser, const struct ptx_operand *operand,
			 enum ptx_space space, struct ptx_address *address)
{
	*address = (struct ptx_address){.space = (uint8_t)space};
	if (!operand->address)
		return ptx_fail(parser, parser->instruction.line, "'%s' wants an address in [ ]",
				parser->instruction.mnemonic);
	bool function = !ptx_code(parser, parser->code)->entry;
	if (operand->kind == PTX_REGISTER) {
		bool windowed = space != SPACE_GENERIC && space != SPACE_GLOBAL;
		if (operand->width != 'l' && !(operand->width == 'w' && windowed))
			return ptx_fail(parser, parser->instruction.line,
					"an address has the wrong width");
		address->x = operand->index;
		address->offset = operand->offset;
		address->address_32 = operand->width == 'w';
		if (space == SPACE_PARAM && function)
			address->space = SPACE_LOCAL;
		return true;
	}
	if (operand->kind == PTX_SYMBOL) {
		address->x = symbol_value(parser, operand->symbol, operand->offset, 'l',
					  space == SPACE_GENERIC);
		if (space == SPACE_PARAM && operand->symbol->kind == SYMBOL_LOCAL)
			address->space = SPACE_LOCAL;
		return address->x != OPERAND_NONE;
	}
	if (operand->kind != PTX_INTEGER)
		return ptx_fail(parser, parser->instruction.line, "bad address");
	address->x = ptx_constant(parser, 'l', operand->value + (uint64_t)operand->offset);
	return address->x != OPERAND_NONE;
}
