#include "config.h"

#include "tests/fuzz/kernels_expression.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define BIT(n) (1u << (n))
enum {
	SIGNED = BIT(CHAR) | BIT(SHORT) | BIT(INT) | BIT(LONG),
	UNSIGNED = BIT(UCHAR) | BIT(USHORT) | BIT(UINT) | BIT(ULONG),
	INTEGERS = SIGNED | UNSIGNED,
	WIDE_INTEGERS = INTEGERS & ~(BIT(CHAR) | BIT(UCHAR)),
	REALS = BIT(FLOAT) | BIT(DOUBLE),
	W1 = BIT(1),
	POWERS = BIT(2) | BIT(4) | BIT(8) | BIT(16),
	VECTORS = POWERS | BIT(3),
	ALL_WIDTHS = W1 | VECTORS
};

static const unsigned widths[] = {1, 1, 2, 3, 4, 8, 16};
static const unsigned powers[] = {2, 4, 8, 16};

static const struct row {
	unsigned elements, widths;
	const char *text;
} rows[] = {
#define ROW(elements, widths, text) {elements, widths, text},
#include "tests/fuzz/kernels_rows.def"
#undef ROW
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

/* --- types ------------------------------------------------------------------------------------ */

unsigned element_size_B(enum element element)
{
	static const unsigned sizes_B[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
	return sizes_B[element];
}

const char *element_name(enum element element)
{
	static const char *const names[] = {"char", "uchar", "short", "ushort", "int",
					    "uint", "long",  "ulong", "float",	"double"};
	return names[element];
}

bool element_is_real(enum element element)
{
	return element == FLOAT || element == DOUBLE;
}

const char *type_name(struct type type)
{
	static char names[16][16];
	static unsigned next;
	char *name = names[next++ % 16];
	if (type.width == 1)
		snprintf(name, sizeof(names[0]), "%s", element_name(type.element));
	else
		snprintf(name, sizeof(names[0]), "%s%u", element_name(type.element), type.width);
	return name;
}

/* OpenCL C 6.3.5: three elements take the room of four. */
unsigned type_size_B(struct type type)
{
	return element_size_B(type.element) * (type.width == 3 ? 4 : type.width);
}

struct type type_any(struct maker *maker)
{
	return (struct type){pick(maker, ELEMENTS), widths[pick(maker, 7)]};
}

struct type type_scalar(struct maker *maker)
{
	return (struct type){pick(maker, ELEMENTS), 1};
}

/* The integer of the same size. */
static struct type twin(struct type type, bool is_signed)
{
	enum element element = type.element == FLOAT	? INT
			       : type.element == DOUBLE ? LONG
							: type.element;
	return (struct type){is_signed ? element & ~1u : element | 1u, type.width};
}

static struct type any_of_elements(struct maker *maker, unsigned elements, unsigned width)
{
	for (;;) {
		enum element element = pick(maker, ELEMENTS);
		if (elements & BIT(element))
			return (struct type){element, width};
	}
}

/* The elements of a size. */
static unsigned elements_of_size(unsigned size_B)
{
	unsigned elements = 0;
	for (unsigned e = 0; e < ELEMENTS; e++)
		if (element_size_B(e) == size_B)
			elements |= BIT(e);
	return elements;
}

/* A type that as_T can be made of; both are whole numbers of bytes without padding. */
static struct type same_size(struct maker *maker, struct type type)
{
	if (type.width == 3)
		return any_of_elements(maker, elements_of_size(element_size_B(type.element)), 3);
	for (;;) {
		struct type other = type_any(maker);
		if (other.width != 3 && type_size_B(other) == type_size_B(type))
			return other;
	}
}

/* --- pieces and variables --------------------------------------------------------------------- */

struct piece piece_begin(struct maker *maker)
{
	return (struct piece){maker->source->pieces++, maker->text->size_B};
}

bool piece_end(struct maker *maker, struct piece piece)
{
	const bool *without = maker->source->without;
	if (!without || piece.number >= KERNELS_PIECES || !without[piece.number])
		return true;
	maker->text->size_B = piece.start_B;
	if (maker->text->data)
		maker->text->data[piece.start_B] = 0;
	return false;
}

struct variable *variable_add(struct maker *maker, struct type type, const char *format, ...)
{
	static struct variable nowhere;
	struct variable *variable = maker->count < VARIABLES_MAX ? &maker->variables[maker->count++]
								 : &nowhere;
	va_list arguments;
	*variable = (struct variable){.type = type};
	va_start(arguments, format);
	vsnprintf(variable->before, sizeof(variable->before), format, arguments);
	va_end(arguments);
	return variable;
}

const struct variable *variable_of(struct maker *maker, struct type type, bool writable)
{
	const struct variable *found = NULL;
	for (unsigned v = 0, seen = 0; v < maker->count; v++) {
		const struct variable *variable = &maker->variables[v];
		if (variable->type.element == type.element && variable->type.width == type.width &&
		    !(writable && variable->reads_only) && !pick(maker, ++seen))
			found = variable;
	}
	return found;
}

void variable_write(struct maker *maker, const struct variable *variable, unsigned depth)
{
	/* A copy: what the index is made of may bring others into scope. */
	struct variable it = *variable;
	bytes_append_string(maker->text, it.before);
	if (it.mask) {
		bytes_append_char(maker->text, '[');
		expression(maker, (struct type){INT, 1}, depth);
		bytes_printf(maker->text, " & %u]", it.mask);
	}
	bytes_append_string(maker->text, it.after);
}

/* --- leaves ----------------------------------------------------------------------------------- */

static void literal_real(struct maker *maker, enum element element)
{
	static const char *const edges[] = {
		"0.0",	    "-0.0",	 "1.0",		 "-1.0",	  "0.5",
		"2.5",	    "-3.5",	 "16777216.0",	 "-2147483648.0", "4294967040.0",
		"9.2e18",   "1.8e19",	 "0x1p-126",	 "0x1p-149",	  "0x1.fffffep127",
		"127.5",    "255.5",	 "-128.5",	 "65504.0",	  "65520.0",
		"INFINITY", "-INFINITY", "0x1.000002p0", "1e-8",
	};
	const char *suffix = element == FLOAT ? "f" : "";
	if (pick(maker, 2)) {
		const char *edge = edges[pick(maker, sizeof(edges) / sizeof(edges[0]))];
		bytes_printf(maker->text, "(%s)(%s%s)", element_name(element), edge,
			     strstr(edge, "INF") ? "" : suffix);
	} else {
		bytes_printf(maker->text, "(%d.%u%s)", (int)pick(maker, 2000) - 1000,
			     125 * pick(maker, 8), suffix);
	}
}

static void literal(struct maker *maker, enum element element)
{
	if (element_is_real(element)) {
		literal_real(maker, element);
		return;
	}
	unsigned bits = 8 * element_size_B(element);
	uint64_t value = pick(maker, UINT32_MAX);
	switch (pick(maker, 5)) {
	case 0:
		value = pick(maker, 4);
		break;
	case 1:
		value = ~(uint64_t)pick(maker, 3);
		break;
	case 2:
		value = ((uint64_t)1 << (bits - 1)) - pick(maker, 2);
		break;
	case 3:
		value = (uint64_t)1 << pick(maker, bits);
		break;
	default:
		value = value << 31 | pick(maker, UINT32_MAX);
	}
	bytes_printf(maker->text, "(%s)(0x%llxUL)", element_name(element),
		     (unsigned long long)(bits < 64 ? value & (((uint64_t)1 << bits) - 1) : value));
}

/* What a work-item is told, or what lies in memory. */
static void load(struct maker *maker, struct type type)
{
	const char *name = element_name(type.element);
	if (!maker->in_kernel || !pick(maker, 5)) {
		if (type.width == 1)
			bytes_printf(maker->text, "table_%s[", name);
		else
			bytes_printf(maker->text, "vload%u(", type.width);
		expression(maker, (struct type){INT, 1}, 0);
		bytes_printf(maker->text, type.width == 1 ? " & 15]" : " & %u, table_%s)",
			     type.width == 3 ? 3 : 16 / type.width - 1, name);
	} else if (type.width == 1) {
		bytes_printf(maker->text, "in_%s[", name);
		expression(maker, (struct type){INT, 1}, 0);
		bytes_printf(maker->text, " & %u]", KERNELS_INPUTS - 1);
	} else if (type.element == FLOAT && !pick(maker, 3)) {
		bool aligned = pick(maker, 2);
		bytes_printf(maker->text, "plain(vload%s_half%u(", aligned ? "a" : "", type.width);
		expression(maker, (struct type){INT, 1}, 0);
		bytes_append_string(maker->text, " & 3, in_half))");
	} else {
		bytes_printf(maker->text, "vload%u(", type.width);
		expression(maker, (struct type){INT, 1}, 0);
		bytes_printf(maker->text, " & 3, in_%s + ", name);
		bytes_printf(maker->text, pick(maker, 2) ? "(lid & 15))" : "%u)", pick(maker, 15));
	}
}

/* Part of a wider vector.  It is in parentheses, because Clang, which other platforms use as well, crashes or does not
 * end where it is bare and follows a constant in a vector literal (frontend/vector_literals.h). */
static void swizzle(struct maker *maker, struct type type, unsigned depth)
{
	static const char *const halves[] = {"lo", "hi", "even", "odd"};
	struct type wide = {type.element, powers[pick(maker, 4)]};
	if (type.width == wide.width / 2 && pick(maker, 2)) {
		bytes_append_string(maker->text, "((");
		expression(maker, wide, depth);
		bytes_printf(maker->text, ").%s)", halves[pick(maker, 4)]);
		return;
	}
	bytes_append_string(maker->text, "((");
	expression(maker, wide, depth);
	bytes_append_string(maker->text, ").s");
	for (unsigned i = 0; i < type.width; i++)
		bytes_printf(maker->text, "%x", pick(maker, wide.width));
	bytes_append_char(maker->text, ')');
}

/* Functions have n as well, which is another one each time. */
static void leaf_int(struct maker *maker)
{
	static const char *const ids[] = {"n", "(int)lid", "(int)gid", "(int)get_group_id(0)"};
	bytes_append_string(maker->text, ids[pick(maker, maker->in_kernel ? 4 : 1)]);
}

static void leaf(struct maker *maker, struct type type)
{
	const struct variable *variable = variable_of(maker, type, false);
	bool is_int = type.element == INT && type.width == 1;
	unsigned choice = pick(maker, 8);
	if (variable && choice < 5 && !(variable->mask && choice)) {
		variable_write(maker, variable, 0);
	} else if (choice < 7) {
		if (is_int)
			leaf_int(maker);
		else
			load(maker, type);
	} else if (type.width == 1) {
		literal(maker, type.element);
	} else {
		bytes_printf(maker->text, "(%s)(", type_name(type));
		literal(maker, type.element);
		bytes_append_char(maker->text, ')');
	}
}

/* --- branches --------------------------------------------------------------------------------- */

/* A vector of parts. */
static void parts(struct maker *maker, struct type type, unsigned depth)
{
	bytes_printf(maker->text, "(%s)(", type_name(type));
	for (unsigned left = type.width; left;) {
		unsigned width = widths[pick(maker, 7)];
		if (width > left)
			continue;
		expression(maker, (struct type){type.element, width}, width == 1 ? 0 : depth);
		left -= width;
		if (left)
			bytes_append_string(maker->text, ", ");
	}
	bytes_append_char(maker->text, ')');
}

static bool call(struct maker *maker, struct type type, unsigned depth)
{
	for (unsigned f = 0; f < maker->function_count; f++) {
		const struct function *function = &maker->functions[f];
		if (function->result.element != type.element ||
		    function->result.width != type.width)
			continue;
		bytes_printf(maker->text, "f%u(", f);
		expression(maker, (struct type){INT, 1}, 0);
		for (unsigned p = 0; p < function->count; p++) {
			bytes_append_string(maker->text, ", ");
			expression(maker, function->parameters[p], depth);
		}
		bytes_append_char(maker->text, ')');
		return true;
	}
	return false;
}

/* What the codes of one row stand for. */
struct meant {
	struct type type, scalar, alike, real, integer, other_real, source;
};

static struct meant meant_by(struct maker *maker, struct type type)
{
	unsigned alike = elements_of_size(element_size_B(type.element));
	struct meant meant = {
		.type = type,
		.scalar = type_scalar(maker),
		.alike = any_of_elements(maker, alike, type.width),
		.integer = any_of_elements(maker, INTEGERS, type.width),
		.other_real = any_of_elements(maker, REALS, type.width),
		.source = {type.element, powers[pick(maker, 4)]},
	};
	if (alike & REALS)
		meant.real = any_of_elements(maker, alike & REALS, type.width);
	return meant;
}

/* The type of a code for an expression; an element of ELEMENTS: it is none. */
static struct type type_of_code(struct maker *maker, const struct meant *meant, char code)
{
	struct type type = meant->type;
	switch (code) {
	case 'a':
		return type;
	case 'u':
		return twin(type, false);
	case 's':
		return twin(type, true);
	case 'e':
		return (struct type){type.element, 1};
	case 'i':
		return (struct type){INT, 1};
	case 'y':
		return any_of_elements(maker, INTEGERS, 1);
	case 'x':
		return meant->scalar;
	case 'w':
		return meant->alike;
	case 'd':
		return meant->real;
	case 'c':
		return meant->integer;
	case 'r':
		return meant->other_real;
	case 'q':
		return same_size(maker, type);
	case 'h':
		return (struct type){type.element - 2, type.width};
	case 'k':
		return (struct type){(type.element | 1u) - 2, type.width};
	case 'v':
		return meant->source;
	case 'm':
		return any_of_elements(maker, SIGNED, powers[pick(maker, 4)]);
	case 'l':
		return (struct type){INT, type.width};
	default:
		return (struct type){ELEMENTS, 0};
	}
}

static void write_code(struct maker *maker, const struct meant *meant, char code, unsigned depth)
{
	static const char *const modes[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};
	struct type type = type_of_code(maker, meant, code);
	if (type.element != ELEMENTS) {
		/* Its bits are seen. */
		bool plain = code == 'q' && element_is_real(type.element);
		bytes_append_string(maker->text, plain ? "plain(" : "");
		expression(maker, type, depth);
		bytes_append_string(maker->text, plain ? ")" : "");
		return;
	}
	switch (code) {
	case 'T':
		bytes_append_string(maker->text, type_name(meant->type));
		break;
	case 'U':
		bytes_append_string(maker->text, type_name(twin(meant->type, false)));
		break;
	case 'L':
		bytes_append_string(maker->text, type_name((struct type){INT, meant->type.width}));
		break;
	case 'R':
		bytes_append_string(maker->text, modes[pick(maker, 5)]);
		break;
	case 'K':
		bytes_printf(maker->text, "%u", 1 + pick(maker, 127));
		break;
	}
}

static void write_row(struct maker *maker, struct type type, unsigned depth)
{
	const struct row *row;
	do
		row = &rows[pick(maker, ROWS)];
	while (!(row->elements & BIT(type.element)) || !(row->widths & BIT(type.width)));
	struct meant meant = meant_by(maker, type);
	for (const char *at = row->text; *at; at++) {
		if (*at == '$')
			write_code(maker, &meant, *++at, depth);
		else
			bytes_append_char(maker->text, *at);
	}
}

static void branch(struct maker *maker, struct type type, unsigned depth)
{
	unsigned choice = pick(maker, 16);
	if (choice == 0 && type.width > 1)
		parts(maker, type, depth);
	else if (choice == 1)
		swizzle(maker, type, depth);
	else if (choice > 3 || !call(maker, type, depth))
		write_row(maker, type, depth);
}

void expression(struct maker *maker, struct type type, unsigned depth)
{
	struct piece piece = piece_begin(maker);
	if (!depth || !pick(maker, 6))
		leaf(maker, type);
	else
		branch(maker, type, depth - 1);
	if (!piece_end(maker, piece))
		bytes_printf(maker->text, "(%s)(%s)", type_name(type),
			     type.element == FLOAT    ? "1.0f"
			     : type.element == DOUBLE ? "1.0"
						      : "1");
}
