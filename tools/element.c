#include "config.h"

#include "tools/element.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct element element_of_type(const char *name)
{
	static const struct {
		const char *name;
		char kind;
		unsigned scalar_B;
	} types[] = {
		{"char", 'i', 1},  {"uchar", 'u', 1}, {"short", 'i', 2}, {"ushort", 'u', 2},
		{"int", 'i', 4},   {"uint", 'u', 4},  {"long", 'i', 8},  {"ulong", 'u', 8},
		{"float", 'f', 4}, {"double", 'f', 8}, {"half", 'f', 2},
	};
	size_t length = strcspn(name, "0123456789*");
	unsigned lanes = (unsigned)strtoul(name + length, NULL, 10);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (strlen(types[i].name) != length || strncmp(name, types[i].name, length))
			continue;
		struct element element = {types[i].kind, types[i].scalar_B, lanes ? lanes : 1, 0};
		element.size_B = element.scalar_B * (element.lanes == 3 ? 4 : element.lanes);
		return element;
	}
	return (struct element){'V', 1, 1, 1};
}

/* --- half precision (IEEE 754 binary16) ------------------------------------------------ */

static double half_value(uint16_t bits)
{
	int exponent = bits >> 10 & 31;
	double fraction = bits & 1023;
	double size = exponent == 31 ? (fraction != 0 ? NAN : INFINITY)
		      : exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
	return bits & 0x8000 ? -size : size;
}

/* Rounded to the nearest, ties to even, as the mode of nearbyint is by default. */
static uint16_t half_bits(double value)
{
	uint16_t sign = signbit(value) ? 0x8000 : 0;
	double size = fabs(value);
	int exponent;
	if (isnan(value))
		return 0x7e00;
	if (size >= 65520)
		return sign | 0x7c00;
	frexp(size, &exponent);
	if (size == 0 || exponent < -13)
		return sign | (uint16_t)nearbyint(ldexp(size, 24));
	/* A fraction that rounds up to the next power carries into the exponent. */
	unsigned fraction = (unsigned)nearbyint(ldexp(size, 11 - exponent)) - 1024;
	return sign | (uint16_t)(((unsigned)(exponent + 14) << 10) + fraction);
}

/* --- numbers --------------------------------------------------------------------------- */

static void put_bits(const struct element *element, uint64_t bits, struct bytes *out)
{
	for (unsigned i = 0; i < element->scalar_B; i++)
		bytes_append_char(out, (char)(bits >> (8 * i)));
}

static void put_real(const struct element *element, double number, struct bytes *out)
{
	float single = (float)number;
	uint32_t narrow;
	uint64_t wide;
	memcpy(&narrow, &single, sizeof(narrow));
	memcpy(&wide, &number, sizeof(wide));
	if (element->scalar_B == 2)
		put_bits(element, half_bits(number), out);
	else
		put_bits(element, element->scalar_B == 4 ? narrow : wide, out);
}

void element_put(const struct element *element, const struct element_number *number,
		 struct bytes *out)
{
	if (element->kind == 'f')
		put_real(element, number->real, out);
	else
		put_bits(element, number->bits, out);
}

/* Either sign's range for bytes without a meaning. */
bool element_holds(const struct element *element, const struct element_number *number)
{
	unsigned bits = 8 * element->scalar_B;
	uint64_t size = number->negative ? 0 - number->bits : number->bits;
	if (element->kind == 'f')
		return true;
	if (element->kind == 'u')
		return !number->negative && (bits == 64 || !(size >> bits));
	uint64_t limit = UINT64_C(1) << (bits - 1);
	return number->negative ? size <= limit : size < limit || element->kind == 'V';
}

bool element_read(const struct element *element, const char *text, struct element_number *out)
{
	char *end;
	*out = (struct element_number){0};
	while (isspace((unsigned char)*text))
		text++;
	if (!*text)
		return false;
	errno = 0;
	if (element->kind == 'f') {
		out->real = strtod(text, &end);
		return end != text && !*end;
	}
	out->negative = *text == '-';
	if (!isdigit((unsigned char)text[out->negative]))
		return false;
	unsigned long long size = strtoull(text + out->negative, &end, 0);
	out->bits = out->negative ? 0 - size : size;
	return !*end && !errno;
}

bool element_parse(const struct element *element, const char *text, struct bytes *out)
{
	struct element_number number;
	if (!element_read(element, text, &number) || !element_holds(element, &number))
		return false;
	element_put(element, &number, out);
	return true;
}

static uint64_t get_bits(const struct element *element, const unsigned char *at)
{
	uint64_t bits = 0;
	for (unsigned i = 0; i < element->scalar_B; i++)
		bits |= (uint64_t)at[i] << (8 * i);
	return bits;
}

static void print_scalar(const struct element *element, const unsigned char *at,
			 struct bytes *text)
{
	uint64_t bits = get_bits(element, at);
	unsigned unused = 64 - 8 * element->scalar_B;
	uint32_t narrow = (uint32_t)bits;
	float single;
	double wide;
	memcpy(&single, &narrow, sizeof(single));
	memcpy(&wide, &bits, sizeof(wide));
	if (element->kind == 'i')
		bytes_printf(text, "%" PRId64, (int64_t)(bits << unused) >> unused);
	else if (element->kind != 'f')
		bytes_printf(text, "%" PRIu64, bits);
	else if (element->scalar_B == 8)
		bytes_printf(text, "%.17g", wide);
	else
		bytes_printf(text, "%.9g", element->scalar_B == 4 ? (double)single
								   : half_value((uint16_t)bits));
}

void element_print(const struct element *element, const void *value, struct bytes *text)
{
	const unsigned char *at = value;
	if (element->lanes > 1)
		bytes_append_char(text, '(');
	for (unsigned i = 0; i < element->lanes; i++) {
		if (i)
			bytes_append_string(text, ", ");
		print_scalar(element, at + (size_t)i * element->scalar_B, text);
	}
	if (element->lanes > 1)
		bytes_append_char(text, ')');
}

/* --- .npy (NumPy's "NPY format", versions 1 to 3) ---------------------------------------- */

static const char npy_magic[] = "\x93NUMPY";

/* Where the header's text begins and ends; false: not such a file. */
static bool find_header(const struct bytes *file, size_t *begin_out, size_t *end_out)
{
	const unsigned char *data = (const unsigned char *)file->data;
	if (file->size_B < 12 || memcmp(data, npy_magic, sizeof(npy_magic) - 1))
		return false;
	size_t length = data[8] | (size_t)data[9] << 8;
	*begin_out = 10;
	if (data[6] > 1) {
		length |= (size_t)data[10] << 16 | (size_t)data[11] << 24;
		*begin_out = 12;
	}
	*end_out = *begin_out + length;
	return *end_out <= file->size_B;
}

bool element_read_npy(const struct element *element, const struct bytes *file,
		      struct bytes *out, struct bytes *why)
{
	size_t begin, end;
	char kind = 0;
	unsigned size_B = 0;
	if (!find_header(file, &begin, &end)) {
		bytes_append_string(why, "not an .npy file");
		return false;
	}
	char *header = strndup(file->data + begin, end - begin);
	const char *type = header ? strstr(header, "'descr':") : NULL;
	const char *order = header ? strstr(header, "'fortran_order': False") : NULL;
	bool little = type && sscanf(type, "'descr': '%*1[<|]%c%u'", &kind, &size_B) == 2;
	free(header);
	if (!little || !order)
		bytes_append_string(why, "the array is not little-endian numbers in C order");
	else if (element->kind != 'V' && (kind != element->kind || size_B != element->scalar_B))
		bytes_printf(why, "the array has type %c%u, the argument has type %c%u", kind, size_B,
			     element->kind, element->scalar_B);
	else if ((file->size_B - end) % element->size_B)
		bytes_append_string(why, "its size is not a multiple of the size of the argument's type");
	else
		bytes_append(out, file->data + end, file->size_B - end);
	return !why->size_B;
}

void element_write_npy(const struct element *element, const struct bytes *values,
		       const size_t *sizes, unsigned size_count, struct bytes *file)
{
	enum { UNIT_B = 64, FIXED_B = 10 };
	struct bytes header = BYTES_INIT;
	const size_t count = values->size_B / element->size_B;
	unsigned columns = element->size_B / element->scalar_B;
	bytes_printf(&header, "{'descr': '%c%c%u', 'fortran_order': False, 'shape': (",
		     element->scalar_B == 1 ? '|' : '<', element->kind == 'V' ? 'u' : element->kind,
		     element->scalar_B);
	for (unsigned i = 0; i < size_count; i++)
		bytes_printf(&header, "%zu, ", sizes[i]);
	if (!size_count)
		bytes_printf(&header, "%zu,", count);
	if (columns > 1)
		bytes_printf(&header, " %u", columns);
	bytes_append_string(&header, "), }");
	/* "padded with spaces such that the whole is divisible by 64", and ended by a line's end. */
	while ((FIXED_B + header.size_B + 1) % UNIT_B)
		bytes_append_char(&header, ' ');
	bytes_append_char(&header, '\n');
	bytes_append(file, npy_magic, sizeof(npy_magic) - 1);
	bytes_append_char(file, 1);
	bytes_append_char(file, 0);
	bytes_append_char(file, (char)header.size_B);
	bytes_append_char(file, (char)(header.size_B >> 8));
	bytes_append(file, header.data, header.size_B);
	bytes_append(file, values->data, values->size_B);
	if (bytes_failed(&header))
		file->failed = true;
	bytes_finish(&header);
}
