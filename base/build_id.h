/* Which build a library's file is of, without loading it, or one that is loaded.
 *
 * Thread-safe. */
#ifndef CULVERT_BASE_BUILD_ID_H
#define CULVERT_BASE_BUILD_ID_H

#include "base/bytes.h"

#include <stdbool.h>

/* Appends the build id that the linker left in an ELF file (NT_GNU_BUILD_ID), in hex;
 * of a file without one the hash of its content.  False when it cannot be read. */
bool build_id_append(struct bytes *text, const char *path);

/* The same for the shared object or program that address lies in, as it was loaded: its file may be
 * another build's by now. */
bool build_id_append_at(struct bytes *text, const void *address);

#endif
