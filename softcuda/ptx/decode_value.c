/* mov, setp, set, cvt, cvta, isspacep: what moves, compares and converts. */
#include "config.h"

#include "softcuda/exec/convert.h"
#include "softcuda/ptx/decode.h"

#include <stdio.h>
#include <string.h>

static bool decode_pack(struct ptx_parser *parser, const struct ptx_type *type,
			const struct ptx_operand *vector)
{
	struct ptx_instruction *in = &parser->instruction;
	uint32_t operands[5];
	char name[32];
	if (vector->count > 4 || vector->count < 2)
		return ptx_unknown(parser);
	char part = ptx_register_width(type->size_B / vector->count);
	for (uint32_t i = 0; i < vector->count; i++)
		operands[1 + i] = ptx_source(parser, &vector->elements[i], part);
	operands[0] = ptx_destination(parser, &in->operands[0], type->width);
	snprintf(name, sizeof(name), "_pack.%u.%u", type->size_B * 8u, vector->count);
	return ptx_emit_row(parser, name, operands, vector->count + 1);
}

static bool decode_unpack(struct ptx_parser *parser, const struct ptx_type *type,
			  const struct ptx_operand *vector)
{
	uint32_t operands[2];
	if (!vector->count)
		return ptx_unknown(parser);
	char part = ptx_register_width(type->size_B / vector->count);
	operands[1] = ptx_source(parser, &parser->instruction.operands[1], type->width);
	for (uint32_t i = 0; i < vector->count; i++) {
		char name[32];
		if (vector->elements[i].kind == PTX_SINK)
			continue;
		operands[0] = ptx_destination(parser, &vector->elements[i], part);
		snprintf(name, sizeof(name), "_unpack.%u.%u.%u", type->size_B * 8u,
			 vector->count, i);
		if (!ptx_emit_row(parser, name, operands, 2))
			return false;
	}
	return true;
}

/* mov.v4.u32 of %tid and its like, whose fourth element is 0, or between vectors. */
static bool decode_elements(struct ptx_parser *parser, const struct ptx_type *type, uint32_t count)
{
	static const char *const names[] = {"x", "y", "z"};
	const struct ptx_operand *to = &parser->instruction.operands[0];
	const struct ptx_operand *from = &parser->instruction.operands[1];
	uint32_t value[4];
	if (to->kind != PTX_VECTOR || to->count != count ||
	    (from->kind == PTX_VECTOR ? from->count != count :
	     from->kind != PTX_SPECIAL || count != 4 || strcmp(type->name, "u32") != 0))
		return ptx_unknown(parser);
	for (uint32_t i = 0; i < count; i++) {
		struct ptx_operand element = {.kind = PTX_INTEGER};
		char name[32];
		if (from->kind == PTX_VECTOR) {
			element = from->elements[i];
		} else if (i < 3) {
			snprintf(name, sizeof(name), "%.24s.%s", from->text, names[i]);
			element = (struct ptx_operand){.kind = PTX_SPECIAL, .text = name};
		}
		value[i] = ptx_source(parser, &element, type->width);
	}
	/* Each is moved aside first: one may be another's destination. */
	char move[] = {'_', 'z', type->width, type->width, '\0'};
	for (uint32_t i = 0; i < count; i++) {
		uint32_t both[2] = {ptx_temporary(parser, type->width), value[i]};
		value[i] = both[0];
		if (!ptx_emit_row(parser, move, both, 2))
			return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t both[2] = {ptx_destination(parser, &to->elements[i], type->width),
				    value[i]};
		if (!ptx_emit_row(parser, move, both, 2))
			return false;
	}
	return true;
}

/* Whether there is a special register of that name and width, which an op can put where mov wants it. */
static bool is_special(const char *name, char width)
{
	const struct op_row *row = exec_table_find(name);
	return row && row->shape[0] == width && !row->shape[1];
}

bool ptx_decode_mov(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	const struct ptx_instruction *in = &parser->instruction;
	uint32_t operands[2];
	if (parts->count == 3 && in->count == 2 &&
	    (!strcmp(parts->part[1], "v2") || !strcmp(parts->part[1], "v4"))) {
		const struct ptx_type *element = ptx_type_find(parts->part[2]);
		return element ? decode_elements(parser, element,
						 (uint32_t)(parts->part[1][1] - '0')) :
		       ptx_unknown(parser);
	}
	if (parts->count != 2 || !ptx_operand_count(parser, 2))
		return ptx_unknown(parser);
	const struct ptx_type *type = ptx_type_find(parts->part[1]);
	if (!type && strcmp(parts->part[1], "pred") != 0)
		return ptx_unknown(parser);
	if (type && in->operands[1].kind == PTX_VECTOR)
		return decode_pack(parser, type, &in->operands[1]);
	if (type && in->operands[0].kind == PTX_VECTOR)
		return decode_unpack(parser, type, &in->operands[0]);
	char width = type ? type->width : 'p';
	char name[] = {'_', 'z', width, width, '\0'};
	if (in->operands[1].kind == PTX_SPECIAL && is_special(in->operands[1].text, width)) {
		operands[0] = ptx_destination(parser, &in->operands[0], width);
		return ptx_emit_row(parser, in->operands[1].text, operands, 1);
	}
	operands[1] = ptx_source(parser, &in->operands[1], width);
	operands[0] = ptx_destination(parser, &in->operands[0], width);
	return ptx_emit_row(parser, name, operands, 2);
}

struct comparison {
	char name[32];            /* of the row */
	const char *boolean;      /* "and", "or", "xor" or NULL */
	const struct ptx_type *type, *result;
};

static bool is_boolean(const char *part)
{
	return !strcmp(part, "and") || !strcmp(part, "or") || !strcmp(part, "xor");
}

/* setp.<cmp>[.<bool>][.ftz].<type>; set.<cmp>[.<bool>][.ftz].<dtype>.<stype> */
static bool parse_comparison(struct ptx_parser *parser, const struct ptx_parts *parts,
			     struct comparison *comparison)
{
	unsigned i = 1, types = !strcmp(parts->part[0], "set") ? 2 : 1;
	bool ftz = false;
	if (parts->count < 2 + types)
		return ptx_unknown(parser);
	const char *compare = parts->part[i++];
	if (is_boolean(parts->part[i]))
		comparison->boolean = parts->part[i++];
	if (!strcmp(parts->part[i], "ftz")) {
		ftz = true;
		i++;
	}
	if (i + types != parts->count)
		return ptx_unknown(parser);
	if (types == 2 && !(comparison->result = ptx_type_find(parts->part[i++])))
		return ptx_unknown(parser);
	if (!(comparison->type = ptx_type_find(parts->part[i])))
		return ptx_unknown(parser);
	snprintf(comparison->name, sizeof(comparison->name), "_cmp.%.8s%s.%s", compare,
		 ftz ? ".ftz" : "", comparison->type->name);
	return true;
}

/* value, or value <bool> c, into to. */
static bool combine(struct ptx_parser *parser, const struct comparison *comparison, uint32_t to,
		    uint32_t value, uint32_t c)
{
	char name[16];
	if (!comparison->boolean)
		return ptx_emit_row(parser, "_zpp", (uint32_t[]){to, value}, 2);
	snprintf(name, sizeof(name), "%s.pred", comparison->boolean);
	return ptx_emit_row(parser, name, (uint32_t[]){to, value, c}, 3);
}

/* f16x2, the low or the high half: compared, and combined with c, into to. */
static bool compare_half(struct ptx_parser *parser, const struct comparison *comparison,
			 const uint32_t *operands, uint32_t c, unsigned high, uint32_t to)
{
	char name[48];
	uint32_t value[3] = {ptx_temporary(parser, 'p'), operands[1], operands[2]};
	snprintf(name, sizeof(name), "%s.%u", comparison->name, high);
	return ptx_emit_row(parser, name, value, 3) &&
	       combine(parser, comparison, to, value[0], c);
}

/* setp: p is of the low halves, q of the high ones.  set: both in one register,
 * 1.0 or all ones each. */
static bool compare_halves(struct ptx_parser *parser, const struct comparison *comparison,
			   const uint32_t *operands, uint32_t c)
{
	const struct ptx_operand *to = &parser->instruction.operands[0];
	uint32_t one = !comparison->result ? 0 : comparison->result->kind == 'x' ? 0x3c00 :
		       comparison->result->kind == 'y' ? 0x3f80 : 0xffff;
	uint32_t half[3];
	if (comparison->result && comparison->result->width != 'w')
		return ptx_unknown(parser);
	for (unsigned i = 0; i < 2; i++) {
		const struct ptx_operand *place = i ? to->pair : to;
		bool set = comparison->result != NULL;
		if (!set && !place)
			continue;
		uint32_t predicate = set ? ptx_temporary(parser, 'p') :
				     ptx_destination(parser, place, 'p');
		if (!compare_half(parser, comparison, operands, c, i, predicate))
			return false;
		uint32_t choice[4] = {half[1 + i] = ptx_temporary(parser, 'w'),
				      ptx_constant(parser, 'w', (uint64_t)one << 16 * i),
				      ptx_constant(parser, 'w', 0), predicate};
		if (set && !ptx_emit_row(parser, "selp.b32", choice, 4))
			return false;
	}
	half[0] = comparison->result ? ptx_destination(parser, to, 'w') : OPERAND_NONE;
	return comparison->result ? ptx_emit_row(parser, "or.b32", half, 3) : true;
}

static bool set_result(struct ptx_parser *parser, const struct ptx_type *result,
		       uint32_t predicate)
{
	uint64_t one = result->kind == 'f' ? 0x3f800000 : result->kind == 'h' ? 0x3c00 :
		       result->kind == 'B' ? 0x3f80 : 0xffffffff;
	if (result->width != 'w' && result->width != 'h')
		return ptx_unknown(parser);
	uint32_t operands[4] = {
		ptx_destination(parser, &parser->instruction.operands[0], result->width),
		ptx_constant(parser, result->width, one),
		ptx_constant(parser, result->width, 0), predicate
	};
	return ptx_emit_row(parser, result->width == 'w' ? "selp.b32" : "selp.b16", operands, 4);
}

bool ptx_decode_compare(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	const struct ptx_operand *operands = parser->instruction.operands;
	struct comparison comparison = {0};
	uint32_t c = OPERAND_NONE;
	if (!parse_comparison(parser, parts, &comparison) ||
	    !ptx_operand_count(parser, comparison.boolean ? 4 : 3))
		return false;
	char width = comparison.type->width;
	uint32_t value[3] = {OPERAND_NONE, ptx_source(parser, &operands[1], width),
			     ptx_source(parser, &operands[2], width)};
	if (comparison.boolean)
		c = ptx_source(parser, &operands[3], 'p');
	if (comparison.type->kind == 'x' || comparison.type->kind == 'y')
		return compare_halves(parser, &comparison, value, c);
	if (!comparison.boolean && !comparison.result && !operands[0].pair) {
		value[0] = ptx_destination(parser, &operands[0], 'p');
		return ptx_emit_row(parser, comparison.name, value, 3);
	}
	value[0] = ptx_temporary(parser, 'p');
	if (!ptx_emit_row(parser, comparison.name, value, 3))
		return false;
	uint32_t other = ptx_temporary(parser, 'p');
	if (operands[0].pair &&
	    !ptx_emit_row(parser, "not.pred", (uint32_t[]){other, value[0]}, 2))
		return false;
	uint32_t to = comparison.result ? ptx_temporary(parser, 'p') :
		      ptx_destination(parser, &operands[0], 'p');
	/* c may be the register that p goes to: q first needs c as it was. */
	uint32_t first = operands[0].pair ? ptx_temporary(parser, 'p') : to;
	if (!combine(parser, &comparison, first, value[0], c))
		return false;
	if (operands[0].pair) {
		uint32_t second = ptx_destination(parser, operands[0].pair, 'p');
		if (!combine(parser, &comparison, second, other, c) ||
		    !ptx_emit_row(parser, "_zpp", (uint32_t[]){to, first}, 2))
			return false;
	}
	return comparison.result ? set_result(parser, comparison.result, to) : true;
}

static bool parse_conversion(struct ptx_parser *parser, const struct ptx_parts *parts,
			     uint8_t *mode_out)
{
	static const struct { const char *name; uint8_t mode; } modifiers[] = {
		{"rn", CONVERT_RN}, {"rz", CONVERT_RZ}, {"rm", CONVERT_RM}, {"rp", CONVERT_RP},
		{"rni", CONVERT_RN | CONVERT_INTEGRAL}, {"rzi", CONVERT_RZ | CONVERT_INTEGRAL},
		{"rmi", CONVERT_RM | CONVERT_INTEGRAL}, {"rpi", CONVERT_RP | CONVERT_INTEGRAL},
		{"ftz", CONVERT_FTZ}, {"sat", CONVERT_SAT}, {"relu", CONVERT_RELU},
		{"rna", CONVERT_RNA}, {"satfinite", CONVERT_SATFINITE}
	};
	uint8_t mode = 0;
	for (unsigned i = 1; i + 2 < parts->count; i++) {
		bool known = false;
		for (size_t m = 0; m < sizeof(modifiers) / sizeof(modifiers[0]); m++) {
			if (!strcmp(parts->part[i], modifiers[m].name)) {
				mode |= modifiers[m].mode;
				known = true;
			}
		}
		if (!known)
			return ptx_unknown(parser);
	}
	*mode_out = mode;
	return true;
}

/* What a plain .b type means to a conversion. */
static const char *conversion_name(const struct ptx_type *type)
{
	return type->kind != 'b' ? type->name : type->size_B == 1 ? "u8" :
	       type->size_B == 2 ? "u16" : type->size_B == 4 ? "u32" : "u64";
}

/* cvt.pack.sat.TYPE.s32 d, a, b; of 8 bits and fewer with .b32 and c. */
static bool decode_packing(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	const struct ptx_operand *operands = parser->instruction.operands;
	const char *type = parts->count > 4 ? parts->part[3] : "";
	static const struct { const char *name; unsigned bits; } types[] = {
		{"2", 2}, {"4", 4}, {"8", 8}, {"16", 16}
	};
	unsigned bits = 0;
	for (size_t i = 0; *type && i < sizeof(types) / sizeof(types[0]); i++)
		bits = !strcmp(types[i].name, type + 1) ? types[i].bits : bits;
	const bool third = bits != 16;
	if (!bits || (type[0] != 's' && type[0] != 'u') || parts->count != 5u + third ||
	    strcmp(parts->part[2], "sat") != 0 || strcmp(parts->part[4], "s32") != 0 ||
	    (third && strcmp(parts->part[5], "b32") != 0))
		return ptx_unknown(parser);
	if (!ptx_operand_count(parser, 3u + third))
		return false;
	uint32_t x[4] = {ptx_destination(parser, &operands[0], 'w'),
			 ptx_source(parser, &operands[1], 'w'),
			 ptx_source(parser, &operands[2], 'w'), OPERAND_NONE};
	x[3] = third ? ptx_source(parser, &operands[3], 'w') : ptx_constant(parser, 'w', 0);
	if (!ptx_emit_row(parser, "_cvt.pack", x, 4))
		return false;
	((struct op *)(void *)(parser->ops.data + parser->ops.size_B))[-1].imm =
		bits | (type[0] == 's' ? PACK_SIGNED : 0);
	return true;
}

/* lop3.or.b32 and lop3.and.b32 d|p, a, b, c, table, q: p is whether d is not zero,
 * together with q. */
bool ptx_decode_logic(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	const struct ptx_operand *operands = parser->instruction.operands;
	uint32_t x[5], test[3], both[3];
	char name[16];
	const bool combines = parts->count == 3;
	if (parts->count < 2 || parts->count > 3 ||
	    strcmp(parts->part[parts->count - 1], "b32") != 0 ||
	    (combines && strcmp(parts->part[1], "or") != 0 && strcmp(parts->part[1], "and") != 0))
		return ptx_unknown(parser);
	if (!ptx_operand_count(parser, 5u + combines))
		return false;
	if (combines != (operands[0].pair != NULL))
		return ptx_unknown(parser);
	if (operands[4].kind != PTX_INTEGER)
		return ptx_fail(parser, parser->instruction.line, "lop3 wants a constant as its table");
	x[0] = ptx_destination(parser, &operands[0], 'w');
	for (unsigned i = 1; i < 5; i++)
		x[i] = ptx_source(parser, &operands[i], 'w');
	if (!combines)
		return ptx_emit_row(parser, "lop3.b32", x, 5);
	both[2] = ptx_source(parser, &operands[5], 'p');
	test[0] = both[1] = ptx_temporary(parser, 'p');
	test[1] = x[0];
	test[2] = ptx_constant(parser, 'w', 0);
	both[0] = ptx_destination(parser, operands[0].pair, 'p');
	snprintf(name, sizeof(name), "%s.pred", parts->part[1]);
	return ptx_emit_row(parser, "lop3.b32", x, 5) &&
	       ptx_emit_row(parser, "_cmp.ne.u32", test, 3) &&
	       ptx_emit_row(parser, name, both, 3);
}

bool ptx_decode_convert(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	const struct ptx_operand *operands = parser->instruction.operands;
	uint8_t mode = 0;
	char name[48];
	if (parts->count > 1 && !strcmp(parts->part[1], "pack"))
		return decode_packing(parser, parts);
	if (parts->count < 3)
		return ptx_unknown(parser);
	const struct ptx_type *to = ptx_type_find(parts->part[parts->count - 2]);
	const struct ptx_type *from = ptx_type_find(parts->part[parts->count - 1]);
	if (!to || !from || to->width == 'q' || from->width == 'q' ||
	    !parse_conversion(parser, parts, &mode))
		return ptx_unknown(parser);
	bool small = to->kind == 'm', finite = mode & CONVERT_SATFINITE;
	bool away = (mode & CONVERT_ROUNDING) == CONVERT_RNA;
	const bool bounded = to->width != 'l' && strchr("thBxy", to->kind) && from->kind == 'f' &&
			     from->size_B == 4;
	if ((finite ? !small && !bounded : small) || (away && to->kind != 't'))
		return ptx_unknown(parser);
	bool paired = (small || to->kind == 'x' || to->kind == 'y') && from->kind == 'f';
	if (!ptx_operand_count(parser, paired ? 3 : 2))
		return false;
	snprintf(name, sizeof(name), "_cvt.%s.%s", conversion_name(to), conversion_name(from));
	uint32_t x[3] = {ptx_destination_loose(parser, &operands[0], to->width),
			 ptx_source_loose(parser, &operands[1], from->width), OPERAND_NONE};
	if (paired)
		x[2] = ptx_source_loose(parser, &operands[2], from->width);
	if (!ptx_emit_row(parser, name, x, paired ? 3 : 2))
		return false;
	((struct op *)(void *)(parser->ops.data + parser->ops.size_B))[-1].mode = mode;
	return ptx_extend(parser, &operands[0], to->width, to->kind == 's', x[0]);
}

bool ptx_decode_cvta(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	const struct ptx_operand *operands = parser->instruction.operands;
	bool to = parts->count > 2 && !strcmp(parts->part[1], "to");
	char name[32];
	if (parts->count != (to ? 4u : 3u) || strcmp(parts->part[parts->count - 1], "u64") != 0 ||
	    !ptx_operand_count(parser, 2))
		return ptx_unknown(parser);
	const char *space = parts->part[to ? 2 : 1];
	if (!strcmp(space, "shared::cta"))
		space = "shared";
	if (!strcmp(space, "param::entry"))
		space = "param";
	if (!strcmp(space, "global") || !strcmp(space, "const"))
		snprintf(name, sizeof(name), "_zll");
	else if (!strcmp(space, "param") && !ptx_code(parser, parser->code)->entry)
		snprintf(name, sizeof(name), "_cvta.%s%s", to ? "to." : "", "local");
	else
		snprintf(name, sizeof(name), "_cvta.%s%.12s", to ? "to." : "", space);
	uint32_t x[2] = {ptx_destination(parser, &operands[0], 'l'),
			 ptx_source(parser, &operands[1], 'l')};
	return ptx_emit_row(parser, name, x, 2);
}

bool ptx_decode_isspacep(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	const struct ptx_operand *operands = parser->instruction.operands;
	char name[32];
	if (parts->count != 2 || !ptx_operand_count(parser, 2))
		return ptx_unknown(parser);
	snprintf(name, sizeof(name), "_isspacep.%.16s", parts->part[1]);
	uint32_t x[2] = {ptx_destination(parser, &operands[0], 'p'),
			 ptx_source(parser, &operands[1], 'l')};
	return ptx_emit_row(parser, name, x, 2);
}
