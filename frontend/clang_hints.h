/* Hints beside Clang's messages for programmers of OpenCL C: a note after an error says which version has a
 * function, what its name is in OpenCL C, or which pragma is missing.  C++, only for clang.cpp.  Thread-safety: as
 * the compiler's to which it is given. */
#ifndef CULVERT_FRONTEND_CLANG_HINTS_H
#define CULVERT_FRONTEND_CLANG_HINTS_H

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <llvm/Support/raw_ostream.h>

/* A printer of messages with their notes. standard: as in fe_options; sm: as in fe_compile_job.  The caller owns it;
 * the stream and the options must outlive it. */
clang::DiagnosticConsumer *fe_hints_create(llvm::raw_ostream &stream,
					   clang::DiagnosticOptions &options, unsigned standard, unsigned sm);

#endif
