/* The host's processor as a target of LLVM: optimization and code generation.
 *
 * level: what of the processor is used (compile_order.level).
 * target_lanes is thread-safe; it has to succeed before target_compile is called, which one thread at a time may call,
 * since it sets options of LLVM's. */
#ifndef CULVERT_SOFTCUDA_JIT_TARGET_H
#define CULVERT_SOFTCUDA_JIT_TARGET_H

#include "base/bytes.h"

#include <llvm-c/TargetMachine.h>

#include <stdbool.h>
#include <stdint.h>

/* Returns the number of lanes of 32 bits in the processor's vectors; or 0, with the reason in why, if LLVM cannot be
 * used. */
uint32_t target_lanes(uint32_t level, struct bytes *why);

/* Optimizes a module and returns an object file with its machine code; or NULL, with the reason in why. */
LLVMMemoryBufferRef target_compile(LLVMModuleRef module, uint32_t level, struct bytes *why);

#endif
