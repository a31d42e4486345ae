/* What Clang's messages leave out, for those who write OpenCL C: a note behind an error says which
 * standard has a function, what it is called here, or which pragma is missing.  C++, for clang.cpp
 * alone.  Thread-safety: as the compiler that it is given to. */
#ifndef CULVERT_FRONTEND_CLANG_HINTS_H
#define CULVERT_FRONTEND_CLANG_HINTS_H

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <llvm/Support/raw_ostream.h>

/* Writes messages with their notes.  standard: as in fe_options.  The caller owns it; the stream
 * and the options must outlive it. */
clang::DiagnosticConsumer *fe_hints_create(llvm::raw_ostream &stream,
					   clang::DiagnosticOptions &options, unsigned standard);

#endif
