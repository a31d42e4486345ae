/* The math functions in double precision. */
#include "frontend/builtins/builtin.h"

#define REAL double
#define BITS long
#define UBITS ulong
#define NV(name) __nv_##name
#define PRECISE(name) name
#define C(x) x
#define SIGN_BIT ((long)0x8000000000000000ul)
#define INF_BITS 0x7ff0000000000000l
#define QUIET_NAN_BITS 0x7ff8000000000000l
#define ONE_MINUS 0x1.fffffffffffffp-1
#define INV_PI 0x1.45f306dc9c883p-2
#define INV_PI_REST -0x1.6b01ec5417056p-56
#define HYPOT_ALONE 0x1.6a09e667f3bccp-27
#define EXACT_INT(n) 1
#define IF_RELAXED(...)

#include "frontend/builtins/math_real.h"
