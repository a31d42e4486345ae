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

/* Appends those of one of Culvert's own files, which is found by its name (base/own_library.h), and of `count` other
 * files, by their paths.  False when one of them cannot be found or read. */
bool build_id_append_own(struct bytes *text, const char *name, const char *const *others, size_t count);

/* Appends the build id of the loaded shared object or program that contains address.  It is read from memory:
 * the file may have been replaced by another build.  False when it has none. */
bool build_id_append_at(struct bytes *text, const void *address);

#endif
