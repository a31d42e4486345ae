/* The common functions. */
#include "config.h"

#include "tests/builtins/call.h"

#include <math.h>

#define PI 3.14159265358979323846264338327950288L

static bool is_inside(const struct call *call, long double x)
{
	return isfinite(real_round(call->type, x, ROUND_NEAREST));
}

/* Undefined unless edge0 < edge1, and where a difference of arguments overflows. */
static void smoothstep_exact(struct call *call, long double edge0, long double edge1, long double x)
{
	long double t = fminl(fmaxl((x - edge0) / (edge1 - edge0), 0), 1);
	call->result.real = t * t * (3 - 2 * t);
	call->absolute = call->type == TYPE_HALF ? 4 * real_unit(TYPE_HALF, 1) : 1e-5L;
	call->any_zero_sign = true;
	call->any_result = !(edge0 < edge1) || isnan(x) || !is_inside(call, edge1 - edge0) ||
			   !is_inside(call, x - edge0) || isinf(x);
}

#define COMMON(name, signature, mixed, ulps, ...) \
	static void name##_reference(struct call *call) \
	{ \
		long double x = call->a[0].real, y = call->a[1].real, z = call->a[2].real; \
		(void)x, (void)y, (void)z; \
		__VA_ARGS__; \
	}
#include "tests/builtins/common.def"
#undef COMMON

#define COMMON(name, signature, mixed, ulps, ...) \
	{#name, signature, mixed, TYPES_REAL, {ulps, ulps, ulps}, name##_reference},
static const struct function functions[] = {
#include "tests/builtins/common.def"
};
#undef COMMON

void common_family(struct device *device, const struct depth *depth)
{
	call_test(device, depth, functions, sizeof(functions) / sizeof(functions[0]), TYPES_REAL);
}
