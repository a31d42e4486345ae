/* What clGetKernelArgInfo says of a kernel that was SPIR-V: names and types as they were declared, not
 * as the text has them (spirv_module.h).  They stand in the text as a constant of the kernel's; what
 * reads them is kernel_arguments.c.
 *
 * Source: the LLVM/SPIR-V translator's OpStrings "kernel_arg_type.KERNEL.int*,float,", where a module
 * has them; OpName and the types themselves otherwise.
 * Thread-safety: as their writer. */
#ifndef CULVERT_FRONTEND_SPIRV_ARGUMENT_H
#define CULVERT_FRONTEND_SPIRV_ARGUMENT_H

#include "frontend/spirv_function.h"

/* The constant's name is this and the kernel's; its value name, type and qualifiers of each parameter,
 * a NUL behind each.  Empty: what the module does not say. */
#define SPIRV_ARGUMENTS "culvert.arguments."

void spirv_arguments(struct spirv_writer *writer, const struct spirv_function *function,
		     const struct spirv_entry *entry);

#endif
