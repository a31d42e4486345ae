#include "config.h"

#include "tests/fuzz/kernels_statement.h"

#include <stdio.h>
#include <string.h>

static const struct type int_type = {INT, 1};

/* Arrays, structs, unions and what points at them. */

void make_array(struct maker *maker)
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
void make_struct(struct maker *maker)
{
	if (!maker->in_kernel) {
		make_variable(maker);
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
void make_union(struct maker *maker)
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
	expression(maker, members[0], 3);
	say(maker, ";\n");
	maker->count = all;
}

/* To one of two variables. */
void make_pointer(struct maker *maker)
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
		make_variable(maker);
		return;
	}
	unsigned name = maker->names++;
	/* Where there is a generic address space, what such a pointer points at is in it. */
	bool pointed = !strncmp(one->before, "(*p", 3) || !strncmp(other->before, "(*p", 3) ||
		       *one->before == 'l' || *other->before == 'l';
	bytes_printf(maker->text, "%s%s *p%u = (", pick(maker, 2) && !pointed ? "private " : "",
		     type_name(type), name);
	condition(maker);
	char cast[24] = "";
	if (pointed)
		snprintf(cast, sizeof(cast), "(%s *)", type_name(type));
	bytes_printf(maker->text, ") ? %s&%s%s : %s&%s%s;\n", cast, one->before, one->after, cast,
		     other->before, other->after);
	variable_add(maker, type, "(*p%u)", name);
}

/* By vstoreN into an array of scalars, and back. */
void make_array_access(struct maker *maker)
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

/* Of two dimensions, the first by an own index. */
void make_matrix(struct maker *maker)
{
	struct type type = type_any(maker);
	unsigned name = maker->names++;
	bytes_printf(maker->text,
		     "%s m%u[4][4];\nfor (int i%u = 0; i%u < 16; i%u++)\n"
		     "m%u[i%u / 4][i%u & 3] = ",
		     type_name(type), name, name, name, name, name, name, name);
	variable_add(maker, int_type, "i%u", name)->reads_only = true;
	expression(maker, type, 1);
	say(maker, ";\n");
	maker->count--;
	variable_add(maker, type, "m%u[%u]", name, pick(maker, 4))->mask = 3;
	variable_add(maker, type, "m%u[n & 3]", name)->mask = 3;
}

/* The name of a variable of struct s in scope; false: there is none.  by is one. */
static bool struct_write(struct maker *maker)
{
	const struct variable *found = NULL;
	for (unsigned v = 0, seen = 0; v < maker->count; v++)
		if (!strcmp(maker->variables[v].after, ".f0") && !pick(maker, ++seen))
			found = &maker->variables[v];
	if (!found)
		return false;
	bytes_append_string(maker->text, found->before);
	if (found->mask)
		bytes_printf(maker->text, "[%s & %u]", maker->in_kernel ? "gid" : "n", found->mask);
	return true;
}

void make_struct_copy(struct maker *maker)
{
	struct piece piece = piece_begin(maker);
	if (struct_write(maker)) {
		say(maker, " = ");
		bool changes = maker->in_kernel && pick(maker, 2);
		say(maker, changes ? "change(" : "");
		(void)struct_write(maker);
		if (changes) {
			say(maker, ", ");
			expression(maker, int_type, 1);
			say(maker, ")");
		}
		say(maker, ";\n");
	}
	(void)piece_end(maker, piece);
}

/* Through a function that is given the variable's address. */
void make_pointer_call(struct maker *maker)
{
	unsigned name = maker->names++;
	struct type type = maker->pointed;
	if (!maker->in_kernel) {
		make_assignment(maker);
		return;
	}
	bytes_printf(maker->text, "%s v%u = ", type_name(type), name);
	expression(maker, type, 2);
	bytes_printf(maker->text, ";\n");
	struct piece piece = piece_begin(maker);
	bytes_printf(maker->text, "change_at(&v%u, &", name);
	(void)struct_write(maker);
	say(maker, ", ");
	expression(maker, int_type, 1);
	say(maker, ");\n");
	(void)piece_end(maker, piece);
	variable_add(maker, type, "v%u", name);
}

/* Bytes of an integer that is no union's: characters may alias anything (C99 6.5). */
void make_byte_access(struct maker *maker)
{
	struct type type = type_any(maker);
	unsigned name = maker->names++;
	type.element %= FLOAT;
	unsigned mask = element_size_B(type.element) * (type.width == 3 ? 2 : type.width) - 1;
	bytes_printf(maker->text, "%s v%u = ", type_name(type), name);
	expression(maker, type, 2);
	bytes_printf(maker->text, ";\nprivate uchar *b%u = (private uchar *)&v%u;\n", name, name);
	struct piece piece = piece_begin(maker);
	bytes_printf(maker->text, "b%u[", name);
	expression(maker, int_type, 1);
	bytes_printf(maker->text, " & %u] = ", mask);
	expression(maker, (struct type){UCHAR, 1}, 2);
	say(maker, ";\n");
	(void)piece_end(maker, piece);
	if (mask)
		variable_add(maker, (struct type){UCHAR, 1}, "b%u", name)->mask = mask;
	variable_add(maker, type, "v%u", name);
}

void nested_add(struct maker *maker, const char *name)
{
	char in[16];
	snprintf(in, sizeof(in), "%s.in", name);
	fields_add(maker, in, 0);
	variable_add(maker, maker->many, "%s.many", name)->mask = 3;
	variable_add(maker, maker->last, "%s.last", name);
}

/* A struct with another and an array in it. */
void make_nested(struct maker *maker)
{
	if (!maker->in_kernel) {
		make_struct_copy(maker);
		return;
	}
	char name[12];
	unsigned number = maker->names++;
	snprintf(name, sizeof(name), "t%u", number);
	bytes_printf(maker->text, "struct t %s = {.in = by, .many = {", name);
	for (unsigned i = 0; i < 4; i++) {
		expression(maker, maker->many, 1);
		say(maker, i < 3 ? ", " : "}, .last = ");
	}
	expression(maker, maker->last, 1);
	say(maker, "};\n");
	nested_add(maker, name);
	struct piece piece = piece_begin(maker);
	bytes_printf(maker->text, "%s = turn(%s, ", name, name);
	expression(maker, int_type, 1);
	say(maker, ");\n");
	(void)piece_end(maker, piece);
}
