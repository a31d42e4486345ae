/* Whether the program that we are loaded into would give its own LLVM to a library of ours that uses LLVM.
 *
 * A program into which LLVM was linked statically, and which exports its symbols to libraries (ld's --export-dynamic,
 * a library opened with RTLD_GLOBAL), has these symbols come first for every library that is loaded later: our
 * library would then call functions of another LLVM, and the process would end.  A shared LLVM does no harm, since its
 * symbols have versions.
 *
 * Thread-safe. */
#ifndef CULVERT_BASE_HOST_LLVM_H
#define CULVERT_BASE_HOST_LLVM_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stddef.h>

/* True if it would.  ours: the files of the LLVM that our library is linked to.  The name of the host's file with the
 * other LLVM is appended to name. */
bool host_llvm_in_the_way(const char *const *ours, size_t count, struct bytes *name);

#endif
