#include "config.h"

#include "tests/fuzz/kernels_statement.h"

#include <stdio.h>
#include <string.h>

enum { DEPTH = 3, DEEP = 3, ROUNDS_MAX = 48, LOCALS_MAX_B = 16 * 1024 };

static const struct type int_type = {INT, 1}, uint_type = {UINT, 1};

static void say(struct maker *maker, const char *text)
{
	bytes_append_string(maker->text, text);
}

/* "if (" and the like: true for some work-items. */
static void condition(struct maker *maker)
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

static void declare(struct maker *maker)
{
	struct type type = type_any(maker);
	unsigned name = maker->names++;
	bytes_printf(maker->text, "%s v%u = ", type_name(type), name);
	expression(maker, type, DEEP);
	say(maker, ";\n");
	variable_add(maker, type, "v%u", name);
}

static void declare_array(struct maker *maker)
{
	struct type type = type_any(maker);
	unsigned name = maker->names++, size = 4u << pick(maker, 3);
	bytes_printf(maker->text, "%s a%u[%u];\nfor (int i%u = 0; i%u < %u; i%u++)\na%u[i%u] = ",
		     type_name(type), name, size, name, name, size, name, name, name);
	variable_add(maker, int_type, "i%u", name)->reads_only = true;
	expression(maker, type, 1);
	say(maker, ";\n");
	maker->count--;
	variable_add(maker, type, "a%u", name)->mask = size - 1;
}

void fields_add(struct maker *maker, const char *name, unsigned mask)
{
	for (unsigned f = 0; f < maker->field_count; f++) {
		struct variable *field = variable_add(maker, maker->fields[f], "%s", name);
		field->mask = mask;
		snprintf(field->after, sizeof(field->after), ".f%u", f);
	}
}

/* One, or an array of four. */
static void declare_struct(struct maker *maker)
{
	if (!maker->in_kernel) {
		declare(maker);
		return;
	}
	char name[16];
	unsigned number = maker->names++;
	snprintf(name, sizeof(name), "s%u", number);
	if (pick(maker, 2)) {
		bytes_printf(maker->text, "struct s %s[4];\nfor (int i = 0; i < 4; i++)\n", name);
		bytes_printf(maker->text, "%s[i] = change(by, i);\n", name);
		fields_add(maker, name, 3);
		return;
	}
	bytes_printf(maker->text, "struct s %s = ", name);
	if (pick(maker, 2)) {
		say(maker, "by;\n");
	} else {
		say(maker, "change(by, ");
		expression(maker, int_type, 2);
		say(maker, ");\n");
	}
	fields_add(maker, name, 0);
}

/* Its members have the same size and no padding. */
static void declare_union(struct maker *maker)
{
	static const struct type members[] = {
		{ULONG, 4}, {INT, 8},	{USHORT, 16}, {CHAR, 16}, {LONG, 2},
		{UINT, 4},  {UCHAR, 8}, {SHORT, 1},   {LONG, 1},  {UCHAR, 1},
	};
	unsigned name = maker->names++, count = maker->count;
	say(maker, "union {\n");
	for (unsigned m = 0; m < 4; m++) {
		struct type type = members[m ? pick(maker, 10) : 0];
		unsigned size = 32 / type_size_B(type);
		bytes_printf(maker->text, "%s m%u%s", type_name(type), m, size > 1 ? "" : ";\n");
		if (size > 1)
			bytes_printf(maker->text, "[%u];\n", size);
		struct variable *member = variable_add(maker, type, "u%u.m%u", name, m);
		member->mask = size - 1;
	}
	unsigned all = maker->count;
	maker->count = count;
	bytes_printf(maker->text, "} u%u;\nu%u.m0 = ", name, name);
	expression(maker, members[0], DEEP);
	say(maker, ";\n");
	maker->count = all;
}

/* To one of two variables. */
static void declare_pointer(struct maker *maker)
{
	struct type type = type_any(maker);
	const struct variable *one = NULL, *other = NULL;
	for (unsigned tries = 0; tries < 24 && !one; tries++) {
		type = maker->count ? maker->variables[pick(maker, maker->count)].type : type;
		one = variable_of(maker, type, true);
		other = variable_of(maker, type, true);
		/* Members of unions have no addresses that are used apart (C99 6.5). */
		if (one &&
		    (one->mask || other->mask || *one->before == 'u' || *other->before == 'u'))
			one = NULL;
	}
	if (!one) {
		declare(maker);
		return;
	}
	unsigned name = maker->names++;
	/* Where there is a generic address space, what such a pointer points at is in it. */
	bool pointed = *one->before == '(' || *other->before == '(';
	bytes_printf(maker->text, "%s%s *p%u = (", pick(maker, 2) && !pointed ? "private " : "",
		     type_name(type), name);
	condition(maker);
	bytes_printf(maker->text, ") ? &%s%s : &%s%s;\n", one->before, one->after, other->before,
		     other->after);
	variable_add(maker, type, "(*p%u)", name);
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
	static const char *const operators[] = {"+=", "-=", "*=", "^=", "|=", "&="};
	struct type type = variable->type;
	variable_write(maker, variable, 1);
	if ((type.element == UINT || type.element == ULONG || type.width > 1) &&
	    !element_is_real(type.element) && (type.element & 1) && pick(maker, 2))
		bytes_printf(maker->text, " %s ", operators[pick(maker, 6)]);
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

static void assign(struct maker *maker)
{
	const struct variable *found = any_writable(maker);
	if (!found) {
		declare(maker);
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

/* By vstoreN into an array of scalars, and back. */
static void assign_array(struct maker *maker)
{
	static const unsigned sizes[] = {2, 3, 4, 8};
	unsigned name = maker->names++, width = sizes[pick(maker, 4)];
	struct type scalar = type_scalar(maker), type = {scalar.element, width}, other = type;
	other.width = sizes[pick(maker, 4)];
	bytes_printf(maker->text, "%s a%u[32] = {0};\nvstore%u(", type_name(scalar), name, width);
	expression(maker, type, 2);
	say(maker, ", ");
	expression(maker, int_type, 1);
	bytes_printf(maker->text, " & 1, a%u + (", name);
	expression(maker, int_type, 1);
	bytes_printf(maker->text, " & 15));\n%s v%u = vload%u(", type_name(other), name,
		     other.width);
	expression(maker, int_type, 1);
	bytes_printf(maker->text, " & 1, a%u + %u);\n", name, pick(maker, 8));
	variable_add(maker, scalar, "a%u", name)->mask = 31;
	variable_add(maker, other, "v%u", name);
}

/* --- control ---------------------------------------------------------------------------------- */

static void choose(struct maker *maker)
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
		declare(maker);
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
		declare(maker);
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

static void leave(struct maker *maker)
{
	if (!maker->loops) {
		assign(maker);
		return;
	}
	struct piece piece = piece_begin(maker);
	say(maker, "if (");
	condition(maker);
	say(maker, pick(maker, 2) ? ") break;\n" : ") continue;\n");
	(void)piece_end(maker, piece);
}

/* --- memory that others see ------------------------------------------------------------------- */

/* Counters that each work-item changes; their end is the same in any order. */
static void count(struct maker *maker)
{
	static const char *const calls[][4] = {
		{"add", "sub", "inc", "dec"}, {"xor", "xor", "xor", "xor"},
		{"or", "or", "or", "or"},     {"and", "and", "and", "and"},
		{"min", "min", "min", "min"}, {"max", "max", "max", "max"},
	};
	if (!maker->in_kernel) {
		assign(maker);
		return;
	}
	struct piece piece = piece_begin(maker);
	unsigned kind = pick(maker, 6);
	const char *call = calls[kind][pick(maker, 4)];
	bytes_printf(maker->text, "atomic_%s(&%s[%u + (", call,
		     pick(maker, 2) ? "counters" : "marks", 8 * kind);
	expression(maker, int_type, 1);
	say(maker, " & 7)]");
	if (strcmp(call, "inc") && strcmp(call, "dec")) {
		say(maker, ", ");
		expression(maker, uint_type, 2);
	}
	say(maker, ");\n");
	(void)piece_end(maker, piece);
}

/* Atomics on what one work-item alone has: their results are known. */
static void own_atomic(struct maker *maker)
{
	static const char *const calls[] = {"xchg", "cmpxchg", "add", "sub",
					    "xor",  "max",     "min", "inc"};
	if (!maker->in_kernel) {
		assign(maker);
		return;
	}
	unsigned name = maker->names++, call = pick(maker, 8);
	bytes_printf(maker->text, "uint v%u = atomic_%s(&own[gid * %u + (", name, calls[call],
		     KERNELS_OWN);
	expression(maker, int_type, 1);
	say(maker, " & 7)]");
	for (unsigned operands = call == 1 ? 2 : call == 7 ? 0 : 1; operands; operands--) {
		say(maker, ", ");
		expression(maker, uint_type, 2);
	}
	say(maker, ");\n");
	variable_add(maker, uint_type, "v%u", name);
}

static void store_half(struct maker *maker)
{
	static const char *const modes[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};
	static const unsigned sizes[] = {1, 2, 3, 4, 8};
	if (!maker->in_kernel) {
		assign(maker);
		return;
	}
	struct piece piece = piece_begin(maker);
	struct type type = {pick(maker, 4) ? FLOAT : DOUBLE, sizes[pick(maker, 5)]};
	bool aligned = type.width > 1 && pick(maker, 2);
	char width[12] = "";
	if (type.width > 1)
		snprintf(width, sizeof(width), "%u", type.width);
	bytes_printf(maker->text, "vstore%s_half%s%s(plain(", aligned ? "a" : "", width,
		     modes[pick(maker, 5)]);
	expression(maker, type, 2);
	bytes_printf(maker->text, "), 0, own_half + gid * %u", KERNELS_OWN);
	if (!aligned && type.width < 8)
		bytes_printf(maker->text, " + %u", pick(maker, KERNELS_OWN - type.width));
	say(maker, ");\n");
	(void)piece_end(maker, piece);
}

/* Each work-item leaves something in local memory and takes what another left. */
static void exchange(struct maker *maker)
{
	struct type type = type_any(maker);
	unsigned local = maker->source->local, size_B = type_size_B(type) * local;
	if (!maker->uniform || maker->locals_B + size_B > LOCALS_MAX_B) {
		choose(maker);
		return;
	}
	unsigned name = maker->names++;
	bool by_elements = type.width > 1 && pick(maker, 2);
	maker->locals_B += size_B;
	bytes_printf(&maker->locals, "local %s l%u[%u];\n",
		     by_elements ? element_name(type.element) : type_name(type), name,
		     by_elements ? type.width * local : local);
	if (by_elements)
		bytes_printf(maker->text, "vstore%u(", type.width);
	else
		bytes_printf(maker->text, "l%u[lid] = ", name);
	expression(maker, type, 2);
	if (by_elements)
		bytes_printf(maker->text, ", lid, l%u)", name);
	bytes_printf(maker->text, ";\nbarrier(CLK_LOCAL_MEM_FENCE);\n%s v%u = ", type_name(type),
		     name);
	if (by_elements)
		bytes_printf(maker->text, "vload%u(", type.width);
	else
		bytes_printf(maker->text, "l%u[", name);
	expression(maker, int_type, 2);
	bytes_printf(maker->text, " & %u", local - 1);
	if (by_elements)
		bytes_printf(maker->text, ", l%u)", name);
	else
		say(maker, "]");
	say(maker, ";\nbarrier(CLK_LOCAL_MEM_FENCE);\n");
	variable_add(maker, type, "v%u", name);
}

static void copy_async(struct maker *maker)
{
	enum element element = pick(maker, ELEMENTS);
	unsigned name = maker->names++, size_B = KERNELS_INPUTS * element_size_B(element);
	if (!maker->uniform || maker->locals_B + size_B > LOCALS_MAX_B) {
		choose(maker);
		return;
	}
	struct type type = {element, 1};
	maker->locals_B += size_B;
	bytes_printf(&maker->locals, "local %s l%u[%u];\n", element_name(element), name,
		     KERNELS_INPUTS);
	bytes_printf(maker->text,
		     "event_t e%u = async_work_group_copy(l%u, in_%s, %u, 0);\n"
		     "wait_group_events(1, &e%u);\n%s v%u = l%u[",
		     name, name, element_name(element), KERNELS_INPUTS, name, element_name(element),
		     name, name);
	expression(maker, int_type, 1);
	bytes_printf(maker->text, " & %u];\nbarrier(CLK_LOCAL_MEM_FENCE);\n", KERNELS_INPUTS - 1);
	variable_add(maker, type, "v%u", name);
}

/* --- groups ----------------------------------------------------------------------------------- */

static void group_any(struct maker *maker, const char *group, unsigned name)
{
	bytes_printf(maker->text, "int v%u = %s_%s(", name, group, pick(maker, 2) ? "ANY" : "ALL");
	condition(maker);
	say(maker, ");\n");
	variable_add(maker, int_type, "v%u", name);
}

static void group_move(struct maker *maker, const char *group, unsigned name, bool sub)
{
	struct type type = {INT + pick(maker, 4), 1};
	const char *word = element_name(type.element);
	unsigned from = pick(maker, sub ? 32 : maker->source->local);
	if (sub && pick(maker, 2)) {
		bool by_mask = pick(maker, 2);
		bytes_printf(maker->text, "%s v%u = SUB_SHUFFLE%s(%s, ", word, name,
			     by_mask ? "_XOR" : "", word);
		expression(maker, type, 2);
		say(maker, ", ");
		if (by_mask)
			bytes_printf(maker->text, "%u);\n", pick(maker, 32));
		else {
			expression(maker, int_type, 2);
			say(maker, " & 31);\n");
		}
	} else {
		bytes_printf(maker->text, "%s v%u = %s_BROADCAST(%s, ", word, name, group, word);
		expression(maker, type, 2);
		bytes_printf(maker->text, ", %uu);\n", from);
	}
	variable_add(maker, type, "v%u", name);
}

static void group(struct maker *maker)
{
	static const char *const ways[] = {"REDUCE", "SCAN_INCLUSIVE", "SCAN_EXCLUSIVE"};
	if (!maker->uniform) {
		choose(maker);
		return;
	}
	bool sub = pick(maker, 2);
	const char *group = sub ? "SUB" : "WORK";
	unsigned name = maker->names++, choice = pick(maker, 6);
	if (choice == 0) {
		group_any(maker, group, name);
		return;
	}
	if (choice <= 2) {
		group_move(maker, group, name, sub);
		return;
	}
	struct type type = {INT + pick(maker, 4), 1};
	const char *word = element_name(type.element);
	const char *call = pick(maker, 2) ? "min" : "max";
	/* Sums of signed numbers may overflow. */
	if ((type.element & 1) && pick(maker, 2))
		call = "add";
	bytes_printf(maker->text, "%s v%u = %s_%s(%s, %s, ", word, name, group,
		     ways[pick(maker, 3)], word, call);
	expression(maker, type, 2);
	say(maker, ");\n");
	variable_add(maker, type, "v%u", name);
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
		declare,       declare,	       declare,	      declare,	       declare,
		declare_array, declare_struct, declare_union, declare_pointer, assign,
		assign,	       assign,	       assign,	      assign,	       assign_array,
		count,	       own_atomic,     store_half,    exchange,	       exchange,
		copy_async,    group,	       group,	      leave,	       leave,
	};
	static void (*const nested[])(struct maker *) = {
		choose, choose, jump, switch_over, loop, loop, loop_while, together, together,
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
