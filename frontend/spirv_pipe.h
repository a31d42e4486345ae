/* Pipes (SPIR-V 1.6, 3.49.17).  OpenCL C's functions want to know what a packet is, of which the module only says
 * the size: the text calls the functions that Clang would call (builtins/pipe.cl).
 *
 * Thread-safety: as their writer. */
#ifndef CULVERT_FRONTEND_SPIRV_PIPE_H
#define CULVERT_FRONTEND_SPIRV_PIPE_H

#include "frontend/spirv_module.h"

/* A pipe's type, with the functions that take it. */
enum spirv_written spirv_pipe_type(struct spirv_writer *writer, const struct spirv_id *id,
				   uint32_t number);

enum spirv_written spirv_pipe(struct spirv_writer *writer, const uint32_t *words, unsigned count);

#endif
