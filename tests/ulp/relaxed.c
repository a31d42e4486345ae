#include "config.h"

#include "tests/ulp/relaxed.h"

#include <math.h>
#include <string.h>

/* In place of an allowed error; beyond every error of a float. */
#define UNBOUNDED 0x1p1000
#define EXPANDED(text) #text
#define SOURCE(text) EXPANDED(text)

static double float_unit(double x)
{
	int exponent;
	frexp(x, &exponent);
	return ldexp(1, (exponent < -125 ? -125 : exponent) - 24);
}

static double log2_error(double x, double exact)
{
	return fabs(x) >= 0.5 && fabs(x) <= 2 ? 0x1p-21 : 3 * float_unit(exact);
}

/* Of exp2(y * log2(|x|)): the logarithm's error times y, the roundings of y, which may be an int,
 * and of the product or quotient, of which that many more ulp are allowed; then exp2's own. */
static double power_error(double x, double y, double ulps, double r, double u)
{
	const double logarithm = log2(fabs(x)), t = y * logarithm;
	const double error = fabs(y) * log2_error(x, logarithm) + fabs(t) * (1 + ulps) * 0x1p-23;
	return (3 + floor(fabs(2 * t))) * u + fabs(r) * (exp2(error) - 1);
}

#define RELAXED(name, bound, expression) \
	static double name##_allowed(const struct arguments *a, double r, double u) \
	{ \
		const double x = a->x, y = a->y; \
		const int n = a->n; \
		(void)x, (void)y, (void)n, (void)r, (void)u; \
		return expression; \
	}
#include "tests/ulp/relaxed.def"
#undef RELAXED

#define RELAXED(name, bound, expression) {#name, bound, name##_allowed, SOURCE(expression)},
const struct relaxed relaxed_bounds[] = {
#include "tests/ulp/relaxed.def"
};
#undef RELAXED

const size_t relaxed_count = sizeof(relaxed_bounds) / sizeof(relaxed_bounds[0]);

const struct relaxed *relaxed_find(const char *name)
{
	for (size_t i = 0; i < relaxed_count; i++)
		if (!strcmp(relaxed_bounds[i].name, name))
			return &relaxed_bounds[i];
	return NULL;
}
