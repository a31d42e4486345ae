/* Objects of C++ that exist before any kernel runs: those of program scope.  C++ only.
 *
 * C++ for OpenCL, 3.3.9: "For the program scope objects the implementation (i.e. compiler) defines
 * an ABI format for initialization and destruction of global objects before/after all kernels are
 * enqueued."  Ours: what Clang did not find out by itself runs here, when the program is linked, and
 * becomes the values that its variables begin with; what cannot run here is an error that names
 * the object.  Clang has refused those that have destructors (clang.cpp).
 *
 * Calling sequence: fe_constructors_begin, the library is linked, fe_constructors_run.
 * Thread-safety: as the module. */
#ifndef CULVERT_FRONTEND_CONSTRUCTORS_H
#define CULVERT_FRONTEND_CONSTRUCTORS_H

#include "frontend/module.h"

#include <vector>

namespace llvm {
class GlobalValue;
class Module;
}

/* Returns the globals that have to be kept besides kernels; empty if there is nothing to run. */
std::vector<const llvm::GlobalValue *> fe_constructors_begin(llvm::Module &module);

/* Runs all constructors. Every function that they call must be linked, and every name internal. What cannot
 * be run is appended to log: FE_LINK_FAILED. */
enum fe_status fe_constructors_run(llvm::Module &module, struct bytes *log);

#endif
