/* A module between Clang and NVVM IR, inside the front end.
 *
 * fe_module_lower in lower.c lists the passes in their order.  A module has one owner and is used by one thread at a
 * time.  It has an LLVMContext of its own, so that modules share nothing. */
#ifndef CULVERT_FRONTEND_MODULE_H
#define CULVERT_FRONTEND_MODULE_H

#include "frontend/frontend.h"

#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fe_options;

struct fe_module {
	LLVMContextRef context;
	LLVMModuleRef module;       /* belongs to context; both are owned */
};

/* A context whose messages go to log; by default LLVM would write them to stderr and end the process. log must
 * outlive the module. */
LLVMContextRef fe_context_create(struct bytes *log);

void fe_module_finish(struct fe_module *module);

/* clang.cpp: C++ behind a C interface.  All functions append messages to log. */
enum fe_status fe_clang_compile(const struct fe_compile_job *job, const struct fe_options *options,
				struct fe_module *module_out, struct bytes *log);
/* Appends Clang's own name and version. */
void fe_clang_version(struct bytes *text);

/* bitcode.cpp: converts between bytes and modules, and links. */
enum fe_status fe_module_read(const struct bytes *object, struct fe_module *module_out,
			      struct bytes *log);
enum fe_status fe_module_write(const struct fe_module *module, struct bytes *object_out);
/* Links the objects into module.  FE_LINK_FAILED for duplicate or conflicting symbols, which the log names. */
enum fe_status fe_module_link(struct fe_module *module, const struct bytes *objects, size_t count,
			      struct bytes *log);
/* Whether a function is a kernel in Clang's IR; not after lowering. */
bool fe_function_is_kernel(LLVMValueRef function);

/* An attribute of functions from SPIR-V that have a body; linking keeps it. */
#define FE_ATTRIBUTE_IL "culvert.il"

/* spirv.c: the job's source, which fe_spirv_specialize wrote, as LLVM IR like Clang's.  What is wrong with the
 * module is FE_COMPILE_FAILED, with the instruction in the log. */
enum fe_status fe_spirv_compile(const struct fe_compile_job *job, const struct fe_options *options,
				struct fe_module *module_out, struct bytes *log);

/* codegen.c: stores the options of code generation in the module until it is printed. fe_codegen_get merges those of
 * all modules that were linked. */
void fe_codegen_put(const struct fe_module *module, const struct codegen_choice *codegen);
enum fe_status fe_codegen_get(const struct fe_module *module, struct codegen_choice *codegen_out);

/* dot_products.c: makes sums of the library's dot products of bytes one instruction each.  Called before the library
 * is linked. */
void fe_module_join_dot_products(struct fe_module *module);

/* converged_calls.c: if every work-item of a sub-group calls a sub-group function, makes the call wait for all of
 * them.  Called before the library is linked. */
enum fe_status fe_module_converge_calls(struct fe_module *module);

/* sub_group_sizes.cpp: makes kernels that require sub-groups of 8 or 16 work-items call the library's functions for
 * these.  Called before the library is linked; has_builtin tells which functions it has.  FE_LINK_FAILED, with a
 * message, if such a kernel does what only sub-groups of 32 can do. */
enum fe_status fe_module_size_sub_groups(struct fe_module *module, bool (*has_builtin)(const char *symbol),
					 struct bytes *log);
/* The inline PTX that waits at a named barrier. */
#define FE_NAMED_BARRIER "barrier.sync $0, $1;"

/* library.cpp: adds the functions of the built-in library that the module needs, directly or not, and makes
 * everything except kernels internal.  FE_LINK_FAILED for a name that is defined neither by the program nor by the
 * library, libdevice (__nv_*) or the lowering (__culvert_hidden_*, printf, llvm.*); the log names the function as in
 * OpenCL C. */
enum fe_status fe_module_link_builtins(struct fe_module *module, struct bytes *log);
/* Gives a new module the target and data layout of the library, which are also those of Clang's modules. */
void fe_module_set_target(struct fe_module *module);
/* Whether the library has an overloaded function of this name, as OpenCL C has it. */
bool fe_builtin_exists(const char *name);
/* Whether a symbol is a function of the library or of libdevice. */
bool fe_builtin_symbol(const char *symbol);

/* kernel_facts.c: reads the facts of every kernel, before lowering changes types. */
enum fe_status fe_module_facts(const struct fe_module *module, const struct codegen_choice *codegen,
			       struct abi_program **abi_out, struct bytes *log);

/* In programs that are built to be checked, the functions of the builtin library have this attribute: the checker need
 * not see their private variables. */
#define FE_LIBRARY_ATTRIBUTE "culvert-library"

/* The function that Clang's array-bounds sanitizer calls in these programs if an index is out of bounds. */
#define FE_INDEX_HANDLER "__culvert_hidden_index"

/* Behind the name of a file, with a number: its lines are those of a turn of a loop that was unrolled. */
#define FE_TURN_MARK "#culvert_turn#"

/* lower.c: all passes between a linked module and the text.  Fills in the facts that lowering determines (hidden
 * parameters, dynamic_local_B). */
enum fe_status fe_module_lower(struct fe_module *module, struct abi_program *abi,
			       const struct fe_compile_job *target,
			       const struct codegen_choice *codegen, struct bytes *log);

/* private_values.cpp: makes private variables whose address is not used values, which libnvvm would do first of all;
 * not in functions that are not optimized.  library_only: only in those of the builtin library. */
void fe_module_private_values(struct fe_module *module, bool library_only);

/* assigned_values.cpp: for programs that are built to be checked, makes private variables of one element values if
 * their address is not used and each path assigns them before it reads them: in such a variable, the checker can find
 * no error.  Reads and writes of other memory stay as they are. */
void fe_module_assigned_values(struct fe_module *module);

/* split_arrays.cpp: for programs that are built to be checked, makes variables of the elements of small private arrays,
 * if all accesses are of whole elements at places that are constant, and the elements can become values by the same
 * rule.  Before that, loops whose counters are the indices are unrolled (unrolled_loops.cpp), and comparisons of
 * indices that cannot be out of bounds are decided (bounded_indices.cpp). */
void fe_module_split_arrays(struct fe_module *module);

/* split_arrays.cpp: unrolls loops over small private arrays that choose by a condition that is the same in each turn.
 * libnvvm would write such a loop once for each outcome before it unrolls it, and all that stands behind the choice in
 * each turn as often. */
void fe_module_unroll_choices(struct fe_module *module);

/* Notes private vectors of which this will hold, before passes see them: their components are not made accesses of
 * their own, and the checker is not told of them.  fe_is_assigned says whether a variable was noted. */
void fe_module_note_assigned(struct fe_module *module);
bool fe_is_assigned(LLVMValueRef variable);

/* inlined_calls.cpp: inlines calls of short functions without private variables in memory, for programs that are built
 * to be checked: the software device compiles no kernel with calls.  Reports name the functions nevertheless, because
 * the file of their lines has "#culvert_in#" and the function's name behind its own name. */
void fe_module_inline_short(struct fe_module *module);

/* constant_expressions.cpp: replaces the constant expressions that instructions use and libnvvm does not read for all
 * GPUs, such as the comparison of two addresses, by instructions.  Only LLVM 18 and older have most of them, and their
 * builder also makes them.  Those in initializers remain. */
void fe_module_expand_constants(LLVMModuleRef module);

/* chosen_loads.cpp: if a pointer is chosen from two, by a phi or a select, and is used only by loads of numbers,
 * replaces each load by a load from one pointer if the condition is true and from the other if it is not. false: the
 * instruction is not such a choice, and nothing was changed. */
bool fe_module_part_loads(LLVMValueRef merge);

/* inlined_calls.cpp: inlines in a kernel the calls that lead to a call of the function called, as far as the functions
 * are always inlined anyway.  What differs between kernels can then be answered for each of them.  Returns whether
 * there were any. */
bool fe_inline_callers(LLVMValueRef kernel, LLVMValueRef called);

/* joined_conditions.cpp: in a loop, joins conditions that are evaluated one after the other, such as "i < n && a < b
 * && c < d", if two or more of them are loop-invariant; those are put together, so that libnvvm computes them before
 * the loop. */
void fe_module_join_conditions(struct fe_module *module);

/* joined_counters.cpp: of the variables to which each iteration of a loop adds the same loop-invariant amount, one
 * stays, and the others become its sum with their distance, which is computed before the loop.  libnvvm would keep
 * each of them in a register, and add to each in each iteration. */
void fe_module_join_counters(struct fe_module *module);

/* rolled_loops.cpp: marks long loops that are not to be unrolled: those whose number of turns depends on values of the
 * program.  If libnvvm for compute_100 and newer knows that there are at most seven turns, as for "i < (n & 7)", it
 * writes all of them one after the other, however long they are, and so again in each loop around it. */
void fe_module_keep_loops(struct fe_module *module);

/* typed_parameters.cpp: marks the kernels' parameters that are declared with the type of their elements in NVVM IR,
 * whose pointers else have the type i8 *: those of which a loop reads two elements that advance by the same amount, and
 * that accesses nothing else at addresses that change.  libnvvm then adds to a pointer of elements, as in nvcc's code;
 * with bytes it needs one addition more.  Other loops become longer with it (docs/codegen.md). */
#define FE_TYPED_PARAMETER "culvert-typed"
void fe_module_type_parameters(struct fe_module *module);

/* invariant_calls.cpp: calls functions of the library such as sin and pow before a loop that calls them in each
 * iteration with operands that do not change in it.  libnvvm inlines them first, and moves no code that branches. */
void fe_module_move_calls(struct fe_module *module);

/* invariant_addresses.cpp: keeps the address of an array, "base + first", as one value if a loop in which it does not
 * change adds an index to it.  libnvvm up to compute_90 puts both indices together, and adds three numbers in each
 * iteration.  It does not if the first one is a number of bytes. */
void fe_module_keep_addresses(struct fe_module *module);

/* lower_half.c: whether the module computes with halves, and does not only load and store them. */
bool fe_module_computes_half(const struct fe_module *module);

/* nvvm_ir.c: writes the module as NVVM IR in the dialect of LLVM 7 with typed pointers, which every libnvvm since
 * CUDA 12.0 and the driver's compiler accept. */
enum fe_status fe_module_print(const struct fe_module *module, const struct abi_program *abi,
			       const struct fe_compile_job *target, struct bytes *text_out,
			       struct bytes *log);

/* split.cpp: like fe_module_print, but writes several modules with a NUL between them if kernels are many and
 * large enough, so that the modules can be compiled side by side. The division depends on the module alone. */
enum fe_status fe_module_print_parts(const struct fe_module *module, const struct abi_program *abi,
				     const struct fe_compile_job *target, struct bytes *text_out,
				     struct bytes *log);

#ifdef __cplusplus
}
#endif

#endif
