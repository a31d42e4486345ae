/* Inside the SPIR-V reader: printf of OpenCL.std (spirv_extended.c), as Clang writes it: a call with a literal
 * format, which lower_printf.c looks for.  Thread-safety: as the reader. */
#ifndef CULVERT_FRONTEND_SPIRV_PRINTF_H
#define CULVERT_FRONTEND_SPIRV_PRINTF_H

#include "frontend/spirv_reader.h"

bool spirv_build_printf(struct spirv_reader *reader, const struct spirv_op *op);

#endif
