/* Identifies the build of a library or program: of a file, without loading it, or of one that is loaded.
 *
 * Thread-safe. */
#ifndef CULVERT_BASE_BUILD_ID_H
#define CULVERT_BASE_BUILD_ID_H

#include "base/bytes.h"

#include <stdbool.h>

/* Appends the build id that the linker stored in an ELF file (NT_GNU_BUILD_ID), in hexadecimal; if the file has
 * none, the hash of its content.  False when the file cannot be read. */
bool build_id_append(struct bytes *text, const char *path);

/* Appends the build id of the loaded shared object or program that contains address.  It is read from memory:
 * the file may have been replaced by another build.  False when it has none. */
bool build_id_append_at(struct bytes *text, const void *address);

#endif
