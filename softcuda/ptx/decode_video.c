/* The video instructions: v<verb> of one value, v<verb>2 and v<verb>4 of several. */
#include "config.h"

#include "softcuda/exec/video.h"
#include "softcuda/ptx/decode.h"

#include <string.h>

static const struct verb {
	const char *name;
	enum video_operation operation;
	bool single, several;
} verbs[] = {
	{"vadd", VIDEO_ADD, true, true}, {"vsub", VIDEO_SUB, true, true},
	{"vabsdiff", VIDEO_DIFFERENCE, true, true}, {"vmin", VIDEO_MIN, true, true},
	{"vmax", VIDEO_MAX, true, true}, {"vset", VIDEO_EQ, true, true},
	{"vavrg", VIDEO_AVERAGE, false, true}, {"vshl", VIDEO_SHL, true, false},
	{"vshr", VIDEO_SHR, true, false}, {"vmad", VIDEO_ADD, true, false}
};

/* several_out: 1, 2 or 4 values. */
static const struct verb *find_verb(const char *text, unsigned *several_out)
{
	const size_t size = strlen(text);
	const char last = size ? text[size - 1] : '\0';
	const bool several = last == '2' || last == '4';
	*several_out = several ? (unsigned)(last - '0') : 1;
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strlen(verbs[i].name) == size - several &&
		    !memcmp(verbs[i].name, text, size - several) &&
		    (several ? verbs[i].several : verbs[i].single))
			return &verbs[i];
	return NULL;
}

bool ptx_is_video(const char *verb)
{
	unsigned several;
	return find_verb(verb, &several);
}

static bool find_comparison(const char *text, uint64_t *what)
{
	static const char *const names[] = {"eq", "ne", "lt", "le", "gt", "ge"};
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], text) != 0)
			continue;
		*what |= VIDEO_EQ + i;
		return true;
	}
	return false;
}

/* What follows the types; all of it must be known and come once. */
static bool parse_modifier(const struct verb *verb, const char *text, bool single, uint64_t *what)
{
	const bool sets = verb->operation == VIDEO_EQ;
	const bool shifts = verb->operation == VIDEO_SHL || verb->operation == VIDEO_SHR;
	const struct {
		const char *name;
		uint64_t flag;
		bool allowed;
	} modifiers[] = {
		{"sat", VIDEO_SATURATES, !sets},
		{"add", VIDEO_ADDS, true},
		{"min", VIDEO_TAKES_LESS, single},
		{"max", VIDEO_TAKES_MORE, single},
		{"wrap", VIDEO_WRAPS, shifts},
		{"clamp", 0, shifts}
	};
	for (size_t i = 0; i < sizeof(modifiers) / sizeof(modifiers[0]); i++) {
		if (!modifiers[i].allowed || strcmp(modifiers[i].name, text) != 0 ||
		    (*what & modifiers[i].flag))
			continue;
		*what |= modifiers[i].flag;
		return true;
	}
	return false;
}

/* .dtype.atype.btype, of vset .atype.btype and the comparison; then modifiers. */
static bool parse_parts(const struct verb *verb, const struct ptx_parts *parts, bool single,
			uint64_t *what)
{
	static const unsigned signs[] = {VIDEO_SIGNED, VIDEO_SIGNED_A, VIDEO_SIGNED_B};
	const bool sets = verb->operation == VIDEO_EQ;
	if (parts->count < 4)
		return false;
	for (unsigned i = sets; i < 3; i++) {
		const char *type = parts->part[i + !sets];
		if (strcmp(type, "s32") != 0 && strcmp(type, "u32") != 0)
			return false;
		*what |= type[0] == 's' ? signs[i] : 0;
	}
	if (!sets)
		*what |= verb->operation;
	else if (!find_comparison(parts->part[3], what))
		return false;
	unsigned modes = 0;
	for (unsigned i = 4; i < parts->count; i++) {
		if (!parse_modifier(verb, parts->part[i], single, what))
			return false;
		modes += !strcmp(parts->part[i], "wrap") || !strcmp(parts->part[i], "clamp");
	}
	return modes == (verb->operation == VIDEO_SHL || verb->operation == VIDEO_SHR);
}

/* The operand as if it were whole, and its part as enum video_part has it. */
static bool take_part(struct ptx_operand *operand, uint64_t *part_out)
{
	const char *part = operand->part;
	operand->part = NULL;
	*part_out = 0;
	if (!part)
		return true;
	*part_out = (part[0] == 'b' ? 1u : 5u) + (unsigned)(part[1] - '0');
	return !part[2] && part[1] < (part[0] == 'b' ? '4' : '2');
}

static bool emit(struct ptx_parser *parser, const char *row, const struct ptx_operand *operands,
		 unsigned count, uint64_t what)
{
	uint32_t x[4] = {ptx_destination(parser, &operands[0], 'w'), OPERAND_NONE, OPERAND_NONE,
			 ptx_constant(parser, 'w', 0)};
	for (unsigned i = 1; i < count; i++)
		x[i] = ptx_source(parser, &operands[i], 'w');
	if (!ptx_emit_row(parser, row, x, 4))
		return false;
	((struct op *)(void *)(parser->ops.data + parser->ops.size_B))[-1].imm = (int64_t)what;
	return true;
}

/* d, a, b; with a second operation or a part of d that is written: d, a, b, c */
static bool decode_one(struct ptx_parser *parser, uint64_t what)
{
	struct ptx_operand operands[4];
	const uint32_t count = parser->instruction.count;
	const uint64_t second = what & (VIDEO_ADDS | VIDEO_TAKES_LESS | VIDEO_TAKES_MORE);
	uint64_t d, a, b;
	if (count < 3 || count > 4)
		return ptx_operand_count(parser, 4);
	memcpy(operands, parser->instruction.operands, sizeof(operands));
	if (!take_part(&operands[0], &d) || !take_part(&operands[1], &a) ||
	    !take_part(&operands[2], &b) || (d && second) || (second & (second - 1)) ||
	    (count == 4) != (d || second))
		return ptx_unknown(parser);
	what |= a << VIDEO_PART_A | b << VIDEO_PART_B | d << VIDEO_PART_D;
	return emit(parser, "_video.one", operands, count, what);
}

/* vmad.dtype.atype.btype[.po][.sat][.shr7|.shr15] d, [-]a, [-]b, [-]c */
static bool decode_mad(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	struct ptx_operand operands[4];
	uint64_t what = 0, a, b;
	struct ptx_parts types = *parts;
	types.count = 4;
	if (!ptx_operand_count(parser, 4) || !parse_parts(&verbs[0], &types, true, &what))
		return ptx_unknown(parser);
	what &= VIDEO_SIGNED_A | VIDEO_SIGNED_B;
	for (unsigned i = 4; i < parts->count; i++) {
		const char *text = parts->part[i];
		uint64_t flag = !strcmp(text, "po") ? VIDEO_WRAPS :
				!strcmp(text, "sat") ? VIDEO_SATURATES :
				!strcmp(text, "shr7") ? UINT64_C(7) << VIDEO_PART_D :
				!strcmp(text, "shr15") ? UINT64_C(15) << VIDEO_PART_D : 0;
		if (!flag || (what & flag))
			return ptx_unknown(parser);
		what |= flag;
	}
	memcpy(operands, parser->instruction.operands, sizeof(operands));
	bool product = operands[1].minus != operands[2].minus, addend = operands[3].minus;
	bool any = operands[1].minus || operands[2].minus || addend;
	for (unsigned i = 1; i < 4; i++)
		operands[i].minus = false;
	if (!take_part(&operands[1], &a) || !take_part(&operands[2], &b) ||
	    (product && addend) || (any && (what & VIDEO_WRAPS)))
		return ptx_unknown(parser);
	what |= a << VIDEO_PART_A | b << VIDEO_PART_B | (product ? VIDEO_TAKES_LESS : 0) |
		(addend ? VIDEO_TAKES_MORE : 0);
	if (product || addend || (what & (VIDEO_SIGNED_A | VIDEO_SIGNED_B)))
		what |= VIDEO_SIGNED;
	return emit(parser, "_video.mad", operands, 4, what);
}

/* r.b7654, r.h32: the elements by number, the last first; without: from first on. */
static bool take_select(struct ptx_operand *operand, unsigned count, unsigned first,
			uint64_t *select_out)
{
	const char *part = operand->part;
	operand->part = NULL;
	*select_out = 0;
	if (part && (part[0] != (count == 4 ? 'b' : 'h') || strlen(part) != count + 1))
		return false;
	for (unsigned i = 0; i < count; i++) {
		const unsigned element = part ? (unsigned)(part[count - i] - '0') : first + i;
		if (element >= 2 * count)
			return false;
		*select_out |= (uint64_t)element << (3 * i);
	}
	return true;
}

/* d.b20, d.h1: which elements are written, in falling order. */
static bool take_mask(struct ptx_operand *operand, unsigned count, uint64_t *mask_out)
{
	const char *part = operand->part;
	operand->part = NULL;
	*mask_out = part ? 0 : (1u << count) - 1;
	if (part && part[0] != (count == 4 ? 'b' : 'h'))
		return false;
	for (unsigned i = 1; part && part[i]; i++) {
		const unsigned element = (unsigned)(part[i] - '0');
		if (element >= count || (i > 1 && part[i] >= part[i - 1]))
			return false;
		*mask_out |= 1u << element;
	}
	return true;
}

static bool decode_several(struct ptx_parser *parser, unsigned count, uint64_t what)
{
	struct ptx_operand operands[4];
	uint64_t mask, a, b;
	if (!ptx_operand_count(parser, 4))
		return false;
	memcpy(operands, parser->instruction.operands, sizeof(operands));
	if (((what & VIDEO_ADDS) && (what & VIDEO_SATURATES)) ||
	    !take_mask(&operands[0], count, &mask) ||
	    !take_select(&operands[1], count, 0, &a) ||
	    !take_select(&operands[2], count, count, &b))
		return ptx_unknown(parser);
	what |= count == 2 ? VIDEO_HALVES : 0;
	what |= a << VIDEO_SELECT_A | b << VIDEO_SELECT_B | mask << VIDEO_MASK;
	return emit(parser, "_video", operands, 4, what);
}

bool ptx_decode_video(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	unsigned several;
	uint64_t what = 0;
	const struct verb *verb = find_verb(parts->part[0], &several);
	if (!verb)
		return ptx_unknown(parser);
	if (!strcmp(verb->name, "vmad"))
		return decode_mad(parser, parts);
	if (!parse_parts(verb, parts, several == 1, &what))
		return ptx_unknown(parser);
	return several == 1 ? decode_one(parser, what) : decode_several(parser, several, what);
}
