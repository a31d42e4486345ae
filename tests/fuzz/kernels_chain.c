#include "config.h"

#include "tests/fuzz/kernels_statement.h"

#include <stdio.h>
#include <string.h>

/* Chains of products, quotients and remainders, each step of which takes the result of the one before.  They are
 * written out, in loops of a constant number of turns, in functions that are called several times, with a value or a
 * pointer, or go from one element of an array to the next. */

struct chain {
	unsigned name;
	struct type type;
	bool helper, by_pointer;         /* a step is a function, which changes what a pointer points at */
};

/* In these texts stand, behind a '$', for types
 *	T U W      of the chain, its unsigned twin, unsigned ones of twice the size (ulong at most)
 * for values
 *	v k        the one before, another one
 * and for numbers
 *	A D S B    an odd factor, a divisor from 2 to 126, a number of bits below the element's, all of them. */
static const char *const scalar_steps[] = {
	"($T)((($W)($U)$v * $A) >> $S)",
	"($T)((($W)($U)$v * ($W)($U)$k) >> $S)",
	"($T)(($W)($U)$v * $A % $Du)",
	"($T)(($W)($U)$v * ($W)($U)$k / $Du)",
	"($T)(($W)($U)$v * ($W)($U)$k / (($U)$k | 1u))",
	"($T)(($W)($U)$v * ($W)($U)$k % (($U)$k | 1u) + ($U)$k)",
	"($T)(($U)($v % ($T)$D) + ($U)$k)",
	"($T)(($U)($v / ($T)$D) + ($U)$k)",
	"($T)(($U)$v + (($U)$v >> $S))",
	"($T)(($U)$v * 1u * $A + (($U)$v >> $S))",
	"($T)(($U)$v * 1u * $A % ($U)$D + ($U)$k)",
	"($T)mul_hi(($U)$v, ($U)$A)",
};
static const char *const vector_steps[] = {
	"as_$T(as_$U($v) * ($U)($A) / ($U)($D))",
	"as_$T(as_$U($v) * as_$U($k) >> ($U)($S))",
	"as_$T(as_$U($v) * as_$U($k) % ($U)($D))",
	"as_$T(as_$U($v % ($T)($D)) + as_$U($k))",
	"as_$T(as_$U($v) + (as_$U($v) >> ($U)($S)))",
	"as_$T(convert_$U((convert_$W(as_$U($v)) * ($W)($A)) >> ($W)($S)))",
	"as_$T(convert_$U(convert_$W(as_$U($v)) * convert_$W(as_$U($k)) / ($W)($D)))",
	"as_$T(mul_hi(as_$U($v), as_$U($k)))",
};

static struct type unsigned_twin(struct type type)
{
	return (struct type){type.element | 1u, type.width};
}

static struct type wide_twin(struct type type)
{
	type = unsigned_twin(type);
	return type.element == ULONG ? type : (struct type){type.element + 2, type.width};
}

static void write_number(struct maker *maker, struct type type, char code)
{
	unsigned bits = 8 * element_size_B(type.element);
	switch (code) {
	case 'A':
		bytes_printf(maker->text, "(%s)0x%xu", element_name(unsigned_twin(type).element),
			     (pick(maker, 1u << (bits < 31 ? bits : 31)) | 1u));
		break;
	case 'D':
		bytes_printf(maker->text, "%u", 2 + pick(maker, 125));
		break;
	case 'S':
		bytes_printf(maker->text, "%u", 1 + pick(maker, bits - 1));
		break;
	default:
		bytes_printf(maker->text, "%u", bits);
	}
}

/* The value after value, of which a and k are the names. */
static void step(struct maker *maker, struct type type, const char *value, const char *other)
{
	const char *text = type.width == 1 ? scalar_steps[pick(maker, sizeof(scalar_steps) / sizeof(char *))]
					   : vector_steps[pick(maker, sizeof(vector_steps) / sizeof(char *))];
	for (; *text; text++) {
		if (*text != '$') {
			bytes_append_char(maker->text, *text);
			continue;
		}
		switch (*++text) {
		case 'T':
			say(maker, type_name(type));
			break;
		case 'U':
			say(maker, type_name(unsigned_twin(type)));
			break;
		case 'W':
			say(maker, type_name(wide_twin(type)));
			break;
		case 'v':
			say(maker, value);
			break;
		case 'k':
			say(maker, other);
			break;
		default:
			write_number(maker, type, *text);
		}
	}
}

static void make_helper(struct maker *maker, const struct chain *chain)
{
	struct bytes *text = maker->text;
	const char *word = type_name(chain->type);
	maker->text = &maker->helpers;
	bytes_printf(maker->text, "%s%s step%u(%s%sv, %s k)\n{\n",
		     pick(maker, 3) ? "" : "__attribute__((noinline)) ", chain->by_pointer ? "void" : word,
		     chain->name, word, chain->by_pointer ? " private *" : " ", word);
	for (unsigned steps = pick(maker, 2); steps; steps--) {
		say(maker, chain->by_pointer ? "*v = " : "v = ");
		step(maker, chain->type, chain->by_pointer ? "(*v)" : "v", "k");
		say(maker, ";\n");
	}
	say(maker, chain->by_pointer ? "*v = " : "return ");
	step(maker, chain->type, chain->by_pointer ? "(*v)" : "v", "k");
	say(maker, ";\n}\n");
	maker->text = text;
}

/* One step, as a statement. */
static void write_step(struct maker *maker, const struct chain *chain, const char *to, const char *from)
{
	char other[16];
	snprintf(other, sizeof(other), "k%u", chain->name);
	if (chain->helper && chain->by_pointer && !strcmp(to, from)) {
		bytes_printf(maker->text, "step%u(&%s, %s);\n", chain->name, to, other);
		return;
	}
	bytes_printf(maker->text, "%s = ", to);
	if (chain->helper && !chain->by_pointer)
		bytes_printf(maker->text, "step%u(%s, %s)", chain->name, from, other);
	else
		step(maker, chain->type, from, other);
	say(maker, ";\n");
}

static void write_out(struct maker *maker, const struct chain *chain)
{
	char value[16];
	snprintf(value, sizeof(value), "v%u", chain->name);
	for (unsigned steps = 2 + pick(maker, 8); steps; steps--) {
		struct piece piece = piece_begin(maker);
		write_step(maker, chain, value, value);
		(void)piece_end(maker, piece);
	}
}

/* Turns that the compiler takes apart. */
static void write_turns(struct maker *maker, const struct chain *chain)
{
	char value[16];
	struct piece piece = piece_begin(maker);
	snprintf(value, sizeof(value), "v%u", chain->name);
	bytes_printf(maker->text, "for (int i = 0; i < %u; i++) {\n", 3 + pick(maker, 8));
	for (unsigned steps = 1 + pick(maker, 2); steps; steps--)
		write_step(maker, chain, value, value);
	say(maker, "}\n");
	(void)piece_end(maker, piece);
}

static void write_elements(struct maker *maker, const struct chain *chain)
{
	unsigned name = chain->name, size = 4u << pick(maker, 2);
	char to[16], from[24];
	struct piece piece = piece_begin(maker);
	bytes_printf(maker->text, "{\n%s a%u[%u];\na%u[0] = v%u;\nfor (int i = 1; i < %u; i++)\n",
		     type_name(chain->type), name, size, name, name, size);
	snprintf(to, sizeof(to), "a%u[i]", name);
	snprintf(from, sizeof(from), "a%u[i - 1]", name);
	write_step(maker, chain, to, from);
	bytes_printf(maker->text, "v%u = a%u[", name, name);
	if (pick(maker, 2))
		bytes_printf(maker->text, "%u];\n}\n", size - 1);
	else
		bytes_printf(maker->text, "n & %u];\n}\n", size - 1);
	(void)piece_end(maker, piece);
}

void make_chain(struct maker *maker)
{
	static void (*const ways[])(struct maker *, const struct chain *) = {write_out, write_turns, write_turns,
									     write_elements};
	static const unsigned widths[] = {1, 1, 1, 1, 2, 3, 4};
	struct chain chain = {
		.name = maker->names++,
		.type = {pick(maker, ULONG + 1), widths[pick(maker, 7)]},
		.helper = maker->in_kernel && pick(maker, 2),
		.by_pointer = pick(maker, 2),
	};
	const char *word = type_name(chain.type);
	if (chain.helper)
		make_helper(maker, &chain);
	bytes_printf(maker->text, "%s v%u = ", word, chain.name);
	expression(maker, chain.type, 1);
	bytes_printf(maker->text, ";\nconst %s k%u = ", word, chain.name);
	expression(maker, chain.type, 1);
	say(maker, ";\n");
	bool turns = pick(maker, 3);
	if (turns)
		bytes_printf(maker->text, "for (int j = 0; j < (n & %u); j++) {\n", 1 + pick(maker, 5));
	ways[pick(maker, 4)](maker, &chain);
	say(maker, turns ? "}\n" : "");
	variable_add(maker, chain.type, "v%u", chain.name);
}
