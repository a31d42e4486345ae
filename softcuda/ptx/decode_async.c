/* cp.async, cache policies, and what only hints. */
#include "config.h"

#include "softcuda/exec/memory.h"
#include "softcuda/ptx/decode.h"

#include <string.h>

/* How many bytes are read: all, as many as a register says, or none where a
 * predicate says so.  operand: NULL when there is none. */
static uint32_t copied(struct ptx_parser *parser, const struct ptx_operand *operand,
		       uint32_t size_B)
{
	uint32_t all = ptx_constant(parser, 'w', size_B);
	if (!operand)
		return all;
	if (operand->kind != PTX_REGISTER || operand->width != 'p')
		return ptx_source(parser, operand, 'w');
	uint32_t x[4] = {ptx_temporary(parser, 'w'), ptx_constant(parser, 'w', 0), all,
			 ptx_source(parser, operand, 'p')};
	return ptx_emit_row(parser, "selp.b32", x, 4) ? x[0] : OPERAND_NONE;
}

/* [dst], [src], size [, src-size or ignore] [, policy] */
static bool decode_copy(struct ptx_parser *parser, bool policy, bool whole_line)
{
	const struct ptx_operand *operands = parser->instruction.operands;
	uint32_t count = parser->instruction.count - policy;
	struct ptx_address to, from;
	if (count < 3 || count > 4 || operands[2].kind != PTX_INTEGER)
		return ptx_unknown(parser);
	uint32_t size_B = (uint32_t)operands[2].value;
	if (size_B != 16 && (whole_line || (size_B != 4 && size_B != 8)))
		return ptx_unknown(parser);
	if (!ptx_address_operand(parser, &operands[0], SPACE_SHARED, &to) ||
	    !ptx_address_operand(parser, &operands[1], SPACE_GLOBAL, &from))
		return false;
	uint32_t start[3] = {ptx_temporary(parser, 'l'), from.x,
			     ptx_constant(parser, 'l', (uint64_t)from.offset)};
	uint32_t read = copied(parser, count == 4 ? &operands[3] : NULL, size_B);
	if (read == OPERAND_NONE || !ptx_emit_row(parser, "add.s64", start, 3))
		return false;
	struct op *op = ptx_emit(parser, exec_table_find("_cp.async")->run);
	if (!op)
		return false;
	op->x[0] = read;
	op->x[1] = start[0];
	op->x[2] = size_B;
	op->x[MEMORY_ADDRESS] = to.x;
	op->imm = to.offset;
	op->address_32 = to.address_32;
	op->space = to.space;
	op->reads = 1u << 0 | 1u << 1 | 1u << MEMORY_ADDRESS;
	return true;
}

/* A wait for the copies of the work-item, but the newest open groups of them; -1: all, also those of no group. */
static bool emit_copy_wait(struct ptx_parser *parser, int64_t open)
{
	struct op *op = ptx_emit(parser, exec_table_find("_cp.async.wait")->run);
	if (op)
		op->imm = open;
	return op;
}

/* commit_group; wait_all; wait_group N: all but the newest N groups of the work-item. */
static bool decode_copy_group(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	const char *verb = parts->part[2];
	const struct ptx_operand *newest = parser->instruction.operands;
	const bool some = !strcmp(verb, "wait_group");
	if (parts->count != 3 || !ptx_operand_count(parser, some) ||
	    (some && (newest->kind != PTX_INTEGER || newest->value > INT32_MAX)))
		return ptx_unknown(parser);
	if (!strcmp(verb, "commit_group"))
		return ptx_emit(parser, exec_table_find("_cp.async.commit")->run);
	return emit_copy_wait(parser, some ? (int64_t)newest->value : -1);
}

bool ptx_decode_copy(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	bool policy = false;
	if (parts->count < 3 || strcmp(parts->part[1], "async") != 0)
		return ptx_unknown(parser);
	const char *verb = parts->part[2];
	if (!strcmp(verb, "bulk"))
		return ptx_decode_bulk(parser, parts);
	if (!strcmp(verb, "commit_group") || !strcmp(verb, "wait_all") || !strcmp(verb, "wait_group"))
		return decode_copy_group(parser, parts);
	/* The arrival is one when the copies are done: they are done now. */
	if (!strcmp(verb, "mbarrier"))
		return emit_copy_wait(parser, -1) && ptx_decode_copy_arrive(parser, parts);
	bool whole_line = !strcmp(verb, "cg");
	if ((!whole_line && strcmp(verb, "ca") != 0) || parts->count < 5 ||
	    (strcmp(parts->part[3], "shared") != 0 && strcmp(parts->part[3], "shared::cta") != 0) ||
	    strcmp(parts->part[4], "global") != 0)
		return ptx_unknown(parser);
	for (unsigned i = 5; i < parts->count; i++) {
		if (strncmp(parts->part[i], "L2::", 4) != 0)
			return ptx_unknown(parser);
		policy |= !strcmp(parts->part[i], "L2::cache_hint");
	}
	return decode_copy(parser, policy, whole_line);
}

/* A policy is a number that nobody looks at. */
bool ptx_decode_policy(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	if (parts->count < 3 || !parser->instruction.count ||
	    strcmp(parts->part[parts->count - 1], "b64") != 0)
		return ptx_unknown(parser);
	uint32_t x[2] = {ptx_destination(parser, &parser->instruction.operands[0], 'l'),
			 ptx_constant(parser, 'l', 0)};
	return ptx_emit_row(parser, "_zll", x, 2);
}

/* Launches never overlap: nothing is waited for. */
bool ptx_decode_hint(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	return parts->count == 2 && (!strcmp(parts->part[1], "wait") ||
				     !strcmp(parts->part[1], "launch_dependents")) ?
	       ptx_operand_count(parser, 0) : ptx_unknown(parser);
}
