/* The table of all instructions, by opcode. */
#include "config.h"

#include "frontend/spirv_function.h"

#include <inttypes.h>
#include <stdlib.h>

/* Above all opcodes that are known. */
enum { OPCODES = 8192 };

static bool build_nothing(struct spirv_reader *reader, const struct spirv_op *op)
{
	(void)reader;
	(void)op;
	return true;
}

/* What is looked at elsewhere, or changes nothing. */
static const struct spirv_row silent_rows[] = {
	{SpvOpNop, 1, 1, 0, build_nothing},
	{SpvOpSourceContinued, 2, 0, 0, build_nothing},
	{SpvOpSource, 3, 0, 0, build_nothing},
	{SpvOpSourceExtension, 2, 0, 0, build_nothing},
	{SpvOpName, 3, 0, 0, build_nothing},
	{SpvOpMemberName, 4, 0, 0, build_nothing},
	{SpvOpString, 3, 0, 0, build_nothing},
	{SpvOpLine, 4, 4, 0, build_nothing},
	{SpvOpNoLine, 1, 1, 0, build_nothing},
	{SpvOpExtension, 2, 0, 0, build_nothing},
	{SpvOpExtInstImport, 3, 0, 0, build_nothing},
	{SpvOpMemoryModel, 3, 3, 0, build_nothing},
	{SpvOpEntryPoint, 4, 0, 0, build_nothing},
	{SpvOpExecutionMode, 3, 0, 0, build_nothing},
	{SpvOpExecutionModeId, 3, 0, 0, build_nothing},
	{SpvOpCapability, 2, 2, 0, build_nothing},
	{SpvOpDecorate, 3, 0, 0, build_nothing},
	{SpvOpDecorateId, 3, 0, 0, build_nothing},
	{SpvOpDecorateString, 4, 0, 0, build_nothing},
	{SpvOpMemberDecorate, 4, 0, 0, build_nothing},
	{SpvOpMemberDecorateString, 5, 0, 0, build_nothing},
	{SpvOpDecorationGroup, 2, 2, 0, build_nothing},
	{SpvOpGroupDecorate, 2, 0, 0, build_nothing},
	{SpvOpGroupMemberDecorate, 2, 0, 0, build_nothing},
	{SpvOpModuleProcessed, 2, 0, 0, build_nothing},
	{SpvOpLoopMerge, 4, 0, 0, build_nothing},
	{SpvOpSelectionMerge, 3, 3, 0, build_nothing},
	{SpvOpLoopControlINTEL, 1, 0, 0, build_nothing},
	{SpvOpLifetimeStart, 3, 3, 0, build_nothing},
	{SpvOpLifetimeStop, 3, 3, 0, build_nothing},
	{SpvOpAliasDomainDeclINTEL, 2, 3, 0, build_nothing},
	{SpvOpAliasScopeDeclINTEL, 3, 4, 0, build_nothing},
	{SpvOpAliasScopeListDeclINTEL, 2, 0, 0, build_nothing},
	{0, 0, 0, 0, NULL},
};

/* Where instructions may stand. */
enum { OUTSIDE = 1, INSIDE = 2 };

static const struct table {
	const struct spirv_row *rows;
	unsigned places;
} tables[] = {
	{silent_rows, OUTSIDE | INSIDE},
	{spirv_type_rows, OUTSIDE},
	{spirv_constant_rows, OUTSIDE | INSIDE},
	{spirv_extended_rows, OUTSIDE | INSIDE},
	{spirv_arithmetic_rows, INSIDE},
	{spirv_atomic_rows, INSIDE},
	{spirv_bit_rows, INSIDE},
	{spirv_call_rows, INSIDE},
	{spirv_composite_rows, INSIDE},
	{spirv_conversion_rows, INSIDE},
	{spirv_group_rows, INSIDE},
	{spirv_image_rows, INSIDE},
	{spirv_memory_rows, INSIDE},
	{spirv_pipe_rows, INSIDE},
};

/* An opcode's row, and its table's places. */
struct spirv_indexed_row {
	const struct spirv_row *row;
	unsigned places;
};

bool spirv_rows_make(struct spirv_reader *reader)
{
	reader->rows = calloc(OPCODES, sizeof(*reader->rows));
	if (!reader->rows)
		return spirv_no_memory(reader);
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		for (const struct spirv_row *row = tables[i].rows; row->build; row++)
			reader->rows[row->op] = (struct spirv_indexed_row){row, tables[i].places};
	return true;
}

void spirv_rows_finish(struct spirv_reader *reader)
{
	free(reader->rows);
	reader->rows = NULL;
}

bool spirv_build(struct spirv_reader *reader, struct spirv_instruction i)
{
	const struct spirv_row *row = i.op < OPCODES ? reader->rows[i.op].row : NULL;
	/* An expression of constants stands outside, and is made of what stands inside. */
	const unsigned place = reader->body || reader->expression_depth ? INSIDE : OUTSIDE;
	struct spirv_op op = {.words = i.words, .op = i.op, .count = i.count};
	bool has_result = false, has_type = false;
	reader->now = i;
	if (!row)
		return spirv_fail(reader, "the instruction is not supported");
	if (!(reader->rows[i.op].places & place))
		return spirv_fail(reader, "the instruction cannot stand %s", reader->body ? "in a function"
				  : "outside of functions");
	if (i.count < row->least || (row->most && i.count > row->most))
		return spirv_fail(reader, "%u words are too %s", i.count, i.count < row->least ? "few" : "many");
	SpvHasResultAndType((SpvOp)i.op, &has_result, &has_type);
	if (has_type) {
		op.type = spirv_type(reader, i.words[1]);
		if (!op.type)
			return false;
	}
	op.detail = row->detail;
	op.result = has_result ? i.words[has_type ? 2 : 1] : 0;
	return row->build(reader, &op);
}
