/* Branches, the stack, barriers, fences, and what a warp does together. */
#include "config.h"

#include "softcuda/exec/barrier.h"
#include "softcuda/ptx/decode.h"

#include <stdio.h>
#include <string.h>

static bool emit_plain(struct ptx_parser *parser, const char *name)
{
	return ptx_emit(parser, exec_table_find(name)->run) != NULL;
}

static bool decode_bra(struct ptx_parser *parser)
{
	const struct ptx_operand *to = &parser->instruction.operands[0];
	if (!ptx_operand_count(parser, 1))
		return false;
	if (!to->text)
		return ptx_fail(parser, parser->instruction.line, "bra wants a label");
	struct ptx_fixup fixup = {
		.label = to->text, .label_size = (uint32_t)strlen(to->text),
		.depth = parser->depth, .op = ptx_op_count(parser),
		.line = parser->instruction.line
	};
	bytes_append(&parser->fixups, &fixup, sizeof(fixup));
	if (bytes_failed(&parser->fixups))
		return ptx_fail_memory(parser);
	return emit_plain(parser, "_bra");
}

static bool decode_brx(struct ptx_parser *parser)
{
	const struct ptx_operand *operands = parser->instruction.operands;
	if (!ptx_operand_count(parser, 2))
		return false;
	if (operands[1].kind != PTX_SYMBOL || operands[1].symbol->kind != SYMBOL_TABLE)
		return ptx_fail(parser, parser->instruction.line, "brx.idx wants .branchtargets");
	uint32_t index = ptx_source(parser, &operands[0], 'w');
	if (index == OPERAND_NONE)
		return false;
	struct op *op = ptx_emit(parser, exec_table_find("_brx")->run);
	if (!op)
		return false;
	op->x[1] = index;
	op->reads = 2;
	op->target = operands[1].symbol->index;
	return true;
}

bool ptx_decode_branch(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	const char *name = parts->part[0];
	bool uniform = parts->count > 1 && !strcmp(parts->part[parts->count - 1], "uni");
	unsigned count = parts->count - uniform;
	if (!strcmp(name, "brx"))
		return count == 2 && !strcmp(parts->part[1], "idx") ? decode_brx(parser) :
		       ptx_unknown(parser);
	/* Counts for a profiler, of which there is none. */
	if (!strcmp(name, "pmevent"))
		return (count == 1 || (count == 2 && !strcmp(parts->part[1], "mask"))) &&
		       parser->instruction.operands[0].kind == PTX_INTEGER ?
		       ptx_operand_count(parser, 1) && emit_plain(parser, "_nop") :
		       ptx_unknown(parser);
	if (!strcmp(name, "nanosleep"))
		return count == 2 ? emit_plain(parser, "_nop") : ptx_unknown(parser);
	if (count != 1)
		return ptx_unknown(parser);
	if (!strcmp(name, "bra"))
		return decode_bra(parser);
	if (!ptx_operand_count(parser, 0))
		return false;
	if (!strcmp(name, "ret"))
		return ptx_formals_store(parser) && emit_plain(parser, "_ret");
	if (!strcmp(name, "exit"))
		return emit_plain(parser, "_exit");
	return emit_plain(parser, "_trap");
}

/* stacksave d; stackrestore a; alloca d, size [, alignment] */
bool ptx_decode_stack(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	const struct ptx_operand *operands = parser->instruction.operands;
	const uint32_t count = parser->instruction.count;
	const bool saves = !strcmp(parts->part[0], "stacksave");
	const bool takes = !strcmp(parts->part[0], "alloca");
	uint64_t align_B = 8;             /* "the minimum guaranteed alignment" */
	if (parts->count != 2 || (strcmp(parts->part[1], "u32") != 0 &&
				  strcmp(parts->part[1], "u64") != 0))
		return ptx_unknown(parser);
	if (takes && count == 3 && operands[2].kind == PTX_INTEGER)
		align_B = operands[2].value > align_B ? operands[2].value : align_B;
	else if (!ptx_operand_count(parser, takes ? 2 : 1))
		return false;
	if (align_B > 1 << 23 || (align_B & (align_B - 1)))
		return ptx_fail(parser, parser->instruction.line, "bad alignment");
	const char width = parts->part[1][1] == '3' ? 'w' : 'l';
	uint32_t to = saves || takes ? ptx_destination(parser, &operands[0], width) : 0;
	uint32_t from = saves ? 0 : ptx_source(parser, &operands[takes], width);
	if (to == OPERAND_NONE || from == OPERAND_NONE)
		return false;
	struct op *op = ptx_emit(parser, exec_table_find(saves ? "_stack.save" : takes ?
						"_stack.alloca" : "_stack.restore")->run);
	if (!op)
		return false;
	op->x[0] = saves || takes ? to : OPERAND_NONE;
	op->x[1] = saves ? OPERAND_NONE : from;
	op->writes = saves || takes;
	op->reads = saves ? 0 : 2;
	op->address_32 = width == 'w';
	op->imm = (int64_t)align_B;
	ptx_code(parser, parser->code)->moves_stack = true;
	return true;
}

/* bar[.cta].{sync,arrive,red}..., and barrier the same: [d,] a [, b] [, [!]c] */
static bool decode_bar(struct ptx_parser *parser, const char *verb, const char *operation)
{
	const struct ptx_operand *operands = parser->instruction.operands;
	uint32_t count = parser->instruction.count, next = 0;
	uint32_t x[4] = {OPERAND_NONE, OPERAND_NONE, OPERAND_NONE, OPERAND_NONE};
	bool reduces = !strcmp(verb, "red");
	enum barrier_mode mode = !strcmp(verb, "sync") ? BARRIER_SYNC :
				 !strcmp(verb, "arrive") ? BARRIER_ARRIVE :
				 !strcmp(operation, "popc") ? BARRIER_POPC :
				 !strcmp(operation, "and") ? BARRIER_AND : BARRIER_OR;
	uint32_t least = mode == BARRIER_SYNC ? 1 : mode == BARRIER_ARRIVE ? 2 : 3;
	if (count < least || count > (reduces ? 4u : 2u))
		return ptx_fail(parser, parser->instruction.line, "'%s' has %u operands",
				parser->instruction.mnemonic, count);
	uint8_t reads = 2;
	if (reduces)
		x[0] = ptx_destination(parser, &operands[next++],
				       mode == BARRIER_POPC ? 'w' : 'p');
	x[1] = ptx_source(parser, &operands[next++], 'w');
	if (next < count - reduces) {
		x[2] = ptx_source(parser, &operands[next++], 'w');
		reads |= 4;
	}
	if (reduces) {
		x[3] = ptx_source(parser, &operands[next], 'p');
		reads |= 8;
	}
	for (unsigned i = 0; i < 4; i++)
		if ((reads >> i & 1) && x[i] == OPERAND_NONE)
			return false;
	struct op *op = ptx_emit(parser, exec_table_find("_bar")->run);
	if (!op || parser->error)
		return false;
	memcpy(op->x, x, sizeof(x));
	op->mode = (uint8_t)mode;
	op->writes = reduces;
	op->reads = reads;
	return true;
}

static bool decode_warp_barrier(struct ptx_parser *parser)
{
	if (!ptx_operand_count(parser, 1))
		return false;
	uint32_t mask = ptx_source(parser, &parser->instruction.operands[0], 'w');
	if (mask == OPERAND_NONE)
		return false;
	struct op *op = ptx_emit(parser, exec_table_find("_bar.warp")->run);
	if (!op)
		return false;
	op->x[1] = mask;
	op->reads = 2;
	return true;
}

static bool decode_fence(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	static const char *const known[] = {"sc", "acq_rel", "acquire", "release", "cta", "gpu",
					    "gl", "sys", "cluster", "proxy", "alias", "async",
					    "global", "shared::cta", "mbarrier_init"};
	bool narrow = false;
	for (unsigned i = 1; i < parts->count; i++) {
		bool found = false;
		narrow |= !strcmp(parts->part[i], "cta");
		for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
			found |= !strcmp(known[k], parts->part[i]);
		if (!found)
			return ptx_unknown(parser);
	}
	if (parts->count < 2 || !ptx_operand_count(parser, 0))
		return ptx_unknown(parser);
	struct op *op = ptx_emit(parser, exec_table_find("_fence")->run);
	if (op)
		op->narrow = narrow;
	return op != NULL;
}

/* barrier.cluster.arrive{.sem}{.aligned} and barrier.cluster.wait{.acquire}{.aligned}.  A cluster has one work-group.
 * The wait is a barrier of the work-group; PTX lets it go on when all have arrived. */
static bool decode_cluster_barrier(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	const bool waits = parts->count > 2 && !strcmp(parts->part[2], "wait");
	const bool arrives = parts->count > 2 && !strcmp(parts->part[2], "arrive");
	for (unsigned i = 3; i < parts->count; i++)
		if (strcmp(parts->part[i], "aligned") != 0 &&
		    strcmp(parts->part[i], waits ? "acquire" : "release") != 0 &&
		    !(arrives && !strcmp(parts->part[i], "relaxed")))
			return ptx_unknown(parser);
	if ((!waits && !arrives) || !ptx_operand_count(parser, 0))
		return ptx_unknown(parser);
	const uint32_t number = ptx_constant(parser, 'w', BARRIER_OF_CLUSTER);
	struct op *op = number == OPERAND_NONE ? NULL
					       : ptx_emit(parser, exec_table_find(waits ? "_bar" : "_fence")->run);
	if (!op || arrives)
		return op != NULL;
	op->x[1] = number;
	op->mode = BARRIER_SYNC;
	op->reads = 2;
	op->imm = 1;
	return true;
}

bool ptx_decode_barrier(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	if (!strcmp(parts->part[0], "barrier") && parts->count > 1 && !strcmp(parts->part[1], "cluster"))
		return decode_cluster_barrier(parser, parts);
	unsigned i = 1;
	if (!strcmp(parts->part[0], "membar") || !strcmp(parts->part[0], "fence"))
		return decode_fence(parser, parts);
	if (i < parts->count && !strcmp(parts->part[i], "warp"))
		return parts->count == 3 && !strcmp(parts->part[2], "sync") ?
		       decode_warp_barrier(parser) : ptx_unknown(parser);
	if (i < parts->count && !strcmp(parts->part[i], "cta"))
		i++;
	if (i == parts->count)
		return ptx_unknown(parser);
	const char *verb = parts->part[i++], *operation = "", *type = "";
	bool reduces = !strcmp(verb, "red");
	if (!reduces && strcmp(verb, "sync") != 0 && strcmp(verb, "arrive") != 0)
		return ptx_unknown(parser);
	if (reduces && i < parts->count)
		operation = parts->part[i++];
	if (i < parts->count && !strcmp(parts->part[i], "aligned"))
		i++;
	if (reduces && i < parts->count)
		type = parts->part[i++];
	bool popc = !strcmp(operation, "popc") && !strcmp(type, "u32");
	bool logic = (!strcmp(operation, "and") || !strcmp(operation, "or")) &&
		     !strcmp(type, "pred");
	if (i != parts->count || (reduces && !popc && !logic))
		return ptx_unknown(parser);
	return decode_bar(parser, verb, operation);
}

/* The operands of the warp's common instructions, as their rows' shapes say; a
 * second destination (d|p) goes to x[5]. */
bool ptx_decode_warp(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	const struct ptx_instruction *in = &parser->instruction;
	char name[PTX_MNEMONIC + 1];
	uint32_t x[OP_OPERANDS];
	(void)parts;
	snprintf(name, sizeof(name), "_%s", in->mnemonic);
	const struct op_row *row = exec_table_find(name);
	if (!row)
		return ptx_unknown(parser);
	uint32_t count = (uint32_t)strlen(row->shape);
	if (!ptx_operand_count(parser, count))
		return false;
	x[0] = ptx_destination(parser, &in->operands[0], row->shape[0]);
	for (uint32_t i = 1; i < count; i++)
		if ((x[i] = ptx_source(parser, &in->operands[i], row->shape[i])) == OPERAND_NONE)
			return false;
	uint32_t second = in->operands[0].pair ?
			  ptx_destination(parser, in->operands[0].pair, 'p') : OPERAND_NONE;
	if (x[0] == OPERAND_NONE || parser->error)
		return false;
	struct op *op = ptx_emit(parser, row->run);
	if (!op)
		return false;
	for (uint32_t i = 0; i < count; i++)
		op->x[i] = x[i];
	op->x[5] = second;
	op->writes = (uint8_t)(1 | (second != OPERAND_NONE ? 1u << 5 : 0));
	op->reads = (uint8_t)((1u << count) - 2);
	return true;
}
