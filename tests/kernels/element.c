/* Elements of buffers: one table of types, and half as the specification has it. */
#include "config.h"

#include "tests/kernels/expression.h"

#include <math.h>
#include <string.h>

static const struct {
	const char *name;
	size_t size_B;
} types[ELEMENT_TYPE_COUNT] = {
	[ELEMENT_CHAR] = {"char", 1},   [ELEMENT_UCHAR] = {"uchar", 1},
	[ELEMENT_SHORT] = {"short", 2}, [ELEMENT_USHORT] = {"ushort", 2},
	[ELEMENT_INT] = {"int", 4},     [ELEMENT_UINT] = {"uint", 4},
	[ELEMENT_LONG] = {"long", 8},   [ELEMENT_ULONG] = {"ulong", 8},
	[ELEMENT_HALF] = {"half", 2},   [ELEMENT_FLOAT] = {"float", 4},
	[ELEMENT_DOUBLE] = {"double", 8},
};

enum element_type element_type_named(const char *name, size_t length)
{
	int type = 0;
	while (type < ELEMENT_TYPE_COUNT &&
	       (strlen(types[type].name) != length || memcmp(types[type].name, name, length)))
		type++;
	return (enum element_type)type;
}

size_t element_size_B(enum element_type type)
{
	return types[type].size_B;
}

static long double real_from_half(uint16_t bits)
{
	int exponent = bits >> 10 & 31;
	int mantissa = bits & 1023;
	long double magnitude;
	if (exponent == 31)
		magnitude = mantissa ? (long double)NAN : (long double)INFINITY;
	else if (exponent)
		magnitude = ldexpl(1024 + mantissa, exponent - 25);
	else
		magnitude = ldexpl(mantissa, -24);
	return bits & 0x8000 ? -magnitude : magnitude;
}

static uint16_t half_from_real(long double real)
{
	uint16_t sign = signbit(real) ? 0x8000 : 0;
	long double magnitude = fabsl(real);
	if (isnan(real))
		return sign | 0x7e00;
	if (magnitude >= 65520)
		return sign | 0x7c00;
	int exponent;
	frexpl(magnitude, &exponent);
	if (magnitude == 0 || exponent < -13)
		exponent = -13;
	/* In units of the last place, to nearest even. */
	long long units = llrintl(ldexpl(magnitude, 11 - exponent));
	return sign | (uint16_t)(units + ((long long)(exponent + 13) << 10));
}

struct value element_get(enum element_type type, const void *data, size_t index)
{
	const unsigned char *at = (const unsigned char *)data + index * types[type].size_B;
	struct value value = {.kind = VALUE_SIGNED};
	union { int8_t c; int16_t s; uint16_t us; int32_t i; uint32_t ui; int64_t l; uint64_t ul;
		float f; double d; } raw = {.ul = 0};
	memcpy(&raw, at, types[type].size_B);
	switch (type) {
	case ELEMENT_CHAR: value.s = raw.c; break;
	case ELEMENT_SHORT: value.s = raw.s; break;
	case ELEMENT_INT: value.s = raw.i; break;
	case ELEMENT_LONG: value.s = raw.l; break;
	case ELEMENT_UCHAR: value.kind = VALUE_UNSIGNED; value.u = *at; break;
	case ELEMENT_USHORT: value.kind = VALUE_UNSIGNED; value.u = raw.us; break;
	case ELEMENT_UINT: value.kind = VALUE_UNSIGNED; value.u = raw.ui; break;
	case ELEMENT_ULONG: value.kind = VALUE_UNSIGNED; value.u = raw.ul; break;
	case ELEMENT_HALF: value.kind = VALUE_REAL; value.r = real_from_half(raw.us); break;
	case ELEMENT_FLOAT: value.kind = VALUE_REAL; value.r = raw.f; break;
	default: value.kind = VALUE_REAL; value.r = raw.d; break;
	}
	return value;
}

long double value_real(struct value value)
{
	return value.kind == VALUE_REAL ? value.r
	     : value.kind == VALUE_SIGNED ? (long double)value.s : (long double)value.u;
}

uint64_t value_bits(struct value value)
{
	if (value.kind != VALUE_REAL)
		return value.u;
	if (value.r >= 9223372036854775808.0L)
		return value.r < 18446744073709551616.0L ? (uint64_t)value.r : UINT64_MAX;
	return value.r >= -9223372036854775808.0L ? (uint64_t)(int64_t)value.r : (uint64_t)INT64_MIN;
}

void element_set(enum element_type type, void *data, size_t index, struct value value)
{
	unsigned char *at = (unsigned char *)data + index * types[type].size_B;
	uint64_t bits = value_bits(value);
	float f = (float)value_real(value);
	double d = (double)value_real(value);
	uint16_t half;
	switch (type) {
	case ELEMENT_HALF:
		half = half_from_real(value_real(value));
		memcpy(at, &half, sizeof(half));
		break;
	case ELEMENT_FLOAT: memcpy(at, &f, sizeof(f)); break;
	case ELEMENT_DOUBLE: memcpy(at, &d, sizeof(d)); break;
	default: memcpy(at, &bits, types[type].size_B); break; /* little-endian hosts only */
	}
}
