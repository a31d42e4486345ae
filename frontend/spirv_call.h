/* Inside the SPIR-V reader: calls of OpenCL C's builtin functions, by the names that Clang gives their
 * overloads, so that the builtin library links to both alike.
 *
 * Source of the names: Itanium C++ ABI, 5.1, with the address spaces of the target (U3AS1 and the like) and the
 * vendor's names for OpenCL's types (Dv4_f, U7_Atomic, 9ocl_event), as in the library's index.
 * Thread-safety: as the reader. */
#ifndef CULVERT_FRONTEND_SPIRV_CALL_H
#define CULVERT_FRONTEND_SPIRV_CALL_H

#include "frontend/spirv_reader.h"

enum { SPIRV_CONST = 1, SPIRV_VOLATILE = 2, SPIRV_ATOMIC = 4 };

/* An argument, and how its type is spelled in a name. */
struct spirv_argument {
	LLVMValueRef value;
	char base;                  /* c h s t i j l m: integers of 8 to 64 bits with and without sign;
				     * D: half, f, d, b: bool, v: void; 0: named */
	unsigned lanes;             /* 0 or 1: no vector */
	const char *named;          /* "9ocl_event" */
	bool is_pointer;            /* to that, in the value's address space */
	unsigned qualifiers;        /* of what is pointed to */
};

/* The letter of a number's type; 0 for another. */
char spirv_letter(const struct spirv_type *type, bool is_signed);
/* A number or vector of numbers as an argument. */
struct spirv_argument spirv_by_value(const struct spirv_type *type, LLVMValueRef value, bool is_signed);
/* An integer constant, "i" or "j" by is_signed, or of another spelling. */
struct spirv_argument spirv_constant_argument(const struct spirv_reader *reader, unsigned bits, char base,
					      uint64_t value);
/* A constant of the types memory_order and memory_scope. */
struct spirv_argument spirv_order_argument(const struct spirv_reader *reader, unsigned order);
struct spirv_argument spirv_scope_argument(const struct spirv_reader *reader, unsigned scope);

/* Calls name(arguments); NULL, with a message, where the library has no such overload. */
LLVMValueRef spirv_call(struct spirv_reader *reader, const char *name, LLVMTypeRef result,
			const struct spirv_argument *arguments, unsigned count);
/* Whether the library has the overload. */
bool spirv_can_call(struct spirv_reader *reader, const char *name, const struct spirv_argument *arguments,
		    unsigned count);
/* Calls a function whose name is not mangled, which is declared as it is called. */
LLVMValueRef spirv_call_plain(struct spirv_reader *reader, const char *name, LLVMTypeRef result,
			      LLVMValueRef *arguments, unsigned count);

/* Marks a function or a call as Clang marks all of OpenCL C: convergent and nounwind. */
void spirv_mark_function(struct spirv_reader *reader, LLVMValueRef function);
void spirv_mark_call(struct spirv_reader *reader, LLVMValueRef call);
/* "zeroext" and the like for a parameter, from 1 on, of a function or call. */
void spirv_mark_extended(struct spirv_reader *reader, LLVMValueRef function_or_call, unsigned index,
			 const char *attribute);

#endif
