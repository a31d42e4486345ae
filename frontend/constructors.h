/* C++ objects of program scope, which exist before any kernel runs.  C++ only.
 *
 * C++ for OpenCL, 3.3.9: "For the program scope objects the implementation (i.e. compiler) defines an ABI format for
 * initialization and destruction of global objects before/after all kernels are enqueued." Here, constructors that
 * Clang cannot evaluate run when the program is linked, and their results become the initial values of variables;
 * one that cannot run there is an error, which names the object.  Objects with destructors were rejected before
 * (clang_objects.h).
 *
 * Calling sequence: fe_constructors_begin, then the library is linked, then fe_constructors_run.  Thread-safety: as
 * the module's. */
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
