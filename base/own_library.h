/* Shared objects of our own that are loaded when they are first needed: the
 * software CUDA driver, the compiler.
 *
 * Thread-safe; what is opened stays open as long as the process lives. */
#ifndef CULVERT_BASE_OWN_LIBRARY_H
#define CULVERT_BASE_OWN_LIBRARY_H

#include "base/bytes.h"

/* Looks for name beside the shared object or program that this code is part of, in culvert/
 * below that, in ../lib/culvert/ for a program in bin/, and where `make install` puts it.  A handle of dlopen; NULL with every
 * place that was tried, and why in vain, in note. */
void *own_library_open(const char *name, struct bytes *note);

/* Appends the path that own_library_open would try first of those that are there.
 * False when there is none. */
bool own_library_find(const char *name, struct bytes *path);

#endif
