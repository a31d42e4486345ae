/* The conversions of a printf format (OpenCL C 3.0, 6.15.14), without their arguments.  The compiler finds out which
 * arguments are strings, the launch how to print them.  Thread-safe: pure functions. */
#ifndef CULVERT_FRONTEND_PRINT_CONVERSION_H
#define CULVERT_FRONTEND_PRINT_CONVERSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum abi_print_length {
	ABI_PRINT_LENGTH_NONE,
	ABI_PRINT_LENGTH_HH,
	ABI_PRINT_LENGTH_H,
	ABI_PRINT_LENGTH_HL,
	ABI_PRINT_LENGTH_L
};

/* The largest width and precision; a format that asks for more gets this much. */
enum { ABI_PRINT_WIDTH_MAX = 4095 };

struct abi_conversion {
	const char *text;             /* in the format, from the percent sign */
	size_t text_size_B;
	bool left, plus, space, alternative, zero;    /* the flags - + space # 0 */
	bool has_precision;
	unsigned width, precision;
	unsigned lanes;               /* of %vN; 1 without */
	enum abi_print_length length;
	char letter;                  /* %: a percent sign, without an argument */
};

/* Finds the first conversion in [at, end).  An invalid conversion is ordinary text. false: there is none. */
bool abi_conversion_find(const char *at, const char *end, struct abi_conversion *conversion_out);

#endif
