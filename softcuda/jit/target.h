/* The host as a target of LLVM, and the room that its code lies in.  Pages of code are writable while they are filled and
 * executable afterwards, never both.
 *
 * Thread-safe. */
#ifndef CULVERT_SOFTCUDA_JIT_TARGET_H
#define CULVERT_SOFTCUDA_JIT_TARGET_H

#include "base/bytes.h"

#include <llvm-c/LLJIT.h>
#include <llvm-c/TargetMachine.h>

#include <stdbool.h>
#include <stdint.h>

/* How many lanes of 32 bits the host's vectors have; 0, with the reason in why: LLVM cannot be used. */
uint32_t target_lanes(struct bytes *why);

/* Optimizes a module and makes machine code of it; NULL, with the reason in why. */
LLVMMemoryBufferRef target_compile(LLVMModuleRef module, struct bytes *why);

/* Puts an object into memory, which it takes in any case.  The addresses of its functions by name; what
 * target_remove takes, NULL with the reason in why. */
LLVMOrcResourceTrackerRef target_add(LLVMMemoryBufferRef object, const char *const *names, uint64_t *addresses,
				     uint32_t count, struct bytes *why);
void target_remove(LLVMOrcResourceTrackerRef code);

#endif
