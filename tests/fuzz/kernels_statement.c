#include "config.h"

#include "tests/fuzz/kernels_statement.h"

#include <stdio.h>
#include <string.h>

enum { DEPTH = 3, DEEP = 3, ROUNDS_MAX = 48 };

static const struct type int_type = {INT, 1};

void say(struct maker *maker, const char *text)
{
	bytes_append_string(maker->text, text);
}

/* "if (" and the like: true for some work-items. */
void condition(struct maker *maker)
{
	expression(maker, int_type, 2);
	if (pick(maker, 2))
		bytes_printf(maker->text, " & %u", 1 + pick(maker, 3));
	else
		bytes_printf(maker->text, " < %d", (int)pick(maker, 200) - 100);
}

void sum_up(struct maker *maker, unsigned first, unsigned end)
{
	for (unsigned v = first; v < end; v++) {
		const struct variable *it = &maker->variables[v];
		struct piece piece = piece_begin(maker);
		if (it->mask)
			bytes_printf(maker->text,
				     "for (int i = 0; i < %u; i++)\nsum = fold(sum, %s[i]%s);\n",
				     it->mask + 1, it->before, it->after);
		else
			bytes_printf(maker->text, "sum = fold(sum, %s%s);\n", it->before,
				     it->after);
		(void)piece_end(maker, piece);
	}
}

/* Statements in braces; what has been declared from variable count on is summed up. */
static void body(struct maker *maker, unsigned count)
{
	maker->depth++;
	say(maker, "{\n");
	statements(maker, 1 + pick(maker, 3));
	sum_up(maker, count, maker->count);
	say(maker, "}\n");
	maker->depth--;
}

/* Statements in braces, that not all work-items of the group come to. */
static void block(struct maker *maker)
{
	unsigned count = maker->count;
	bool uniform = maker->uniform;
	maker->uniform = false;
	body(maker, count);
	maker->uniform = uniform;
	maker->count = count;
}

/* --- declarations ----------------------------------------------------------------------------- */

void make_variable(struct maker *maker)
{
	struct type type = type_any(maker);
	unsigned name = maker->names++;
	bytes_printf(maker->text, "%s v%u = ", type_name(type), name);
	expression(maker, type, DEEP);
	say(maker, ";\n");
	variable_add(maker, type, "v%u", name);
}

/* --- assignments ------------------------------------------------------------------------------ */

static const struct variable *any_writable(struct maker *maker)
{
	for (unsigned tries = 0; tries < 16 && maker->count; tries++) {
		const struct variable *variable = &maker->variables[pick(maker, maker->count)];
		if (!variable->reads_only)
			return variable;
	}
	return NULL;
}

static void assign_whole(struct maker *maker, const struct variable *variable)
{
	static const char *const operators[] = {"+=", "-=", "^=", "|=", "&=", "*="};
	struct type type = variable->type;
	variable_write(maker, variable, 1);
	/* Scalars become ints, whose products may overflow. */
	bool promoted = type.width == 1 && element_size_B(type.element) < sizeof(int32_t);
	if (!element_is_real(type.element) && (type.element & 1) && pick(maker, 2))
		bytes_printf(maker->text, " %s ", operators[pick(maker, promoted ? 5 : 6)]);
	else
		say(maker, " = ");
	expression(maker, type, DEEP);
	say(maker, ";\n");
}

/* Some elements of a vector. */
static void assign_part(struct maker *maker, const struct variable *variable)
{
	static const char *const halves[] = {"lo", "hi", "even", "odd"};
	static const unsigned counts[] = {1, 2, 3, 4, 8};
	struct type type = variable->type, part = {type.element, 0};
	bool taken[16] = {false};
	variable_write(maker, variable, 1);
	if (type.width != 3 && !pick(maker, 3)) {
		part.width = type.width / 2;
		bytes_printf(maker->text, ".%s", halves[pick(maker, 4)]);
	} else if (type.width != 3 && pick(maker, 2)) {
		part.width = 1;
		say(maker, "[");
		expression(maker, int_type, 1);
		bytes_printf(maker->text, " & %u]", type.width - 1);
	} else {
		do
			part.width = counts[pick(maker, 5)];
		while (part.width > type.width);
		say(maker, ".s");
		for (unsigned i = 0; i < part.width; i++) {
			unsigned at;
			do
				at = pick(maker, type.width);
			while (taken[at]);
			taken[at] = true;
			bytes_printf(maker->text, "%x", at);
		}
	}
	say(maker, " = ");
	expression(maker, part, 2);
	say(maker, ";\n");
}

void make_assignment(struct maker *maker)
{
	const struct variable *found = any_writable(maker);
	if (!found) {
		make_variable(maker);
		return;
	}
	struct variable variable = *found;
	struct piece piece = piece_begin(maker);
	if (variable.type.width > 1 && !pick(maker, 3))
		assign_part(maker, &variable);
	else
		assign_whole(maker, &variable);
	(void)piece_end(maker, piece);
}

/* --- control ---------------------------------------------------------------------------------- */

void make_branch(struct maker *maker)
{
	struct piece piece = piece_begin(maker);
	say(maker, "if (");
	condition(maker);
	say(maker, ") ");
	block(maker);
	if (pick(maker, 2)) {
		say(maker, "else ");
		block(maker);
	}
	(void)piece_end(maker, piece);
}

static void jump(struct maker *maker)
{
	unsigned name = maker->names++;
	struct piece piece = piece_begin(maker);
	say(maker, "if (");
	condition(maker);
	bytes_printf(maker->text, ") goto g%u;\n", name);
	block(maker);
	bytes_printf(maker->text, "g%u:;\n", name);
	(void)piece_end(maker, piece);
}

static void switch_over(struct maker *maker)
{
	struct piece piece = piece_begin(maker);
	unsigned cases = 2 + pick(maker, 4);
	say(maker, "switch (");
	expression(maker, int_type, 2);
	say(maker, pick(maker, 2) ? " & 7) {\n" : " % 5) {\n");
	for (unsigned c = 0; c < cases; c++) {
		if (c == cases - 1 && pick(maker, 2))
			say(maker, "default:\n");
		else
			bytes_printf(maker->text, "case %d:\n", (int)c - (int)(cases > 4));
		block(maker);
		if (pick(maker, 4))
			say(maker, "break;\n");
	}
	say(maker, "}\n");
	(void)piece_end(maker, piece);
}

/* A value for each of some cases, which may become a table. */
static void choose_value(struct maker *maker)
{
	static const enum element elements[] = {INT, UCHAR, ULONG, SHORT};
	struct type type = type_any(maker), chosen = {elements[pick(maker, 4)], 1};
	unsigned name = maker->names++, cases = 3 + pick(maker, 9), step = 1 + pick(maker, 3);
	bytes_printf(maker->text, "%s v%u;\nswitch (", type_name(type), name);
	expression(maker, chosen, 2);
	say(maker, pick(maker, 2) ? " & 15) {\n" : ") {\n");
	for (unsigned c = 0; c < cases; c++) {
		bytes_printf(maker->text, "case %u:\nv%u = ", c * step, name);
		expression(maker, type, !pick(maker, 4));
		say(maker, ";\nbreak;\n");
	}
	bytes_printf(maker->text, "default:\nv%u = ", name);
	expression(maker, type, 0);
	say(maker, ";\n}\n");
	variable_add(maker, type, "v%u", name);
}

/* Heads of loops, and how often they go round at most. */
static const struct head {
	const char *text;
	struct type type;
	unsigned rounds;
} heads[] = {
	{"for (int i%u = 0; i%u < 5; i%u++) ", {INT, 1}, 5},
	{"for (uchar i%u = 250; i%u != 3; i%u += 3) ", {UCHAR, 1}, 3},
	{"for (char i%u = 5; i%u >= -3; i%u -= 2) ", {CHAR, 1}, 5},
	{"for (long i%u = 1; i%u < 200; i%u *= 3) ", {LONG, 1}, 5},
	{"for (ushort i%u = 0xffff; i%u; i%u >>= 4) ", {USHORT, 1}, 4},
	{"for (uint i%u = 3; i%u < 0x80000000u; i%u *= 40) ", {UINT, 1}, 6},
	{"for (float i%u = 0; i%u < 1.0f; i%u += 0.25f) ", {FLOAT, 1}, 4},
	{"for (int i%u = 0; i%u < (n & 7); i%u += 1) ", {INT, 1}, 7},
	{"#pragma unroll 4\nfor (int i%u = 7; i%u --> 0; i%u -= 1) ", {INT, 1}, 4},
};
enum { HEADS = sizeof(heads) / sizeof(heads[0]) };

static const struct head *head_write(struct maker *maker, unsigned name)
{
	const struct head *head = &heads[pick(maker, HEADS)];
	bytes_printf(maker->text, head->text, name, name, name);
	variable_add(maker, head->type, "i%u", name)->reads_only = true;
	return head;
}

/* Some work-items go round more often than others. */
static void ragged_head(struct maker *maker, unsigned name)
{
	bytes_printf(maker->text, "for (int i%u = 0; i%u < (", name, name);
	expression(maker, int_type, 1);
	bytes_printf(maker->text, " & 7); i%u++) ", name);
	variable_add(maker, int_type, "i%u", name)->reads_only = true;
}

static void loop(struct maker *maker)
{
	unsigned count = maker->count, rounds = maker->rounds, name = maker->names++;
	if (rounds >= ROUNDS_MAX) {
		make_variable(maker);
		return;
	}
	struct piece piece = piece_begin(maker);
	maker->rounds *= 5;
	maker->loops++;
	if (pick(maker, 2))
		ragged_head(maker, name);
	else
		(void)head_write(maker, name);
	block(maker);
	maker->loops--;
	maker->rounds = rounds;
	maker->count = count;
	(void)piece_end(maker, piece);
}

static void loop_while(struct maker *maker)
{
	unsigned rounds = maker->rounds, name = maker->names++;
	if (rounds >= ROUNDS_MAX) {
		make_variable(maker);
		return;
	}
	struct piece piece = piece_begin(maker);
	maker->rounds *= 5;
	maker->loops++;
	bool first = pick(maker, 2);
	bytes_printf(maker->text, "uint w%u = 0;\n", name);
	if (first)
		say(maker, "do ");
	else {
		bytes_printf(maker->text, "while (w%u++ < 5 && (", name);
		condition(maker);
		say(maker, ")) ");
	}
	block(maker);
	if (first) {
		say(maker, "while ((");
		condition(maker);
		bytes_printf(maker->text, ") && ++w%u < 5);\n", name);
	}
	maker->loops--;
	maker->rounds = rounds;
	(void)piece_end(maker, piece);
}

/* Not into a loop: PoCL 3.1 crashes on those that begin in two places. */
static void jump_back(struct maker *maker)
{
	unsigned rounds = maker->rounds, name = maker->names++;
	if (rounds >= ROUNDS_MAX) {
		jump(maker);
		return;
	}
	struct piece piece = piece_begin(maker);
	maker->rounds *= 4;
	bytes_printf(maker->text, "uint w%u = 0;\ng%u:;\n", name, name);
	block(maker);
	bytes_printf(maker->text, "if (++w%u < 4 && (", name);
	condition(maker);
	bytes_printf(maker->text, ")) goto g%u;\n", name);
	(void)piece_end(maker, piece);
}

static void leave(struct maker *maker)
{
	if (!maker->loops) {
		make_assignment(maker);
		return;
	}
	struct piece piece = piece_begin(maker);
	say(maker, "if (");
	condition(maker);
	say(maker, pick(maker, 2) ? ") break;\n" : ") continue;\n");
	(void)piece_end(maker, piece);
}

/* A loop or branch that all work-items of a group take together, with barriers in it. */
static void together(struct maker *maker)
{
	unsigned count = maker->count, name = maker->names++;
	if (!maker->uniform || maker->rounds >= ROUNDS_MAX || maker->depth >= DEPTH) {
		loop(maker);
		return;
	}
	struct piece piece = piece_begin(maker);
	unsigned rounds = maker->rounds;
	if (pick(maker, 3))
		maker->rounds *= head_write(maker, name)->rounds;
	else
		say(maker, pick(maker, 2) ? "if (get_group_id(0) & 1) " : "if (n & 4) ");
	body(maker, count);
	maker->rounds = rounds;
	maker->count = count;
	(void)piece_end(maker, piece);
}

/* --- all of them ------------------------------------------------------------------------------ */

static void statement(struct maker *maker)
{
	static void (*const ways[])(struct maker *) = {
		make_variable,
		make_variable,
		make_variable,
		make_variable,
		make_variable,
		make_assignment,
		make_assignment,
		make_assignment,
		make_assignment,
		make_assignment,
		make_array,
		make_matrix,
		make_array_access,
		make_struct,
		make_struct_copy,
		make_union,
		make_pointer,
		make_pointer_call,
		make_byte_access,
		make_count,
		make_own_atomic,
		make_half_store,
		make_exchange,
		make_exchange,
		make_region,
		make_region,
		make_region,
		make_generic_pointer,
		make_generic_pointer,
		make_elements,
		make_wide_atomic,
		make_ordered_atomic,
		make_nested,
		make_nested,
		choose_value,
		choose_value,
		make_struct_exchange,
		make_async_copy,
		make_group_call,
		make_group_call,
		make_parts,
		make_parts,
		make_parts,
		make_parts,
		make_neighbours,
		make_neighbours,
		make_chosen_pointer,
		make_chosen_pointer,
		make_chosen_pointer,
		make_chain,
		make_chain,
		make_chain,
		leave,
		leave,
	};
	static void (*const nested[])(struct maker *) = {
		make_branch, make_branch, jump,	      jump_back, switch_over,
		loop,	     loop,	  loop_while, together,	 together,
	};
	if (maker->depth < DEPTH && !pick(maker, 3))
		nested[pick(maker, sizeof(nested) / sizeof(nested[0]))](maker);
	else
		ways[pick(maker, sizeof(ways) / sizeof(ways[0]))](maker);
}

void statements(struct maker *maker, unsigned count)
{
	while (count--)
		statement(maker);
}
