/* Restores the form in which Clang before version 21 wrote kernels. C++, for clang.cpp alone.
 * Thread-safety: as the module's. */
#ifndef CULVERT_FRONTEND_KERNEL_BODIES_H
#define CULVERT_FRONTEND_KERNEL_BODIES_H

namespace llvm {
class Module;
}

/* From 21 on Clang writes a kernel twice: as a function that other kernels call, and as a kernel that does
 * nothing but call it.  Puts the body back into the kernel, which everything here asks for its loads,
 * stores and attributes, and makes calls of the function calls of the kernel. */
void fe_kernel_bodies_restore(llvm::Module &module);

#endif
