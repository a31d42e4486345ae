/* A module on its way from Clang to NVVM IR, inside the frontend.
 *
 * The list of passes (fe_module_lower in lower.c) is one function that shows the architecture. A module has
 * one owner and is used by one thread at a time. It has an LLVMContext of its own, so that two modules share
 * nothing. */
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

/* A context whose messages go to log, not to LLVM's default of stderr and exit:
 * every module under way lives in one.  log must outlive the module. */
LLVMContextRef fe_context_create(struct bytes *log);

void fe_module_finish(struct fe_module *module);

/* clang.cpp: C++ behind a C face.  All append diagnostics to log. */
enum fe_status fe_clang_compile(const struct fe_compile_job *job, const struct fe_options *options,
				struct fe_module *module_out, struct bytes *log);
/* Appends Clang's own name and version. */
void fe_clang_version(struct bytes *text);

/* bitcode.cpp: bytes <-> modules, linking. */
enum fe_status fe_module_read(const struct bytes *object, struct fe_module *module_out,
			      struct bytes *log);
enum fe_status fe_module_write(const struct fe_module *module, struct bytes *object_out);
/* Links the objects into module; duplicate or clashing symbols are
 * FE_LINK_FAILED with their names. */
enum fe_status fe_module_link(struct fe_module *module, const struct bytes *objects, size_t count,
			      struct bytes *log);
/* Whether a function is a kernel, as LLVM sees it: before lowering only. */
bool fe_function_is_kernel(LLVMValueRef function);

/* What functions with a body have that were SPIR-V: an attribute, which linked programs keep. */
#define FE_ATTRIBUTE_IL "culvert.il"

/* spirv.c: the job's source, which fe_spirv_specialize wrote, as LLVM IR like Clang's.  What is wrong with the
 * module is FE_COMPILE_FAILED, with the instruction in the log. */
enum fe_status fe_spirv_compile(const struct fe_compile_job *job, const struct fe_options *options,
				struct fe_module *module_out, struct bytes *log);

/* codegen.c: what the options ask of code generation travels with the module until it is printed.
 * fe_codegen_get merges the choices of all modules that were linked. */
void fe_codegen_put(const struct fe_module *module, const struct codegen_choice *codegen);
enum fe_status fe_codegen_get(const struct fe_module *module, struct codegen_choice *codegen_out);

/* dot_products.c: sums of the library's dot products of bytes, one instruction each.  Before
 * the library is linked. */
void fe_module_join_dot_products(struct fe_module *module);

/* converged_calls.c: calls of sub-group functions that every work-item of the sub-group makes wait for all
 * of them.  Before the library is linked. */
enum fe_status fe_module_converge_calls(struct fe_module *module);

/* library.cpp: adds the functions of the builtin library that the module needs (transitively)
 * and makes everything but kernels internal.  A name that neither the program
 * nor the library nor libdevice (__nv_*) nor the lowering (__culvert_hidden_*,
 * printf, llvm.*) defines is FE_LINK_FAILED, with the function named as written in
 * OpenCL C. */
enum fe_status fe_module_link_builtins(struct fe_module *module, struct bytes *log);
/* Gives a new module the target and the data layout of the library, which are those of Clang's modules. */
void fe_module_set_target(struct fe_module *module);
/* Whether the library has an overloaded function of this name, as OpenCL C has it. */
bool fe_builtin_exists(const char *name);
/* Whether a symbol is a function of the library or of libdevice. */
bool fe_builtin_symbol(const char *symbol);

/* kernel_facts.c: the facts of every kernel, read before lowering changes types. */
enum fe_status fe_module_facts(const struct fe_module *module, const struct codegen_choice *codegen,
			       struct abi_program **abi_out, struct bytes *log);

/* lower.c: everything between a linked module and text: the passes in order.
 * Fills in what lowering decides (hidden parameters, dynamic_local_B). */
enum fe_status fe_module_lower(struct fe_module *module, struct abi_program *abi,
			       const struct fe_compile_job *target,
			       const struct codegen_choice *codegen, struct bytes *log);

/* private_values.cpp: private variables that nobody has the address of become values, as libnvvm
 * would make them first of all; not those of functions that are not to be optimized. */
void fe_module_private_values(struct fe_module *module);

/* chosen_loads.cpp: where a pointer is one of two and all that is done with it is loads of numbers, each of
 * them becomes a load of one where the condition is true and of the other where it is not, and the
 * instruction that chose, a phi or a select, goes.  false: it is something else, and nothing is changed. */
bool fe_module_part_loads(LLVMValueRef merge);

/* joined_conditions.cpp: within a loop, conditions that a source asks one after the other, as "i < n && a < b &&
 * c < d", become one where two or more of them are the same each time round.  Those are put together, so that
 * libnvvm computes them before the loop. */
void fe_module_join_conditions(struct fe_module *module);

/* lower_half.c: whether the module does arithmetic on halves, not just loads and stores them. */
bool fe_module_computes_half(const struct fe_module *module);

/* nvvm_ir.c: the module as NVVM IR text in the LLVM 7 dialect with typed
 * pointers, which every libnvvm since CUDA 12.0 and the driver's own accept. */
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
