/* Values of a SPIR-V module: by their ids, in memory, and by name.  Also the small LLVM types and constants of which
 * instructions are made, and the attributes that Clang gives functions of OpenCL C.
 *
 * Functions that return a pointer return NULL after an error, with a message in the log, where their comment says
 * "NULL with a message"; those that return bool return false.
 *
 * Thread-safety: as the reader. */
#ifndef CULVERT_FRONTEND_SPIRV_VALUE_H
#define CULVERT_FRONTEND_SPIRV_VALUE_H

#include "frontend/spirv/type.h"

/* --- errors -------------------------------------------------------------------------------------------------- */

/* Reports an error in the instruction that is being built: appends a line to the log that names the instruction, the
 * function and the source line.  Always returns false. */
bool spirv_fail(struct spirv_reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Notes that memory ran out.  Always returns false. */
bool spirv_no_memory(struct spirv_reader *reader);

/* --- ids ----------------------------------------------------------------------------------------------------- */

/* The type with an id; NULL with a message. */
const struct spirv_type *spirv_type(struct spirv_reader *reader, uint32_t id);
/* The type to which a pointer type points; NULL with a message. */
const struct spirv_type *spirv_pointee(struct spirv_reader *reader, const struct spirv_type *pointer);

/* The value with an id, if its definition dominates the place where the builder is; NULL with a message. */
LLVMValueRef spirv_value(struct spirv_reader *reader, uint32_t id);
/* The type that the instruction which defines an id gives its result; NULL with a message. */
const struct spirv_type *spirv_type_of(struct spirv_reader *reader, uint32_t id);
/* As spirv_value, for an operand that must have an LLVM type. */
LLVMValueRef spirv_value_of(struct spirv_reader *reader, uint32_t id, LLVMTypeRef type);
/* As spirv_value, for an operand that must have a type of the module, which may be an aggregate. */
LLVMValueRef spirv_value_as(struct spirv_reader *reader, uint32_t id, const struct spirv_type *type);
/* As spirv_value, for a pointer of any address space. */
LLVMValueRef spirv_pointer(struct spirv_reader *reader, uint32_t id);

/* Makes a value the result of the instruction being built.  False, with a message, if the result type is another one,
 * and without a message if value is NULL. */
bool spirv_define(struct spirv_reader *reader, const struct spirv_op *op, LLVMValueRef value);

/* The alignment of a variable or parameter: its decoration, but at least natural_B. */
bool spirv_alignment(struct spirv_reader *reader, uint32_t id, unsigned natural_B, unsigned *align_B_out);

/* The value of an integer operand if it is a constant; otherwise the value of the parameter other. */
uint32_t spirv_operand(const struct spirv_reader *reader, uint32_t id, uint32_t other);

/* --- small types and constants ------------------------------------------------------------------------------- */

bool spirv_is_number(const struct spirv_type *type);
bool spirv_is_aggregate(const struct spirv_type *type);
LLVMTypeRef spirv_int(const struct spirv_reader *reader, unsigned bits);
LLVMTypeRef spirv_ptr(const struct spirv_reader *reader, unsigned space);
/* A vector type, or the element type itself if lanes is 0 or 1. */
LLVMTypeRef spirv_vector(LLVMTypeRef element, unsigned lanes);
LLVMValueRef spirv_number(const struct spirv_reader *reader, unsigned bits, uint64_t value);
/* A constant of an integer or integer vector type whose elements all have one value. */
LLVMValueRef spirv_splat(LLVMTypeRef type, uint64_t value);

/* Sets the fast-math flags of an instruction to those that the options and the decorations of an id allow, and returns
 * the instruction.  Other values are returned as they are. */
LLVMValueRef spirv_fast(struct spirv_reader *reader, uint32_t id, LLVMValueRef value);

/* --- memory -------------------------------------------------------------------------------------------------- */

/* Adds a block behind the one where the builder is. */
LLVMBasicBlockRef spirv_block_behind(struct spirv_reader *reader);
/* Allocates private memory for the duration of the function that is being built. */
LLVMValueRef spirv_alloca(struct spirv_reader *reader, LLVMTypeRef type, unsigned align_B);
/* Moves the builder to the end of the function's entry block, whose values are visible in all blocks.  spirv_back moves
 * it to the end of the block that spirv_at_entry returned. */
LLVMBasicBlockRef spirv_at_entry(struct spirv_reader *reader);
void spirv_back(struct spirv_reader *reader, LLVMBasicBlockRef block);

/* Loads and stores a value of any type that can be in memory: bools are converted, aggregates are copied.  align_B 0
 * means the type's own alignment. */
LLVMValueRef spirv_load(struct spirv_reader *reader, const struct spirv_type *type, LLVMValueRef pointer,
			unsigned align_B, bool is_volatile);
bool spirv_store(struct spirv_reader *reader, const struct spirv_type *type, LLVMValueRef value,
		 LLVMValueRef pointer, unsigned align_B, bool is_volatile);
/* Copies bytes.  size is an i64. */
void spirv_copy(struct spirv_reader *reader, LLVMValueRef to, unsigned to_align_B, LLVMValueRef from,
		unsigned from_align_B, LLVMValueRef size, bool is_volatile);
/* A pointer to the memory that holds an aggregate's value.  It may be in constant memory and must not be written. */
LLVMValueRef spirv_memory_of(struct spirv_reader *reader, const struct spirv_type *type,
			     LLVMValueRef value);
/* As spirv_memory_of, but always a pointer to private memory; NULL with a message. */
LLVMValueRef spirv_private(struct spirv_reader *reader, const struct spirv_type *type, LLVMValueRef value);
/* Converts a bool or a vector of bools to its form in memory, and back.  Values of other types are returned as they
 * are. */
LLVMValueRef spirv_to_memory(struct spirv_reader *reader, const struct spirv_type *type,
			     LLVMValueRef value);
LLVMValueRef spirv_from_memory(struct spirv_reader *reader, const struct spirv_type *type,
			       LLVMValueRef value);

/* --- attributes and names ------------------------------------------------------------------------------------ */

/* Marks a function or a call convergent and nounwind, as Clang does for OpenCL C. */
void spirv_mark_function(struct spirv_reader *reader, LLVMValueRef function);
void spirv_mark_call(struct spirv_reader *reader, LLVMValueRef call);
/* Adds an attribute without a value, such as "zeroext", to a function or call: to the parameter with an index from 1
 * on, to the result (LLVMAttributeReturnIndex) or to the function itself (LLVMAttributeFunctionIndex). */
void spirv_mark_extended(struct spirv_reader *reader, LLVMValueRef function_or_call, unsigned index,
			 const char *attribute);

/* Names a function or variable of LLVM's module: with the symbol by which other programs link to the id (symbol.h), or,
 * if the id is not linked, with its own name if that is free.  False: no memory. */
bool spirv_name_value(struct spirv_reader *reader, LLVMValueRef value, uint32_t id);

#endif
