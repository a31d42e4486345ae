/* The atomic functions of OpenCL 1.x and those of C11 (OpenCL C 3.0, 6.15.12): what each returns
 * and leaves, and that nothing is lost when all work-items meet at one place. */
#include "config.h"

#include "tests/builtins/probe.h"

#include <stdio.h>
#include <stdlib.h>

struct operation {
	const char *name, *operand, *becomes;
};

static const struct operation operations[] = {
#define ATOMIC(name, operand, becomes) {name, operand, becomes},
#include "tests/builtins/atomic.def"
#undef ATOMIC
};
enum { OPERATIONS = sizeof(operations) / sizeof(operations[0]), GROUPS = 16 };

/* A memory: how an object of 65 elements named c comes to be, and the barrier that shows it. */
struct memory {
	const char *name, *object, *flag;
};
static const struct memory memories[] = {
	{"global", "global %s *c = (global %s *)out", "CLK_GLOBAL_MEM_FENCE"},
	{"local", "local %s there[65]; local %s *c = there", "CLK_LOCAL_MEM_FENCE"},
};
enum { MEMORIES = sizeof(memories) / sizeof(memories[0]) };

static void write_object(struct bytes *body, const struct memory *memory, const char *type)
{
	bytes_append_char(body, '\t');
	for (const char *at = memory->object; *at; at++) {
		if (at[0] == '%' && at[1] == 's') {
			bytes_append_string(body, type);
			at++;
		} else {
			bytes_append_char(body, *at);
		}
	}
	bytes_append_string(body, ";\n");
}

/* Each work-item has a place of its own, then all use place 64.  `init` and `load` are formats
 * of one place; `call` is the operation's beginning up to its operand; `end` closes it. */
static void write_operation(struct bytes *body, const struct operation *operation,
			    const struct memory *memory, const char *init, const char *load,
			    const char *call, const char *end)
{
	bytes_append_string(body, "	$T a = ((global const $T *)data)[g], old;\n"
				  "	$T b = ((global const $T *)data)[g + 64];\n");
	bytes_printf(body, init, "c + g", "a");
	bytes_printf(body, "	if (g == 0) {\n\t");
	bytes_printf(body, init, "c + 64", "(($T)12345)");
	bytes_printf(body, "	}\n	barrier(%s);\n", memory->flag);
	bytes_printf(body, "	old = %s(c + g%s%s);\n", call, operation->operand, end);
	bytes_printf(body, "	CHECK(old == a);\n	CHECK(");
	bytes_printf(body, load, "c + g");
	bytes_printf(body, " == ($T)(%s));\n", operation->becomes);
	bytes_printf(body, "	%s(c + 64%s%s);\n", call, operation->operand, end);
	bytes_printf(body, "	barrier(%s);\n", memory->flag);
	bytes_printf(body, "	a = 12345;\n	for (int i = 0; i < 64; i++) {\n"
			   "		b = ((global const $T *)data)[i + 64];\n"
			   "		a = (%s);\n	}\n	CHECK(", operation->becomes);
	bytes_printf(body, load, "c + 64");
	bytes_append_string(body, " == a);\n");
}

static void add(struct probes *probes, enum type type, struct bytes *body, const char *name)
{
	struct template template = {type, 1, "", ""};
	if (bytes_failed(body))
		family_fail("out of memory");
	else
		probes_add(probes, &template, name, bytes_string(body));
	bytes_finish(body);
}

/* -- OpenCL 1.x ------------------------------------------------------------------------------- */

/* What is exchanged is never lost: the values met and the one left are those put in. */
static void add_exchanges(struct probes *probes, enum type type, const char *prefix,
			  const struct memory *memory)
{
	struct bytes body = BYTES_INIT;
	char name[64];
	write_object(&body, memory, "$T");
	bytes_printf(&body,
		     "	local $T met[64];\n"
		     "	if (g == 0) c[64] = 1000;\n"
		     "	c[g] = g;\n"
		     "	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
		     "	CHECK(%sxchg(c + g, ($T)(g + 5)) == ($T)g);\n"
		     "	CHECK(c[g] == ($T)(g + 5));\n"
		     "	met[g] = %sxchg(c + 64, ($T)(g * g));\n"
		     "	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
		     "	$T all = c[64], put = 1000;\n"
		     "	for (int i = 0; i < 64; i++) { all += met[i]; put += ($T)(i * i); }\n"
		     "	CHECK(all == put);\n", prefix, prefix);
	snprintf(name, sizeof(name), "%sxchg of %s $T", prefix, memory->name);
	add(probes, type, &body, name);
	if (type_is_real(type))
		return;
	write_object(&body, memory, "$T");
	bytes_printf(&body,
		     "	if (g == 0) c[64] = 7;\n"
		     "	c[g] = g;\n"
		     "	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
		     "	CHECK(%scmpxchg(c + g, ($T)(g + 1), ($T)99) == ($T)g && c[g] == ($T)g);\n"
		     "	CHECK(%scmpxchg(c + g, ($T)g, ($T)99) == ($T)g && c[g] == 99);\n"
		     "	$T old = 7, seen;\n"
		     "	while ((seen = %scmpxchg(c + 64, old, old + 3)) != old) old = seen;\n"
		     "	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
		     "	CHECK(c[64] == 7 + 3 * 64);\n", prefix, prefix, prefix);
	snprintf(name, sizeof(name), "%scmpxchg of %s $T", prefix, memory->name);
	add(probes, type, &body, name);
}

static void add_legacy(struct probes *probes, enum type type, const char *prefix)
{
	for (int m = 0; m < MEMORIES; m++) {
		for (int i = 0; i < OPERATIONS; i++) {
			struct bytes body = BYTES_INIT;
			char call[32], name[64];
			snprintf(call, sizeof(call), "%s%s", prefix, operations[i].name);
			snprintf(name, sizeof(name), "%s of %s $T", call, memories[m].name);
			write_object(&body, &memories[m], "$T");
			write_operation(&body, &operations[i], &memories[m], "	*(%s) = %s;\n",
					"*(%s)", call, "");
			add(probes, type, &body, name);
		}
		add_exchanges(probes, type, prefix, &memories[m]);
	}
}

/* at_once: everyone on one place for each operation; in_turn: the same one after the other. */
static void write_contention(struct bytes *text, const char *type, const char *prefix)
{
	bytes_printf(text, "kernel void at_once(global %s *c)\n{\n"
			   "	%s b = (%s)get_global_id(0) * 2654435761u;\n", type, type, type);
	for (int i = 0; i < OPERATIONS; i++)
		bytes_printf(text, "	%s%s(c + %d%s);\n", prefix, operations[i].name, i,
			     operations[i].operand);
	bytes_printf(text, "}\nkernel void in_turn(global %s *c)\n{\n"
			   "	for (uint g = 0; g < %d; g++) {\n"
			   "		%s b = (%s)g * 2654435761u, a;\n",
		     type, GROUPS * 64, type, type);
	for (int i = 0; i < OPERATIONS; i++)
		bytes_printf(text, "		a = c[%d]; c[%d] = (%s);\n", i, i,
			     operations[i].becomes);
	bytes_append_string(text, "	}\n}\n");
}

static void compare_contention(enum type type, const char *prefix, const void *all, const void *one)
{
	for (int i = 0; i < OPERATIONS; i++) {
		char got[80], expected[80];
		struct number a = number_load(type, all, (size_t)i);
		struct number b = number_load(type, one, (size_t)i);
		family_count(0, 1);
		if (a.u != b.u)
			family_fail("%s%s(%s) by %d groups: left %s, expected %s", prefix,
				    operations[i].name, type_name(type), GROUPS,
				    number_show(type, a, got), number_show(type, b, expected));
	}
}

/* Many groups at one place each: what 16 groups of 64 leave is what they leave one by one. */
static void test_contention(struct device *device, enum type type, const char *prefix)
{
	struct bytes text = BYTES_INIT;
	unsigned char cells[OPERATIONS * 8];
	struct number start = number_from_bits(type, 12345);
	for (int i = 0; i < OPERATIONS; i++)
		number_store(type, cells, (size_t)i, start);
	write_contention(&text, type_name(type), prefix);
	cl_program program = device_build(device, bytes_string(&text), false);
	cl_mem all = device_buffer(device, sizeof(cells), cells);
	cl_mem one = device_buffer(device, sizeof(cells), cells);
	unsigned char left[2][sizeof(cells)];
	if (program && all && one &&
	    device_run(device, program, "at_once", &all, 1, GROUPS * 64, 64) &&
	    device_run(device, program, "in_turn", &one, 1, 1, 1) &&
	    device_read(device, all, sizeof(cells), left[0]) &&
	    device_read(device, one, sizeof(cells), left[1]))
		compare_contention(type, prefix, left[0], left[1]);
	if (all)
		clReleaseMemObject(all);
	if (one)
		clReleaseMemObject(one);
	if (program)
		clReleaseProgram(program);
	bytes_finish(&text);
}

void atomic_family(struct device *device, const struct depth *depth)
{
	struct probes probes;
	(void)depth;
	probes_init(&probes, device, false);
	int last = device->has_int64_atomics ? TYPE_ULONG : TYPE_UINT;
	for (int type = TYPE_INT; type <= last; type++) {
		bool is_wide = type >= TYPE_LONG;
		if (!is_wide)
			add_legacy(&probes, (enum type)type, "atomic_");
		add_legacy(&probes, (enum type)type, "atom_");
		test_contention(device, (enum type)type, is_wide ? "atom_" : "atomic_");
	}
	for (int m = 0; m < MEMORIES; m++)
		add_exchanges(&probes, TYPE_FLOAT, "atomic_", &memories[m]);
	probes_finish(&probes);
}

/* -- C11 -------------------------------------------------------------------------------------- */

static const char *const orders[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
static const char *const scopes[] = {"work_group", "device"};
enum { ORDERS = 5, SCOPES = 2 };

/* Way 0 is the plain function; the others are the explicit ones with each order and scope. */
static void way_of_calling(int way, char suffix[16], char arguments[80], bool with_failure)
{
	const char *order = orders[(way + ORDERS - 1) % ORDERS];
	const char *failure = with_failure ? ", memory_order_relaxed" : "";
	suffix[0] = arguments[0] = '\0';
	if (!way)
		return;
	snprintf(suffix, 16, "_explicit");
	snprintf(arguments, 80, ", memory_order_%s%s, memory_scope_%s", order, failure,
		 scopes[(way - 1) / ORDERS]);
}

static void add_fetches(struct probes *probes, enum type type, const struct memory *memory, int way)
{
	char suffix[16], end[80], object[32];
	way_of_calling(way, suffix, end, false);
	snprintf(object, sizeof(object), "atomic_%s", type_name(type));
	for (int i = 0; i < OPERATIONS; i++) {
		struct bytes body = BYTES_INIT;
		char call[64], name[160];
		/* inc and dec are of OpenCL 1.x only. */
		if (!*operations[i].operand)
			continue;
		snprintf(call, sizeof(call), "atomic_fetch_%s%s", operations[i].name, suffix);
		snprintf(name, sizeof(name), "%s of %s $T%s", call, memory->name, end);
		write_object(&body, memory, object);
		write_operation(&body, &operations[i], memory, "	atomic_init(%s, %s);\n",
				"atomic_load_explicit(%s, memory_order_relaxed)", call, end);
		add(probes, type, &body, name);
	}
}

static void add_moves(struct probes *probes, enum type type, const struct memory *memory, int way)
{
	struct bytes body = BYTES_INIT;
	char suffix[16], end[80], both[80], load[80], store[80], object[32], name[128];
	int order = (way + ORDERS - 1) % ORDERS, scope = way ? (way - 1) / ORDERS : 0;
	way_of_calling(way, suffix, end, false);
	way_of_calling(way, suffix, both, true);
	/* A load may not release, nor a store acquire. */
	way_of_calling(way && (order == 2 || order == 3) ? 2 + scope * ORDERS : way, suffix, load,
		       false);
	way_of_calling(way && (order == 1 || order == 3) ? 3 + scope * ORDERS : way, suffix, store,
		       false);
	snprintf(object, sizeof(object), "atomic_%s", type_name(type));
	snprintf(name, sizeof(name), "load, store, exchange%s of %s $T%s", suffix, memory->name,
		 end);
	write_object(&body, memory, object);
	bytes_printf(&body,
		     "	$T a = ($T)g, b = ($T)(g + 100), e;\n"
		     "	atomic_init(c + g, a);\n"
		     "	if (g == 0) atomic_init(c + 64, ($T)7);\n"
		     "	barrier(%s);\n"
		     "	CHECK(atomic_load%s(c + g%s) == a);\n"
		     "	atomic_store%s(c + g, b%s);\n"
		     "	CHECK(atomic_load%s(c + g%s) == b);\n"
		     "	CHECK(atomic_exchange%s(c + g, a%s) == b);\n",
		     memory->flag, suffix, load, suffix, store, suffix, load, suffix, end);
	bytes_printf(&body,
		     "	e = b;\n"
		     "	CHECK(!atomic_compare_exchange_strong%s(c + g, &e, b%s));\n"
		     "	CHECK(e == a);\n"
		     "	CHECK(atomic_compare_exchange_strong%s(c + g, &e, b%s));\n"
		     "	CHECK(e == a && atomic_load%s(c + g%s) == b);\n"
		     "	e = atomic_load%s(c + 64%s);\n"
		     "	while (!atomic_compare_exchange_weak%s(c + 64, &e, e + ($T)3%s)) ;\n"
		     "	barrier(%s);\n"
		     "	CHECK(atomic_load%s(c + 64%s) == ($T)(7 + 3 * 64));\n",
		     suffix, both, suffix, both, suffix, load, suffix, load, suffix, both,
		     memory->flag, suffix, load);
	add(probes, type, &body, name);
}

/* A flag as a lock, and fences around what it guards. */
static void add_flags(struct probes *probes, const struct memory *memory, int way)
{
	struct bytes body = BYTES_INIT;
	char suffix[16], set[80], clear[80], name[128];
	int order = (way + ORDERS - 1) % ORDERS, scope = way ? (way - 1) / ORDERS : 0;
	way_of_calling(way, suffix, set, false);
	way_of_calling(way && (order == 1 || order == 3) ? 3 + scope * ORDERS : way, suffix, clear,
		       false);
	snprintf(name, sizeof(name), "atomic_flag%s of %s memory%s", suffix, memory->name, set);
	write_object(&body, memory, "atomic_flag");
	bytes_printf(&body,
		     "	local int guarded[1];\n"
		     "	if (g == 0) guarded[0] = 0;\n"
		     "	atomic_flag_clear%s(c + g%s);\n"
		     "	if (g == 0) atomic_flag_clear%s(c + 64%s);\n"
		     "	CHECK(!atomic_flag_test_and_set%s(c + g%s));\n"
		     "	CHECK(atomic_flag_test_and_set%s(c + g%s));\n"
		     "	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n",
		     suffix, clear, suffix, clear, suffix, set, suffix, set);
	bytes_printf(&body,
		     "	for (int done = 0; !done;) {\n"
		     "		if (!atomic_flag_test_and_set%s(c + 64%s)) {\n"
		     "			atomic_work_item_fence(CLK_LOCAL_MEM_FENCE,"
		     " memory_order_acq_rel, memory_scope_work_group);\n"
		     "			guarded[0]++;\n"
		     "			atomic_work_item_fence(CLK_LOCAL_MEM_FENCE,"
		     " memory_order_seq_cst, memory_scope_device);\n"
		     "			atomic_flag_clear%s(c + 64%s);\n"
		     "			done = 1;\n"
		     "		}\n	}\n"
		     "	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
		     "	CHECK(guarded[0] == 64);\n", suffix, set, suffix, clear);
	add(probes, TYPE_INT, &body, name);
}

void atomic_c11_family(struct device *device, const struct depth *depth)
{
	struct probes probes;
	if (!device->has_c11)
		return;
	probes_init(&probes, device, true);
	for (int m = 0; m < MEMORIES; m++) {
		for (int way = 0; way <= ORDERS * SCOPES; way++) {
			/* The plain way, and the middle of the others. */
			if (depth->quick && way != 0 && way != 4)
				continue;
			for (int type = TYPE_INT; type <= TYPE_DOUBLE; type++) {
				bool is_wide = type_size_B((enum type)type) == 8;
				if (is_wide && !device->has_int64_atomics)
					continue;
				if (!type_is_real((enum type)type))
					add_fetches(&probes, (enum type)type, &memories[m], way);
				add_moves(&probes, (enum type)type, &memories[m], way);
			}
			add_flags(&probes, &memories[m], way);
		}
	}
	probes_finish(&probes);
}
