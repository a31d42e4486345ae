#include "config.h"

#include "softcuda/jit/verb.h"

#include "softcuda/exec/convert.h"
#include "softcuda/exec/shuffle.h"

#include <stdlib.h>

enum { PARTS = 8, NAME = 64 };

/* A row's name, split at its dots. */
struct parts {
	char text[NAME];
	const char *part[PARTS];
	unsigned count;
};

static bool split(struct parts *parts, const char *name)
{
	const size_t size = strlen(name);
	if (size >= sizeof(parts->text))
		return false;
	memcpy(parts->text, name, size + 1);
	parts->count = 0;
	for (char *p = parts->text; p && parts->count < PARTS;) {
		parts->part[parts->count++] = p;
		p = strchr(p, '.');
		if (p)
			*p++ = '\0';
	}
	return true;
}

static bool is(const char *a, const char *b)
{
	return !strcmp(a, b);
}

/* Whether word is one of the parts after the first. */
static bool has(const struct parts *parts, const char *word)
{
	for (unsigned i = 1; i < parts->count; i++)
		if (is(parts->part[i], word))
			return true;
	return false;
}

/* Whether all parts between the first and the last are among these words. */
static bool only(const struct parts *parts, const char *const *words, size_t count)
{
	for (unsigned i = 1; i + 1 < parts->count; i++) {
		bool known = false;
		for (size_t w = 0; w < count; w++)
			known |= is(parts->part[i], words[w]);
		if (!known)
			return false;
	}
	return true;
}

/* The width of a register with this letter in op_row.shape; 0 for other letters. */
static unsigned width_bits(char width)
{
	return width == 'h' ? 16 : width == 'w' ? 32 : width == 'l' ? 64 : 0;
}

/* Parses a type such as "u32", "b64" or "f32".  False if it is not an integer type, a bit type, f32 or f64. */
static bool read_type(const char *type, bool *is_float, bool *is_signed, unsigned *bits)
{
	*is_float = type[0] == 'f';
	*is_signed = type[0] == 's';
	*bits = (unsigned)strtoul(type + (type[0] != '\0'), NULL, 10);
	if (*is_float)
		return is(type, "f32") || is(type, "f64");
	return (type[0] == 'u' || type[0] == 's' || type[0] == 'b') &&
	       (*bits == 8 || *bits == 16 || *bits == 32 || *bits == 64) && strlen(type) <= 3;
}

/* As read_type, or f16. */
static bool read_type_or_half(const char *type, bool *is_float, bool *is_signed, unsigned *bits)
{
	const bool is_half = is(type, "f16");
	return read_type(type, is_float, is_signed, bits) || is_half;
}

/* --- integers ---------- */

static const struct { const char *name; uint8_t verb; } integers[] = {
	{"add", VERB_ADD}, {"sub", VERB_SUB}, {"mul.lo", VERB_MUL}, {"mul.hi", VERB_MUL_HIGH},
	{"mul.wide", VERB_MUL_WIDE}, {"mad.lo", VERB_MAD}, {"mad.hi", VERB_MAD_HIGH},
	{"mad.wide", VERB_MAD_WIDE}, {"div", VERB_DIV}, {"rem", VERB_REM}, {"min", VERB_MIN},
	{"max", VERB_MAX}, {"abs", VERB_ABS}, {"neg", VERB_NEG}, {"and", VERB_AND}, {"or", VERB_OR},
	{"xor", VERB_XOR}, {"not", VERB_NOT}, {"cnot", VERB_CNOT}, {"shl", VERB_SHL}, {"shr", VERB_SHR},
	{"popc", VERB_POPC}, {"clz", VERB_CLZ}, {"brev", VERB_BREV}, {"lop3", VERB_LOP3},
	{"prmt", VERB_PRMT}, {"bfe", VERB_BFE}, {"bfi", VERB_BFI}, {"selp", VERB_SELECT}
};

/* "add.u32", "mul.wide.s32" */
static struct jit_verb integer(const struct parts *parts, unsigned bits, bool is_signed)
{
	struct jit_verb verb = {.verb = VERB_CALL, .bits = (uint8_t)bits, .is_signed = is_signed};
	char name[NAME];
	size_t size = strlen(parts->part[0]);
	memcpy(name, parts->part[0], size + 1);
	if (parts->count == 3) {
		const size_t more = strlen(parts->part[1]);
		name[size] = '.';
		memcpy(name + size + 1, parts->part[1], more + 1);
	}
	if (parts->count > 3 || bits == 8)
		return verb;
	for (size_t i = 0; i < sizeof(integers) / sizeof(integers[0]); i++)
		if (is(integers[i].name, name))
			verb.verb = integers[i].verb;
	return verb;
}

/* --- floats ---------- */

static const struct { const char *name; uint8_t verb; } floats[] = {
	{"add", VERB_FADD}, {"sub", VERB_FSUB}, {"mul", VERB_FMUL}, {"fma", VERB_FMA}, {"mad", VERB_FMA},
	{"div", VERB_FDIV}, {"rcp", VERB_RCP}, {"sqrt", VERB_SQRT}, {"rsqrt", VERB_RSQRT},
	{"min", VERB_FMIN}, {"max", VERB_FMAX}, {"abs", VERB_FABS}, {"neg", VERB_FNEG},
	{"copysign", VERB_COPYSIGN}, {"selp", VERB_SELECT}, {"ex2", VERB_EX2}, {"lg2", VERB_LG2}, {"sin", VERB_SIN},
	{"cos", VERB_COS}
};

/* Sets the verb of one of the floats[]. */
static void set_float(struct jit_verb *verb, const char *name)
{
	for (size_t i = 0; i < sizeof(floats) / sizeof(floats[0]); i++)
		if (is(floats[i].name, name))
			verb->verb = floats[i].verb;
}

/* "add.rm.f32": sums and products of f32 that are not rounded to nearest. */
static struct jit_verb rounded(const struct parts *parts, unsigned bits)
{
	static const char *const words[] = {"rz", "rm", "rp", "ftz", "sat"};
	struct jit_verb verb = {.verb = VERB_CALL, .bits = (uint8_t)bits, .is_float = true};
	if (bits != 32 || !only(parts, words, sizeof(words) / sizeof(words[0])))
		return verb;
	verb.ftz = has(parts, "ftz");
	verb.sat = has(parts, "sat");
	verb.rounding = has(parts, "rz") ? CONVERT_RZ : has(parts, "rm") ? CONVERT_RM : CONVERT_RP;
	set_float(&verb, parts->part[0]);
	if (verb.verb < VERB_FADD || verb.verb > VERB_FMA)
		verb.verb = VERB_CALL;
	return verb;
}

/* "add.rn.ftz.f32" */
static struct jit_verb floating(const struct parts *parts, unsigned bits)
{
	static const char *const words[] = {"rn", "ftz", "sat", "approx", "full"};
	struct jit_verb verb = {.verb = VERB_CALL, .bits = (uint8_t)bits, .is_float = true};
	if (has(parts, "rz") || has(parts, "rm") || has(parts, "rp"))
		return rounded(parts, bits);
	/* The approximate instructions of f64 read only the upper half of their operand. */
	if (!only(parts, words, sizeof(words) / sizeof(words[0])) || (bits == 64 && has(parts, "approx")))
		return verb;
	verb.ftz = has(parts, "ftz");
	verb.sat = has(parts, "sat");
	/* For these verbs, part says that the exact result is rounded once.  .ftz then flushes a result that is
	 * subnormal before rounding. */
	verb.part = !has(parts, "approx") && !has(parts, "full");
	set_float(&verb, parts->part[0]);
	return verb;
}

/* "fma.rn.ftz.f16x2"; those that are not only rounded, flushed and saturated are the handler's. */
static struct jit_verb half(const struct parts *parts, unsigned bits)
{
	static const char *const words[] = {"rn", "ftz", "sat"};
	struct jit_verb verb = {.verb = VERB_CALL, .bits = (uint8_t)bits, .ftz = has(parts, "ftz"),
				.sat = has(parts, "sat")};
	struct jit_verb of_float = {.verb = VERB_CALL};
	if (!only(parts, words, sizeof(words) / sizeof(words[0])))
		return verb;
	set_float(&of_float, parts->part[0]);
	if ((of_float.verb >= VERB_FADD && of_float.verb <= VERB_FMA) ||
	    (of_float.verb >= VERB_FMIN && of_float.verb <= VERB_FNEG)) {
		verb.verb = VERB_HALF;
		verb.part = of_float.verb;
	}
	return verb;
}

/* --- other families ---------- */

/* "_cmp.ltu.ftz.f32" */
static struct jit_verb comparison(const struct parts *parts)
{
	static const struct { const char *name; uint8_t relation; bool unordered; } names[] = {
		{"eq", RELATION_EQ, false}, {"ne", RELATION_NE, false}, {"lt", RELATION_LT, false},
		{"le", RELATION_LE, false}, {"gt", RELATION_GT, false}, {"ge", RELATION_GE, false},
		{"equ", RELATION_EQ, true}, {"neu", RELATION_NE, true}, {"ltu", RELATION_LT, true},
		{"leu", RELATION_LE, true}, {"gtu", RELATION_GT, true}, {"geu", RELATION_GE, true},
		{"lo", RELATION_LT, false}, {"ls", RELATION_LE, false}, {"hi", RELATION_GT, false},
		{"hs", RELATION_GE, false}, {"num", RELATION_NUM, false}, {"nan", RELATION_NAN, false}
	};
	struct jit_verb verb = {.verb = VERB_CALL};
	unsigned bits;
	if (!read_type_or_half(parts->part[parts->count - 1], &verb.is_float, &verb.is_signed, &bits) || bits == 8)
		return verb;
	verb.bits = (uint8_t)bits;
	verb.ftz = has(parts, "ftz");
	if (parts->count != 3u + verb.ftz)
		return verb;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!is(names[i].name, parts->part[1]))
			continue;
		verb.relation = names[i].relation;
		verb.unordered = names[i].unordered;
		verb.verb = verb.is_float ? VERB_COMPARE_FLOAT : VERB_COMPARE;
	}
	return verb;
}

/* "_cvt.f32.s32" */
static struct jit_verb conversion(const struct parts *parts)
{
	struct jit_verb verb = {.verb = VERB_CALL};
	unsigned bits, from;
	if (parts->count == 3 && is(parts->part[1], "f32") && is(parts->part[2], "f16"))
		return (struct jit_verb){.verb = VERB_HALF_TO_FLOAT, .bits = 32, .from = 16};
	if (parts->count == 3 && is(parts->part[1], "f16") && is(parts->part[2], "f32"))
		return (struct jit_verb){.verb = VERB_FLOAT_TO_HALF, .bits = 16, .from = 32};
	if (parts->count != 3 || !read_type_or_half(parts->part[1], &verb.is_float, &verb.to_signed, &bits) ||
	    !read_type_or_half(parts->part[2], &verb.from_float, &verb.is_signed, &from))
		return verb;
	verb.bits = (uint8_t)bits;
	verb.from = (uint8_t)from;
	const bool has_half = (verb.is_float && bits == 16) || (verb.from_float && from == 16);
	verb.verb = has_half && verb.is_float && verb.from_float ? VERB_CALL : VERB_CONVERT;
	return verb;
}

/* "_zwl", "_shw", "_zpp" */
static struct jit_verb extension(const char *name)
{
	struct jit_verb verb = {.verb = VERB_CALL};
	if (is(name, "_zpp"))
		verb.verb = VERB_PRED_MOVE;
	if (strlen(name) != 4 || !width_bits(name[2]) || !width_bits(name[3]))
		return verb;
	return (struct jit_verb){.verb = VERB_EXTEND, .is_signed = name[1] == 's',
				 .from = (uint8_t)width_bits(name[2]), .bits = (uint8_t)width_bits(name[3])};
}

/* "_ld.4", "_st.8" */
static struct jit_verb memory(const struct parts *parts, bool load)
{
	const char *size = parts->part[1];
	const unsigned size_B = (unsigned)strtoul(size, NULL, 10);
	/* Accesses of 128 bits, and "_ld.byte", are left to the handler. */
	if (!size_B || size_B > 8)
		return (struct jit_verb){.verb = VERB_CALL};
	return (struct jit_verb){
		.verb = load ? VERB_LOAD : VERB_STORE, .size_B = (uint16_t)size_B,
		.is_signed = size[0] && size[1] == 's', .bits = (uint8_t)(size_B == 1 ? 16 : 8 * size_B)
	};
}

/* "_atom.add.u32" */
static struct jit_verb atomic(const struct parts *parts)
{
	static const char *const names[] = {
		[ATOMIC_ADD] = "add", [ATOMIC_AND] = "and", [ATOMIC_OR] = "or", [ATOMIC_XOR] = "xor",
		[ATOMIC_MIN] = "min", [ATOMIC_MAX] = "max", [ATOMIC_EXCH] = "exch", [ATOMIC_CAS] = "cas"
	};
	struct jit_verb verb = {.verb = VERB_CALL};
	unsigned bits;
	if (parts->count != 3 || !read_type(parts->part[2], &verb.is_float, &verb.is_signed, &bits) || bits < 32 ||
	    (verb.is_float && (bits != 32 || !is(parts->part[1], "add"))))
		return verb;
	verb.bits = (uint8_t)bits;
	verb.size_B = (uint16_t)(bits / 8);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (is(parts->part[1], names[i])) {
			verb.verb = VERB_ATOMIC;
			verb.part = (uint8_t)i;
		}
	return verb;
}

/* "_pack" or "_unpack", the bits of the whole, the number of parts, and, for "_unpack", the index of the part */
static struct jit_verb packing(const struct parts *parts, bool packs)
{
	const unsigned bits = (unsigned)strtoul(parts->part[1], NULL, 10);
	const unsigned count = (unsigned)strtoul(parts->part[2], NULL, 10);
	struct jit_verb verb = {.verb = packs ? VERB_PACK : VERB_UNPACK, .bits = (uint8_t)bits,
				.from = (uint8_t)(bits / count)};
	if (!packs) {
		verb.part = (uint8_t)strtoul(parts->part[3], NULL, 10);
		verb.from = (uint8_t)bits;
		verb.bits = (uint8_t)(bits / count);
	}
	return verb;
}

/* "%tid.x" */
static struct jit_verb special(const char *name)
{
	static const char *const names[] = {
		[SPECIAL_TID_X] = "%tid.x", [SPECIAL_TID_Y] = "%tid.y", [SPECIAL_TID_Z] = "%tid.z",
		[SPECIAL_NTID_X] = "%ntid.x", [SPECIAL_NTID_Y] = "%ntid.y", [SPECIAL_NTID_Z] = "%ntid.z",
		[SPECIAL_CTAID_X] = "%ctaid.x", [SPECIAL_CTAID_Y] = "%ctaid.y",
		[SPECIAL_CTAID_Z] = "%ctaid.z", [SPECIAL_NCTAID_X] = "%nctaid.x",
		[SPECIAL_NCTAID_Y] = "%nctaid.y", [SPECIAL_NCTAID_Z] = "%nctaid.z",
		[SPECIAL_LANEID] = "%laneid", [SPECIAL_WARPID] = "%warpid", [SPECIAL_NWARPID] = "%nwarpid",
		[SPECIAL_LANES_EQ] = "%lanemask_eq", [SPECIAL_LANES_LT] = "%lanemask_lt",
		[SPECIAL_LANES_LE] = "%lanemask_le", [SPECIAL_LANES_GT] = "%lanemask_gt",
		[SPECIAL_LANES_GE] = "%lanemask_ge"
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i] && is(names[i], name))
			return (struct jit_verb){.verb = VERB_SPECIAL, .special = (uint8_t)i, .bits = 32};
	return (struct jit_verb){.verb = VERB_CALL};
}

/* By part: the third word of the name, as in "_shfl.sync.up.b32". */
static const char *const shuffles[] = {
	[SHUFFLE_UP] = "up", [SHUFFLE_DOWN] = "down", [SHUFFLE_BFLY] = "bfly", [SHUFFLE_IDX] = "idx"
};
static const char *const votes[] = {
	[VOTE_ALL] = "all", [VOTE_ANY] = "any", [VOTE_UNI] = "uni", [VOTE_BALLOT] = "ballot"
};
static const char *const reductions[] = {
	[REDUX_ADD] = "add", [REDUX_AND] = "and", [REDUX_OR] = "or", [REDUX_XOR] = "xor", [REDUX_MIN] = "min",
	[REDUX_MAX] = "max"
};

/* An op at which lanes meet that are in operand `members`, by one of the names of its kinds; others are the
 * handler's. */
static struct jit_verb meeting(const struct parts *parts, enum verb kind, const char *const *names, size_t count,
			       uint8_t members)
{
	struct jit_verb verb = {.verb = VERB_TOGETHER, .members = members, .bits = 32,
				.is_signed = parts->part[parts->count - 1][0] == 's'};
	for (size_t i = 0; i < count && parts->count == 4; i++)
		if (is(parts->part[2], names[i])) {
			verb.verb = (uint8_t)kind;
			verb.part = (uint8_t)i;
		}
	return verb;
}

/* Rows that have a verb of their own.  members: the index of the operand with the mask of the lanes that meet, its low
 * byte being that of OPERAND_NONE if they do not wait for each other; for "_local", the width of the address in
 * bits. */
static const struct { const char *name; uint8_t verb, members; } singles[] = {
	{"_bra", VERB_BRANCH, 0}, {"_brx", VERB_REFUSE, 0}, {"_nop", VERB_NONE, 0}, {"_call", VERB_REFUSE, 0},
	{"_call.indirect", VERB_REFUSE, 0}, {"_ret", VERB_EXIT, 0}, {"_exit", VERB_EXIT, 0},
	{"_fence", VERB_FENCE, 0}, {"_bar", VERB_BARRIER, 0}, {"_bar.warp", VERB_MEET, 1},
	{"_stack.save", VERB_REFUSE, 0}, {"_stack.restore", VERB_REFUSE, 0}, {"_stack.alloca", VERB_REFUSE, 0},
	{"and.pred", VERB_PRED_AND, 0}, {"or.pred", VERB_PRED_OR, 0}, {"xor.pred", VERB_PRED_XOR, 0},
	{"not.pred", VERB_PRED_NOT, 0}, {"_local.64", VERB_LOCAL_ADDRESS, 64},
	{"_local.32", VERB_LOCAL_ADDRESS, 32}, {"_elect.sync", VERB_TOGETHER, 1},
	{"_matrix.multiply", VERB_REFUSE, 0}, {"_matrix.row", VERB_REFUSE, 0},
	{"_wgmma.load", VERB_REFUSE, 0}, {"rcp.approx.ftz.f64", VERB_RCP_HIGH, 64},
	{"rsqrt.approx.ftz.f64", VERB_RSQRT_HIGH, 64}
};

/* Handles the names whose family follows from the whole name or its first part; false for all others. */
static bool family(const struct parts *parts, const char *name, struct jit_verb *verb)
{
	const char *first = parts->part[0];
	for (size_t i = 0; i < sizeof(singles) / sizeof(singles[0]); i++) {
		if (!is(singles[i].name, name))
			continue;
		*verb = (struct jit_verb){.verb = singles[i].verb, .members = singles[i].members,
					  .bits = singles[i].verb == VERB_MEET ? 32 : singles[i].members};
		return true;
	}
	if (first[0] == '%')
		*verb = special(name);
	else if (is(first, "_cmp"))
		*verb = comparison(parts);
	else if (is(first, "_cvt"))
		*verb = conversion(parts);
	else if (is(first, "_ld") || is(first, "_st"))
		*verb = memory(parts, first[1] == 'l');
	else if (is(first, "_atom"))
		*verb = atomic(parts);
	else if (is(first, "_pack") || is(first, "_unpack"))
		*verb = packing(parts, first[1] == 'p');
	else if (is(first, "_shfl"))
		*verb = meeting(parts, VERB_SHUFFLE, shuffles, sizeof(shuffles) / sizeof(shuffles[0]), 4);
	else if (is(first, "_vote"))
		*verb = meeting(parts, VERB_VOTE, votes, sizeof(votes) / sizeof(votes[0]), 2);
	else if (is(first, "_redux"))
		*verb = meeting(parts, VERB_REDUX, reductions, sizeof(reductions) / sizeof(reductions[0]), 2);
	else if (is(first, "_activemask"))
		*verb = (struct jit_verb){.verb = VERB_VOTE, .part = VOTE_ACTIVE, .members = OPERAND_NONE & 0xff};
	else if (is(first, "_match"))
		*verb = (struct jit_verb){.verb = VERB_TOGETHER, .members = 2};
	else if (is(name, "_cvta.shared") || is(name, "_cvta.local"))
		*verb = (struct jit_verb){.verb = VERB_WINDOW, .bits = 64, .part = is(name, "_cvta.local")};
	else if (is(name, "_cvta.to.shared"))
		*verb = (struct jit_verb){.verb = VERB_WINDOW, .bits = 64, .is_signed = true};
	else if (first[0] == '_')
		*verb = parts->count == 1 ? extension(first) : (struct jit_verb){.verb = VERB_CALL};
	else
		return false;
	return true;
}

/* "shf.l.wrap.b32" */
static struct jit_verb funnel(const struct parts *parts)
{
	return (struct jit_verb){.verb = VERB_SHF, .bits = 32, .left = is(parts->part[1], "l"),
				 .wraps = is(parts->part[2], "wrap")};
}

struct jit_verb verb_of(const struct op_row *row)
{
	struct jit_verb verb = {.verb = VERB_CALL};
	struct parts parts;
	bool is_float, is_signed;
	unsigned bits;
	if (!split(&parts, row->name) || family(&parts, row->name, &verb))
		return verb;
	if (is(parts.part[0], "shf"))
		return funnel(&parts);
	if (is(parts.part[0], "dp4a"))
		return (struct jit_verb){.verb = VERB_DOT_BYTES, .bits = 32, .is_signed = parts.part[1][0] == 's',
					 .to_signed = parts.part[2][0] == 's'};
	if (is(parts.part[0], "slct"))
		return parts.count == 3 && is(parts.part[2], "s32") ?
		       (struct jit_verb){.verb = VERB_CHOOSE,
					 .bits = (uint8_t)strtoul(parts.part[1] + 1, NULL, 10)} : verb;
	if (is(parts.part[parts.count - 1], "f16") || is(parts.part[parts.count - 1], "f16x2"))
		return half(&parts, is(parts.part[parts.count - 1], "f16") ? 16 : 32);
	if (!read_type(parts.part[parts.count - 1], &is_float, &is_signed, &bits))
		return verb;
	return is_float ? floating(&parts, bits) : integer(&parts, bits, is_signed);
}
