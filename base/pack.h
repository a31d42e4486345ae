/* Bytes made smaller, by zstd; for what is kept and seldom looked at.  Thread-safe. */
#ifndef CULVERT_BASE_PACK_H
#define CULVERT_BASE_PACK_H

#include "base/bytes.h"

/* Appends data to packed, packed; out of memory is packed's to tell. */
void pack(const void *data, size_t size_B, struct bytes *packed);

/* Appends to data what pack was given.  Trusts nothing: false where that was not all of
 * packed, is larger than anything that is packed, or there is no memory for it; data is then
 * as before. */
bool unpack(const void *packed, size_t size_B, struct bytes *data);

#endif
