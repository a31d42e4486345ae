/* half_* and native_*. */
#include "config.h"

#include "tests/builtins/call.h"

#include <math.h>

/* As powr of math.c, whose conventions half_powr shares. */
static long double powr_exact(long double x, long double y)
{
	if (x < 0 || isnan(x) || isnan(y) || (x == 0 && y == 0) || (isinf(x) && y == 0) ||
	    (x == 1 && isinf(y)))
		return NAN;
	return powl(fabsl(x), y);
}

#define MATH(name, signature, mixed, float_ulps, double_ulps, ...) \
	static void name##_reference(struct call *call) \
	{ \
		long double x = call->a[0].real, y = call->a[1].real; \
		(void)x, (void)y; \
		__VA_ARGS__; \
	}
#include "tests/builtins/native.def"
#undef MATH

#define MATH(name, signature, mixed, float_ulps, double_ulps, ...) \
	{#name, signature, mixed, TYPES_FLOAT, {float_ulps, double_ulps, -1}, name##_reference},
static const struct function functions[] = {
#include "tests/builtins/native.def"
};
#undef MATH

void native_family(struct device *device, const struct depth *depth)
{
	call_test(device, depth, functions, sizeof(functions) / sizeof(functions[0]), TYPES_FLOAT);
}
