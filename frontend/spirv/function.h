/* Functions, the kernels that entry points make of them, and calls.
 *
 * A function becomes an LLVM function with the parameters that Clang would give it, so that modules and OpenCL C can
 * call each other.  An entry point becomes a kernel with its own body; the function itself is built as well if the
 * module calls or exports it.
 *
 * Thread-safety: as the reader. */
#ifndef CULVERT_FRONTEND_SPIRV_FUNCTION_H
#define CULVERT_FRONTEND_SPIRV_FUNCTION_H

#include "frontend/spirv/value.h"

/* The size of a work-group. */
struct spirv_size {
	uint32_t size[3];           /* numbers, or ids of constants if by_id is set */
	bool is_given, by_id;
};

/* A kernel: OpEntryPoint and its execution modes. */
struct spirv_entry {
	uint32_t function;          /* id */
	const char *name;           /* in the module's words */
	struct spirv_size local_size, local_size_hint;
	uint32_t sub_group_size;    /* 0: any */
	uint32_t vector_hint;       /* operand of VecTypeHint */
	unsigned toward_zero;       /* sum of the operands of RoundingModeRTZ, 16, 32 or 64 each */
	bool has_vector_hint;
};

struct spirv_function {
	uint32_t id;
	size_t at, end;             /* words of the module: OpFunction, and behind OpFunctionEnd */
	bool has_body;
	bool is_wanted;             /* it is called or exported, not only an entry point */
	struct spirv_line line;     /* the last line before it, or the first one in it */
	const struct spirv_type *type;
	LLVMValueRef value;         /* NULL unless is_wanted */
};

/* How a parameter is passed. */
enum spirv_passing {
	SPIRV_DIRECT,
	SPIRV_BY_VALUE,             /* FuncParamAttr ByVal: a pointer, whose target is copied for the callee */
	SPIRV_AGGREGATE             /* a struct or array, as a pointer to a copy */
};

struct spirv_parameter {
	uint32_t id;
	const struct spirv_type *type;
	enum spirv_passing passing;
	LLVMTypeRef carried;        /* type of the copy; NULL if the parameter is passed directly */
	unsigned align_B;           /* of the copy */
};

/* Finds the functions, entry points and execution modes of the module.  False with a message. */
bool spirv_functions_find(struct spirv_reader *reader);
void spirv_functions_finish(struct spirv_reader *reader);

/* Declares all functions, and builds them and the kernels.  The types, constants and variables of the module exist
 * already.  False with a message. */
bool spirv_functions_build(struct spirv_reader *reader);

#endif
