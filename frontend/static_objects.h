/* Static objects of functions in C++ for OpenCL: the first work-item of the device that reaches one initializes it,
 * and others wait.  The built-in library has the functions of guards (builtins/static_object.cl).  C++ only.
 * Thread-safety: as the module's. */
#ifndef CULVERT_FRONTEND_STATIC_OBJECTS_H
#define CULVERT_FRONTEND_STATIC_OBJECTS_H

#include "frontend/module.h"

namespace llvm {
class GlobalVariable;
class Module;
}

/* Whether a variable says that an object has been made ("_ZGV" and the object's name: Itanium C++
 * ABI, 5.1.5.2). */
bool fe_is_guard(const llvm::GlobalVariable &variable);

/* Prepares Clang's code for static objects, before the library is linked. */
enum fe_status fe_static_objects(llvm::Module &module, struct bytes *log);

#endif
