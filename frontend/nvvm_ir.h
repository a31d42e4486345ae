/* The NVVM IR printer: prints one module.
 *
 * The dialect is that of LLVM 7 with typed pointers.  Because our modules have opaque pointers, every pointer value
 * is written as i8 addrspace(n)*, and is converted by a bitcast where it is used (struct ir_place).  OpenCL's
 * constant address space is written as the global one: constant arguments are ordinary device addresses, and libnvvm
 * still recognizes read-only loads.
 *
 * Constructs that the dialect does not have are reported in the log by fe_ir_error, and printing continues, so that
 * one build names all of them.  When memory runs out, failed is set, which is checked once at the end.
 *
 * Not thread-safe: a printer exists during one fe_module_print. */
#ifndef CULVERT_FRONTEND_NVVM_IR_H
#define CULVERT_FRONTEND_NVVM_IR_H

#include "base/bytes.h"
#include "frontend/module.h"
#include "frontend/set.h"

#include <llvm-c/Core.h>

#include "frontend/llvm_compat.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { IR_ATTRIBUTE_KINDS = 256, IR_METADATA_KINDS = 8 };

struct ir_printer {
	LLVMContextRef context;
	LLVMModuleRef module;
	LLVMValueRef function;               /* the function that is being printed, for messages */
	struct bytes *text;
	struct bytes *log;
	unsigned error_count;
	bool failed;                         /* out of memory */
	unsigned sm;                         /* compute capability, such as 90 */
	unsigned nvvm_lacks;                 /* NVVM_LACKS_... */
	bool local_is_narrow;                /* local pointers have 32 bits: nvvm_ir_layout.c */
	bool typed_byval;                    /* byval(T) and sret(T), as in the newer dialect */

	struct fe_set values;                /* ids of values, blocks and parameters */
	struct fe_set types;                 /* ids of named structs */
	struct fe_set names;                 /* globals whose own names libnvvm does not accept */
	uint32_t temporary_count;

	/* The numbers of metadata: the nodes of the module and, for line tables, the line_keys, for each of
	 * line_functions its address and its address plus one, and for each of line_places its address plus one. */
	struct fe_set nodes;
	struct fe_set line_functions;
	char line_keys[4];
	struct ir_line_place *line_places;   /* a list, the last function's first */
	uint32_t node_count;                 /* the next free number, once nodes is complete */
	uint32_t subprogram;                 /* node of the function being printed, if has_lines */
	bool has_lines;
	bool is_full_debug;                  /* variables and types are described, by the module's own nodes */
	bool has_declares;

	const char *attribute_names[IR_ATTRIBUTE_KINDS];    /* by LLVM's kind of attribute; NULL: not printed */
	unsigned attribute_noinline, attribute_optnone, attribute_memory;
	unsigned attribute_align, attribute_dereferenceable;
	unsigned attribute_byval, attribute_sret;
	unsigned metadata_kinds[IR_METADATA_KINDS];
};

/* A pointer as an operand: cast to a pointer to pointee, or to a number, by an instruction before, or written
 * as it is. */
struct ir_place {
	LLVMValueRef pointer;
	LLVMTypeRef pointee;
	uint32_t temporary;
	enum { IR_PLACE_BYTES, IR_PLACE_GLOBAL, IR_PLACE_CAST, IR_PLACE_NUMBER } form;
};

/* nvvm_ir_name.c */
/* Returns the index of the item in the set, to which it is added; marks the printer as failed if memory runs
 * out. */
uint32_t fe_ir_id(struct ir_printer *printer, struct fe_set *set, const void *item);
uint32_t fe_ir_value_id(struct ir_printer *printer, LLVMValueRef value);
void fe_ir_global_name(struct ir_printer *printer, LLVMValueRef global);
bool fe_ir_name_is_intrinsic(LLVMValueRef function);
/* A quoted string with LLVM's escapes. */
void fe_ir_quoted(struct ir_printer *printer, const char *string, size_t size_B);

/* nvvm_ir_text.c: text by a small format language:
 *   %s const char *    %u unsigned          %l uint64_t
 *   %t LLVMTypeRef     %v LLVMValueRef without its type     %V with its type
 *   %b LLVMBasicBlockRef as an operand      %i uint32_t, a temporary
 *   %p LLVMTypeRef and unsigned: pointer to the type in the address space
 *   %a const struct ir_place *, typed       %r LLVMValueRef, "  %name = " */
void fe_ir_print(struct ir_printer *printer, const char *format, ...);
void fe_ir_error(struct ir_printer *printer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* nvvm_ir_type.c */
unsigned fe_ir_address_space(LLVMTypeRef pointer_type);
bool fe_ir_type_is(LLVMTypeRef type, LLVMTypeKind kind);
bool fe_ir_type_is_byte(LLVMTypeRef type);
/* Elements of an array or a vector, members of a struct. */
uint64_t fe_ir_part_count(LLVMTypeRef type);
void fe_ir_type(struct ir_printer *printer, LLVMTypeRef type);
void fe_ir_pointer_type(struct ir_printer *printer, LLVMTypeRef pointee, unsigned space);
void fe_ir_function_type(struct ir_printer *printer, LLVMValueRef function);
void fe_ir_types_define(struct ir_printer *printer);

/* nvvm_ir_constant.c */
void fe_ir_constant(struct ir_printer *printer, LLVMValueRef constant);
LLVMTypeRef fe_ir_gep_result(LLVMValueRef gep);
const char *fe_ir_cast_name(LLVMOpcode opcode);
const char *fe_ir_binary_name(LLVMOpcode opcode);
const char *fe_ir_predicate_name(LLVMIntPredicate predicate);

/* nvvm_ir_attribute.c */
void fe_ir_attributes_init(struct ir_printer *printer);
enum ir_passing { IR_PASS_PLAIN, IR_PASS_BYVAL, IR_PASS_SRET, IR_PASS_TYPED };
/* Returns how a parameter of a function or a call is passed.  pointee_out: what is passed by byval or sret; the type
 * of its elements if the text declares a pointer with it, IR_PASS_TYPED; otherwise NULL. */
enum ir_passing fe_ir_passing(struct ir_printer *printer, LLVMValueRef function_or_call,
			      unsigned index, LLVMTypeRef *pointee_out);
void fe_ir_passing_keyword(struct ir_printer *printer, enum ir_passing passing,
			   LLVMTypeRef pointee);
/* index as LLVM counts: 0 the result, 1 + n parameter n. */
void fe_ir_value_attributes(struct ir_printer *printer, LLVMValueRef function_or_call,
			    unsigned index);
void fe_ir_function_attributes(struct ir_printer *printer, LLVMValueRef function_or_call,
			       bool is_kernel);

/* nvvm_ir_layout.c: the data layout, which is chosen first, and the triple. */
void fe_ir_layout_init(struct ir_printer *printer);
void fe_ir_head(struct ir_printer *printer);

/* nvvm_ir_metadata.c */
void fe_ir_metadata_init(struct ir_printer *printer);
void fe_ir_metadata_finish(struct ir_printer *printer);
void fe_ir_instruction_metadata(struct ir_printer *printer, LLVMValueRef instruction);
/* Starts a function: " !dbg !n" when it has line information. */
void fe_ir_function_lines(struct ir_printer *printer, LLVMValueRef function);
void fe_ir_metadata_define(struct ir_printer *printer);

/* nvvm_ir_instruction.c, nvvm_ir_call.c */
struct ir_place fe_ir_place(struct ir_printer *printer, LLVMValueRef pointer, LLVMTypeRef pointee);
/* The address as a number of 64 bits. */
struct ir_place fe_ir_wide_place(struct ir_printer *printer, LLVMValueRef pointer);
void fe_ir_fast_math(struct ir_printer *printer, LLVMValueRef instruction);
void fe_ir_instruction(struct ir_printer *printer, LLVMValueRef instruction);
void fe_ir_call(struct ir_printer *printer, LLVMValueRef call);
/* Whether it is an intrinsic for a variable's lifetime of LLVM 22 or newer, which have no size; the
 * dialect's have one before the variable. */
bool fe_ir_lacks_size(LLVMValueRef function);
/* The intrinsics that are written as they are, by number, without the types at the ends of their names; NULL after
 * the last. */
const char *fe_ir_native_intrinsic(size_t index);

#ifdef __cplusplus
}
#endif

#endif
