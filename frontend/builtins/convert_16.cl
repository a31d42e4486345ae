/* convert_short* and convert_ushort*. */
#include "frontend/builtins/convert.h"

TO_INTEGER(short, int, f2i, d2i)
TO_INTEGER(ushort, int, f2i, d2i)
