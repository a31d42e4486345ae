/* Compiles one kernel: from its decoded instructions to machine code.  Thread-safe. */
#ifndef CULVERT_SOFTCUDA_JIT_COMPILE_H
#define CULVERT_SOFTCUDA_JIT_COMPILE_H

#include "softcuda/exec/compile_wire.h"

/* Appends the answer to an order: the machine code, or why there is none.  Without memory, `answer` is marked as failed
 * (bytes.h). */
void jit_compile(const struct compile_order *order, struct bytes *answer);

#endif
