#include "config.h"

#include "tests/ulp/sample.h"
#include "tests/builtins/points.h"

#include <math.h>
#include <string.h>

static void put_bits(enum type type, void *data, size_t index, uint64_t bits)
{
	unsigned char *at = (unsigned char *)data + index * type_size_B(type);
	switch (type) {
	case TYPE_HALF:
		memcpy(at, &(uint16_t){(uint16_t)bits}, 2);
		return;
	case TYPE_DOUBLE:
		memcpy(at, &bits, 8);
		return;
	default:
		memcpy(at, &(uint32_t){(uint32_t)bits}, 4);
		return;
	}
}

static double unit_of(uint64_t bits)
{
	return ldexp((double)(bits >> 11), -53);
}

/* Point n is of one of eight kinds, the same for all its arguments: any bits at all (two of them),
 * moderate magnitudes, a small range, around 1, simple fractions, and where functions overflow. */
static double choose(enum type type, unsigned which, uint64_t n, uint64_t bits)
{
	double r = unit_of(points_random(bits)), sign = bits & 1 ? -1 : 1;
	double exponents = type == TYPE_HALF ? 12 : type == TYPE_FLOAT ? 30 : 60;
	double overflow = type == TYPE_HALF ? 12 : type == TYPE_FLOAT ? 104 : 746;
	switch (n % 8) {
	case 2:
		return sign * exp2(exponents * (2 * r - 1));
	case 3:
		return sign * 10 * r;
	case 4:
		return sign * r;
	case 5:
		/* A base near 1 and an exponent that makes the power large. */
		return which == 0 ? sign * (1 + ldexp(r - 0.5, -(int)(bits >> 1 & 15))) :
				    sign * exp2(16 * r);
	case 6:
		return sign * floor(64 * r) / 4;
	default:
		return sign * overflow * r;
	}
}

static void put_int(void *data, size_t index, uint64_t n, uint64_t bits)
{
	static const int few[] = {0, 1, -1, 2, -2, 3, -3, 5};
	int value = n % 8 < 2 ? few[bits >> 8 & 7] :
		    n % 8 < 6 ? (int)(bits >> 8 & 255) - 128 :
		    n % 8 == 6 ? (int)(bits >> 8 & 0xffff) - 0x8000 : (int)(bits >> 8 & 0x7fffffff);
	put_bits(TYPE_INT, data, index, (uint32_t)value);
}

void sample_fill(enum type type, enum type argument, unsigned which, bool all, uint64_t first,
		 size_t count, void *data)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t n = first + i, bits = points_random(4 * n + which);
		if (argument == TYPE_INT)
			put_int(data, i, n, bits);
		else if (all)
			put_bits(type, data, i, n);
		else if (n % 8 < 2)
			put_bits(type, data, i, bits);
		else
			number_store(type, data, i,
				     number_from_real(choose(type, which, n, bits)));
	}
}
