/* cp.async.bulk: copies of blocks of memory between global and shared memory (PTX ISA 8.7, 9.7.9.25.4); mapa and
 * getctarank, the addresses of shared memory in a cluster.  A cluster has one work-group, so that its shared memory is
 * the work-group's. */
#include "config.h"

#include "softcuda/exec/memory.h"
#include "softcuda/ptx/decode.h"

#include <string.h>

static bool is_shared(const char *space)
{
	return !strcmp(space, "shared::cluster") || !strcmp(space, "shared::cta");
}

/* An address as an operand of 64 bits; OPERAND_NONE after an error. */
static uint32_t whole_address(struct ptx_parser *parser, const struct ptx_address *address)
{
	const uint32_t wide[2] = {ptx_temporary(parser, 'l'), address->x};
	if (!ptx_emit_row(parser, address->address_32 ? "_zwl" : "_zll", wide, 2))
		return OPERAND_NONE;
	const uint32_t sum[3] = {ptx_temporary(parser, 'l'), wide[0],
				 ptx_constant(parser, 'l', (uint64_t)address->offset)};
	return ptx_emit_row(parser, "add.s64", sum, 3) ? sum[0] : OPERAND_NONE;
}

/* [dst], [src], size of the spaces: the copy itself. */
static bool emit_copy(struct ptx_parser *parser, enum ptx_space to_space, enum ptx_space from_space)
{
	const struct ptx_operand *operands = parser->instruction.operands;
	struct ptx_address to, from;
	if (!ptx_address_operand(parser, &operands[0], to_space, &to) ||
	    !ptx_address_operand(parser, &operands[1], from_space, &from))
		return false;
	const uint32_t source = whole_address(parser, &from), size_B = ptx_source(parser, &operands[2], 'w');
	if (source == OPERAND_NONE || size_B == OPERAND_NONE)
		return false;
	struct op *op = ptx_emit(parser, exec_table_find("_cp.async.bulk")->run);
	if (!op)
		return false;
	op->x[0] = size_B;
	op->x[1] = source;
	op->x[MEMORY_ADDRESS] = to.x;
	op->imm = to.offset;
	op->address_32 = to.address_32;
	op->space = to.space;
	op->mode = from.space;
	op->reads = 1u << 0 | 1u << 1 | 1u << MEMORY_ADDRESS;
	return true;
}

/* Copies are complete at once, so that there is nothing to wait for. */
static bool decode_group(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	const bool waits = !strcmp(parts->part[3], "wait_group");
	const bool reads = parts->count == 5 && !strcmp(parts->part[4], "read");
	if (parts->count != (reads ? 5u : 4u) || (reads && !waits) || !ptx_operand_count(parser, waits) ||
	    (waits && parser->instruction.operands[0].kind != PTX_INTEGER))
		return ptx_unknown(parser);
	return ptx_emit(parser, exec_table_find("_nop")->run);
}

/* cp.async.bulk.prefetch.L2.global{.hint} [src], size */
static bool decode_prefetch(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	const struct ptx_operand *operands = parser->instruction.operands;
	const bool hint = parts->count == 7 && !strcmp(parts->part[6], "L2::cache_hint");
	struct ptx_address from;
	if (parts->count != (hint ? 7u : 6u) || strcmp(parts->part[4], "L2") != 0 ||
	    strcmp(parts->part[5], "global") != 0 || !ptx_operand_count(parser, hint ? 3 : 2))
		return ptx_unknown(parser);
	return ptx_address_operand(parser, &operands[0], SPACE_GLOBAL, &from) &&
	       ptx_source(parser, &operands[1], 'w') != OPERAND_NONE && ptx_emit(parser, exec_table_find("_nop")->run);
}

/* cp.async.bulk.dst.src.completion{.hint} [dst], [src], size {, [mbar]} {, policy} */
bool ptx_decode_bulk(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	if (parts->count > 3 && (!strcmp(parts->part[3], "commit_group") || !strcmp(parts->part[3], "wait_group")))
		return decode_group(parser, parts);
	if (parts->count > 3 && !strcmp(parts->part[3], "prefetch"))
		return decode_prefetch(parser, parts);
	if (parts->count < 6)
		return ptx_unknown(parser);
	const char *to = parts->part[3], *from = parts->part[4], *completion = parts->part[5];
	/* "::" separates the completion's name, not modifiers. */
	const bool arrives = !strcmp(completion, "mbarrier::complete_tx::bytes"),
		   grouped = !strcmp(completion, "bulk_group");
	const bool hint = parts->count == 7 && !strcmp(parts->part[6], "L2::cache_hint");
	const bool loads = is_shared(to) && (!strcmp(from, "global") || !strcmp(from, "shared::cta")) && arrives;
	const bool stores = !strcmp(to, "global") && !strcmp(from, "shared::cta") && grouped;
	if (parts->count != (hint ? 7u : 6u) || (!loads && !stores) || !ptx_operand_count(parser, 3 + loads + hint))
		return ptx_unknown(parser);
	if (hint && ptx_source(parser, &parser->instruction.operands[3 + loads], 'l') == OPERAND_NONE)
		return false;
	return emit_copy(parser, loads ? SPACE_SHARED : SPACE_GLOBAL,
			 strcmp(from, "global") ? SPACE_SHARED : SPACE_GLOBAL) &&
	       (!loads ||
		ptx_decode_bulk_arrive(parser, &parser->instruction.operands[3], &parser->instruction.operands[2]));
}

/* mapa{.shared::cluster}.type address, address, rank; getctarank{.shared::cluster}.type rank, address */
bool ptx_decode_cluster(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	const struct ptx_operand *operands = parser->instruction.operands;
	const bool maps = !strcmp(parts->part[0], "mapa"),
		   spaced = parts->count == 3 && !strcmp(parts->part[1], "shared::cluster");
	const char *type = parts->part[parts->count - 1];
	if (parts->count != (spaced ? 3u : 2u) || (strcmp(type, "u32") != 0 && strcmp(type, "u64") != 0) ||
	    !ptx_operand_count(parser, maps ? 3 : 2))
		return ptx_unknown(parser);
	const char width = !strcmp(type, "u32") ? 'w' : 'l';
	const uint32_t address = ptx_source(parser, &operands[1], width);
	if (address == OPERAND_NONE || (maps && ptx_source(parser, &operands[2], 'w') == OPERAND_NONE))
		return false;
	const char own = maps ? width : 'w';
	const uint32_t x[2] = {ptx_destination(parser, &operands[0], own),
			       maps ? address : ptx_constant(parser, 'w', 0)};
	return ptx_emit_row(parser, own == 'w' ? "_zww" : "_zll", x, 2);
}
