/* convert_float* and convert_double*. */
#include "frontend/builtins/convert.h"

EXACT(float, char)
EXACT(float, uchar)
EXACT(float, short)
EXACT(float, ushort)
INEXACT(float, int, i2f)
INEXACT(float, uint, ui2f)
INEXACT(float, long, ll2f)
INEXACT(float, ulong, ull2f)
EXACT(float, float)
INEXACT(float, double, d2f)

EXACT(double, char)
EXACT(double, uchar)
EXACT(double, short)
EXACT(double, ushort)
EXACT(double, int)
EXACT(double, uint)
INEXACT(double, long, ll2d)
INEXACT(double, ulong, ull2d)
EXACT(double, float)
EXACT(double, double)
