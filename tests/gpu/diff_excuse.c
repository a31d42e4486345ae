/* What the PTX ISA leaves open, and what NVIDIA's compiler (13.0) is known to make
 * wrong: seen in its machine code, not guessed from the bits alone. */
#include "config.h"

#include "tests/gpu/diff_excuse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 768 };

static void text_of(const struct diff_program *program, unsigned value, char *text)
{
	const struct diff_value *v = &program->values[value];
	unsigned size = v->text_size < TEXT_SIZE ? v->text_size : TEXT_SIZE - 1;
	memcpy(text, program->text.data + v->text_at, size);
	text[size] = '\0';
}

/* Does the instruction that made a source hold one of two words? */
static bool source_says(const struct diff_case *d, unsigned source, const char *word,
			const char *other)
{
	char text[TEXT_SIZE];
	unsigned value = d->program->values[d->value].source[source];
	if (value < DIFF_INPUTS)
		return false;
	text_of(d->program, value, text);
	return strstr(text, word) || strstr(text, other);
}

static bool is_nan(char type, uint64_t bits)
{
	switch (type) {
	case 'h':
		return (bits & 0x7fff) > 0x7c00;
	case 'b':
		return (bits & 0x7fff) > 0x7f80;
	case 'f':
		return (bits & 0x7fffffff) > 0x7f800000;
	default:
		return (bits & ~(UINT64_C(1) << 63)) > UINT64_C(0x7ff) << 52;
	}
}

/* An f64 result that is the NaN of one of its operands, quiet or as it is. */
static bool from_a_nan(const struct diff_case *d, uint64_t result)
{
	const struct diff_value *v = &d->program->values[d->value];
	uint64_t quiet = UINT64_C(1) << 51;
	for (unsigned i = 0; i < v->source_count; i++)
		if (diff_flavour_width(d->program->values[v->source[i]].flavour) == 'l' &&
		    is_nan('d', d->from[i]) && (d->from[i] | quiet) == (result | quiet))
			return true;
	return false;
}

static const char *of_nans(const struct diff_case *d, const char *text, bool guarded)
{
	const struct diff_value *v = &d->program->values[d->value];
	char type = v->template ? v->template->operands[0] : 0;
	if (!type || !strchr("fdhb", type) || !is_nan(type, d->a) || !is_nan(type, d->b))
		return NULL;
	if (strstr(text, "abs.") == text || strstr(text, "neg.") == text)
		return "the sign of a NaN: \"an unspecified NaN\"";
	if (type == 'd' && from_a_nan(d, d->a) && from_a_nan(d, d->b))
		return "which of several NaN an f64 instruction passes on is not said";
	unsigned last = v->source_count - guarded;      /* the guard comes last */
	if ((!strncmp(text, "min", 3) || !strncmp(text, "max", 3)) && last >= 2 &&
	    v->source[last - 1] == v->source[last - 2])
		return "the compiler makes x of min(x, x), a NaN too";
	return NULL;
}

static const char *of_conversion(const struct diff_case *d, const char *text)
{
	const struct diff_value *v = &d->program->values[d->value];
	for (unsigned i = 0; i < v->source_count; i++) {
		if (source_says(d, i, ".f16.bf16", ".bf16.f16"))
			return "the compiler joins cvt of f16 and bf16 with the cvt that "
			       "follows, and takes one for the other";
		if (strstr(text, ".u32 ") && source_says(d, i, "abs.s32", ".s8 {"))
			return "the compiler takes what abs.s32 or a load of s8 made for signed";
	}
	return NULL;
}

/* A vector store of 8, 16 or 32 bits, signed or of no type, of registers that are wider. */
static bool narrows(const char *text)
{
	for (const char *at = text; (at = strstr(at, "\tst")); at++) {
		const char *type = at + strcspn(at, " ;\n"), *list = strpbrk(type, "{;");
		while (type > at && *type != '.')
			type--;
		if (!list || *list != '{' || (strncmp(type, ".s", 2) && strncmp(type, ".b", 2)) ||
		    (strncmp(type - 3, ".v2", 3) != 0 && strncmp(type - 3, ".v4", 3) != 0))
			continue;
		int bits = list[2] == 'h' ? 16 : list[2] == 'w' ? 32 : 64;
		if (bits > atoi(type + 2))
			return true;
	}
	return false;
}

/* A function that calls: it calls itself. */
static bool recurses(const struct diff_program *program)
{
	const char *text = program->text.data, *call = strstr(text, "call ");
	const char *entry = strstr(text, ".visible .entry");
	return call && entry && call < entry;
}

/* The last line that does something: the instruction, its guard left out. */
static const char *instruction(char *text, bool *guarded_out)
{
	char *line = text;
	*guarded_out = false;
	for (char *at = text; (at = strchr(at, '\n')) && at[1]; at++)
		line = at + 1;
	line += strspn(line, "\t");
	if (*line == '@') {
		*guarded_out = true;
		line += strcspn(line, " ") + 1;
	}
	return line;
}

const char *diff_excuse(const struct diff_case *d)
{
	char all[TEXT_SIZE];
	bool guarded;
	text_of(d->program, d->value, all);
	const char *text = instruction(all, &guarded);
	if (guarded && !strncmp(text, "testp.", 6))
		return "the compiler drops the guard of testp";
	/* Lanes that return from different depths come back apart, and its machine code has
	 * nothing to bring them together; a bar.warp.sync of all lanes it leaves out. */
	if (recurses(d->program) && (strstr(all, "\tbar.sync") || !strncmp(text, "bar.red.", 8) ||
				     !strncmp(text, "match.all.sync", 14) ||
				     !strncmp(text, "vote.sync", 9) || !strncmp(text, "shfl.sync", 9)))
		return "the compiler takes lanes for together that return from calls of "
		       "different depth";
	if (!strncmp(text, "ld", 2) && narrows(all))
		return "the compiler converts floats that a vector store narrows to integers";
	/* It takes the abs for one of the whole, which has no sign. */
	if (!strncmp(text, "abs.", 4) && strstr(text, "x2 ") &&
	    source_says(d, 0, ".sat.f32", ".sat.f32"))
		return "the compiler drops abs of both halves of what .sat has made positive";
	if (!strncmp(text, "cvt.", 4)) {
		const char *reason = of_conversion(d, text);
		if (reason)
			return reason;
	}
	return of_nans(d, text, guarded);
}
