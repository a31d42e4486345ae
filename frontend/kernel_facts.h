/* Questions about a module that both the collection of facts and the lowering ask, inside the frontend.
 * Thread-safety: as the module's. */
#ifndef CULVERT_FRONTEND_KERNEL_FACTS_H
#define CULVERT_FRONTEND_KERNEL_FACTS_H

#include "frontend/frontend.h"
#include "frontend/set.h"

#include <llvm-c/Types.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the function is a kernel with a body, by its calling convention. */
bool fe_is_kernel(LLVMValueRef function);

/* Returns the call whose callee this use is; NULL if the use is another one. */
LLVMValueRef fe_use_call(LLVMUseRef use);

LLVMValueRef fe_parent_function(LLVMValueRef instruction);

/* Returns the kernel that the program has by this name; NULL if there is none. Valid until the lowering gives
 * entries their names in PTX. */
LLVMValueRef fe_kernel_function(LLVMModuleRef module, const char *name);
/* Returns the name that the function has in the program. */
const char *fe_function_name(LLVMValueRef function);

/* Adds to a set of functions all functions that call them, directly or indirectly. false: no memory. */
bool fe_add_callers(struct fe_set *functions);

/* Adds the functions whose instructions use a value, also by way of constants. */
bool fe_add_users(struct fe_set *functions, LLVMValueRef value);

/* kernel_groups.c: adds the functions that can find out how work-items are grouped: by local ids, the work-group's
 * size or number, or by barriers and other communication with its work-items.  It may add more functions than
 * necessary. false: out of memory. */
bool fe_add_group_readers(struct fe_set *functions, LLVMModuleRef module);

/* kernel_access.c: what a kernel may do with the memory behind a pointer argument.  The answer may be true although
 * the kernel does not access it. false: out of memory. */
struct fe_access {
	bool may_read;
	bool may_write;
};
bool fe_parameter_access(LLVMValueRef parameter, struct fe_access *access_out);

/* kernel_image.c: fills in the facts of an image or sampler argument, by the names that
 * Clang gives its type and access (not terminated).  false: it is neither. */
bool fe_image_argument(const char *type, size_t type_B, const char *access, size_t access_B,
		       struct abi_argument *argument_out);
/* Fills in, for each kernel, the states of the constant samplers that it may read with. */
enum fe_status fe_sampler_facts(LLVMModuleRef module, struct abi_program *abi,
				struct bytes *log);

#ifdef __cplusplus
}
#endif

#endif
