/* Local pointers, which are pointers to CUDA's shared memory, and whether they can have 32 bits for libnvvm.
 *
 * A GPU uses the low 32 bits of local addresses, and nvcc's PTX computes them in 32 bits.  With 64 bits an index of
 * 32 bits is extended for each access, so that the assembler shares fewer addresses and unrolls less.  Clang gives
 * local pointers 64 bits, which sizeof and the layout of structs show; therefore 32 bits can be used only if no
 * local pointer is in memory.
 *
 * Thread-safety: as the module's, one thread at a time. */
#ifndef CULVERT_FRONTEND_LOCAL_POINTERS_H
#define CULVERT_FRONTEND_LOCAL_POINTERS_H

#include <llvm-c/Core.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

bool fe_is_local_pointer(LLVMTypeRef type);

/* Whether no instruction and no variable of the module shows how large a local pointer is, to a libnvvm of that dialect
 * (nvvm_reads_newer_dialect).  What functions take and return is not looked at. */
bool fe_local_pointers_fit(LLVMModuleRef module, bool newer_dialect);

/* Whether a function that may stay one takes or returns local pointers. */
bool fe_passes_local_pointers(LLVMValueRef function);

#ifdef __cplusplus
}
#endif

#endif
