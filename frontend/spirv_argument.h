/* What a kernel that was SPIR-V is called, and what clGetKernelArgInfo says of it: names and types as
 * they were declared, not as the text has them (spirv_module.h).  They stand in the text as a constant of
 * the kernel's; what reads them is kernel_arguments.c.
 *
 * Source: the LLVM/SPIR-V translator's OpStrings "kernel_arg_type.KERNEL.int*,float,", where a module
 * has them; OpName and the types themselves otherwise.
 * Thread-safety: as their writer. */
#ifndef CULVERT_FRONTEND_SPIRV_ARGUMENT_H
#define CULVERT_FRONTEND_SPIRV_ARGUMENT_H

#include "frontend/spirv_function.h"

/* The kernel's name in the text, with its number behind: Clang from 21 on loses a kernel's body where
 * the text gives it a name by __asm__. */
#define SPIRV_KERNEL "culvert_kernel_"
/* The constant's name is this, the kernel's name in the text, a point, and the kernel's own name, escaped (symbol.h); its
 * value name, type and qualifiers of each parameter, a NUL behind each.  Empty: what the module does not
 * say. */
#define SPIRV_ARGUMENTS "culvert.arguments."

void spirv_arguments(struct spirv_writer *writer, const struct spirv_function *function,
		     const struct spirv_entry *entry);

#endif
