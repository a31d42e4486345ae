#include "config.h"

#include "tests/fuzz/kernels_statement.h"

#include <stdio.h>
#include <string.h>

static const struct type int_type = {INT, 1}, uint_type = {UINT, 1};

/* --- memory that others see ------------------------------------------------------------------- */

/* Counters that each work-item changes; their end is the same in any order. */
void make_count(struct maker *maker)
{
	static const char *const calls[][4] = {
		{"add", "sub", "inc", "dec"}, {"xor", "xor", "xor", "xor"},
		{"or", "or", "or", "or"},     {"and", "and", "and", "and"},
		{"min", "min", "min", "min"}, {"max", "max", "max", "max"},
	};
	if (!maker->in_kernel) {
		make_assignment(maker);
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
void make_own_atomic(struct maker *maker)
{
	static const char *const calls[] = {"xchg", "cmpxchg", "add", "sub",
					    "xor",  "max",     "min", "inc"};
	if (!maker->in_kernel) {
		make_assignment(maker);
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

void make_half_store(struct maker *maker)
{
	static const char *const modes[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};
	static const unsigned sizes[] = {1, 2, 3, 4, 8};
	if (!maker->in_kernel) {
		make_assignment(maker);
		return;
	}
	struct piece piece = piece_begin(maker);
	struct type type = {pick(maker, 4) ? FLOAT : DOUBLE, sizes[pick(maker, 5)]};
	/* PoCL 3.1's vstorea_half3 writes a fourth one. */
	bool aligned = type.width > 1 && type.width != 3 && pick(maker, 2);
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
void make_exchange(struct maker *maker)
{
	struct type type = type_any(maker);
	unsigned local = maker->source->local, size_B = type_size_B(type) * local;
	if (!maker->uniform || maker->locals_B + size_B > KERNELS_LOCALS_MAX_B) {
		make_branch(maker);
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

/* The same with all of a struct. */
void make_struct_exchange(struct maker *maker)
{
	unsigned size_B = maker->source->argument_B * maker->source->local;
	if (!maker->uniform || maker->locals_B + size_B > KERNELS_LOCALS_MAX_B) {
		make_branch(maker);
		return;
	}
	char name[16];
	unsigned number = maker->names++;
	maker->locals_B += size_B;
	snprintf(name, sizeof(name), "s%u", number);
	bytes_printf(&maker->locals, "local struct s l%u[LOCAL];\n", number);
	bytes_printf(maker->text, "l%u[lid] = change(by, ", number);
	expression(maker, int_type, 1);
	bytes_printf(maker->text, ");\nbarrier(CLK_LOCAL_MEM_FENCE);\nstruct s %s = l%u[", name,
		     number);
	expression(maker, int_type, 1);
	say(maker, " & (LOCAL - 1)];\nbarrier(CLK_LOCAL_MEM_FENCE);\n");
	fields_add(maker, name, 0);
}

void make_async_copy(struct maker *maker)
{
	enum element element = pick(maker, ELEMENTS);
	unsigned name = maker->names++, size_B = KERNELS_INPUTS * element_size_B(element);
	if (!maker->uniform || maker->locals_B + size_B > KERNELS_LOCALS_MAX_B) {
		make_branch(maker);
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

void make_group_call(struct maker *maker)
{
	static const char *const ways[] = {"REDUCE", "SCAN_INCLUSIVE", "SCAN_EXCLUSIVE"};
	if (!maker->uniform) {
		make_branch(maker);
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
