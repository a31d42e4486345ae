/* Inside the SPIR-V reader: functions, calls of them, and the kernels that they are.
 *
 * A function becomes one of LLVM with the parameters that Clang would give it, so that modules and OpenCL C call
 * each other.  An entry point becomes a kernel with a body of its own; the function itself is built as well
 * where the module calls it or exports it.
 *
 * Thread-safety: as the reader. */
#ifndef CULVERT_FRONTEND_SPIRV_FUNCTION_H
#define CULVERT_FRONTEND_SPIRV_FUNCTION_H

#include "frontend/spirv_reader.h"

struct spirv_function {
	uint32_t id;
	size_t at, end;             /* words of the module: OpFunction, and behind OpFunctionEnd */
	bool has_body;
	bool is_wanted;             /* as a function, not only as a kernel */
	struct spirv_line line;     /* the one in front of it, or the first in it */
	const struct spirv_type *type;
	LLVMValueRef value;         /* NULL where it is not wanted */
};

/* Finds the functions, entry points and execution modes of the module. */
bool spirv_functions_find(struct spirv_reader *reader);
void spirv_functions_finish(struct spirv_reader *reader);

/* NULL: the id is no function. */
struct spirv_function *spirv_function(const struct spirv_reader *reader, uint32_t id);

/* Declares all functions, and builds them and the kernels.  Types, constants and variables exist. */
bool spirv_functions_build(struct spirv_reader *reader);

extern const struct spirv_row spirv_call_rows[];

/* --- parameters (spirv_function.c) ---------------------------------------------------------------------- */

/* How a parameter is passed. */
enum spirv_passing {
	SPIRV_DIRECT,
	SPIRV_BY_VALUE,             /* a pointer whose callee gets a copy: FuncParamAttr ByVal */
	SPIRV_AGGREGATE             /* a struct or array, in the same way */
};

struct spirv_parameter {
	uint32_t id;
	const struct spirv_type *type;
	enum spirv_passing passing;
	LLVMTypeRef carried;        /* what is pointed to, unless DIRECT */
	unsigned align_B;           /* of that */
};

/* The parameters of a function; NULL with a message.  To be freed. */
struct spirv_parameter *spirv_parameters(struct spirv_reader *reader, const struct spirv_function *function);

/* Marks a parameter of an LLVM function or call, from 1 on, as it is passed. */
void spirv_mark_parameter(struct spirv_reader *reader, LLVMValueRef function_or_call, unsigned index,
			  const struct spirv_parameter *parameter);

/* --- kernels (spirv_kernel.c) ---------------------------------------------------------------------------- */

/* Reads OpEntryPoint, OpExecutionMode and OpExecutionModeId into the reader's entries, which have room. */
bool spirv_entry_add(struct spirv_reader *reader, struct spirv_instruction i);
bool spirv_entry_mode(struct spirv_reader *reader, struct spirv_instruction i);
/* No two kernels have one name. */
bool spirv_entries_check(struct spirv_reader *reader);

/* Checks that a kernel may have these parameters, and adds what clGetKernelArgInfo and the facts of kernels
 * want to know of an LLVM function. */
bool spirv_kernel_describe(struct spirv_reader *reader, const struct spirv_entry *entry,
			   const struct spirv_parameter *parameters, unsigned count, LLVMValueRef kernel);

#endif
