/* Culvert's own shared libraries that are loaded when they are first needed: the software CUDA driver, the compiler.
 *
 * Thread-safe; a library that was loaded stays loaded as long as the process lives. */
#ifndef CULVERT_BASE_OWN_LIBRARY_H
#define CULVERT_BASE_OWN_LIBRARY_H

#include "base/bytes.h"

/* Loads the library of this file name: from the folder of the shared library or program that this code is part of,
 * from its subfolder culvert/, from ../lib/culvert/ for a program in bin/, and from where `make install` puts it.
 * Returns dlopen's handle; or NULL, with each place that was tried and the reason why it failed in note. */
void *own_library_open(const char *name, struct bytes *note);

/* Appends the path of the first of these files that exists.  False when none exists. */
bool own_library_find(const char *name, struct bytes *path);

#endif
