#include "config.h"

#include "tests/kernels/compare.h"

#include <math.h>
#include <stdio.h>

/* Units in the last place of the type at the expected value. */
static long double ulp_of(enum element_type type, long double expected)
{
	int digits = type == ELEMENT_DOUBLE ? 53 : type == ELEMENT_FLOAT ? 24 : 11;
	int lowest = type == ELEMENT_DOUBLE ? -1021 : type == ELEMENT_FLOAT ? -125 : -13;
	int exponent;
	frexpl(expected, &exponent);
	if (expected == 0 || exponent < lowest)
		exponent = lowest;
	return ldexpl(1, exponent - digits);
}

bool value_is_close(enum element_type type, struct value got, struct value expected,
			 const struct tolerance *tolerance)
{
	unsigned char raw[8] = {0};
	if (type < ELEMENT_HALF && tolerance->absolute)
		return fabsl(value_real(got) - value_real(expected)) <= tolerance->absolute;
	if (type < ELEMENT_HALF) {
		element_set(type, raw, 0, expected);
		return element_get(type, raw, 0).u == got.u;
	}
	long double exact = value_real(expected);
	element_set(type, raw, 0, expected);
	long double rounded = element_get(type, raw, 0).r;
	if (isnan(exact))
		return isnan(got.r);
	if (got.r == rounded)
		return tolerance->ulp || tolerance->absolute || signbit(got.r) == signbit(rounded);
	if (!isfinite(got.r) || !isfinite(exact))
		return false;
	return fabsl(got.r - exact) <= tolerance->absolute + tolerance->ulp * ulp_of(type, exact);
}

void value_print(struct value value)
{
	if (value.kind == VALUE_REAL)
		printf("%.17Lg", value.r);
	else if (value.kind == VALUE_SIGNED)
		printf("%lld", (long long)value.s);
	else
		printf("%llu", (unsigned long long)value.u);
}
