/* Which objects of C++ for OpenCL a program may not have, besides those that Clang knows of. */
#ifndef CULVERT_FRONTEND_CLANG_OBJECTS_H
#define CULVERT_FRONTEND_CLANG_OBJECTS_H

#include <memory>

#include <clang/AST/ASTConsumer.h>

/* Errors for objects that live as long as the program and have a destructor, which nobody would run,
 * when the source has been read; and at once for classes with virtual bases. */
std::unique_ptr<clang::ASTConsumer> fe_objects_check();

#endif
