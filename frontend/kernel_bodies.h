/* Restores the form in which Clang before version 21 wrote kernels. C++, for clang.cpp alone.
 * Thread-safety: as the module's. */
#ifndef CULVERT_FRONTEND_KERNEL_BODIES_H
#define CULVERT_FRONTEND_KERNEL_BODIES_H

namespace llvm {
class Module;
}

/* Clang 21 and newer write a kernel twice: as a function, which other kernels call, and as a kernel that only calls
 * it.  Moves the body back into the kernel, because other passes examine the loads, stores and attributes there, and
 * replaces calls of the function by calls of the kernel. */
void fe_kernel_bodies_restore(llvm::Module &module);

#endif
