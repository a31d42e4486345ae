/* Whether the program that we are loaded into would give its own LLVM to our compiler.
 *
 * A program into which LLVM was linked statically, and which exports its symbols to libraries (ld's --export-dynamic,
 * a library opened with RTLD_GLOBAL), has these symbols come first for every library that is loaded later: our Clang
 * would then call functions of another LLVM, and the process would end.  A shared LLVM does no harm, since its symbols
 * have versions.  Only a compiler that is loaded into the host's process is concerned.
 *
 * Thread-safe. */
#ifndef CULVERT_FRONTEND_HOST_LLVM_H
#define CULVERT_FRONTEND_HOST_LLVM_H

#include "base/bytes.h"

#include <stdbool.h>

/* True if it would; why is appended to log. */
bool fe_host_llvm_in_the_way(struct bytes *log);

#endif
