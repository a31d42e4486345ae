/* What LLVM's module says about a SPIR-V module besides its instructions: the arguments and attributes of kernels, and
 * the lines of the source.
 *
 * Kernels get the metadata that Clang writes for OpenCL C (kernel_arg_*, reqd_work_group_size and others), from which
 * clGetKernelArgInfo and clGetKernelWorkGroupInfo answer.
 *
 * OpLine and OpNoLine, and DebugLine and DebugNoLine of NonSemantic.Shader.DebugInfo.100, become the line tables that
 * Clang writes with -g.  Without -g only error messages use the lines.
 *
 * Thread-safety: as the reader. */
#ifndef CULVERT_FRONTEND_SPIRV_METADATA_H
#define CULVERT_FRONTEND_SPIRV_METADATA_H

#include "frontend/spirv/function.h"

/* Checks that a kernel may have these parameters, and adds the metadata of a kernel to its LLVM function.  False with a
 * message. */
bool spirv_kernel_describe(struct spirv_reader *reader, const struct spirv_entry *entry,
			   const struct spirv_parameter *parameters, unsigned count, LLVMValueRef kernel);

/* Begins the line tables of a module, if the build options ask for them, and ends them. */
bool spirv_debug_begin(struct spirv_reader *reader);
void spirv_debug_end(struct spirv_reader *reader);
/* Begins the lines of an LLVM function, to which instructions of the builder belong from now on.  name is the
 * function's name for debuggers; start is its first known line. */
void spirv_debug_function(struct spirv_reader *reader, struct spirv_line start, const char *name,
			  LLVMValueRef function);
/* Begins a block, whose line is not known until an instruction tells it. */
void spirv_debug_block(struct spirv_reader *reader);
/* Reads the line that an instruction gives to those after it; "no line" gives line 0.  False: the instruction has
 * nothing to do with lines. */
bool spirv_debug_read(struct spirv_reader *reader, struct spirv_instruction i, struct spirv_line *line_out);
/* If an instruction gives a line, sets it for all that is built from now on. */
void spirv_debug_line(struct spirv_reader *reader, struct spirv_instruction i);

#endif
