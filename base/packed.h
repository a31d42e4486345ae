/* Bytes that few look at, which may be held packed (base/pack.h) until somebody does.
 *
 * Filled by one owner, with bytes as they are or packed ones; constant then, and thread-safe. */
#ifndef CULVERT_BASE_PACKED_H
#define CULVERT_BASE_PACKED_H

#include "base/bytes.h"

#include <stdatomic.h>

struct packed_bytes {
	struct bytes bytes;                  /* the content, or what pack made of it */
	bool packed;
	_Atomic(struct bytes *) unpacked;    /* owned; of packed bytes, once somebody asked */
};

/* The content, unpacked at the first call; it stays the struct's.  NULL when it cannot be had, for want of
 * memory or because the packed bytes are damaged; never NULL again once it was there. */
const struct bytes *packed_bytes_open(struct packed_bytes *packed);

static inline bool packed_bytes_empty(const struct packed_bytes *packed)
{
	return !packed->bytes.size_B;
}

void packed_bytes_finish(struct packed_bytes *packed);

#endif
