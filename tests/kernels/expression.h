/* The expressions of kernel files: what a buffer starts with and what is expected
 * of it, element by element.
 *
 * C's operators and precedence over three kinds of value: signed and unsigned
 * 64-bit integers that wrap, and reals in long double, so that an expected value
 * is computed in higher precision than the kernel had.  Names: i is the element's
 * index, n the buffer's length, NAME[e] an element of another buffer, and the
 * functions listed in expression.c (libm's, and casts such as float(x), uint(x)).
 *
 * Thread-safety: none. */
#ifndef CULVERT_TESTS_EXPRESSION_H
#define CULVERT_TESTS_EXPRESSION_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

_Static_assert(LDBL_MANT_DIG >= 64, "a long double holds every double and every integer of 64 bits");

enum element_type {
	ELEMENT_CHAR, ELEMENT_UCHAR, ELEMENT_SHORT, ELEMENT_USHORT, ELEMENT_INT, ELEMENT_UINT,
	ELEMENT_LONG, ELEMENT_ULONG, ELEMENT_HALF, ELEMENT_FLOAT, ELEMENT_DOUBLE, ELEMENT_TYPE_COUNT
};

/* ELEMENT_TYPE_COUNT when there is no such type. */
enum element_type element_type_named(const char *name, size_t length);
size_t element_size_B(enum element_type type);

enum value_kind { VALUE_SIGNED, VALUE_UNSIGNED, VALUE_REAL };

struct value {
	enum value_kind kind;
	union {
		int64_t s;
		uint64_t u;
	};
	long double r;               /* of VALUE_REAL alone */
};

struct buffer {
	char name[64];
	enum element_type type;
	size_t count;
	void *start;                 /* contents when it was made */
	void *data;                  /* contents now: read back after each run */
	struct buffer *next;
};

struct value element_get(enum element_type type, const void *data, size_t index);
/* Converts as C does: integers wrap, reals round to nearest. */
void element_set(enum element_type type, void *data, size_t index, struct value value);
long double value_real(struct value value);
uint64_t value_bits(struct value value);

/* Evaluates text for element i of n.  buffers is the list that names refer to:
 * NAME[e] reads what the buffer started with, NAME'[e] what it holds now.
 * False with a message in error (of error_size_B bytes) when text is not an
 * expression. */
bool expression_evaluate(const char *text, const struct buffer *buffers, size_t i, size_t n,
			 struct value *value_out, char *error, size_t error_size_B);

#endif
