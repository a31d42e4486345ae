/* The math functions in single precision. */
#include "frontend/builtins/builtin.h"
#include "frontend/builtins/math_relaxed.h"

#define REAL float
#define BITS int
#define UBITS uint
#define NV(name) __nv_##name##f
#define PRECISE(name) name##f
#define C(x) x##f
#define SIGN_BIT ((int)0x80000000)
#define INF_BITS 0x7f800000
#define QUIET_NAN_BITS 0x7fc00000
#define ONE_MINUS 0x1.fffffep-1f
#define INV_PI 0x1.45f306p-2f
#define INV_PI_REST 0x1.b9391p-27f
#define HYPOT_ALONE 0x1p-12f
#define EXACT_INT(n) ((uint)(n) + 0x1000000u <= 0x2000000u)

#include "frontend/builtins/math_real.h"
