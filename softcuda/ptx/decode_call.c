/* Calls, and the parameters of functions: in .param space, which is local memory, or in
 * registers, which such memory then carries from one frame into the other. */
#include "config.h"

#include "softcuda/exec/memory.h"
#include "softcuda/ptx/decode.h"

/* ld or st between a register and a place in the frame, guarded as the instruction is. */
static bool emit_move(struct ptx_parser *parser, bool load, char width, uint32_t x,
		      uint64_t offset_B)
{
	const struct ptx_symbol place = {.kind = SYMBOL_LOCAL, .offset_B = offset_B};
	const struct ptx_operand operand = {.kind = PTX_SYMBOL, .address = true, .symbol = &place};
	static const char *const rows[2][4] = {
		{"_st.2", "_st.4", "_st.8", "_st.16"}, {"_ld.2", "_ld.4", "_ld.8", "_ld.16"}
	};
	struct ptx_address address;
	if (!ptx_address_operand(parser, &operand, SPACE_LOCAL, &address))
		return false;
	const unsigned size = width == 'h' ? 0 : width == 'w' ? 1 : width == 'l' ? 2 : 3;
	struct op *op = ptx_emit(parser, exec_table_find(rows[load][size])->run);
	if (!op)
		return false;
	op->x[0] = x;
	op->x[MEMORY_ADDRESS] = address.x;
	op->space = SPACE_LOCAL;
	op->vector = 1;
	op->writes = load;
	op->reads = (uint8_t)(1u << MEMORY_ADDRESS | !load);
	return true;
}

static bool move_formals(struct ptx_parser *parser, bool results)
{
	const struct ptx_formal *formals = (const void *)parser->formals.data;
	for (size_t i = 0; i < parser->formals.size_B / sizeof(*formals); i++)
		if (formals[i].result == results &&
		    !emit_move(parser, !results, formals[i].width, formals[i].index,
			       formals[i].offset_B))
			return false;
	return true;
}

bool ptx_formals_load(struct ptx_parser *parser)
{
	parser->instruction = (struct ptx_instruction){
		.mnemonic = "ld.param", .line = parser->lexer.token.line, .guard = OPERAND_NONE
	};
	return move_formals(parser, false);
}

bool ptx_formals_store(struct ptx_parser *parser)
{
	return move_formals(parser, true);
}

/* How wide a value is that a call passes without a .param. */
static char value_width(const struct ptx_operand *value)
{
	return value->kind == PTX_REGISTER ? value->width :
	       (value->kind == PTX_FLOAT && value->single) || value->kind == PTX_SPECIAL ? 'w' : 'l';
}

static uint32_t width_B(char width)
{
	return width == 'h' ? 2 : width == 'w' ? 4 : width == 'l' ? 8 : 16;
}

/* Room in the frame for a value of a call; an argument is put there. */
static bool pass_value(struct ptx_parser *parser, const struct ptx_operand *value, bool result,
		       struct ptx_symbol *place_out)
{
	const char width = value_width(value);
	*place_out = (struct ptx_symbol){.kind = SYMBOL_LOCAL, .size_B = width_B(width)};
	if (width == 'p' || (result && value->kind != PTX_REGISTER && value->kind != PTX_SINK))
		return ptx_fail(parser, parser->instruction.line,
				"a call passes what is no value");
	if (!ptx_local(parser, place_out->size_B, width_B(width), &place_out->offset_B))
		return false;
	if (result)
		return true;
	const uint32_t x = ptx_source(parser, value, width);
	return x != OPERAND_NONE && emit_move(parser, false, width, x, place_out->offset_B);
}

static bool call_places(struct ptx_parser *parser, const struct ptx_operand *list,
			struct call_copy **copies_out, uint32_t *count_out, bool results)
{
	struct call_copy *copies = arena_take(parser->arena, list->count * sizeof(*copies));
	if (!copies)
		return ptx_fail_memory(parser);
	for (uint32_t i = 0; i < list->count; i++) {
		const struct ptx_operand *value = &list->elements[i];
		struct ptx_symbol place;
		copies[i].declared = value->kind == PTX_SYMBOL && value->symbol->kind == SYMBOL_LOCAL;
		if (copies[i].declared)
			place = *value->symbol;
		else if (!pass_value(parser, value, results, &place))
			return false;
		copies[i].size_B = (uint32_t)place.size_B;
		*(results ? &copies[i].to_B : &copies[i].from_B) = (uint32_t)place.offset_B;
	}
	*copies_out = copies;
	*count_out = list->count;
	return true;
}

/* Results that go to registers, once the call is over. */
static bool take_results(struct ptx_parser *parser, const struct ptx_operand *list,
			 const struct call_copy *copies)
{
	for (uint32_t i = 0; list && i < list->count; i++) {
		const struct ptx_operand *value = &list->elements[i];
		if (value->kind != PTX_REGISTER)
			continue;
		uint32_t to = ptx_destination(parser, value, value->width);
		if (to == OPERAND_NONE ||
		    !emit_move(parser, true, value->width, to, copies[i].to_B))
			return false;
	}
	return true;
}

static bool emit_call(struct ptx_parser *parser, const struct call_site *site, uint32_t target)
{
	struct op *op = ptx_emit(parser, exec_table_find(target == OPERAND_NONE ? "_call" :
							 "_call.indirect")->run);
	if (!op)
		return false;
	op->target = (uint32_t)(parser->sites.size_B / sizeof(*site));
	op->x[1] = target;
	op->reads = target == OPERAND_NONE ? 0 : 2;
	if (target != OPERAND_NONE)
		ptx_code(parser, parser->code)->calls_indirectly = true;
	bytes_append(&parser->sites, site, sizeof(*site));
	return bytes_failed(&parser->sites) ? ptx_fail_memory(parser) : true;
}

bool ptx_decode_call(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	const struct ptx_instruction *in = &parser->instruction;
	struct call_site site = {.callee = OPERAND_NONE};
	const struct ptx_operand *results = NULL;
	uint32_t i = 0, target = OPERAND_NONE;
	if (parts->count > 2 || (parts->count == 2 && strcmp(parts->part[1], "uni") != 0))
		return ptx_unknown(parser);
	if (i < in->count && in->operands[i].kind == PTX_VECTOR)
		results = &in->operands[i++];
	if (results && !call_places(parser, results, &site.results, &site.result_count, true))
		return false;
	if (i == in->count)
		return ptx_fail(parser, in->line, "call of nothing");
	const struct ptx_operand *callee = &in->operands[i++];
	if (callee->kind == PTX_SYMBOL && callee->symbol->kind == SYMBOL_FUNCTION)
		site.callee = callee->symbol->index;
	else if (callee->kind != PTX_REGISTER)
		return ptx_fail(parser, in->line, "call of the unknown function '%s'",
				callee->text ? callee->text : "");
	else if ((target = ptx_source(parser, callee, 'l')) == OPERAND_NONE)
		return false;
	if (i < in->count && in->operands[i].kind == PTX_VECTOR &&
	    !call_places(parser, &in->operands[i++], &site.arguments, &site.argument_count,
			 false))
		return false;
	/* What is left is a prototype or a list of targets. */
	if (i + 1 < in->count)
		return ptx_unknown(parser);
	return emit_call(parser, &site, target) && take_results(parser, results, site.results);
}
