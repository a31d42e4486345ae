#include "config.h"

#include "tests/fuzz/kernels_statement.h"

#include <stdio.h>
#include <string.h>

/* Pointers that are chosen at run time between global, local and private memory, and what is stored and copied through
 * them.  In each of the three, a work-item has four objects of its own.  Bytes move from the last two to the first two,
 * so that no copy overlaps, whatever the pointers point at.  Nothing has padding, whose bytes are open after a copy. */

enum { OBJECTS = 4, CHOSEN_MEMBERS_MAX = 4 };

struct chosen {
	unsigned name, size_B;           /* of the statement; of one object */
	char type[24];
	struct type members[CHOSEN_MEMBERS_MAX];
	unsigned member_count;           /* of a struct; 0: the object has the type members[0] */
	bool packed, local, bytewise;    /* has no reals, which bytes could make NaNs of */
};

/* --- the type --------------------------------------------------------------------------------- */

/* No vector of three: its fourth component is padding. */
static struct type whole_type(struct maker *maker)
{
	static const unsigned widths[] = {1, 1, 2, 4, 8};
	struct type type = {pick(maker, ELEMENTS), widths[pick(maker, 5)]};
	return type_size_B(type) > 32 ? (struct type){type.element, 2} : type;
}

static void describe_packed(struct maker *maker, struct chosen *chosen)
{
	chosen->packed = true;
	chosen->member_count = 2 + pick(maker, CHOSEN_MEMBERS_MAX - 1);
	for (unsigned m = 0; m < chosen->member_count; m++) {
		struct type type = whole_type(maker);
		chosen->members[m] = type_size_B(type) > 8 ? (struct type){type.element, 1} : type;
	}
}

static void describe_even(struct maker *maker, struct chosen *chosen)
{
	struct type type = whole_type(maker);
	chosen->member_count = 2 + pick(maker, CHOSEN_MEMBERS_MAX - 1);
	for (unsigned m = 0; m < chosen->member_count; m++)
		chosen->members[m] = type_size_B(type) > 8 ? (struct type){type.element, 1} : type;
}

static void describe(struct maker *maker, struct chosen *chosen)
{
	switch (pick(maker, 3)) {
	case 0:
		describe_packed(maker, chosen);
		break;
	case 1:
		describe_even(maker, chosen);
		break;
	default:
		chosen->members[0] = whole_type(maker);
	}
	chosen->bytewise = true;
	for (unsigned m = 0; m < (chosen->member_count ? chosen->member_count : 1); m++) {
		chosen->size_B += type_size_B(chosen->members[m]);
		chosen->bytewise = chosen->bytewise && !element_is_real(chosen->members[m].element);
	}
	if (chosen->member_count)
		snprintf(chosen->type, sizeof(chosen->type), "struct c%u", chosen->name);
	else
		snprintf(chosen->type, sizeof(chosen->type), "%s", type_name(chosen->members[0]));
}

static void declare_type(struct maker *maker, const struct chosen *chosen)
{
	if (!chosen->member_count)
		return;
	bytes_printf(&maker->helpers, "struct c%u {\n", chosen->name);
	for (unsigned m = 0; m < chosen->member_count; m++)
		bytes_printf(&maker->helpers, "%s m%u;\n", type_name(chosen->members[m]), m);
	bytes_printf(&maker->helpers, "}%s;\n", chosen->packed ? " __attribute__((packed))" : "");
}

/* --- what is done through pointers ------------------------------------------------------------ */

static void index_below_4(struct maker *maker)
{
	say(maker, "[");
	expression(maker, (struct type){INT, 1}, 1);
	say(maker, " & 3]");
}

/* A value whose bits are seen. */
static void seen_value(struct maker *maker, struct type type)
{
	bool real = element_is_real(type.element);
	say(maker, real ? "plain(" : "");
	expression(maker, type, 2);
	say(maker, real ? ")" : "");
}

/* "p[i & 3]" or a member of it; returns its type. */
static struct type write_place(struct maker *maker, const struct chosen *chosen, const char *pointer)
{
	unsigned member = chosen->member_count ? pick(maker, chosen->member_count) : 0;
	say(maker, pointer);
	index_below_4(maker);
	if (chosen->member_count)
		bytes_printf(maker->text, ".m%u", member);
	return chosen->members[member];
}

/* Of a vector, often some components alone. */
static void store_value(struct maker *maker, const struct chosen *chosen, const char *pointer)
{
	static const char *const parts[] = {".lo", ".hi", ".even", ".odd"};
	struct type type = write_place(maker, chosen, pointer);
	if (type.width > 1 && pick(maker, 3)) {
		bool half = pick(maker, 2);
		say(maker, half ? parts[pick(maker, 4)] : "");
		if (!half)
			bytes_printf(maker->text, ".s%u", pick(maker, type.width));
		type.width = half ? type.width / 2 : 1;
	}
	say(maker, " = ");
	seen_value(maker, type);
	say(maker, ";\n");
}

static void assign_object(struct maker *maker, const struct chosen *chosen, const char *to, const char *from)
{
	bool by_value = pick(maker, 2);
	if (by_value)
		bytes_printf(maker->text, "{\n%s t = ", chosen->type);
	else
		say(maker, to);
	if (!by_value) {
		index_below_4(maker);
		say(maker, " = ");
	}
	say(maker, from);
	index_below_4(maker);
	say(maker, ";\n");
	if (!by_value)
		return;
	say(maker, to);
	index_below_4(maker);
	say(maker, " = t;\n}\n");
}

/* Two objects, or some of their bytes, at any of them. */
static void copy_memory(struct maker *maker, const struct chosen *chosen, const char *to, const char *from)
{
	unsigned room_B = 2 * chosen->size_B;
	if (!chosen->bytewise || !pick(maker, 3)) {
		bytes_printf(maker->text, "__builtin_memcpy(%s, %s + 2, %u * sizeof(*%s));\n", to, from,
			     1 + pick(maker, 2), to);
		return;
	}
	unsigned first = pick(maker, room_B), start = pick(maker, room_B);
	unsigned most = room_B - (first > start ? first : start);
	bytes_printf(maker->text, "__builtin_memcpy((ANY(uchar) *)%s + %u, (ANY(uchar) *)(%s + 2) + %u, ", to,
		     first, from, start);
	if (pick(maker, 3)) {
		bytes_printf(maker->text, "%u);\n", 1 + pick(maker, most));
		return;
	}
	say(maker, "(uint)(");
	expression(maker, (struct type){INT, 1}, 1);
	bytes_printf(maker->text, ") %% %u);\n", most + 1);
}

static void copy_bytes(struct maker *maker, const struct chosen *chosen, const char *to, const char *from)
{
	if (!chosen->bytewise) {
		copy_memory(maker, chosen, to, from);
		return;
	}
	bytes_printf(maker->text,
		     "for (int b = 0; b < %u; b++)\n((ANY(uchar) *)%s)[b] = ((ANY(uchar) *)(%s + 2))[%u - b];\n",
		     2 * chosen->size_B, to, from, 2 * chosen->size_B - 1);
}

/* The place is chosen as well. */
static void store_chosen(struct maker *maker, const struct chosen *chosen, const char *to, const char *from)
{
	say(maker, "*((");
	condition(maker);
	bytes_printf(maker->text, ") ? %s + ", to);
	bytes_printf(maker->text, "%u : %s + %u) = (", pick(maker, OBJECTS), from, pick(maker, OBJECTS));
	condition(maker);
	bytes_printf(maker->text, " ? %s : %s)", from, to);
	index_below_4(maker);
	say(maker, ";\n");
	(void)chosen;
}

static void swap_pointers(struct maker *maker, const struct chosen *chosen, const char *to, const char *from)
{
	say(maker, "if (");
	condition(maker);
	bytes_printf(maker->text, ") {\nANY(%s) *t = %s;\n%s = %s;\n%s = t;\n}\n", chosen->type, to, to, from, from);
}

static void operations(struct maker *maker, const struct chosen *chosen, const char *to, const char *from)
{
	static void (*const copies[])(struct maker *, const struct chosen *, const char *, const char *) = {
		assign_object, copy_memory, copy_bytes, store_chosen, swap_pointers};
	for (unsigned count = 2 + pick(maker, 4); count; count--) {
		struct piece piece = piece_begin(maker);
		if (!pick(maker, 4))
			say(maker, "for (int i = 0; i < (n & 3); i++) {\n");
		else
			say(maker, "{\n");
		if (pick(maker, 3))
			copies[pick(maker, 5)](maker, chosen, to, from);
		else
			store_value(maker, chosen, pick(maker, 2) ? to : from);
		say(maker, "}\n");
		(void)piece_end(maker, piece);
	}
}

/* The same in a function, in which nothing says where the pointers point. */
static void make_function(struct maker *maker, const struct chosen *chosen)
{
	struct bytes *text = maker->text;
	unsigned count = maker->count;
	maker->text = &maker->helpers;
	maker->count = 0;
	maker->in_kernel = false;
	bytes_printf(maker->text, "%svoid move%u(ANY(%s) *to, ANY(%s) *from, int n)\n{\n",
		     pick(maker, 2) ? "__attribute__((noinline)) " : "", chosen->name, chosen->type, chosen->type);
	operations(maker, chosen, "to", "from");
	say(maker, "}\n");
	maker->in_kernel = true;
	maker->count = count;
	maker->text = text;
}

/* --- the statement ---------------------------------------------------------------------------- */

static void fill_place(struct maker *maker, const struct chosen *chosen, const char *place)
{
	for (unsigned m = 0; m < (chosen->member_count ? chosen->member_count : 1); m++) {
		say(maker, place);
		if (chosen->member_count)
			bytes_printf(maker->text, ".m%u", m);
		say(maker, " = ");
		seen_value(maker, chosen->members[m]);
		say(maker, ";\n");
	}
}

static void declare_objects(struct maker *maker, const struct chosen *chosen)
{
	unsigned name = chosen->name;
	bytes_printf(&maker->locals, "global %s *g%u = (global %s *)(shared + %u) + get_global_id(0) * %u;\n",
		     chosen->type, name, chosen->type, maker->shared_B, OBJECTS);
	maker->shared_B += (chosen->size_B * OBJECTS * KERNELS_ITEMS + 127) / 128 * 128;
	if (chosen->local) {
		maker->locals_B += chosen->size_B * OBJECTS * maker->source->local;
		bytes_printf(&maker->locals, "local %s o%u[LOCAL * %u];\n", chosen->type, name, OBJECTS);
	}
	bytes_printf(maker->text, "%s a%u[%u];\nfor (int i = 0; i < %u; i++) {\n", chosen->type, name, OBJECTS,
		     OBJECTS);
	static const char *const places[] = {"a%u[i]", "g%u[i]", "o%u[lid * 4 + i]"};
	for (unsigned p = 0; p < 2u + chosen->local; p++) {
		char place[32];
		snprintf(place, sizeof(place), places[p], name);
		fill_place(maker, chosen, place);
	}
	say(maker, "}\n");
}

static void write_space(struct maker *maker, const struct chosen *chosen, unsigned space)
{
	static const char *const objects[] = {"a%u", "g%u", "o%u + lid * 4"};
	bytes_printf(maker->text, "TO_ANY(%s, ", chosen->type);
	bytes_printf(maker->text, objects[chosen->local ? space : space % 2], chosen->name);
	say(maker, ")");
}

/* By conditions, from a table, or by cases. */
static void choose_pointer(struct maker *maker, const struct chosen *chosen, char pointer)
{
	unsigned way = pick(maker, 3), name = chosen->name, first = pick(maker, 3);
	if (way == 1) {
		bytes_printf(maker->text, "ANY(%s) *%c%ut[3] = {", chosen->type, pointer, name);
		for (unsigned space = 0; space < 3; space++) {
			write_space(maker, chosen, space);
			say(maker, space < 2 ? ", " : "};\n");
		}
	}
	bytes_printf(maker->text, "ANY(%s) *%c%u = ", chosen->type, pointer, name);
	if (way == 1) {
		bytes_printf(maker->text, "%c%ut[(uint)(", pointer, name);
		expression(maker, (struct type){INT, 1}, 1);
		say(maker, ") % 3];\n");
		return;
	}
	for (unsigned space = first; way == 0 && space < first + 2; space++) {
		say(maker, "(");
		condition(maker);
		say(maker, ") ? ");
		write_space(maker, chosen, space % 3);
		say(maker, " : ");
	}
	write_space(maker, chosen, (first + 2) % 3);
	say(maker, ";\n");
	if (way == 0)
		return;
	say(maker, "switch (");
	expression(maker, (struct type){INT, 1}, 1);
	say(maker, " & 3) {\n");
	for (unsigned space = first; space < first + 2; space++) {
		bytes_printf(maker->text, "case %u:\n%c%u = ", space, pointer, name);
		write_space(maker, chosen, space % 3);
		say(maker, ";\nbreak;\n");
	}
	say(maker, "}\n");
}

static void fold_all(struct maker *maker, const struct chosen *chosen)
{
	unsigned name = chosen->name;
	bytes_printf(maker->text, "ulong v%u = 0;\nfor (int i = 0; i < %u; i++) {\n", name, OBJECTS);
	for (unsigned m = 0; m < (chosen->member_count ? chosen->member_count : 1); m++) {
		char member[12] = "";
		if (chosen->member_count)
			snprintf(member, sizeof(member), ".m%u", m);
		for (const char *pointer = "apq"; *pointer; pointer++)
			bytes_printf(maker->text, "v%u = fold(v%u, (%s)%c%u[i]%s);\n", name, name,
				     type_name(chosen->members[m]), *pointer, name, member);
	}
	say(maker, "}\n");
	variable_add(maker, (struct type){ULONG, 1}, "v%u", name);
}

void make_chosen_pointer(struct maker *maker)
{
	struct chosen chosen = {.name = maker->names++};
	describe(maker, &chosen);
	unsigned objects_B = chosen.size_B * OBJECTS;
	if (!maker->in_kernel || maker->shared_B + objects_B * KERNELS_ITEMS + 128 > KERNELS_SHARED_B) {
		make_assignment(maker);
		return;
	}
	chosen.local = maker->locals_B + objects_B * maker->source->local <= KERNELS_LOCALS_MAX_B;
	char to[16], from[16];
	snprintf(to, sizeof(to), "p%u", chosen.name);
	snprintf(from, sizeof(from), "q%u", chosen.name);
	declare_type(maker, &chosen);
	declare_objects(maker, &chosen);
	choose_pointer(maker, &chosen, 'p');
	choose_pointer(maker, &chosen, 'q');
	operations(maker, &chosen, to, from);
	if (pick(maker, 2)) {
		make_function(maker, &chosen);
		struct piece piece = piece_begin(maker);
		bytes_printf(maker->text, "move%u(%s, %s, ", chosen.name, to, from);
		expression(maker, (struct type){INT, 1}, 1);
		say(maker, ");\n");
		(void)piece_end(maker, piece);
	}
	fold_all(maker, &chosen);
	if (chosen.member_count)
		return;
	for (const char *pointer = "pq"; *pointer; pointer++) {
		struct variable *objects = variable_add(maker, chosen.members[0], "%c%u", *pointer, chosen.name);
		objects->mask = OBJECTS - 1;
		objects->reads_only = !chosen.bytewise;
	}
}
