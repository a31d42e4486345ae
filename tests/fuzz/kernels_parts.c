#include "config.h"

#include "tests/fuzz/kernels_statement.h"

#include <stdio.h>
#include <string.h>

/* Objects whose parts belong to different work-items: each writes members or
 * components, and none of another's.  OpenCL C 3.0, 6.3.1 and C11, 3.14: those are memory locations
 * of their own, so nothing that is written elsewhere may be lost, and nobody else's is touched. */

enum { PARTS_MAX = 24, MEMBERS_MAX = 5, LANES_MAX = 16 };

/* What one work-item writes: after the object's name, by assignment or a function. */
struct part {
	char member[32];
	struct type type;
};

struct parts {
	unsigned name, count;            /* of parts, and of work-items that share an object */
	struct part all[PARTS_MAX];
	unsigned largest_B;              /* no object is larger */
	char type[24];
	struct bytes declaration;
};

static void part_add(struct parts *parts, struct type type, const char *member)
{
	if (parts->count == PARTS_MAX)
		return;
	struct part *part = &parts->all[parts->count++];
	part->type = type;
	snprintf(part->member, sizeof(part->member), "%s", member);
}

/* --- components --- */

/* Each set of names has every lane once. */
static const char *const lanes_of_2[] = {"x y", "s0 s1", "lo hi", "even odd"};
static const char *const lanes_of_3[] = {"x y z", "zx y", "x yz", "s02 s1", "yx z"};
static const char *const lanes_of_4[] = {"x y z w", "lo hi", "even odd", "xz yw", "zyx w",
					 "x wzy",   "s0 s12 s3", "y xw z", "hi x y"};
static const char *const lanes_of_8[] = {"lo hi", "even odd", "s0 s1 s2 s3 hi", "s05 s1367 s24",
					 "lo s4 s567"};
static const char *const lanes_of_16[] = {"lo hi", "even odd", "lo s8 s9 sA sB sCDEF",
					  "s0f s123456789abcde s5"};

static const char *pick_lanes(struct maker *maker, unsigned width)
{
	switch (width) {
	case 2:
		return lanes_of_2[pick(maker, 4)];
	case 3:
		return lanes_of_3[pick(maker, 5)];
	case 4:
		return lanes_of_4[pick(maker, 9)];
	case 8:
		return lanes_of_8[pick(maker, 5)];
	default:
		return lanes_of_16[pick(maker, 3)];
	}
}

static unsigned lanes_named(const char *word, unsigned width)
{
	if (!strcmp(word, "lo") || !strcmp(word, "hi") || !strcmp(word, "even") ||
	    !strcmp(word, "odd"))
		return width / 2;
	return (unsigned)strlen(word) - (*word == 's');
}

/* A vector of a width that the language has. */
static bool is_width(unsigned width)
{
	return width <= 4 || width == 8 || width == 16;
}

static void add_components(struct maker *maker, struct parts *parts, struct type type,
			   const char *member)
{
	char words[32], name[32];
	snprintf(words, sizeof(words), "%s", pick_lanes(maker, type.width));
	for (char *at = words, *word; (word = strtok_r(at, " ", &at));) {
		struct type part = {type.element, lanes_named(word, type.width)};
		snprintf(name, sizeof(name), "%s.%s", member, word);
		if (is_width(part.width))
			part_add(parts, part, name);
	}
}

/* Half of the vectors whole; not those of three, whose fourth one has no value. */
static void add_value(struct maker *maker, struct parts *parts, struct type type,
		      const char *member)
{
	if (type.width == 3 || (type.width > 1 && pick(maker, 2)))
		add_components(maker, parts, type, member);
	else
		part_add(parts, type, member);
}

/* --- structs and unions --- */

static struct type member_type(struct maker *maker)
{
	static const unsigned widths[] = {1, 1, 1, 2, 3, 4};
	struct type type = {pick(maker, 3) ? pick(maker, USHORT + 1) : pick(maker, ELEMENTS), 1};
	type.width = widths[pick(maker, 6)];
	return type_size_B(type) > 16 ? (struct type){type.element, 1} : type;
}

static void add_array(struct maker *maker, struct parts *parts, unsigned number)
{
	struct type type = {pick(maker, USHORT + 1), 1};
	unsigned count = 2 + pick(maker, 4);
	bytes_printf(&parts->declaration, "%s m%u[%u];\n", type_name(type), number, count);
	parts->largest_B += count * type_size_B(type);
	for (unsigned i = 0; i < count; i++) {
		char name[32];
		snprintf(name, sizeof(name), ".m%u[%u]", number, i);
		part_add(parts, type, name);
	}
}

static void add_member(struct maker *maker, struct parts *parts, unsigned number)
{
	if (!pick(maker, 5)) {
		add_array(maker, parts, number);
		return;
	}
	struct type type = member_type(maker);
	char name[32];
	bytes_printf(&parts->declaration, "%s m%u;\n", type_name(type), number);
	snprintf(name, sizeof(name), ".m%u", number);
	parts->largest_B += 32;
	add_value(maker, parts, type, name);
}

static void describe_struct(struct maker *maker, struct parts *parts)
{
	bytes_printf(&parts->declaration, "struct p%u {\n", parts->name);
	for (unsigned m = 0, count = 2 + pick(maker, MEMBERS_MAX - 1); m < count; m++)
		add_member(maker, parts, m);
	bytes_printf(&parts->declaration, "}%s;\n",
		     pick(maker, 3) ? "" : " __attribute__((packed))");
	snprintf(parts->type, sizeof(parts->type), "struct p%u", parts->name);
	parts->largest_B += 16;
}

/* A union of which bytes, shorts and components are written side by side. */
static void describe_union(struct maker *maker, struct parts *parts)
{
	static const struct {
		const char *member;
		struct type type;
	} ways[][4] = {
		{{".c[0]", {CHAR, 1}}, {".c[1]", {CHAR, 1}}, {".s[1]", {SHORT, 1}},
		 {".i[1]", {INT, 1}}},
		{{".s[0]", {SHORT, 1}}, {".c[2]", {CHAR, 1}}, {".c[3]", {CHAR, 1}},
		 {".v.y", {INT, 1}}},
		{{".v.x", {INT, 1}}, {".h.z", {SHORT, 1}}, {".c[6]", {CHAR, 1}},
		 {".c[7]", {CHAR, 1}}},
	};
	unsigned way = pick(maker, 3);
	bytes_printf(&parts->declaration,
		     "union p%u { char c[8]; short s[4]; int i[2]; int2 v; short4 h; long l; };\n",
		     parts->name);
	for (unsigned p = 0; p < 4; p++)
		part_add(parts, ways[way][p].type, ways[way][p].member);
	snprintf(parts->type, sizeof(parts->type), "union p%u", parts->name);
	parts->largest_B = 8;
}

static void describe_vector(struct maker *maker, struct parts *parts)
{
	static const unsigned widths[] = {2, 3, 4, 8, 16};
	struct type type = {pick(maker, ELEMENTS), widths[pick(maker, 5)]};
	add_components(maker, parts, type, "");
	snprintf(parts->type, sizeof(parts->type), "%s", type_name(type));
	parts->largest_B = 16 * element_size_B(type.element);
}

/* --- the statement --- */

/* What a part becomes: no NaN, whose bits are open. */
static void part_value(struct maker *maker, struct type type)
{
	bool real = element_is_real(type.element);
	say(maker, real ? "plain(" : "");
	expression(maker, type, 2);
	say(maker, real ? ")" : "");
}

/* One's own part of what lies at place: written, changed, and read again into v. */
static void write_part(struct maker *maker, const struct parts *parts, const struct part *part,
		       const char *place)
{
	bool real = element_is_real(part->type.element);
	struct piece piece = piece_begin(maker);
	bytes_printf(maker->text, "%s%s = ", place, part->member);
	part_value(maker, part->type);
	say(maker, ";\n");
	if (!real && !pick(maker, 3)) {
		bytes_printf(maker->text, "%s%s %s ", place, part->member,
			     pick(maker, 2) ? "^=" : "|=");
		expression(maker, part->type, 1);
		say(maker, ";\n");
	}
	if (pick(maker, 2))
		bytes_printf(maker->text, "v%u = fold(v%u, (%s)%s%s);\n", parts->name, parts->name,
			     type_name(part->type), place, part->member);
	(void)piece_end(maker, piece);
}

/* id: the work-items that share, by number; objects begin at p. */
static void write_parts(struct maker *maker, const struct parts *parts, const char *id)
{
	char place[32];
	snprintf(place, sizeof(place), "p%u[%s / %u]", parts->name, id, parts->count);
	bytes_printf(maker->text, "switch (%s %% %u) {\n", id, parts->count);
	for (unsigned p = 0; p < parts->count; p++) {
		bytes_printf(maker->text, "case %u:\n", p);
		write_part(maker, parts, &parts->all[p], place);
		say(maker, "break;\n");
	}
	say(maker, "}\n");
}

/* Everybody looks at all parts of an object, between barriers. */
static void read_parts(struct maker *maker, const struct parts *parts, unsigned objects)
{
	say(maker, "barrier(CLK_LOCAL_MEM_FENCE);\n{\nuint at = (uint)(");
	expression(maker, (struct type){INT, 1}, 1);
	bytes_printf(maker->text, ") %% %uu;\n", objects);
	for (unsigned p = 0; p < parts->count; p++)
		bytes_printf(maker->text, "v%u = fold(v%u, (%s)p%u[at]%s);\n", parts->name,
			     parts->name, type_name(parts->all[p].type), parts->name,
			     parts->all[p].member);
	say(maker, "}\nbarrier(CLK_LOCAL_MEM_FENCE);\n");
}

/* The objects are local, shared by a group, or lie in memory of all work-items.  False: there is
 * no room. */
static bool place_parts(struct maker *maker, struct parts *parts, bool local)
{
	unsigned items = local ? maker->source->local : KERNELS_ITEMS;
	unsigned objects = (items + parts->count - 1) / parts->count;
	unsigned size_B = objects * ((parts->largest_B + 15) / 16 * 16);
	unsigned *used_B = local ? &maker->locals_B : &maker->shared_B;
	if (*used_B + size_B > (local ? (unsigned)KERNELS_LOCALS_MAX_B : KERNELS_SHARED_B))
		return false;
	bytes_append(&maker->locals, parts->declaration.data, parts->declaration.size_B);
	if (local)
		bytes_printf(&maker->locals, "local %s p%u[%u];\n", parts->type, parts->name,
			     objects);
	else
		bytes_printf(&maker->locals, "global %s *p%u = (global %s *)(shared + %u);\n",
			     parts->type, parts->name, parts->type, *used_B);
	*used_B += (size_B + 127) / 128 * 128;
	return true;
}

/* Nobody reads a part of local memory that nobody wrote. */
static unsigned whole_objects(struct maker *maker, const struct parts *parts)
{
	return maker->source->local / parts->count;
}

void make_parts(struct maker *maker)
{
	struct parts parts = {.name = maker->names++, .declaration = BYTES_INIT};
	unsigned kind = pick(maker, 4);
	bool local = pick(maker, 2), made = maker->in_kernel;
	if (made) {
		(kind == 0 ? describe_union : kind == 1 ? describe_vector : describe_struct)(
			maker, &parts);
		made = place_parts(maker, &parts, local);
	}
	bytes_finish(&parts.declaration);
	if (!made) {
		make_assignment(maker);
		return;
	}
	bytes_printf(maker->text, "ulong v%u = 0;\n", parts.name);
	write_parts(maker, &parts, local ? "lid" : "gid");
	if (local && maker->uniform && whole_objects(maker, &parts))
		read_parts(maker, &parts, whole_objects(maker, &parts));
	variable_add(maker, (struct type){ULONG, 1}, "v%u", parts.name);
}

/* --- elements that each work-item stores behind the other's --- */

static void vector_store(struct maker *maker, unsigned name)
{
	static const unsigned widths[] = {2, 3, 4, 8, 16};
	struct type type = {pick(maker, ELEMENTS), widths[pick(maker, 5)]};
	bytes_printf(&maker->locals, "global %s *p%u = (global %s *)(shared + %u);\n",
		     element_name(type.element), name, element_name(type.element),
		     maker->shared_B);
	bytes_printf(maker->text, "vstore%u(", type.width);
	part_value(maker, type);
	bytes_printf(maker->text, ", gid, p%u);\n", name);
}

static void half_store(struct maker *maker, unsigned name)
{
	static const unsigned widths[] = {1, 2, 3, 4, 8, 16};
	struct type type = {FLOAT, widths[pick(maker, 6)]};
	char width[12] = "";
	if (type.width > 1)
		snprintf(width, sizeof(width), "%u", type.width);
	bytes_printf(&maker->locals, "global half *p%u = (global half *)(shared + %u);\n", name,
		     maker->shared_B);
	bytes_printf(maker->text, "vstore_half%s(", width);
	part_value(maker, type);
	bytes_printf(maker->text, ", gid, p%u);\n", name);
}

/* A small struct without padding, all of it at once: nothing of a neighbour's goes with it. */
static void struct_store(struct maker *maker, unsigned name)
{
	static const unsigned counts[] = {1, 2, 3, 5, 6, 7, 9, 12};
	struct type type = {pick(maker, INT + 1), 1};
	unsigned count = counts[pick(maker, 8)];
	bool odd = pick(maker, 2);
	bytes_printf(&maker->locals,
		     "struct p%u { %s a[%u];%s }%s;\n"
		     "global struct p%u *p%u = (global struct p%u *)(shared + %u);\n",
		     name, type_name(type), count, odd ? " uchar last;" : "",
		     odd ? " __attribute__((packed))" : "", name, name, name, maker->shared_B);
	bytes_printf(maker->text, "{\nstruct p%u s;\nfor (int i = 0; i < %u; i++)\ns.a[i] = ", name,
		     count);
	expression(maker, type, 2);
	say(maker, ";\n");
	if (odd) {
		say(maker, "s.last = ");
		expression(maker, (struct type){UCHAR, 1}, 2);
		say(maker, ";\n");
	}
	bytes_printf(maker->text, "p%u[gid] = s;\n}\n", name);
}

void make_neighbours(struct maker *maker)
{
	enum { LARGEST_B = 16 * 8 * KERNELS_ITEMS };
	if (!maker->in_kernel || maker->shared_B + LARGEST_B > KERNELS_SHARED_B) {
		make_assignment(maker);
		return;
	}
	unsigned name = maker->names++;
	static void (*const ways[])(struct maker *, unsigned) = {vector_store, half_store,
								 struct_store, struct_store};
	struct piece piece = piece_begin(maker);
	ways[pick(maker, 4)](maker, name);
	(void)piece_end(maker, piece);
	maker->shared_B += LARGEST_B;
}
