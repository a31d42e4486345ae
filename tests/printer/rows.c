#include "config.h"

#include "tests/printer/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct row rows[] = {
#include "tests/printer/rows.def"
};

const char items_metadata[] =
	"!0 = distinct !{!0, !11}\n!1 = !{!2, !2, i64 0}\n!2 = !{!\"int\", !3, i64 0}\n"
	"!3 = !{!\"tree\"}\n!4 = !{}\n!5 = !{!6}\n!6 = distinct !{!6, !12}\n!7 = !{i32 1}\n"
	"!8 = !{i8 0, i8 -1}\n!9 = !{i32 0, i32 33}\n!10 = !{!\"branch_weights\", i32 1, i32 9}\n"
	"!11 = !{!\"llvm.loop.unroll.count\", i32 2}\n!12 = distinct !{!12}\n";

const struct refused_row refused_rows[] = {
#include "tests/printer/refused.def"
};
const size_t refused_row_count = sizeof(refused_rows) / sizeof(*refused_rows);

static const struct {
	const char *name;
	unsigned size_B;
} types[TYPE_COUNT] = {
	{"i8", 1}, {"i16", 2}, {"i32", 4}, {"i64", 8}, {"half", 2}, {"float", 4}, {"double", 8},
};

static unsigned type_number(unsigned type)
{
	unsigned number = 0;
	while (type > 1u << number)
		number++;
	return number;
}

/* -- texts ------------------------------------------------------------------------------- */

struct instance {
	size_t number;
	unsigned type, width, to;
};

static void put_type(struct bytes *text, const char *element, size_t length, unsigned width)
{
	if (width == 1)
		bytes_printf(text, "%.*s", (int)length, element);
	else
		bytes_printf(text, "<%u x %.*s>", width, (int)length, element);
}

static void put_constant(struct bytes *text, const struct instance *instance, const char *value,
			 size_t length)
{
	/* 5 is no constant of a real type. */
	const char *end = instance->type & REALS && !memchr(value, '.', length) ? ".0" : "";
	if (instance->width == 1) {
		bytes_printf(text, "%.*s%s", (int)length, value, end);
		return;
	}
	for (unsigned e = 0; e < instance->width; e++)
		bytes_printf(text, "%s%s %.*s%s", e ? ", " : "<",
			     types[type_number(instance->type)].name, (int)length, value, end);
	bytes_append_char(text, '>');
}

/* As names of intrinsics say it: v4i32, f32. */
static void put_mangled(struct bytes *text, const char *element, unsigned width)
{
	const char *real = !strcmp(element, "half") ? "f16" : !strcmp(element, "float") ? "f32"
			   : !strcmp(element, "double") ? "f64" : element;
	if (width > 1)
		bytes_printf(text, "v%u", width);
	bytes_append_string(text, real);
}

/* Writes what stands for the sign after a '$', and returns what follows it. */
static const char *put_sign(struct bytes *text, const char *sign, const struct instance *instance)
{
	const char *name = types[type_number(instance->type)].name;
	const char *to = types[type_number(instance->to)].name;
	const char *end;
	switch (*sign) {
	case 'T':
		put_type(text, name, strlen(name), instance->width);
		return sign + 1;
	case 'U':
		put_type(text, to, strlen(to), instance->width);
		return sign + 1;
	case 'M':
		put_mangled(text, name, instance->width);
		return sign + 1;
	case 'E':
		bytes_append_string(text, name);
		return sign + 1;
	case 'N':
		bytes_printf(text, "%u", instance->width);
		return sign + 1;
	case '#':
		bytes_printf(text, "%zu", instance->number);
		return sign + 1;
	case '$':
		bytes_append_char(text, '$');
		return sign + 1;
	case '[':
		end = strchr(sign, ']');
		put_type(text, sign + 1, (size_t)(end - sign - 1), instance->width);
		return end + 1;
	default:
		end = strchr(sign, ')');
		put_constant(text, instance, sign + 1, (size_t)(end - sign - 1));
		return end + 1;
	}
}

static void put_text(struct bytes *text, const char *template, const struct instance *instance)
{
	while (*template) {
		if (*template == '$')
			template = put_sign(text, template + 1, instance);
		else
			bytes_append_char(text, *template++);
	}
}

static void put_kernel(struct bytes *text, const struct row *row, const char *globals,
		       const char *body, const struct instance *instance)
{
	static const char *const operands[] = {"a", "b", "c"};
	if (globals) {
		put_text(text, globals, instance);
		bytes_append_char(text, '\n');
	}
	put_text(text, "define spir_kernel void @k$#(ptr addrspace(1) %in, ptr addrspace(1) %out) {\n"
		 "entry:\n", instance);
	for (unsigned i = 0; i < 3 && row->types; i++) {
		bytes_printf(text, "  %%p%s = getelementptr i8, ptr addrspace(1) %%in, i64 %u\n",
			     operands[i], i * OPERAND_B);
		bytes_printf(text, "  %%%s = ", operands[i]);
		put_text(text, "load $T, ptr addrspace(1) %p", instance);
		bytes_printf(text, "%s, align 16\n", operands[i]);
	}
	put_text(text, body, instance);
	bytes_append_string(text, "\n  store ");
	put_text(text, row->result ? row->result : "$T", instance);
	bytes_append_string(text, " %r, ptr addrspace(1) %out, align 16\n  ret void\n}\n");
}

/* -- items ------------------------------------------------------------------------------- */

static bool relation_holds(const struct row *row, unsigned from, unsigned to)
{
	unsigned from_B = types[type_number(from)].size_B, to_B = types[type_number(to)].size_B;
	return row->relation == ANY || (row->relation == NARROWER ? to_B < from_B : to_B > from_B);
}

static unsigned real_of(const struct row *row, const struct instance *instance)
{
	unsigned type = !row->result ? instance->type
			: !strcmp(row->result, "$U") ? instance->to : 0;
	for (unsigned t = 0; t < TYPE_COUNT && row->result; t++) {
		if (REALS >> t & 1 && strstr(row->result, types[t].name))
			type = 1u << t;
	}
	return type & REALS;
}

static bool add_item(struct items *items, const struct row *row, struct instance *instance)
{
	struct item *more = realloc(items->all, (items->count + 1) * sizeof(*more));
	if (!more)
		return false;
	items->all = more;
	instance->number = items->count;
	struct item *item = &items->all[items->count++];
	*item = (struct item){.row = row, .type = instance->type,
			      .result_type = real_of(row, instance)};
	snprintf(item->kernel, sizeof(item->kernel), "k%zu", instance->number);
	if (row->types)
		snprintf(item->name, sizeof(item->name), "%s, %u x %s%s%s", row->name,
			 instance->width, types[type_number(instance->type)].name,
			 instance->to ? " to " : "",
			 instance->to ? types[type_number(instance->to)].name : "");
	else
		snprintf(item->name, sizeof(item->name), "%s", row->name);
	put_kernel(&item->text, row, row->globals, row->body, instance);
	put_kernel(&item->reference, row, row->reference ? row->reference_globals : row->globals,
		   row->reference ? row->reference : row->body, instance);
	return !bytes_failed(&item->text) && !bytes_failed(&item->reference);
}

static bool add_types(struct items *items, const struct row *row, unsigned type, unsigned width)
{
	struct instance instance = {.type = type, .width = width};
	if (!row->to)
		return add_item(items, row, &instance);
	for (unsigned to = 1; to < 1u << TYPE_COUNT; to <<= 1) {
		instance.to = to;
		if (row->to & to && relation_holds(row, type, to) &&
		    !add_item(items, row, &instance))
			return false;
	}
	return true;
}

static bool add_row(struct items *items, const struct row *row)
{
	if (!row->types)
		return add_types(items, row, 0, 1);
	for (unsigned type = 1; type < 1u << TYPE_COUNT; type <<= 1) {
		for (unsigned width = 1; width <= 16 && row->types & type; width++) {
			if (row->widths >> width & 1 && !add_types(items, row, type, width))
				return false;
		}
	}
	return true;
}

bool items_make(struct items *items)
{
	for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++) {
		if (!add_row(items, &rows[r]))
			return false;
	}
	return true;
}

void items_finish(struct items *items)
{
	for (size_t i = 0; i < items->count; i++) {
		bytes_finish(&items->all[i].text);
		bytes_finish(&items->all[i].reference);
	}
	free(items->all);
}

/* -- operands ------------------------------------------------------------------------------ */

/* Each can be told apart, and all that is computed of them is exact in half. */
static const double reals[] = {1.5, -2.25, 3, -0.5, 7, 12, -9.5, 0.125,
			       -4, 6.5, 0.75, -1, 2, -11, 5, 0.25};
static const double divisors[] = {2, 0.5, -4, 1, 0.25, -8, 2, 16, -1, 0.5, 4, -2, 8, 1, -0.5, 2};

/* Half's bits; the values above and small integers are exact in it. */
static unsigned short half_of(double value)
{
	float single = (float)value;
	unsigned bits;
	memcpy(&bits, &single, sizeof(bits));
	unsigned sign = bits >> 16 & 0x8000, exponent = bits >> 23 & 0xff;
	if (!exponent)
		return (unsigned short)sign;
	return (unsigned short)(sign | (exponent - 112) << 10 | (bits >> 13 & 0x3ff));
}

static void put_real(unsigned type, unsigned char *at, double value)
{
	float single = (float)value;
	unsigned short half = half_of(value);
	if (type == HALF)
		memcpy(at, &half, sizeof(half));
	else if (type == FLOAT)
		memcpy(at, &single, sizeof(single));
	else
		memcpy(at, &value, sizeof(value));
}

static void fill_reals(unsigned type, unsigned char *input)
{
	unsigned size_B = types[type_number(type)].size_B;
	for (unsigned e = 0; e < 16; e++) {
		put_real(type, input + e * size_B, reals[e]);
		put_real(type, input + OPERAND_B + e * size_B, divisors[e]);
		put_real(type, input + 2 * OPERAND_B + e * size_B, e % 8 + 0.5);
	}
}

void items_fill_input(const struct item *item, unsigned char *input)
{
	unsigned state = 12345;
	for (unsigned i = 0; i < INPUT_B; i++) {
		state = state * 1103515245 + 12345;
		input[i] = (unsigned char)(state >> 16 | (i / OPERAND_B == 1));
	}
	if (item->type & REALS) {
		fill_reals(item->type, input);
		return;
	}
	/* Without a type the elements of c are bytes. */
	unsigned size_B = item->type ? types[type_number(item->type)].size_B : 1;
	memset(input + 2 * OPERAND_B, 0, OPERAND_B);
	for (unsigned e = 0; e < 16; e++)
		input[2 * OPERAND_B + e * size_B] = (unsigned char)(e * 5 % 8);
	/* Reals for who looks for them: 16 floats, then 8 doubles. */
	for (unsigned e = 0; e < 16; e++)
		put_real(FLOAT, input + 3 * OPERAND_B + e * 4, reals[e]);
	for (unsigned e = 0; e < 8; e++)
		put_real(DOUBLE, input + 3 * OPERAND_B + 64 + e * 8, reals[e]);
}
