/* Calls of OpenCL C's builtin functions, by the mangled names that Clang gives their overloads, so that modules and
 * OpenCL C link to the same library; and the extended instructions of OpenCL.std, most of which are such calls.
 *
 * Source: OpenCL extended instruction set 1.0; for the names, Itanium C++ ABI, 5.1, with the address spaces of the
 * target (U3AS1 and the like) and the vendor's names for OpenCL's types (Dv4_f, U7_Atomic, 9ocl_event), as in the
 * library's index.
 * Thread-safety: as the reader. */
#ifndef CULVERT_FRONTEND_SPIRV_OPENCL_STD_H
#define CULVERT_FRONTEND_SPIRV_OPENCL_STD_H

#include "frontend/spirv/value.h"

enum { SPIRV_CONST = 1, SPIRV_VOLATILE = 2, SPIRV_ATOMIC = 4 };

/* An argument, with the spelling of its type. */
struct spirv_argument {
	LLVMValueRef value;
	char base;                  /* c h s t i j l m: integers of 8 to 64 bits with and without sign;
				     * D: half, f, d, b: bool, v: void; 0: the type is in named */
	unsigned lanes;             /* number of elements of a vector; 0 or 1: no vector */
	const char *named;          /* the mangled name of another type: "9ocl_event" */
	bool is_pointer;            /* the argument is a pointer to this type, in the address space of the value */
	unsigned qualifiers;        /* of the type that is pointed to */
};

/* The letter of a number's type; 0 for another type. */
char spirv_letter(const struct spirv_type *type, bool is_signed);
/* An argument that is a number or a vector of numbers. */
struct spirv_argument spirv_by_value(const struct spirv_type *type, LLVMValueRef value, bool is_signed);
/* An argument that is an integer constant; base is its type's letter. */
struct spirv_argument spirv_constant_argument(const struct spirv_reader *reader, unsigned bits, char base,
					      uint64_t value);
/* Constant arguments of the types memory_order and memory_scope. */
struct spirv_argument spirv_order_argument(const struct spirv_reader *reader, unsigned order);
struct spirv_argument spirv_scope_argument(const struct spirv_reader *reader, unsigned scope);

/* Calls the overload of a builtin function for these arguments; NULL, with a message, if the library has none. */
LLVMValueRef spirv_call(struct spirv_reader *reader, const char *name, LLVMTypeRef result,
			const struct spirv_argument *arguments, unsigned count);
/* Whether the library has the overload. */
bool spirv_can_call(struct spirv_reader *reader, const char *name, const struct spirv_argument *arguments,
		    unsigned count);
/* Converts floats to the bits of bfloat16 numbers, or back, by the function of cl_intel_bfloat16_conversions; NULL with
 * a message. */
LLVMValueRef spirv_convert_bfloats(struct spirv_reader *reader, LLVMValueRef value, unsigned lanes, bool to_bfloat);
/* Calls a function whose name is not mangled, which is declared with the arguments' types; NULL with a message. */
LLVMValueRef spirv_call_plain(struct spirv_reader *reader, const char *name, LLVMTypeRef result,
			      LLVMValueRef *arguments, unsigned count);

#endif
