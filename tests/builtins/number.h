/* Numbers of the OpenCL C scalar types: how they lie in memory, how they are compared, how they
 * are shown.
 *
 * Integers of 64 bits and doubles both fit a long double exactly, so `real` is always the number's value; the integer
 * members are its bits, widened.  Thread-safe. */
#ifndef CULVERT_TESTS_BUILTINS_NUMBER_H
#define CULVERT_TESTS_BUILTINS_NUMBER_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

_Static_assert(LDBL_MANT_DIG >= 64, "a long double holds every double and every integer of 64 bits");

enum type {
	TYPE_CHAR, TYPE_UCHAR, TYPE_SHORT, TYPE_USHORT, TYPE_INT, TYPE_UINT, TYPE_LONG, TYPE_ULONG,
	TYPE_FLOAT, TYPE_DOUBLE, TYPE_HALF, TYPE_NONE
};
enum { INTEGER_TYPES = TYPE_ULONG + 1, SCALAR_TYPES = TYPE_HALF + 1 };

enum rounding { ROUND_NEAREST, ROUND_TO_ZERO, ROUND_UP, ROUND_DOWN };

struct number {
	long double real;
	int64_t s;            /* integers: sign-extended */
	uint64_t u;           /* integers: the same bits; reals: the bits as they lie in memory */
};

const char *type_name(enum type type);
size_t type_size_B(enum type type);
unsigned type_bits(enum type type);
bool type_is_real(enum type type);
bool type_is_signed(enum type type);
/* The integer type of the same size, without or with sign. */
enum type type_unsigned(enum type type);
enum type type_signed(enum type type);
/* The integer type twice as wide. */
enum type type_wider(enum type type);

struct number number_load(enum type type, const void *data, size_t index);
void number_store(enum type type, void *data, size_t index, struct number number);
struct number number_from_real(long double real);
/* An integer of `type` out of its low bits. */
struct number number_from_bits(enum type type, uint64_t bits);
/* The least and the greatest number of an integer type. */
struct number number_least(enum type type);
struct number number_greatest(enum type type);

/* The number of a real type that x becomes: infinite where it is too large. */
long double real_round(enum type type, long double x, enum rounding rounding);
/* Units in the last place between what was got and the exact value; 0 for two NaNs, infinite where
 * one is NaN.  An infinity counts as the first power of two that the type cannot hold. */
long double real_ulps(enum type type, long double got, long double exact);
/* The least normal number. */
long double real_normal(enum type type);
/* One unit in the last place at x. */
long double real_unit(enum type type, long double x);

/* Hexadecimal and decimal into text, which has room for 80 characters. */
const char *number_show(enum type type, struct number number, char *text);

#endif
