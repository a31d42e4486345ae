/* convert_int* and convert_uint*. */
#include "frontend/builtins/convert.h"

TO_INTEGER(int, int, f2i, d2i)
TO_INTEGER(uint, uint, f2ui, d2ui)
