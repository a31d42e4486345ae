/* What the passes of the lowering share, inside the frontend. A pass changes the module in place and leaves
 * it valid; lower.c lists the passes in their order.
 *
 * Thread-safety: as the module's, one thread at a time. Every pass returns FE_OK, or the reason why it failed
 * with a line in the log; after that the module may only be disposed of. */
#ifndef CULVERT_FRONTEND_LOWER_H
#define CULVERT_FRONTEND_LOWER_H

#include "base/bytes.h"
#include "frontend/module.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include <stdbool.h>

/* Address spaces of the NVPTX target. */
enum {
	LOWER_SPACE_GENERIC = 0,
	LOWER_SPACE_GLOBAL = 1,
	LOWER_SPACE_LOCAL = 3,
	LOWER_SPACE_CONSTANT = 4
};

/* The most bytes that one instruction accesses, for GPUs before compute capability 10.0. */
enum { LOWER_WIDEST_ACCESS_B = 16 };

struct lowering {
	LLVMContextRef context;
	LLVMModuleRef module;
	LLVMBuilderRef builder;
	LLVMTargetDataRef layout;
	struct abi_program *abi;
	uint64_t max_local_B;
	bool flushes;                   /* denormals of float are flushed to zero */
	bool checked;                   /* the code is for the software device's checker, which gets additional
					 * information */
	bool relaxed;                   /* single precision may be as inexact as OpenCL C 3.0, 7.4 allows */
	bool precise_divide;            /* quotients must be correctly rounded even if relaxed is set */
	bool unoptimized;               /* libnvvm does not optimize the code */
	bool wide_ids;                  /* launches may have ids beyond 32 bits */
	unsigned sm;
	unsigned nvvm_lacks;            /* NVVM_LACKS_... */
	struct bytes *log;
};

/* The passes. */
enum fe_status fe_lower_components(struct lowering *lowering);       /* lower_component.c */
enum fe_status fe_lower_il_components(struct lowering *lowering);    /* lower_component_il.c */
enum fe_status fe_lower_component_loads(struct lowering *lowering);  /* lower_component.c */
enum fe_status fe_lower_il_halves(struct lowering *lowering);        /* lower_component_il.c */
enum fe_status fe_lower_il_vectors(struct lowering *lowering);       /* lower_component_il.c */
enum fe_status fe_lower_printf(struct lowering *lowering);           /* lower_printf.c */
enum fe_status fe_lower_device(struct lowering *lowering);           /* lower_device.c */
enum fe_status fe_lower_instructions(struct lowering *lowering);     /* lower_instruction.c */
enum fe_status fe_lower_half_calls(struct lowering *lowering);       /* lower_half_call.c */
enum fe_status fe_lower_checks(struct lowering *lowering);           /* lower_check.c */
enum fe_status fe_lower_relaxed(struct lowering *lowering);          /* lower_relaxed.c */
enum fe_status fe_lower_flushed(struct lowering *lowering);          /* lower_flushed.c */
enum fe_status fe_lower_half(struct lowering *lowering);             /* lower_half.c */
enum fe_status fe_lower_half_bits(struct lowering *lowering);        /* lower_half_bits.c */
enum fe_status fe_lower_half_elements(struct lowering *lowering);    /* lower_half.c */
enum fe_status fe_lower_variables(struct lowering *lowering);        /* lower_variable.c */
enum fe_status fe_lower_intrinsics(struct lowering *lowering);       /* lower_intrinsic.c */
enum fe_status fe_lower_kernel_calls(struct lowering *lowering);     /* lower_kernel.c */
enum fe_status fe_lower_images(struct lowering *lowering);           /* lower_image.c */
enum fe_status fe_lower_work_items(struct lowering *lowering);       /* lower_work_item.c */
enum fe_status fe_lower_hidden(struct lowering *lowering);           /* lower_hidden.c */
enum fe_status fe_lower_entry_names(struct lowering *lowering);      /* lower_kernel.c */
enum fe_status fe_lower_local(struct lowering *lowering);            /* lower_local.c */
void fe_lower_local_stores(struct lowering *lowering);               /* lower_local_stores.c */
enum fe_status fe_lower_local_calls(struct lowering *lowering);      /* lower_local_call.c */
enum fe_status fe_lower_local_indices(struct lowering *lowering);    /* lower_local_index.c */
enum fe_status fe_lower_bits(struct lowering *lowering);             /* lower_bits.c */
enum fe_status fe_lower_merges(struct lowering *lowering);           /* lower_merge.c */
enum fe_status fe_lower_comparisons(struct lowering *lowering);      /* lower_comparison.c */
enum fe_status fe_lower_nans(struct lowering *lowering);             /* lower_nan.c */
enum fe_status fe_lower_elements(struct lowering *lowering);         /* lower_element.c */
enum fe_status fe_lower_narrow_vectors(struct lowering *lowering);   /* lower_narrow.c */
enum fe_status fe_lower_vector_loads(struct lowering *lowering);     /* lower_vector_load.c */
enum fe_status fe_lower_lifetimes(struct lowering *lowering);        /* lower_lifetime.c */
enum fe_status fe_lower_packed(struct lowering *lowering);           /* lower_packed.c */
enum fe_status fe_lower_private(struct lowering *lowering);          /* lower_private.c */
enum fe_status fe_lower_generic(struct lowering *lowering);          /* lower_generic.c */
enum fe_status fe_lower_products(struct lowering *lowering);         /* lower_product.c */
enum fe_status fe_lower_divisions(struct lowering *lowering);        /* lower_division.c */
enum fe_status fe_lower_cycles(struct lowering *lowering);           /* lower_cycle.c */
enum fe_status fe_lower_narrow_cycles(struct lowering *lowering);    /* lower_cycle.c */
enum fe_status fe_lower_unions(struct lowering *lowering);           /* lower_union.c */
enum fe_status fe_lower_passed_unions(struct lowering *lowering);    /* lower_passed_union.c */
enum fe_status fe_lower_warp_exchanges(struct lowering *lowering);   /* lower_warp_exchange.c */

/* lower_division.c: whether an instruction is a quotient, remainder or shift to the right of 16, 32 or 64 bits; hides
 * the result of one from libnvvm, behind a move. */
bool fe_is_division(LLVMValueRef i);
void fe_move_result(struct lowering *lowering, LLVMValueRef division);

/* lower_union.c: whether the type has what may be a union in which bytes of another member are padding. */
bool fe_has_padded_union(LLVMTargetDataRef layout, LLVMTypeRef type);

/* lower_function.c: gives functions and calls another type.
 *
 * The type of a function cannot be changed, so a new function gets its name, body and properties.  Parameters that
 * keep their type are replaced in the body; the caller has to replace the others, which are still those of the old
 * function.  NULL: out of memory.  The old function has no body or name afterwards; it can be deleted when nothing
 * refers to it. */
LLVMValueRef fe_function_take_over(struct lowering *lowering, LLVMValueRef old, LLVMTypeRef type);

/* Gives the name of a global to another one. false: out of memory. */
bool fe_name_move(LLVMValueRef from, LLVMValueRef to);

/* Writes a call of callee with the given arguments before an old call, and gives it the old call's
 * properties. NULL: no memory. */
LLVMValueRef fe_call_build(struct lowering *lowering, LLVMValueRef call, LLVMValueRef callee,
			   LLVMValueRef *arguments, unsigned count);

/* Replaces an old call by a call of callee, whose arguments are those of the old call followed by more. */
bool fe_call_replace(struct lowering *lowering, LLVMValueRef call, LLVMValueRef callee,
		     LLVMValueRef *more, unsigned more_count);

/* lower_passing.c: gives a function parameters and a result of other types with the same bits, and changes its body
 * and its calls.  Pairs of such types: a half and a 16-bit integer, also in vectors and structs; two bytes and a
 * 16-bit integer; a local pointer and a 32-bit integer. false: out of memory. */
bool fe_function_pass(struct lowering *lowering, LLVMValueRef old, LLVMTypeRef type);

/* Returns the facts of the kernel whose entry the function is; NULL if it is none. */
struct abi_kernel *fe_lower_kernel(struct lowering *lowering, LLVMValueRef function);

/* Positions the builder before a function's first instruction. */
void fe_builder_at_entry(struct lowering *lowering, LLVMValueRef function);

/* Returns a copy of an integer of 16, 32 or 64 bits, a float or a double, which inline PTX makes, so that libnvvm knows
 * nothing about its value.  The move costs no instruction of the GPU. */
LLVMValueRef fe_build_move(struct lowering *lowering, LLVMValueRef value);

/* Changes each instruction of the module that is wanted.  change may add instructions and uses, and delete the one
 * that it is given. */
void fe_each_instruction(struct lowering *lowering, bool (*is_wanted)(LLVMValueRef),
			 void (*change)(struct lowering *, LLVMValueRef));

/* lower_instruction.c: the constraint letter with which inline PTX holds a value of the type; 0: PTX has no such
 * register. */
char fe_ptx_register(LLVMTypeRef type);

/* lower_hidden.c: returns the function whose calls are replaced by the parameter for the hidden value. */
LLVMValueRef fe_hidden_source(struct lowering *lowering, enum abi_hidden hidden);

/* lower_half.c: returns the half that 16 bits from memory are; libnvvm does not learn that they are one. */
LLVMValueRef fe_build_half(struct lowering *lowering, LLVMValueRef bits);

/* lower_vector_load.c: marks a load from constant memory, where that may be. */
void fe_mark_constant_load(struct lowering *lowering, LLVMValueRef load);

/* lower_element.c: whether the pointer is to a private variable, or to a part of one. */
bool fe_lower_is_private(LLVMValueRef pointer);

/* lower_intrinsic_math.c: replaces a floating-point intrinsic by calls of libdevice or of intrinsics that libnvvm
 * knows; NULL: it is not such an intrinsic; otherwise the new value. */
LLVMValueRef fe_lower_math(struct lowering *lowering, LLVMValueRef call, const char *name);

/* Replaces an frem instruction in the same way. */
LLVMValueRef fe_lower_remainder(struct lowering *lowering, LLVMValueRef remainder);

/* The names of intrinsics that lower_intrinsic.c and lower_intrinsic_math.c replace, by number; NULL after the last. */
const char *fe_lower_intrinsic_name(size_t index);
const char *fe_lower_math_name(size_t index);

/* Whether an intrinsic's name is base, or base followed by types. */
bool fe_intrinsic_is(const char *name, const char *base);

#endif
