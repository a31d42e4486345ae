/* The host's processor as a target of LLVM: optimization, code generation, and the memory that holds the machine code.
 * Pages of code are writable while they are filled and executable afterwards, never both at once.
 *
 * target_compile makes an object file of a module, target_add loads the object file into memory, and target_remove
 * frees that memory.  All functions are thread-safe; target_lanes has to succeed before the others are called. */
#ifndef CULVERT_SOFTCUDA_JIT_TARGET_H
#define CULVERT_SOFTCUDA_JIT_TARGET_H

#include "base/bytes.h"

#include <llvm-c/LLJIT.h>
#include <llvm-c/TargetMachine.h>

#include <stdbool.h>
#include <stdint.h>

/* Returns the number of lanes of 32 bits in the host's vectors; or 0, with the reason in why, if LLVM cannot be
 * used. */
uint32_t target_lanes(struct bytes *why);

/* Optimizes a module and returns an object file with its machine code; or NULL, with the reason in why. */
LLVMMemoryBufferRef target_compile(LLVMModuleRef module, struct bytes *why);

/* Loads an object file, whose ownership passes to target_add also if it fails, and stores the addresses of the `count`
 * functions with these names.  Returns the handle for target_remove; or NULL, with the reason in why. */
LLVMOrcResourceTrackerRef target_add(LLVMMemoryBufferRef object, const char *const *names, uint64_t *addresses,
				     uint32_t count, struct bytes *why);
void target_remove(LLVMOrcResourceTrackerRef code);

#endif
