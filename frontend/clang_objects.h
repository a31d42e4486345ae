/* Refuses objects of C++ for OpenCL that a program may not have and that Clang accepts. */
#ifndef CULVERT_FRONTEND_CLANG_OBJECTS_H
#define CULVERT_FRONTEND_CLANG_OBJECTS_H

#include <memory>

#include <clang/AST/ASTConsumer.h>

/* Returns a consumer that, when the source has been read, reports an error for each object that lives as long as the
 * program and has a destructor, because nothing would call it.  Classes with virtual bases are reported immediately. */
std::unique_ptr<clang::ASTConsumer> fe_objects_check();

#endif
