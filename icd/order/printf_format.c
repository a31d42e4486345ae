#include "config.h"

#include "icd/order/printf_format.h"

#include "frontend/print_conversion.h"

#include <math.h>
#include <string.h>

struct record {
	const struct abi_program *abi;
	const struct abi_format *format;
	const unsigned char *data;
	size_t size_B;
	size_t text_B;                   /* offset of the next TEXT */
	uint32_t next;                   /* index of the next argument */
};

/* --- values ------------------------------------------------------------------------------- */

/* Kernels write numbers in little-endian order. */
static uint64_t load(const unsigned char *at, uint32_t size_B)
{
	uint64_t value = 0;
	for (uint32_t i = 0; i < size_B; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

static uint64_t sign_extend(uint64_t value, uint32_t size_B)
{
	const unsigned shift = 64 - 8 * size_B;
	const uint64_t sign = (uint64_t)1 << (8 * size_B - 1);
	return shift && value & sign ? value | ~(uint64_t)0 << (8 * size_B) : value;
}

static double half_value(uint64_t bits)
{
	const unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
	double value;
	if (exponent == 31)
		value = fraction ? (double)NAN : (double)INFINITY;
	else if (exponent)
		value = ldexp(1024 + fraction, (int)exponent - 25);
	else
		value = ldexp(fraction, -24);
	return bits & 0x8000 ? -value : value;
}

static double real_value(uint64_t bits, uint32_t size_B)
{
	if (size_B == 2)
		return half_value(bits);
	if (size_B == 4) {
		const uint32_t narrow = (uint32_t)bits;
		float value;
		memcpy(&value, &narrow, sizeof(value));
		return (double)value;
	}
	double value;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* --- one value as text ----------------------------------------------------------------------- */

static void append_repeated(struct bytes *text, char c, size_t count)
{
	while (count--)
		bytes_append_char(text, c);
}

/* Pads to the width; zeroes are inserted after the first prefix_B bytes. */
static void append_padded(struct bytes *text, const struct abi_conversion *conversion,
			  const char *body, size_t body_B, size_t prefix_B, bool zero)
{
	const size_t fill = conversion->width > body_B ? conversion->width - body_B : 0;
	if (!conversion->left && !zero)
		append_repeated(text, ' ', fill);
	bytes_append(text, body, prefix_B);
	if (!conversion->left && zero)
		append_repeated(text, '0', fill);
	bytes_append(text, body + prefix_B, body_B - prefix_B);
	if (conversion->left)
		append_repeated(text, ' ', fill);
}

static void append_sign(struct bytes *body, const struct abi_conversion *conversion, bool negative)
{
	if (negative)
		bytes_append_char(body, '-');
	else if (conversion->plus)
		bytes_append_char(body, '+');
	else if (conversion->space)
		bytes_append_char(body, ' ');
}

static void append_digits(struct bytes *body, const struct abi_conversion *conversion,
			  uint64_t value)
{
	const char letter = conversion->letter;
	const unsigned base = letter == 'o' ? 8 : letter == 'x' || letter == 'X' ? 16 : 10;
	const char *names = letter == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
	char digits[24];
	unsigned count = 0, least = conversion->has_precision ? conversion->precision : 1;
	for (; value; value /= base)
		digits[count++] = names[value % base];
	if (letter == 'o' && conversion->alternative && least <= count)
		least = count + 1;
	if (least > count)
		append_repeated(body, '0', least - count);
	while (count)
		bytes_append_char(body, digits[--count]);
}

static uint32_t integer_size_B(const struct abi_conversion *conversion, uint32_t element_B)
{
	const enum abi_print_length length = conversion->length;
	const uint32_t asked_B = length == ABI_PRINT_LENGTH_HH ? 1
			       : length == ABI_PRINT_LENGTH_H ? 2 : 8;
	return asked_B < element_B ? asked_B : element_B;
}

static void append_integer(struct bytes *text, const struct abi_conversion *conversion,
			   uint64_t value, uint32_t element_B)
{
	const uint32_t size_B = integer_size_B(conversion, element_B);
	const char letter = conversion->letter;
	struct bytes body = BYTES_INIT;
	if (size_B < 8)
		value &= ((uint64_t)1 << (8 * size_B)) - 1;
	if (letter == 'd' || letter == 'i') {
		value = sign_extend(value, size_B);
		const bool negative = value >> 63;
		append_sign(&body, conversion, negative);
		value = negative ? 0 - value : value;
	} else if ((letter == 'x' || letter == 'X') && conversion->alternative && value) {
		bytes_append_char(&body, '0');
		bytes_append_char(&body, letter);
	}
	const size_t prefix_B = body.size_B;
	append_digits(&body, conversion, value);
	append_padded(text, conversion, bytes_string(&body), body.size_B, prefix_B,
		      conversion->zero && !conversion->has_precision);
	text->failed |= bytes_failed(&body);
	bytes_finish(&body);
}

/* The C library's text of a positive number, in which the locale's decimal point is replaced. */
static void append_real_digits(struct bytes *body, const struct abi_conversion *conversion,
			       double value)
{
	char format[8], *at = format;
	struct bytes raw = BYTES_INIT;
	*at++ = '%';
	if (conversion->alternative)
		*at++ = '#';
	if (conversion->has_precision) {
		*at++ = '.';
		*at++ = '*';
	}
	*at++ = conversion->letter;
	*at = '\0';
	if (conversion->has_precision)
		bytes_printf(&raw, format, (int)conversion->precision, value);
	else
		bytes_printf(&raw, format, value);
	bool in_point = false;
	for (size_t i = 0; i < raw.size_B; i++) {
		const char c = raw.data[i];
		const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
				   (c >= 'A' && c <= 'Z') || c == '+' || c == '-';
		if (plain || !in_point)
			bytes_append_char(body, plain ? c : '.');
		in_point = !plain;
	}
	body->failed |= bytes_failed(&raw);
	bytes_finish(&raw);
}

static void append_real(struct bytes *text, const struct abi_conversion *conversion, double value)
{
	const bool upper = conversion->letter < 'a', finite = isfinite(value);
	struct bytes body = BYTES_INIT;
	append_sign(&body, conversion, signbit(value) && !isnan(value));
	size_t prefix_B = body.size_B;
	if (isnan(value))
		bytes_append_string(&body, upper ? "NAN" : "nan");
	else if (!finite)
		bytes_append_string(&body, upper ? "INF" : "inf");
	else
		append_real_digits(&body, conversion, fabs(value));
	if (finite && (conversion->letter == 'a' || conversion->letter == 'A'))
		prefix_B += 2;
	if (prefix_B > body.size_B)
		prefix_B = body.size_B;
	append_padded(text, conversion, bytes_string(&body), body.size_B, prefix_B,
		      conversion->zero && finite);
	text->failed |= bytes_failed(&body);
	bytes_finish(&body);
}

static void append_string(struct bytes *text, const struct abi_conversion *conversion,
			  const char *string, size_t size_B)
{
	if (conversion->has_precision && conversion->precision < size_B)
		size_B = conversion->precision;
	append_padded(text, conversion, string, size_B, 0, false);
}

static void append_pointer(struct bytes *text, const struct abi_conversion *conversion,
			   uint64_t address)
{
	struct abi_conversion hexadecimal = *conversion;
	hexadecimal.letter = 'x';
	hexadecimal.has_precision = false;
	struct bytes body = BYTES_INIT;
	bytes_append_string(&body, "0x");
	append_digits(&body, &hexadecimal, address);
	append_padded(text, conversion, bytes_string(&body), body.size_B, 2, conversion->zero);
	text->failed |= bytes_failed(&body);
	bytes_finish(&body);
}

/* --- a conversion ---------------------------------------------------------------------------- */

static bool convert_numbers(struct bytes *text, const struct record *record,
			    const struct abi_conversion *conversion,
			    const struct abi_print_argument *argument)
{
	const bool real = strchr("fFeEgGaA", conversion->letter);
	const unsigned char *at = record->data + argument->offset_B;
	if (argument->kind != (real ? ABI_PRINT_REAL : ABI_PRINT_INTEGER) ||
	    argument->lanes != conversion->lanes)
		return false;
	for (uint32_t lane = 0; lane < argument->lanes; lane++, at += argument->element_B) {
		const uint64_t value = load(at, argument->element_B);
		if (lane)
			bytes_append_char(text, ',');
		if (real)
			append_real(text, conversion, real_value(value, argument->element_B));
		else
			append_integer(text, conversion, value, argument->element_B);
	}
	return true;
}

static bool convert_string(struct bytes *text, const struct record *record,
			   const struct abi_conversion *conversion,
			   const struct abi_print_argument *argument, size_t text_B, size_t size_B)
{
	const uint64_t index = load(record->data + argument->offset_B, 4);
	if (argument->kind == ABI_PRINT_TEXT) {
		append_string(text, conversion, (const char *)record->data + text_B, size_B);
		return true;
	}
	if (argument->kind != ABI_PRINT_STRING)
		return false;
	if (index < record->abi->format_count)
		append_string(text, conversion, record->abi->formats[index].text,
			      record->abi->formats[index].text_size_B);
	else
		append_string(text, conversion, "(null)", 6);
	return true;
}

/* Converts the next argument; false: it does not fit the conversion. */
static bool convert(struct bytes *text, struct record *record,
		    const struct abi_conversion *conversion)
{
	if (record->next == record->format->argument_count)
		return false;
	const struct abi_print_argument *argument = &record->format->arguments[record->next++];
	const uint64_t value = load(record->data + argument->offset_B, argument->element_B);
	const size_t text_B = record->text_B;
	size_t size_B = 0;
	if (argument->kind == ABI_PRINT_TEXT) {
		const size_t left_B = record->size_B - text_B;
		size_B = value < left_B ? (size_t)value : left_B;
		record->text_B += size_B;
	}
	switch (conversion->letter) {
	case 's':
		return convert_string(text, record, conversion, argument, text_B, size_B);
	case 'p':
		if (argument->kind != ABI_PRINT_POINTER)
			return false;
		append_pointer(text, conversion, value);
		return true;
	case 'c':
		if (argument->kind != ABI_PRINT_INTEGER || argument->lanes != 1)
			return false;
		append_padded(text, conversion, &(char){(char)(value & 0xFF)}, 1, 0, false);
		return true;
	default:
		return convert_numbers(text, record, conversion, argument);
	}
}

static void convert_all(struct bytes *text, struct record *record)
{
	const char *at = record->format->text, *end = at + record->format->text_size_B;
	struct abi_conversion conversion;
	while (abi_conversion_find(at, end, &conversion)) {
		bytes_append(text, at, (size_t)(conversion.text - at));
		at = conversion.text + conversion.text_size_B;
		if (conversion.letter == '%')
			bytes_append_char(text, '%');
		else if (!convert(text, record, &conversion))
			bytes_append(text, conversion.text, conversion.text_size_B);
	}
	bytes_append(text, at, (size_t)(end - at));
}

size_t ocl_printf_format(struct bytes *text, const struct abi_program *abi,
			 const unsigned char *data, size_t size_B)
{
	if (size_B < ABI_PRINT_UNIT_B)
		return 0;
	const uint64_t index = load(data, 4), record_B = load(data + 4, 4);
	if (index >= abi->format_count)
		return 0;
	struct record record = {
		.abi = abi, .format = &abi->formats[index], .data = data,
		.size_B = (size_t)record_B, .text_B = abi->formats[index].record_B,
	};
	if (record_B > size_B || record_B < record.format->record_B || record_B % ABI_PRINT_UNIT_B)
		return 0;
	convert_all(text, &record);
	return record.size_B;
}
