/* Compression with zstd, for data that is kept and seldom read.  Thread-safe. */
#ifndef CULVERT_BASE_PACK_H
#define CULVERT_BASE_PACK_H

#include "base/bytes.h"

/* Appends the compressed data to packed.  Without memory packed is marked as failed (bytes.h). */
void pack(const void *data, size_t size_B, struct bytes *packed);

/* Appends to data what pack compressed.  packed may be damaged or hostile: false if it is not exactly one compressed
 * piece, if its content would be larger than any that is compressed, or if there is no memory; data stays as it
 * was. */
bool unpack(const void *packed, size_t size_B, struct bytes *data);

#endif
