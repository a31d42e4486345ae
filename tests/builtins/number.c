#include "config.h"

#include "tests/builtins/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	unsigned bits;
	int digits, lowest, highest;    /* reals: exponents in frexp's convention */
} types[] = {
	[TYPE_CHAR] = {"char", 8, 0, 0, 0},       [TYPE_UCHAR] = {"uchar", 8, 0, 0, 0},
	[TYPE_SHORT] = {"short", 16, 0, 0, 0},    [TYPE_USHORT] = {"ushort", 16, 0, 0, 0},
	[TYPE_INT] = {"int", 32, 0, 0, 0},        [TYPE_UINT] = {"uint", 32, 0, 0, 0},
	[TYPE_LONG] = {"long", 64, 0, 0, 0},      [TYPE_ULONG] = {"ulong", 64, 0, 0, 0},
	[TYPE_FLOAT] = {"float", 32, 24, -125, 128},
	[TYPE_DOUBLE] = {"double", 64, 53, -1021, 1024},
	[TYPE_HALF] = {"half", 16, 11, -13, 16},  [TYPE_NONE] = {"void", 0, 0, 0, 0},
};

const char *type_name(enum type type)
{
	return types[type].name;
}

size_t type_size_B(enum type type)
{
	return types[type].bits / 8;
}

unsigned type_bits(enum type type)
{
	return types[type].bits;
}

bool type_is_real(enum type type)
{
	return type == TYPE_FLOAT || type == TYPE_DOUBLE || type == TYPE_HALF;
}

bool type_is_signed(enum type type)
{
	return type_is_real(type) || type == TYPE_CHAR || type == TYPE_SHORT || type == TYPE_INT ||
	       type == TYPE_LONG;
}

enum type type_unsigned(enum type type)
{
	switch (types[type].bits) {
	case 8:
		return TYPE_UCHAR;
	case 16:
		return TYPE_USHORT;
	case 32:
		return TYPE_UINT;
	default:
		return TYPE_ULONG;
	}
}

enum type type_signed(enum type type)
{
	return (enum type)(type_unsigned(type) - 1);
}

enum type type_wider(enum type type)
{
	return type < TYPE_LONG ? (enum type)(type + 2) : TYPE_NONE;
}

static long double half_value(uint64_t bits)
{
	unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
	long double magnitude = exponent == 31 ? (fraction ? NAN : INFINITY) :
				exponent ? ldexpl(1024 + fraction, (int)exponent - 25) :
					   ldexpl(fraction, -24);
	return copysignl(magnitude, bits & 0x8000 ? -1 : 1);
}

/* Of a number that half holds, and of anything else the nearest. */
static uint16_t half_bits(long double x)
{
	uint16_t sign = signbit(x) ? 0x8000 : 0;
	long double magnitude = fabsl(real_round(TYPE_HALF, x, ROUND_NEAREST));
	int exponent;
	if (isnan(x))
		return sign | 0x7e00;
	if (isinf(magnitude))
		return sign | 0x7c00;
	if (magnitude < 0x1p-14L)
		return (uint16_t)(sign | (unsigned)ldexpl(magnitude, 24));
	magnitude = frexpl(magnitude, &exponent);
	/* The leading one adds one to the exponent's field. */
	return (uint16_t)(sign + ((exponent + 13) << 10) + (int)ldexpl(magnitude, 11));
}

struct number number_from_bits(enum type type, uint64_t bits)
{
	struct number number = {0, 0, bits};
	unsigned unused = 64 - types[type].bits;
	float f;
	double d;
	switch (type) {
	case TYPE_FLOAT:
		number.u &= UINT32_MAX;
		memcpy(&f, &(uint32_t){(uint32_t)bits}, sizeof(f));
		number.real = f;
		return number;
	case TYPE_DOUBLE:
		memcpy(&d, &bits, sizeof(d));
		number.real = d;
		return number;
	case TYPE_HALF:
		number.real = half_value(bits);
		return number;
	default:
		break;
	}
	number.u = bits << unused >> unused;
	number.s = (int64_t)number.u;
	/* Shifting a negative number right is not defined: the sign is spread by arithmetic. */
	if (type_is_signed(type) && number.u >> (types[type].bits - 1)) {
		if (unused)
			number.u |= UINT64_MAX << types[type].bits;
		number.s = (int64_t)number.u;
	}
	number.real = type_is_signed(type) ? (long double)number.s : (long double)number.u;
	return number;
}

struct number number_load(enum type type, const void *data, size_t index)
{
	const unsigned char *at = (const unsigned char *)data + index * type_size_B(type);
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;
	switch (types[type].bits) {
	case 8:
		memcpy(&u8, at, sizeof(u8));
		return number_from_bits(type, u8);
	case 16:
		memcpy(&u16, at, sizeof(u16));
		return number_from_bits(type, u16);
	case 32:
		memcpy(&u32, at, sizeof(u32));
		return number_from_bits(type, u32);
	default:
		memcpy(&u64, at, sizeof(u64));
		return number_from_bits(type, u64);
	}
}

void number_store(enum type type, void *data, size_t index, struct number number)
{
	unsigned char *at = (unsigned char *)data + index * type_size_B(type);
	float f = type == TYPE_FLOAT ? (float)number.real : 0;
	double d = type == TYPE_DOUBLE ? (double)number.real : 0;
	switch (type) {
	case TYPE_FLOAT:
		memcpy(at, &f, sizeof(f));
		return;
	case TYPE_DOUBLE:
		memcpy(at, &d, sizeof(d));
		return;
	case TYPE_HALF:
		memcpy(at, &(uint16_t){half_bits(number.real)}, sizeof(uint16_t));
		return;
	default:
		break;
	}
	switch (types[type].bits) {
	case 8:
		memcpy(at, &(uint8_t){(uint8_t)number.u}, 1);
		return;
	case 16:
		memcpy(at, &(uint16_t){(uint16_t)number.u}, 2);
		return;
	case 32:
		memcpy(at, &(uint32_t){(uint32_t)number.u}, 4);
		return;
	default:
		memcpy(at, &number.u, 8);
		return;
	}
}

struct number number_from_real(long double real)
{
	return (struct number){real, 0, 0};
}

struct number number_least(enum type type)
{
	return number_from_bits(type, type_is_signed(type) ? 1ull << (types[type].bits - 1) : 0);
}

struct number number_greatest(enum type type)
{
	uint64_t ones = UINT64_MAX >> (64 - types[type].bits);
	return number_from_bits(type, type_is_signed(type) ? ones >> 1 : ones);
}

/* -- reals ------------------------------------------------------------------------------------ */

static int exponent_of(enum type type, long double x)
{
	int exponent;
	if (x == 0)
		return types[type].lowest;
	frexpl(x, &exponent);
	return exponent < types[type].lowest ? types[type].lowest :
	       exponent > types[type].highest ? types[type].highest : exponent;
}

long double real_normal(enum type type)
{
	return ldexpl(1, types[type].lowest - 1);
}

long double real_unit(enum type type, long double x)
{
	return ldexpl(1, exponent_of(type, x) - types[type].digits);
}

long double real_round(enum type type, long double x, enum rounding rounding)
{
	if (isnan(x) || isinf(x) || x == 0)
		return x;
	long double unit = real_unit(type, x), greatest, steps = x / unit;
	switch (rounding) {
	case ROUND_TO_ZERO:
		steps = truncl(steps);
		break;
	case ROUND_UP:
		steps = ceill(steps);
		break;
	case ROUND_DOWN:
		steps = floorl(steps);
		break;
	default:
		steps = rintl(steps);
		break;
	}
	greatest = ldexpl(1, types[type].highest);
	greatest -= ldexpl(1, types[type].highest - types[type].digits);
	x = copysignl(steps * unit, x);
	if (fabsl(x) <= greatest)
		return x;
	if (rounding == ROUND_TO_ZERO || (rounding == ROUND_UP && x < 0) ||
	    (rounding == ROUND_DOWN && x > 0))
		return copysignl(greatest, x);
	return copysignl(INFINITY, x);
}

long double real_ulps(enum type type, long double got, long double exact)
{
	long double limit = ldexpl(1, types[type].highest);
	if (isnan(got) || isnan(exact))
		return isnan(got) && isnan(exact) ? 0 : INFINITY;
	if (isinf(exact))
		return got == exact ? 0 : INFINITY;
	if (isinf(got))
		got = copysignl(limit, got);
	if (fabsl(exact) > limit)
		exact = copysignl(limit, exact);
	return fabsl(got - exact) / real_unit(type, exact);
}

const char *number_show(enum type type, struct number number, char *text)
{
	int digits = (int)type_size_B(type) * 2;
	uint64_t bits = number.u;
	if (type_is_real(type))
		snprintf(text, 80, "0x%0*" PRIx64 " (%.17Lg)", digits, bits, number.real);
	else if (type_is_signed(type))
		snprintf(text, 80, "0x%0*" PRIx64 " (%" PRId64 ")", digits,
			 bits << (64 - types[type].bits) >> (64 - types[type].bits), number.s);
	else
		snprintf(text, 80, "0x%0*" PRIx64 " (%" PRIu64 ")", digits, bits, number.u);
	return text;
}
