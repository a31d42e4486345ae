/* convert_char* and convert_uchar*. */
#include "frontend/builtins/convert.h"

TO_INTEGER(char, int, f2i, d2i)
TO_INTEGER(uchar, int, f2i, d2i)
