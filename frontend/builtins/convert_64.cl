/* convert_long* and convert_ulong*. */
#include "frontend/builtins/convert.h"

TO_INTEGER(long, long, f2ll, d2ll)
TO_INTEGER(ulong, ulong, f2ull, d2ull)
