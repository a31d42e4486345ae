/* printf of OpenCL.std (spirv_extended.c): its format becomes a literal again. */
#ifndef CULVERT_FRONTEND_SPIRV_PRINTF_H
#define CULVERT_FRONTEND_SPIRV_PRINTF_H

#include "frontend/spirv_module.h"

enum spirv_written spirv_printf(struct spirv_writer *writer, const uint32_t *words, unsigned count);

#endif
