/* culvert.*: what a program that is built to be checked tells the checker (exec/note.c). */
#include "config.h"

#include "softcuda/ptx/decode.h"

#include <string.h>

/* .pragma "culvert_variable NAME": of the culvert.private that follows. */
bool ptx_note_variable(struct ptx_parser *parser, const char *text, size_t size_B)
{
	char *name = arena_take(parser->arena, size_B + 1);
	if (!name)
		return ptx_fail_memory(parser);
	memcpy(name, text, size_B);
	name[size_B] = '\0';
	parser->variable_name = name;
	return true;
}

bool ptx_decode_note(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	const struct ptx_instruction *in = &parser->instruction;
	const struct op_row *row = exec_table_find(in->mnemonic);
	uint32_t x[OP_OPERANDS];
	(void)parts;
	if (!row)
		return ptx_unknown(parser);
	uint32_t count = (uint32_t)strlen(row->shape);
	if (!ptx_operand_count(parser, count))
		return false;
	for (uint32_t i = 1; i < count; i++)
		if ((x[i] = ptx_source(parser, &in->operands[i], row->shape[i])) == OPERAND_NONE)
			return false;
	x[0] = ptx_destination(parser, &in->operands[0], row->shape[0]);
	struct op *op = x[0] == OPERAND_NONE ? NULL : ptx_emit(parser, row->run);
	if (!op)
		return false;
	memcpy(op->x, x, count * sizeof(*x));
	op->writes = 1;
	op->reads = (uint8_t)((1u << count) - 2);
	op->imm = (int64_t)(intptr_t)parser->variable_name;
	return true;
}
