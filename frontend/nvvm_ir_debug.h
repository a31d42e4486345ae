/* Part of the NVVM IR printer: debug information about variables, types and scopes, as LLVM 7 writes it.  LLVM's C
 * interface does not give access to it, so this is C++ behind a C interface.
 *
 * Thread-safety: as the printer's. */
#ifndef CULVERT_FRONTEND_NVVM_IR_DEBUG_H
#define CULVERT_FRONTEND_NVVM_IR_DEBUG_H

#include "frontend/nvvm_ir.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the module's compile units describe variables and types, and not only lines. */
bool fe_ir_debug_is_full(LLVMModuleRef module);

/* Writes the definition of a node, `!n = !DI...`; false: it is no such node, and nothing was written. */
bool fe_ir_debug_node(struct ir_printer *printer, LLVMMetadataRef node);

/* Writes the calls that say which variables begin before an instruction, and where they are. */
void fe_ir_debug_variables(struct ir_printer *printer, LLVMValueRef instruction);

#ifdef __cplusplus
}
#endif

#endif
