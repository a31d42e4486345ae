#include "config.h"

#include "backend/softcuda/ptx_program.h"

#include <stdlib.h>
#include <string.h>

static uint32_t width_bytes(char width)
{
	return width == 'p' ? 4 : width == 'h' ? 2 * LANES : width == 'w' ? 4 * LANES : 8 * LANES;
}

bool ptx_registers_place(struct ptx_parser *parser, struct op *ops, uint32_t op_count,
			 const struct branch_table *tables, uint32_t *size_B_out,
			 uint32_t *peak_out)
{
	uint32_t count = (uint32_t)parser->widths.size_B, size_B = 0;
	uint32_t *place = calloc(count + 1, sizeof(*place));
	(void)tables;
	if (!place)
		return ptx_fail_memory(parser);
	static const char order[] = "lwhp";
	for (unsigned w = 0; w < 4; w++)
		for (uint32_t i = 0; i < count; i++)
			if (parser->widths.data[i] == order[w]) {
				place[i] = size_B;
				size_B += width_bytes(order[w]);
			}
	for (uint32_t i = 0; i < op_count; i++) {
		for (unsigned k = 0; k < OP_OPERANDS; k++)
			if ((ops[i].reads | ops[i].writes) >> k & 1 &&
			    ops[i].x[k] >> OPERAND_BANK_SHIFT == BANK_REGISTER)
				ops[i].x[k] = place[ops[i].x[k]];
		if (ops[i].guard != OPERAND_NONE)
			ops[i].guard = place[ops[i].guard];
	}
	free(place);
	*size_B_out = size_B;
	*peak_out = count;
	return true;
}
