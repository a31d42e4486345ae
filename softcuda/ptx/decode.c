#include "config.h"

#include "softcuda/ptx/decode.h"

#include <stdio.h>
#include <string.h>

static bool decode_row(struct ptx_parser *parser, const struct op_row *row)
{
	const struct ptx_instruction *in = &parser->instruction;
	uint32_t operands[OP_OPERANDS];
	uint32_t count = (uint32_t)strlen(row->shape);
	if (!ptx_operand_count(parser, count))
		return false;
	for (uint32_t i = 1; i < count; i++)
		if ((operands[i] = ptx_source(parser, &in->operands[i], row->shape[i])) ==
		    OPERAND_NONE)
			return false;
	operands[0] = ptx_destination(parser, &in->operands[0], row->shape[0]);
	return ptx_emit_row(parser, row->name, operands, count);
}

/* The few instructions of one name that take more operands on newer devices have
 * a row of their own, "name/4". */
static const struct op_row *find_row(const struct ptx_instruction *in)
{
	const struct op_row *row = exec_table_find(in->mnemonic), *other;
	char name[PTX_MNEMONIC + 16];
	if (!row || strlen(row->shape) == in->count)
		return row;
	snprintf(name, sizeof(name), "%s/%u", in->mnemonic, in->count);
	other = exec_table_find(name);
	return other ? other : row;
}

struct family {
	const char *name;
	bool (*decode)(struct ptx_parser *parser, const struct ptx_parts *parts);
};

static const struct family families[] = {
	{"mov", ptx_decode_mov}, {"setp", ptx_decode_compare}, {"set", ptx_decode_compare},
	{"cvt", ptx_decode_convert}, {"cvta", ptx_decode_cvta}, {"lop3", ptx_decode_logic},
	{"isspacep", ptx_decode_isspacep}, {"cp", ptx_decode_copy},
	{"mbarrier", ptx_decode_mbarrier}, {"mma", ptx_decode_matrix}, {"wmma", ptx_decode_matrix},
	{"ldmatrix", ptx_decode_matrix}, {"wgmma", ptx_decode_wgmma}, {"setmaxnreg", ptx_decode_register_count},
	{"mapa", ptx_decode_cluster}, {"getctarank", ptx_decode_cluster},
	{"createpolicy", ptx_decode_policy}, {"griddepcontrol", ptx_decode_hint},
	{"culvert", ptx_decode_note},
	{"ld", ptx_decode_memory}, {"ldu", ptx_decode_memory}, {"st", ptx_decode_memory},
	{"prefetch", ptx_decode_memory}, {"prefetchu", ptx_decode_memory},
	{"discard", ptx_decode_memory}, {"applypriority", ptx_decode_memory},
	{"atom", ptx_decode_atomic}, {"red", ptx_decode_atomic},
	{"bra", ptx_decode_branch}, {"brx", ptx_decode_branch}, {"ret", ptx_decode_branch},
	{"exit", ptx_decode_branch}, {"trap", ptx_decode_branch}, {"brkpt", ptx_decode_branch},
	{"nanosleep", ptx_decode_branch}, {"pmevent", ptx_decode_branch},
	{"stacksave", ptx_decode_stack}, {"stackrestore", ptx_decode_stack},
	{"alloca", ptx_decode_stack}, {"call", ptx_decode_call},
	{"bar", ptx_decode_barrier}, {"barrier", ptx_decode_barrier},
	{"membar", ptx_decode_barrier}, {"fence", ptx_decode_barrier},
	{"shfl", ptx_decode_warp}, {"vote", ptx_decode_warp}, {"match", ptx_decode_warp},
	{"tex", ptx_decode_texture}, {"tld4", ptx_decode_texture},
	{"suld", ptx_decode_surface}, {"sust", ptx_decode_surface},
	{"sured", ptx_decode_surface}, {"txq", ptx_decode_query}, {"suq", ptx_decode_query},
	{"istypep", ptx_decode_query}, {"redux", ptx_decode_warp},
	{"activemask", ptx_decode_warp}, {"elect", ptx_decode_warp}
};

bool ptx_decode(struct ptx_parser *parser)
{
	struct ptx_parts parts;
	if (!ptx_split(parser, &parts))
		return false;
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (!strcmp(families[i].name, parts.part[0]))
			return families[i].decode(parser, &parts);
	if (ptx_is_video(parts.part[0]))
		return ptx_decode_video(parser, &parts);
	const struct op_row *row = find_row(&parser->instruction);
	return row ? decode_row(parser, row) : ptx_unknown(parser);
}
