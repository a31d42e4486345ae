/* Local pointers, which are pointers to CUDA's shared memory, and whether they can have 32 bits for libnvvm.
 *
 * A GPU takes local addresses by their low 32 bits, and nvcc's PTX computes them in 32.  With 64 an index of
 * 32 bits is extended for each access, so that assemblers share fewer addresses and unroll less.  Clang lays
 * local pointers out with 64 bits, which is what sizeof says and what stands in structs, so that 32 can do
 * only where none of them is in memory.
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

/* Whether no instruction and no variable of the module shows how large a local pointer is, to the compiler for
 * compute capability sm (90).  What functions take and return is not looked at. */
bool fe_local_pointers_fit(LLVMModuleRef module, unsigned sm);

/* Whether a function that may stay one takes or returns local pointers. */
bool fe_passes_local_pointers(LLVMValueRef function);

#ifdef __cplusplus
}
#endif

#endif
