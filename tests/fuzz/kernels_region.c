#include "config.h"

#include "tests/fuzz/kernels_statement.h"

#include <stdio.h>
#include <string.h>

/* Sixteen elements that one work-item alone has, in memory of any address space, and what goes
 * there and comes back through pointers, vectors and atomics. */
enum { REGION = 16 };

enum space { IN_PRIVATE, IN_LOCAL, IN_GLOBAL };
static const char *const space_names[] = {"private", "LOCAL_OWN", "global"};

static const struct type int_type = {INT, 1}, uint_type = {UINT, 1};

/* The space, and an element for it: of the memory behind out any but numbers of 64 bits would be
 * read as another type in the end (C99 6.5). */
static enum space any_space(struct maker *maker, struct type *type)
{
	enum space space = maker->in_kernel ? pick(maker, 3) : IN_PRIVATE;
	*type = type_scalar(maker);
	unsigned size_B = REGION * type_size_B(*type) * maker->source->local;
	if (space == IN_LOCAL && maker->locals_B + size_B > KERNELS_LOCALS_MAX_B)
		space = IN_GLOBAL;
	if (space == IN_LOCAL)
		maker->locals_B += size_B;
	if (space == IN_GLOBAL)
		type->element = LONG + pick(maker, 2);
	return space;
}

/* "T *pN = ", to all elements of a new region. */
static void region_begin(struct maker *maker, enum space space, struct type type, unsigned name)
{
	const char *word = type_name(type);
	if (space == IN_PRIVATE)
		bytes_printf(maker->text, "%s a%u[%u];\n", word, name, REGION);
	if (space == IN_LOCAL)
		bytes_printf(&maker->locals, "LOCAL_OWN %s l%u[LOCAL * %u];\n", word, name, REGION);
	bytes_printf(maker->text, pick(maker, 2) ? "%s %s *p%u = " : "GENERIC(%s) %s *p%u = ",
		     space_names[space], word, name);
	if (space == IN_PRIVATE)
		bytes_printf(maker->text, "a%u;\n", name);
	else if (space == IN_LOCAL)
		bytes_printf(maker->text, "l%u + lid * %u;\n", name, REGION);
	else
		bytes_printf(maker->text, "(global %s *)out + gid * %u + %u;\n", word, KERNELS_SUMS,
			     pick(maker, KERNELS_SUMS - REGION));
	bytes_printf(maker->text, "for (int i%u = 0; i%u < %u; i%u++)\np%u[i%u] = ", name, name,
		     REGION, name, name, name);
	variable_add(maker, int_type, "i%u", name)->reads_only = true;
	expression(maker, type, 1);
	say(maker, ";\n");
	maker->count--;
	variable_add(maker, type, "p%u", name)->mask = REGION - 1;
}

/* A vector where scalars lie, at any of them. */
static void store_vector(struct maker *maker, struct type type, unsigned name)
{
	static const unsigned sizes[] = {2, 3, 4, 8};
	struct type vector = {type.element, sizes[pick(maker, 4)]};
	struct piece piece = piece_begin(maker);
	bytes_printf(maker->text, "vstore%u(", vector.width);
	expression(maker, vector, 2);
	bytes_printf(maker->text, ", 0, p%u + (", name);
	expression(maker, int_type, 1);
	say(maker, " & 7));\n");
	(void)piece_end(maker, piece);
}

static void load_vector(struct maker *maker, struct type type, unsigned name)
{
	static const unsigned sizes[] = {2, 3, 4, 8};
	struct type vector = {type.element, sizes[pick(maker, 4)]};
	bytes_printf(maker->text, "%s v%u = vload%u(0, p%u + (", type_name(vector), name,
		     vector.width, name);
	expression(maker, int_type, 1);
	say(maker, " & 7));\n");
	variable_add(maker, vector, "v%u", name);
}

/* A pointer that moves on, by two elements each time at most, and stays inside. */
static void walk(struct maker *maker, enum space space, struct type type, unsigned name)
{
	bytes_printf(maker->text, "GENERIC(%s) %s *q%u = p%u + (", space_names[space],
		     type_name(type), name, name);
	expression(maker, int_type, 1);
	say(maker, " & 3);\n");
	struct piece piece = piece_begin(maker);
	bytes_printf(maker->text, "for (int i%u = 0; i%u < %u; i%u++)\n", name, name,
		     1 + pick(maker, 4), name);
	switch (pick(maker, 3)) {
	case 0:
		bytes_printf(maker->text, "*q%u++ = ", name);
		break;
	case 1:
		bytes_printf(maker->text, "q%u += 2, q%u[-1] = ", name, name);
		break;
	default:
		bytes_printf(maker->text, "q%u += i%u & 1, q%u[2] = q%u[0], *q%u = ", name, name,
			     name, name, name);
	}
	expression(maker, type, 2);
	say(maker, ";\n");
	(void)piece_end(maker, piece);
	variable_add(maker, type, "q%u", name)->mask = 3;
}

void make_region(struct maker *maker)
{
	struct type type;
	enum space space = any_space(maker, &type);
	unsigned name = maker->names++;
	region_begin(maker, space, type, name);
	if (pick(maker, 2))
		store_vector(maker, type, name);
	if (pick(maker, 2))
		walk(maker, space, type, name);
	if (pick(maker, 2))
		load_vector(maker, type, name);
}

/* A generic pointer to a variable, or to an element of local memory of the work-item. */
void make_generic_pointer(struct maker *maker)
{
	struct type type = type_any(maker);
	unsigned name = maker->names++, size_B = type_size_B(type) * maker->source->local;
	if (!maker->in_kernel || maker->locals_B + size_B > KERNELS_LOCALS_MAX_B) {
		make_variable(maker);
		return;
	}
	const char *word = type_name(type);
	maker->locals_B += size_B;
	bytes_printf(&maker->locals, "LOCAL_OWN %s l%u[LOCAL];\n", word, name);
	bytes_printf(maker->text, "%s v%u = ", word, name);
	expression(maker, type, 2);
	bytes_printf(maker->text, ";\nl%u[lid] = ", name);
	expression(maker, type, 2);
	bytes_printf(maker->text, ";\n%s *p%u = (", word, name);
	condition(maker);
	bytes_printf(maker->text, ") ? (%s *)&l%u[lid] : (%s *)&v%u;\n", word, name, word, name);
	variable_add(maker, type, "v%u", name);
	variable_add(maker, type, "l%u[lid]", name);
	variable_add(maker, type, "(*p%u)", name);
}

/* Elements of a vector through a pointer to them. */
void make_elements(struct maker *maker)
{
	static const unsigned sizes[] = {2, 4, 8, 16};
	struct type type = {pick(maker, ELEMENTS), sizes[pick(maker, 4)]};
	struct type element = {type.element, 1};
	unsigned name = maker->names++;
	bytes_printf(maker->text, "%s v%u = ", type_name(type), name);
	expression(maker, type, 2);
	bytes_printf(maker->text, ";\nprivate %s *e%u = (private %s *)&v%u;\n", type_name(element),
		     name, type_name(element), name);
	variable_add(maker, element, "e%u", name)->mask = type.width - 1;
	variable_add(maker, type, "v%u", name);
}

/* --- atomics, the results of which are known -------------------------------------------------- */

static void operand(struct maker *maker, struct type type)
{
	say(maker, ", ");
	expression(maker, type, 2);
}

/* OpenCL C 3.0, 6.15.13.1 (cl_khr_int64_base_atomics): of 64 bits. */
void make_wide_atomic(struct maker *maker)
{
	static const char *const calls[] = {"add", "sub", "xchg", "min",    "max",
					    "and", "or",  "xor",  "cmpxchg"};
	if (!maker->in_kernel) {
		make_assignment(maker);
		return;
	}
	struct type type = {ULONG, 1};
	unsigned name = maker->names++, call = pick(maker, 9);
	bytes_printf(maker->text, "ulong v%u = atom_%s(out + gid * %u + (", name, calls[call],
		     KERNELS_SUMS);
	expression(maker, int_type, 1);
	say(maker, " & 63)");
	operand(maker, type);
	if (call == 8)
		operand(maker, type);
	say(maker, ");\n");
	variable_add(maker, type, "v%u", name);
}

/* OpenCL C 3.0, 6.15.12: those of C11. */
void make_ordered_atomic(struct maker *maker)
{
	static const char *const calls[] = {"fetch_add", "fetch_sub", "fetch_or",  "fetch_xor",
					    "fetch_and", "fetch_min", "fetch_max", "exchange"};
	unsigned name = maker->names++, size_B = sizeof(uint32_t) * maker->source->local;
	if (!maker->in_kernel || maker->locals_B + size_B > KERNELS_LOCALS_MAX_B) {
		make_assignment(maker);
		return;
	}
	maker->locals_B += size_B;
	bytes_printf(&maker->locals, "local atomic_uint l%u[LOCAL];\n", name);
	bytes_printf(maker->text, "atomic_init(&l%u[lid]", name);
	operand(maker, uint_type);
	bytes_printf(maker->text, ");\nuint v%u = ", name);
	if (pick(maker, 3)) {
		bytes_printf(maker->text, "atomic_%s_explicit(&l%u[lid]", calls[pick(maker, 8)],
			     name);
		operand(maker, uint_type);
		say(maker, ", memory_order_relaxed, memory_scope_work_group);\n");
	} else {
		expression(maker, uint_type, 1);
		bytes_printf(maker->text,
			     ";\nint c%u = atomic_compare_exchange_strong_explicit(&l%u[lid], &v%u",
			     name, name, name);
		operand(maker, uint_type);
		say(maker, ", memory_order_relaxed, memory_order_relaxed,\n"
			   "memory_scope_work_group) ? 5 : 0;\n");
		variable_add(maker, int_type, "c%u", name);
	}
	bytes_printf(maker->text,
		     "uint w%u = atomic_load_explicit(&l%u[lid], memory_order_relaxed, "
		     "memory_scope_work_group);\n",
		     name, name);
	variable_add(maker, uint_type, "v%u", name);
	variable_add(maker, uint_type, "w%u", name);
}
