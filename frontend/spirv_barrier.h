/* Fences and barriers (spirv_atomic.c), and barriers of some sub-groups (spirv_named_barrier.c). */
#ifndef CULVERT_FRONTEND_SPIRV_BARRIER_H
#define CULVERT_FRONTEND_SPIRV_BARRIER_H

#include "frontend/spirv_module.h"

/* The statement that orders memory as a scope and semantics say, both ids. */
void spirv_put_fence(struct spirv_writer *writer, uint32_t scope, uint32_t semantics);

enum spirv_written spirv_named_barrier(struct spirv_writer *writer, const uint32_t *words,
				       unsigned count);

#endif
