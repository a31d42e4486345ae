/* printf of OpenCL.std, built as Clang builds it: as a call whose format is a literal, which lower_printf.c looks for.
 * Thread-safety: as the reader. */
#ifndef CULVERT_FRONTEND_SPIRV_PRINTF_H
#define CULVERT_FRONTEND_SPIRV_PRINTF_H

#include "frontend/spirv/value.h"

/* Builds the OpExtInst with the number of printf.  False with a message. */
bool spirv_build_printf(struct spirv_reader *reader, const struct spirv_op *op);

#endif
