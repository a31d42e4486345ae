#include "config.h"

#include "frontend/print_conversion.h"

#include <string.h>

struct cursor {
	const char *at, *end;
};

static bool take(struct cursor *cursor, char c)
{
	if (cursor->at == cursor->end || *cursor->at != c)
		return false;
	cursor->at++;
	return true;
}

static bool is_digit(const struct cursor *cursor)
{
	return cursor->at != cursor->end && *cursor->at >= '0' && *cursor->at <= '9';
}

static unsigned take_number(struct cursor *cursor)
{
	unsigned number = 0;
	for (; is_digit(cursor); cursor->at++) {
		number = 10 * number + (unsigned)(*cursor->at - '0');
		if (number > ABI_PRINT_WIDTH_MAX)
			number = ABI_PRINT_WIDTH_MAX;
	}
	return number;
}

static void take_flags(struct cursor *cursor, struct abi_conversion *conversion)
{
	for (;;) {
		if (take(cursor, '-'))
			conversion->left = true;
		else if (take(cursor, '+'))
			conversion->plus = true;
		else if (take(cursor, ' '))
			conversion->space = true;
		else if (take(cursor, '#'))
			conversion->alternative = true;
		else if (take(cursor, '0'))
			conversion->zero = true;
		else
			return;
	}
}

static bool take_lanes(struct cursor *cursor, unsigned *lanes_out)
{
	*lanes_out = 1;
	if (!take(cursor, 'v'))
		return true;
	const unsigned lanes = take_number(cursor);
	*lanes_out = lanes;
	return lanes == 2 || lanes == 3 || lanes == 4 || lanes == 8 || lanes == 16;
}

/* OpenCL C does not have ll, nor z and t before 3.1, but programs use them as in C. */
static enum abi_print_length take_length(struct cursor *cursor)
{
	if (take(cursor, 'l')) {
		(void)take(cursor, 'l');
		return ABI_PRINT_LENGTH_L;
	}
	if (take(cursor, 'z') || take(cursor, 't'))
		return ABI_PRINT_LENGTH_L;
	if (!take(cursor, 'h'))
		return ABI_PRINT_LENGTH_NONE;
	if (take(cursor, 'h'))
		return ABI_PRINT_LENGTH_HH;
	return take(cursor, 'l') ? ABI_PRINT_LENGTH_HL : ABI_PRINT_LENGTH_H;
}

/* 6.15.14: hl is for vectors only; c, s and p take neither a length nor a vector;
 * hh means nothing for floating point. */
static bool fits(const struct abi_conversion *conversion)
{
	const bool vector = conversion->lanes > 1;
	const enum abi_print_length length = conversion->length;
	if (!conversion->letter || (length == ABI_PRINT_LENGTH_HL && !vector))
		return false;
	if (strchr("diouxX", conversion->letter))
		return true;
	if (strchr("fFeEgGaA", conversion->letter))
		return length != ABI_PRINT_LENGTH_HH;
	if (conversion->letter == '%')
		return conversion->text_size_B == 2;
	return strchr("csp", conversion->letter) && !vector && length == ABI_PRINT_LENGTH_NONE;
}

static bool read_conversion(struct cursor *cursor, struct abi_conversion *conversion)
{
	*conversion = (struct abi_conversion){.text = cursor->at};
	cursor->at++;
	take_flags(cursor, conversion);
	conversion->width = take_number(cursor);
	conversion->has_precision = take(cursor, '.');
	if (conversion->has_precision)
		conversion->precision = take_number(cursor);
	if (!take_lanes(cursor, &conversion->lanes))
		return false;
	conversion->length = take_length(cursor);
	if (cursor->at == cursor->end)
		return false;
	conversion->letter = *cursor->at++;
	conversion->text_size_B = (size_t)(cursor->at - conversion->text);
	return fits(conversion);
}

bool abi_conversion_find(const char *at, const char *end, struct abi_conversion *conversion_out)
{
	while (at != end && (at = memchr(at, '%', (size_t)(end - at))) != NULL) {
		struct cursor cursor = {at, end};
		struct abi_conversion conversion;
		if (read_conversion(&cursor, &conversion)) {
			*conversion_out = conversion;
			return true;
		}
		at++;
	}
	return false;
}
