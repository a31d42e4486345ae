/* Inside the SPIR-V reader: lines of the source that a module was made from.
 *
 * OpLine and OpNoLine, and DebugLine and DebugNoLine of NonSemantic.Shader.DebugInfo.100, become the line
 * tables that Clang writes for OpenCL C with -g.  Without -g they are followed for messages alone.
 *
 * Thread-safety: as the reader. */
#ifndef CULVERT_FRONTEND_SPIRV_DEBUG_H
#define CULVERT_FRONTEND_SPIRV_DEBUG_H

#include "frontend/spirv_reader.h"

/* Begins and ends the line tables of a module, if any are wanted. */
bool spirv_debug_begin(struct spirv_reader *reader);
void spirv_debug_end(struct spirv_reader *reader);
/* Describes an LLVM function whose body begins, under its name; the builder's instructions are its from now
 * on.  start: the first line that is known of it. */
void spirv_debug_function(struct spirv_reader *reader, struct spirv_line start, const char *name,
			  LLVMValueRef function);
/* A block begins: no line is known of it. */
void spirv_debug_block(struct spirv_reader *reader);
/* The line that an instruction gives those behind it, where it is one that does so; it may be none. */
bool spirv_debug_read(struct spirv_reader *reader, struct spirv_instruction i, struct spirv_line *line_out);
/* The same for those that are built from now on. */
void spirv_debug_line(struct spirv_reader *reader, struct spirv_instruction i);

#endif
