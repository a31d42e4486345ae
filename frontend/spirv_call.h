/* What instructions that become calls of OpenCL C's functions share (spirv_module.h): operands
 * and results with the sign that the function wants, and pointers to what it wants.
 *
 * Thread-safety: as their writer. */
#ifndef CULVERT_FRONTEND_SPIRV_CALL_H
#define CULVERT_FRONTEND_SPIRV_CALL_H

#include "frontend/spirv_module.h"

/* Starts the statement that sets the result of an instruction, "v7 = as_uint4(" or "v7 = (t5)(",
 * which may be given integers of either sign; ");\n" ends it. */
void spirv_put_result(struct spirv_writer *writer, const uint32_t *words);

/* "as_int4(v7)" or "(int)v7", which is a constant where v7 is one; of what has no sign just
 * that. */
void spirv_put_signed(struct spirv_writer *writer, uint32_t value);

/* "(const global float4 *)v7".  False where v7 is no pointer, and nothing is written. */
bool spirv_put_pointer(struct spirv_writer *writer, const char *qualifier, const char *type,
		       uint32_t value);

/* What an instruction's scope is, or other where only the kernel knows. */
uint32_t spirv_scope(const struct spirv_writer *writer, uint32_t id, uint32_t other);

#endif
