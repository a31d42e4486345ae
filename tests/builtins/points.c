#include "config.h"

#include "tests/builtins/points.h"

#include <float.h>
#include <math.h>

/* The most telling first: three arguments take only the first nine of them. */
static const double special_floats[] = {
	0.0, -0.0, 1.0, -1.0, INFINITY, NAN, 0x1p-149, FLT_MAX, 0.5,
	-INFINITY, -FLT_MAX, 2.0, -0.5, FLT_MIN, -0x1p-149, 3.0, -2.0, 0x1.fffffcp-127, 0x1p24,
	0x1.fffffep-1, 0x1.000002p0, -3.0, 1.5, -2.5,
	2.5, -1.5, -FLT_MIN, 0x1p23, -0x1p23, 0x1.fffffep22, 0x1p31, -0x1p31, 0x1p32, 0x1p63,
	0x1p64, -0x1p63, -0x1.fffffep-1, -0x1.000002p0, 0x1.921fb6p0, -0x1.921fb6p0, 0x1.921fb6p1,
	0x1.2d97c8p2, 0x1.62e42ep-1, 0x1.62e43p6, -0x1.5d58ap6, 0x1.9fe36ap6, 127.5, 128.0, -149.0,
	-150.0, 255.5, 65504.0, 65519.996, 65520.0, 0.25, 0.75, -0.25, 4.0, 10.0, -4.5, 171.5, 35.0,
	0x1p-24, 0x1p-12, 100.0, -100.0,
};
static const double special_doubles[] = {
	0.0, -0.0, 1.0, -1.0, INFINITY, NAN, 0x1p-1074, DBL_MAX, 0.5,
	-INFINITY, -DBL_MAX, 2.0, -0.5, DBL_MIN, -0x1p-1074, 3.0, -2.0, 0x1.ffffffffffffep-1023,
	0x1p53, 0x1.fffffffffffffp-1, 0x1.0000000000001p0, -3.0, 1.5, -2.5,
	2.5, -1.5, -DBL_MIN, 0x1p52, -0x1p52, 0x1.fffffffffffffp51, 0x1p31, -0x1p31, 0x1p32, 0x1p63,
	0x1p64, -0x1p63, -0x1.fffffffffffffp-1, -0x1.0000000000001p0, 0x1.921fb54442d18p0,
	-0x1.921fb54442d18p0, 0x1.921fb54442d18p1, 0x1.2d97c7f3321d2p2, 0x1.62e42fefa39efp-1,
	0x1.62e42fefa39efp9, -0x1.74910d52d3051p9, 0x1.34413509f79fep8, 127.5, 1024.0, -1074.0,
	-1075.0, 255.5, 65504.0, 65519.999999999993, 65520.0, 0.25, 0.75, -0.25, 4.0, 10.0, -4.5,
	171.5, FLT_MAX, 0x1p-24, 0x1.fffffefffffffp127, 2147483647.5, -2147483648.5,
};
static const double special_halves[] = {
	0.0, -0.0, 1.0, -1.0, INFINITY, NAN, 0x1p-24, 65504.0, 0.5,
	-INFINITY, -65504.0, 2.0, -0.5, 0x1p-14, -0x1p-24, 3.0, -2.0, 0x1.ff8p-15, 2048.0,
	0x1.ffcp-1, 0x1.004p0, -3.0, 1.5, -2.5,
	2.5, -1.5, -0x1p-14, 1024.0, -1024.0, 0x1.ff8p9, 0x1.ff8p-1, -0x1.ffcp-1, -0x1.004p0,
	0x1.92p0, -0x1.92p0, 0x1.92p1, 0x1.2d8p2, 0x1.63p-1, 11.0859375, -9.703125, -17.34375,
	4.8125, 127.5, 255.5, 256.0, 32767.0, 32768.0, -32768.0, 0.25, 0.75, -0.25, 4.0, 10.0,
	-4.5, 9.171875, 8.0, 0x1p-12, 0x1p-11, 100.0, -100.0, 65472.0, 0x1.8p-24, 0x1p-23,
};
/* Integers: these as they are cut to the type, and the type's limits. */
static const int64_t special_integers[] = {
	0, 1, -1, INT64_MAX, INT64_MIN, 2, INT32_MAX, INT32_MIN, 7,
	3, -2, -3, 127, -128, 255, 31, 32, 33, 63, 64, INT16_MAX, INT16_MIN, 5, 8, 15, 16, 17,
	UINT32_MAX, INT64_MIN + 1, INT64_MAX - 1, 65535, 0x5555555555555555, 149, -149, -1074, 1023,
	0x0f0f0f0f0f0f0f0f, 1000, -126, 8388607, -8388608, 16777215,
};
enum {
	FLOATS = sizeof(special_floats) / sizeof(special_floats[0]),
	DOUBLES = sizeof(special_doubles) / sizeof(special_doubles[0]),
	HALVES = sizeof(special_halves) / sizeof(special_halves[0]),
	INTEGERS = sizeof(special_integers) / sizeof(special_integers[0]),
};

uint64_t points_random(uint64_t n)
{
	n = (n + 1) * 0x9e3779b97f4a7c15u;
	n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9u;
	n = (n ^ n >> 27) * 0x94d049bb133111ebu;
	return n ^ n >> 31;
}

static long double unit_random(uint64_t n)
{
	return ldexpl(points_random(n) >> 11, -53);
}

/* Eight ways to be random, so that each function finds many points where it is not trivial. */
static struct number random_real(enum type type, uint64_t n)
{
	uint64_t bits = points_random(n);
	long double r = unit_random(n ^ 0x5555), sign = bits & 8 ? -1 : 1;
	switch (bits & 7) {
	case 0:
		return number_from_bits(type, bits >> 4 | bits << 60);
	case 1:
		return number_from_real(sign * exp2l(60 * r - 30));
	case 2:
		return number_from_real(sign * r);
	case 3:
		return number_from_real(sign * (1 + (r - 0.5L) * exp2l(-(int)(bits >> 4 & 31))));
	case 4:
		return number_from_real(sign * floorl(600 * r) / 2);
	case 5:
		return number_from_real(sign * 100 * r);
	case 6:
		return number_from_real(sign * 1000 * r);
	default:
		r = floorl(sign * r * exp2l(bits >> 4 & 31));
		return number_from_real(r * 1.5707963267948966L);
	}
}

static struct number random_integer(enum type type, uint64_t n)
{
	uint64_t bits = points_random(n), shift = points_random(n ^ 0xaaaa) % type_bits(type);
	struct number number = number_from_bits(type, bits);
	if (!type_is_signed(type))
		return number_from_bits(type, number.u >> shift);
	/* A division keeps the sign where a shift would not be defined. */
	int64_t divisor = INT64_C(1) << (shift > 62 ? 62 : shift);
	return number_from_bits(type, (uint64_t)(number.s / divisor));
}

static unsigned special_count(enum type type, unsigned arguments)
{
	unsigned all = type == TYPE_FLOAT ? FLOATS :
		       type == TYPE_DOUBLE ? DOUBLES :
		       type == TYPE_HALF ? HALVES : INTEGERS;
	unsigned wanted = arguments == 1 ? all : arguments == 2 ? 24 : 9;
	return wanted < all ? wanted : all;
}

static struct number special(enum type type, unsigned n)
{
	if (type == TYPE_FLOAT)
		return number_from_real(special_floats[n]);
	if (type == TYPE_DOUBLE)
		return number_from_real(special_doubles[n]);
	if (type == TYPE_HALF)
		return number_from_real(special_halves[n]);
	/* The limits of 64 bits stand for those of the type. */
	int64_t value = special_integers[n];
	if (value == INT64_MAX)
		return number_greatest(type);
	if (value == INT64_MIN)
		return type_is_signed(type) ? number_least(type) :
					      number_from_bits(type, 1ull << (type_bits(type) - 1));
	return number_from_bits(type, (uint64_t)value);
}

void points_fill(enum type type, unsigned argument, unsigned arguments, void *data)
{
	unsigned base = arguments == 1 ? 80 : arguments == 2 ? 24 : 9, stride = 1, combinations = 1;
	for (unsigned i = 0; i < arguments; i++)
		combinations *= base;
	for (unsigned i = 0; i < argument; i++)
		stride *= base;
	for (unsigned i = 0; i < POINTS; i++) {
		unsigned n = i / stride % base;
		uint64_t seed = i * 4u + argument;
		bool is_special = i < combinations && n < special_count(type, arguments);
		number_store(type, data, i,
			     is_special ? special(type, n) :
			     type_is_real(type) ? random_real(type, seed) :
						  random_integer(type, seed));
	}
}
