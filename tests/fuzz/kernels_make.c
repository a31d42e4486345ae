#include "config.h"

#include "tests/fuzz/kernels_statement.h"

static void tables(struct maker *maker)
{
	for (unsigned e = 0; e < ELEMENTS; e++) {
		const char *name = element_name(e);
		bytes_printf(maker->text, "constant %s table_%s[16] = {", name, name);
		for (unsigned i = 0; i < 16; i++) {
			unsigned number = pick(maker, 1u << 31);
			if (element_is_real(e))
				bytes_printf(maker->text, "%d.5, ", (int)(number % 2048) - 1024);
			else
				bytes_printf(maker->text, "(%s)%d, ", name, (int)(number * 2));
		}
		bytes_append_string(maker->text, "};\n");
	}
}

/* A function's body: statements, and the result of an expression; width 0: last instead. */
static void body(struct maker *maker, struct type result, const char *last)
{
	bytes_append_string(maker->text, ")\n{\nulong sum = 0;\n");
	maker->in_kernel = false;
	maker->depth = 1;
	statements(maker, 1 + pick(maker, 4));
	if (result.width) {
		sum_up(maker, 0, maker->count);
		bytes_append_string(maker->text, "return ");
		expression(maker, result, 2);
		bytes_printf(maker->text, " %s (%s)(%s)sum;\n}\n",
			     element_is_real(result.element) ? "+" : "^", type_name(result),
			     element_name(result.element));
	} else {
		bytes_printf(maker->text, "%s}\n", last);
	}
	maker->depth = 0;
	maker->count = 0;
}

static void function(struct maker *maker)
{
	struct function made = {.result = type_any(maker),
				.count = 1 + pick(maker, PARAMETERS_MAX)};
	bytes_printf(maker->text, "%s%s f%u(int n",
		     pick(maker, 2) ? "__attribute__((noinline)) " : "", type_name(made.result),
		     maker->function_count);
	for (unsigned p = 0; p < made.count; p++) {
		made.parameters[p] = type_any(maker);
		bytes_printf(maker->text, ", %s a%u", type_name(made.parameters[p]), p);
		variable_add(maker, made.parameters[p], "a%u", p);
	}
	variable_add(maker, (struct type){INT, 1}, "n");
	maker->names = PARAMETERS_MAX;
	body(maker, made.result, "");
	maker->functions[maker->function_count++] = made;
}

static void structure(struct maker *maker)
{
	maker->field_count = 2 + pick(maker, FIELDS_MAX - 1);
	bytes_append_string(maker->text, "struct s {\n");
	for (unsigned f = 0; f < maker->field_count; f++) {
		maker->fields[f] = type_any(maker);
		bytes_printf(maker->text, "%s f%u;\n", type_name(maker->fields[f]), f);
	}
	bytes_append_string(maker->text, "};\nstruct s change(struct s s, int n");
	fields_add(maker, "s", 0);
	variable_add(maker, (struct type){INT, 1}, "n");
	body(maker, (struct type){INT, 0}, "return s;\n");
}

/* struct t has struct s and an array in it, and a function that is given all of it. */
static void nested_structure(struct maker *maker)
{
	maker->many = type_any(maker);
	maker->last = type_any(maker);
	bytes_printf(maker->text,
		     "struct t {\nstruct s in;\n%s many[4];\n%s last;\n};\n"
		     "%sstruct t turn(struct t t, int n",
		     type_name(maker->many), type_name(maker->last),
		     pick(maker, 2) ? "__attribute__((noinline)) " : "");
	nested_add(maker, "t");
	variable_add(maker, (struct type){INT, 1}, "n");
	body(maker, (struct type){INT, 0}, "return t;\n");
}

/* void change_at(of maker->pointed *p, struct s *s, int n) */
static void pointer_function(struct maker *maker)
{
	maker->pointed = type_any(maker);
	bytes_printf(maker->text, "%svoid change_at(private %s *p, private struct s *s, int n",
		     pick(maker, 2) ? "__attribute__((noinline)) " : "", type_name(maker->pointed));
	variable_add(maker, maker->pointed, "(*p)");
	fields_add(maker, "(*s)", 0);
	variable_add(maker, (struct type){INT, 1}, "n");
	body(maker, (struct type){INT, 0}, "");
}

/* As C lays it out: each field where its size divides, all of it a multiple of the largest. */
static unsigned structure_size_B(const struct maker *maker)
{
	unsigned size_B = 0, largest_B = 1;
	for (unsigned f = 0; f < maker->field_count; f++) {
		unsigned field_B = type_size_B(maker->fields[f]);
		largest_B = field_B > largest_B ? field_B : largest_B;
		size_B = (size_B + field_B - 1) / field_B * field_B + field_B;
	}
	return (size_B + largest_B - 1) / largest_B * largest_B;
}

static void head(struct maker *maker, struct bytes *text)
{
	bytes_append_string(
		text, "kernel void k(global ulong *out, global uint *counters,\n"
		      "global uint *own, global half *own_half, global uchar *shared,\n"
		      "global const half *in_half,\n");
	for (unsigned e = 0; e < ELEMENTS; e++)
		bytes_printf(text, "global const %s *in_%s,\n", element_name(e), element_name(e));
	bytes_append_string(text,
			    "int n, uint3 x, char16 y, float2 z, struct s given)\n{\n"
			    "local int scratch_int[LOCAL];\nlocal uint scratch_uint[LOCAL];\n"
			    "local long scratch_long[LOCAL];\nlocal ulong scratch_ulong[LOCAL];\n");
	bytes_printf(text, "local uint marks[%u];\n", KERNELS_COUNTERS);
	bytes_append(text, maker->locals.data, maker->locals.size_B);
	/* by is a copy: PoCL 3.1's work-items share what they write into an argument. */
	bytes_printf(text,
		     "const uint lid = get_local_id(0), gid = get_global_id(0);\n"
		     "ulong sum = 0;\nstruct s by = given;\n"
		     "for (uint i = lid; i < %u; i += LOCAL)\n"
		     "marks[i] = i / 8 == 3 || i / 8 == 4 ? UINT_MAX : 0;\n"
		     "barrier(CLK_LOCAL_MEM_FENCE);\n",
		     KERNELS_COUNTERS);
}

static void finish(struct maker *maker)
{
	bytes_printf(maker->text, "out += gid * %u;\n", KERNELS_SUMS);
	for (unsigned v = 0; v < maker->count && v < KERNELS_SUMS - 1; v++) {
		bytes_append_string(maker->text, "{\nulong sum = 0;\n");
		sum_up(maker, v, v + 1);
		bytes_printf(maker->text, "out[%u] = sum;\n}\n", v);
	}
	if (maker->count >= KERNELS_SUMS)
		sum_up(maker, KERNELS_SUMS - 1, maker->count);
	bytes_printf(maker->text,
		     "barrier(CLK_LOCAL_MEM_FENCE);\n"
		     "for (uint i = lid; i < %u; i += LOCAL)\nsum = fold(sum, marks[i]);\n"
		     "out[%u] = sum;\n}\n",
		     KERNELS_COUNTERS, KERNELS_SUMS - 1);
}

static void kernel_body(struct maker *maker)
{
	struct bytes text = BYTES_INIT, *before = maker->text;
	maker->text = &text;
	maker->in_kernel = maker->uniform = true;
	variable_add(maker, (struct type){UINT, 3}, "x");
	variable_add(maker, (struct type){CHAR, 16}, "y");
	variable_add(maker, (struct type){FLOAT, 2}, "z");
	fields_add(maker, "by", 0);
	statements(maker, 6 + pick(maker, 10));
	finish(maker);
	maker->text = before;
	bytes_append(before, maker->helpers.data, maker->helpers.size_B);
	head(maker, before);
	bytes_append(before, text.data, text.size_B);
	bytes_finish(&text);
}

void kernels_make(struct kernels_source *source)
{
	struct maker maker = {
		.fuzz = {.state = source->number * 0x9e3779b97f4a7c15u},
		.source = source,
		.text = &source->text,
		.rounds = 1,
	};
	source->pieces = 0;
	source->local = pick(&maker, 2) ? 32 : 64;
	tables(&maker);
	for (unsigned count = pick(&maker, FUNCTIONS_MAX + 1); count; count--)
		function(&maker);
	structure(&maker);
	source->argument_B = structure_size_B(&maker);
	nested_structure(&maker);
	pointer_function(&maker);
	kernel_body(&maker);
	bytes_finish(&maker.helpers);
	bytes_finish(&maker.locals);
}
