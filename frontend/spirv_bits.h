/* Fields of bits, dot products of integers, hints and clocks (spirv_group.c asks here for what is
 * not its own). */
#ifndef CULVERT_FRONTEND_SPIRV_BITS_H
#define CULVERT_FRONTEND_SPIRV_BITS_H

#include "frontend/spirv_module.h"

enum spirv_written spirv_bits(struct spirv_writer *writer, const uint32_t *words, unsigned count);

#endif
